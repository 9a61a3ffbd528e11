//! Finds the current listing for each value of a query (S-4 to S-7).

use std::sync::Arc;

use chain::ids::Uprn;
use observe::trace;
use storage::address_search::{self, CurrentListing};
use storage::{Read, Storage, StorageError, registry};
use tracing::Instrument as _;

use super::query::Values;
use crate::problem::Problem;
use crate::property_search::{self, Found, Postcodes};

/// A query by UPRN with at most this many values counts as a small read.
const FEW_VALUES: usize = 4;

/// A value with its current listing.
#[derive(Debug)]
pub(super) struct Match {
    /// The member `queriedAddress` of the answer (S-5).
    pub(super) queried: String,
    pub(super) current: CurrentListing,
}

/// Finds the matches of all values, and the registry's revision in the same read. Values without a
/// match are left out. If no value has a match, the query is refused with 404 (S-4).
pub(super) async fn find_matches(
    storage: &Storage,
    values: Arc<Values>,
) -> Result<(i64, Vec<Match>), Problem> {
    let is_small = matches!(values.as_ref(), Values::Uprns(uprns) if uprns.len() <= FEW_VALUES);
    let find = move |read: &mut Read<'_>| match values.as_ref() {
        Values::Uprns(uprns) => find_uprns(read, uprns),
        Values::Addresses(addresses) => find_addresses(read, addresses),
    };
    let step = trace::step("store read");
    let (revision, matches, is_ambiguous) = if is_small {
        storage.lookup(find).instrument(step).await?
    } else {
        storage.read(find).instrument(step).await?
    };
    if !matches.is_empty() {
        return Ok((revision, matches));
    }
    Err(Problem::NotFound(if is_ambiguous {
        "Several properties fit the address equally well. Name the flat or building number, \
         the street and the postcode, or ask by UPRN."
    } else {
        "No property with a current listing fits any of the values asked for."
    }))
}

/// The registry's revision, the matches, and whether a value matches several properties.
type Findings = (i64, Vec<Match>, bool);

fn find_uprns(read: &mut Read<'_>, uprns: &[Uprn]) -> Result<Findings, StorageError> {
    let mut oldest_revision = i64::MAX;
    let mut matches = Vec::with_capacity(uprns.len());
    for uprn in uprns {
        let located = address_search::find_by_uprn(read, *uprn)?;
        oldest_revision = oldest_revision.min(located.revision);
        if let Some(current) = located.current {
            let queried = current.display_address.clone();
            matches.push(Match { queried, current });
        }
    }
    Ok((oldest_revision, matches, false))
}

fn find_addresses(read: &mut Read<'_>, addresses: &[String]) -> Result<Findings, StorageError> {
    let revision = registry::find_revision(read)?;
    let mut matches = Vec::with_capacity(addresses.len());
    let mut is_ambiguous = false;
    let mut postcodes = Postcodes::new();
    for text in addresses {
        // Up to 100 addresses take long. Requests that wait for a processor come first.
        std::thread::yield_now();
        match property_search::find_listing(read, text, &mut postcodes)? {
            Found::Nothing => {}
            Found::Several => is_ambiguous = true,
            Found::One(current) => matches.push(Match {
                queried: text.clone(),
                current,
            }),
        }
    }
    Ok((revision, matches, is_ambiguous))
}
