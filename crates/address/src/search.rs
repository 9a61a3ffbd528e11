//! Walks the probes of a query until the answer is certain. Both engines and the tests use it, so
//! that a query's answer cannot depend on who holds the properties.

use std::collections::BTreeMap;

use crate::known::Known;
use crate::probe::Probe;
use crate::query::Query;
use crate::rank::{Decision, Ranking, Standing};

/// The most properties that a store gives for one probe: those with the lowest ids.
pub const CANDIDATES: usize = 150;

/// A stored property that a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidate<Id> {
    /// Its id.
    pub id: Id,
    /// Address lines 1 to 4.
    pub lines: [String; 4],
    /// The post town.
    pub post_town: String,
    /// The postcode.
    pub postcode: String,
    /// The address in one line.
    pub display_address: String,
}

impl<Id> Candidate<Id> {
    /// Its address.
    pub fn known(&self) -> Known<'_> {
        let [line1, line2, line3, line4] = &self.lines;
        Known {
            lines: [line1, line2, line3, line4],
            post_town: &self.post_town,
            postcode: &self.postcode,
            display_address: &self.display_address,
        }
    }
}

/// Asks `find` for each probe's properties, at most the given number of them and those with the
/// lowest ids, and ranks them. Stops as soon as a probe that was answered in full gives a decision.
/// A property that only cut-off answers held is never decided for: what was cut off may fit as
/// well.
pub fn search<Id: Copy + Ord, E>(
    query: &Query,
    mut find: impl FnMut(&Probe, usize) -> Result<Vec<Candidate<Id>>, E>,
) -> Result<Ranking<Id>, E> {
    let mut standings: BTreeMap<Id, Standing> = BTreeMap::new();
    let mut ranking = Ranking::default();
    let mut is_cut_off = false;
    for probe in query.probes() {
        if probe.is_narrower && !is_cut_off {
            continue;
        }
        let found = find(&probe, CANDIDATES)?;
        let is_whole = found.len() < CANDIDATES;
        is_cut_off = !is_whole;
        for candidate in found {
            let standing = standings
                .entry(candidate.id)
                .or_insert_with(|| Standing::of(query, &candidate.known()));
            standing.is_certain |= is_whole;
        }
        ranking = Ranking::of(&standings);
        let is_decided = match ranking.decision() {
            Decision::One(_) | Decision::Several => !ranking.is_cut,
            Decision::Nothing => false,
        };
        if is_decided {
            break;
        }
    }
    Ok(ranking)
}
