//! Sends the probes of a query to a store until one property is certain. Both engines and the tests
//! use this search, so the engine cannot change an answer.

use std::collections::BTreeMap;

use crate::known::Candidate;
use crate::probe::{Probe, probes, says_too_little};
use crate::query::Query;
use crate::rank::{Assessed, Ranking};

/// A store returns at most this many properties for one probe, those with the lowest ids.
const CANDIDATES_MAX: usize = 150;

/// Ranks the properties that `find` returns for the probes of a query, at most twelve. `find` takes
/// a limit and returns the properties with the lowest ids first. The search stops when an answer
/// that was not cut off leads to a decision.
///
/// After an answer that was cut off, `find` is asked for the verified ones of the same properties:
/// somebody may have made the others up. The search never decides for a property that only cut-off
/// answers held, because a property that was cut off may fit as well.
pub fn search<Id: Copy + Ord, E>(
    query: &Query,
    mut find: impl FnMut(&Probe, usize) -> Result<Vec<Candidate<Id>>, E>,
) -> Result<Ranking<Id>, E> {
    let mut assessed: BTreeMap<Id, Assessed> = BTreeMap::new();
    let mut ranking = Ranking::default();
    let (mut is_cut_off, mut is_postcode_seen) = (false, false);
    for probe in probes(query) {
        if probe.is_narrower && !is_cut_off {
            continue;
        }
        let found = find(&probe, CANDIDATES_MAX)?;
        is_cut_off = found.len() >= CANDIDATES_MAX;
        is_postcode_seen |= probe.is_whole_postcode && !is_cut_off;
        for candidate in found {
            let property = assess(&mut assessed, query, &candidate);
            property.is_certain |= !is_cut_off;
        }
        if is_cut_off {
            let verified = find(&probe.of_verified(), CANDIDATES_MAX)?;
            let are_all = verified.len() < CANDIDATES_MAX;
            for candidate in verified {
                let property = assess(&mut assessed, query, &candidate);
                property.is_certain |= are_all && property.beats_unverified();
            }
        }
        ranking = Ranking::of(&assessed, is_postcode_seen);
        if ranking.fitting().is_some() && !ranking.is_cut_off {
            break;
        }
    }
    if says_too_little(query) {
        ranking.too_little = ranking.too_little.max(1);
    }
    Ok(ranking)
}

fn assess<'a, Id: Copy + Ord>(
    assessed: &'a mut BTreeMap<Id, Assessed>,
    query: &Query,
    candidate: &Candidate<Id>,
) -> &'a mut Assessed {
    let known = assessed.entry(candidate.id);
    known.or_insert_with(|| Assessed::new(query, candidate))
}
