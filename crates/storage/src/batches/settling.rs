//! Decides which listings are current after a batch (S-6).

use std::collections::HashMap;

use chain::current::{self, Candidate, Effect};
use chain::ids::{ListingId, PropertyId};

use crate::current_listings::{
    self, Decision, Settled, candidate_columns, offer_columns, read_candidate, read_offer,
};
use crate::engine::{EachRow, each_row};
use crate::{Read, Result, Write, chain_holds};

const HOLDERS: EachRow = each_row!(
    "select p.id, p.current_listing_id, l.offer_since from ",
    ["$1" which bigint],
    " join property p on p.id = given.which \
     left join listing l on l.id = p.current_listing_id"
);
const OFFERS: EachRow = each_row!(
    concat!("select ", offer_columns!(), ", l.id from "),
    ["$1" which bigint],
    " join listing l on l.id = given.which join property p on p.id = l.property_id"
);
const SET_OFFERS: EachRow = each_row!(
    "update listing set offer_since = given.since from ",
    ["$1" since bigint, "$2" which bigint],
    " where listing.id = given.which"
);
const CURRENT: EachRow = each_row!(
    "select p.id, p.current_listing_id from ",
    ["$1" which bigint],
    " join property p on p.id = given.which"
);
const CANDIDATES: EachRow = each_row!(
    concat!("select ", candidate_columns!(), ", l.property_id from "),
    ["$1" which bigint],
    " join listing l on l.property_id = given.which where coalesce(l.deleted_at, -1) = -1"
);
const SET_CURRENT: EachRow = each_row!(
    "update property set current_listing_id = given.chosen from ",
    ["$1" chosen bigint, "$2" which bigint],
    " where property.id = given.which"
);

/// The place of a property's current listing, as it was before an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holder {
    /// The current listing, if it was under offer.
    pub offer: Option<ListingId>,
    /// Whether any listing was current.
    pub is_taken: bool,
}

/// Finds the places of the current listings of these properties.
pub fn find_holders(
    read: &mut Read<'_>,
    properties: &[PropertyId],
) -> Result<HashMap<PropertyId, Holder>> {
    let rows: Vec<_> = properties.iter().map(|id| [(*id).into()]).collect();
    let found = read.query_each(HOLDERS, &rows, |row| {
        let current = row.optional_integer(1)?.map(ListingId);
        let is_offer = row.optional_integer(2)?.is_some();
        let holder = Holder {
            offer: current.filter(|_| is_offer),
            is_taken: current.is_some(),
        };
        Ok((PropertyId(row.integer(0)?), holder))
    })?;
    Ok(found.into_iter().collect())
}

/// Updates whether these listings are under offer.
pub fn settle_listings(write: &mut Write<'_>, listings: &[ListingId], now: i64) -> Result<()> {
    let rows: Vec<_> = listings.iter().map(|id| [(*id).into()]).collect();
    let changed = write.query_each(OFFERS, &rows, |row| {
        let (_settled, since, offer) = read_offer(row)?;
        let is_changed = current_listings::effect_on(since, &offer) != Effect::Other;
        let since = offer.stands().then_some(now);
        Ok(is_changed.then_some((since, row.integer(8)?)))
    })?;
    let changed = changed.into_iter().flatten();
    let changed: Vec<_> = changed
        .map(|(since, listing)| [since.into(), listing.into()])
        .collect();
    write.execute_each(SET_OFFERS, &changed)
}

/// Decides which listings of these properties are current after a batch wrote to their listings. Each
/// has with it the place as it was before the import. The history does not show how batches filled a
/// place that was free then, because that depends on where a batch ends.
pub fn settle_properties(
    write: &mut Write<'_>,
    decision: &Decision<'_>,
    properties: &[(PropertyId, Holder)],
) -> Result<()> {
    let rows: Vec<_> = properties.iter().map(|(id, _)| [(*id).into()]).collect();
    let current = write.query_each(CURRENT, &rows, |row| {
        let current = row.optional_integer(1)?.map(ListingId);
        Ok((PropertyId(row.integer(0)?), current))
    })?;
    let current: HashMap<_, _> = current.into_iter().collect();
    let mut candidates: HashMap<PropertyId, Vec<Candidate>> = HashMap::new();
    write.query_each(CANDIDATES, &rows, |row| {
        let of_property = candidates.entry(PropertyId(row.integer(6)?)).or_default();
        of_property.push(read_candidate(row)?);
        Ok(())
    })?;
    let (mut chosen, mut changed) = (Vec::new(), Vec::new());
    for (property, holder) in properties {
        let candidates = candidates.remove(property).unwrap_or_default();
        let before = current.get(property).copied().flatten();
        let after = current::decide_after_import(holder.offer, &candidates, decision.now);
        if before == after {
            continue;
        }
        changed.push(*property);
        chosen.push([after.map(|listing| listing.0).into(), (*property).into()]);
        if holder.is_taken {
            current_listings::note(write, decision, Settled { before, after })?;
        }
    }
    write.execute_each(SET_CURRENT, &chosen)?;
    chain_holds::note_current(write, &changed, decision.now)
}
