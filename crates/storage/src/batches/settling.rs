//! Decides which listings are current after a batch (S-6).

use std::collections::HashMap;

use chain::current::{self, Candidate};
use chain::ids::{ListingId, PropertyId};

use crate::current_listings::{
    self, Decision, OfferSince, Settled, candidate_columns, offer_columns, read_candidate,
    read_offer,
};
use crate::engine::{EachRow, each_row};
use crate::{Read, Result, Write};

const CURRENT_OFFERS: EachRow = each_row!(
    "select p.id, l.id from ",
    ["$1" which bigint],
    " join property p on p.id = given.which join listing l on l.id = p.current_listing_id \
     where l.offer_since is not null"
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

/// For these properties, the current listing, if it is under offer.
pub fn find_offers(
    read: &mut Read<'_>,
    properties: &[PropertyId],
) -> Result<HashMap<PropertyId, ListingId>> {
    let rows: Vec<_> = properties.iter().map(|id| [(*id).into()]).collect();
    let found = read.query_each(CURRENT_OFFERS, &rows, |row| {
        Ok((PropertyId(row.integer(0)?), ListingId(row.integer(1)?)))
    })?;
    Ok(found.into_iter().collect())
}

/// Updates whether these listings are under offer.
pub fn settle_listings(write: &mut Write<'_>, listings: &[ListingId], now: i64) -> Result<()> {
    let rows: Vec<_> = listings.iter().map(|id| [(*id).into()]).collect();
    let changed = write.query_each(OFFERS, &rows, |row| {
        let (_settled, since, offer) = read_offer(row)?;
        let changed = current_listings::since_after(since, &offer, now);
        Ok(changed.map(|OfferSince(since)| (since, row.integer(8))))
    })?;
    let changed = changed.into_iter().flatten();
    let changed: Vec<_> = changed
        .map(|(since, listing)| Ok([since.into(), listing?.into()]))
        .collect::<Result<_>>()?;
    write.execute_each(SET_OFFERS, &changed)
}

/// Decides which listings of these properties are current after an import wrote to their listings.
/// Each has with it the listing that was current and under offer before the import.
pub fn settle_properties(
    write: &mut Write<'_>,
    decision: &Decision<'_>,
    properties: &[(PropertyId, Option<ListingId>)],
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
    let mut chosen = Vec::new();
    for (property, holder) in properties {
        let candidates = candidates.remove(property).unwrap_or_default();
        let before = current.get(property).copied().flatten();
        let after = current::decide_after_import(*holder, &candidates, decision.now);
        if before == after {
            continue;
        }
        chosen.push([after.map(|listing| listing.0).into(), (*property).into()]);
        current_listings::note(write, decision, Settled { before, after })?;
    }
    write.execute_each(SET_CURRENT, &chosen)
}
