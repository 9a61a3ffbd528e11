//! Finds properties by UPRN and address, with their current listings and chains.

use address::Probe;
use chain::ids::{ChainId, ListingId, PropertyId, Uprn};

use crate::properties::{self, StoredProperty};
use crate::row::Row;
use crate::{Read, Result};

/// A property with its current listing (S-6) and chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentListing {
    /// The property.
    pub property: PropertyId,
    /// Its address in one line.
    pub display_address: String,
    /// Its current listing.
    pub listing: ListingId,
    /// When the listing last changed. Unix seconds.
    pub updated_at: i64,
    /// The listing's chain.
    pub chain: ChainId,
    /// The chain's version, under which its state may be cached.
    pub version: i64,
    /// How many properties this version lacks because they were erased. A present version lacks none.
    pub erased: i64,
    /// The UPRN of the property.
    pub uprn: Uprn,
}

/// The answer to a lookup by UPRN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The registry's revision in the same snapshot.
    pub revision: i64,
    /// Whether a property has this UPRN.
    pub is_known: bool,
    /// `None` if no property has this UPRN, or if it has no current listing.
    pub current: Option<CurrentListing>,
}

/// Finds the current listing of a UPRN (S-6). The same statement reads the registry's revision,
/// because a second statement would double the cost of the hot path.
pub fn find_by_uprn(read: &mut Read<'_>, uprn: Uprn) -> Result<Located> {
    read.find_cached(uprn, |read| {
        read.query_exactly_one(
            "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version, p.uprn, r.value \
             from revision r left join property p on p.uprn = $1 \
             left join listing l on l.id = p.current_listing_id \
             left join chain c on c.id = l.chain_id where r.name = 'registry'",
            &[uprn.value().into()],
            |row| {
                let is_found = row.optional_integer(2)?.is_some();
                Ok(Located {
                    revision: row.integer(7)?,
                    is_known: row.optional_integer(0)?.is_some(),
                    current: is_found.then(|| read_current_listing(row)).transpose()?,
                })
            },
        )
    })
}

/// Finds the current listing of a property (S-6).
pub fn find_by_property(
    read: &mut Read<'_>,
    property: PropertyId,
) -> Result<Option<CurrentListing>> {
    read.query_one(
        "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version, p.uprn \
         from property p join listing l on l.id = p.current_listing_id \
         join chain c on c.id = l.chain_id where p.id = $1",
        &[property.into()],
        read_current_listing,
    )
}

/// At most `limit` properties that a probe finds, in the order of their ids. They need no listing.
pub fn list_candidates(
    read: &mut Read<'_>,
    probe: &Probe,
    limit: usize,
) -> Result<Vec<StoredProperty>> {
    let groups: Vec<&[i32]> = probe.all_of.iter().map(Vec::as_slice).collect();
    let mut found = Vec::new();
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    read.each_by_tokens(&groups, limit, |row| {
        found.push(properties::read_property(row)?);
        Ok(())
    })?;
    Ok(found)
}

/// The current listing of a postcode that comes first in the order of S-7: a verified property, then a
/// listing in a chain with others, then the newest change, then the lowest property id.
///
/// It looks at the first 500 properties with a listing, the verified ones first: no postcode has so
/// many homes, and somebody may have made properties up.
pub fn find_by_postcode(read: &mut Read<'_>, postcode_key: &str) -> Result<Option<CurrentListing>> {
    read.query_one(
        "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version, p.uprn \
         from (select id, uprn, display_address, verified, current_listing_id from property \
         where postcode_key = $1 and current_listing_id is not null \
         order by verified desc, id limit 500) p \
         join listing l on l.id = p.current_listing_id join chain c on c.id = l.chain_id \
         order by p.verified desc, case when exists (select 1 from listing x where x.chain_id = c.id \
         and x.deleted_at is null and x.id <> l.id) then 0 else 1 end, l.updated_at desc, p.id \
         limit 1",
        &[postcode_key.into()],
        read_current_listing,
    )
}

/// Whether any property has this postcode.
pub fn has_postcode(read: &mut Read<'_>, postcode_key: &str) -> Result<bool> {
    read.exists(
        "select 1 from property where postcode_key = $1 limit 1",
        &[postcode_key.into()],
    )
}

fn read_current_listing(row: &Row<'_>) -> Result<CurrentListing> {
    Ok(CurrentListing {
        property: PropertyId(row.integer(0)?),
        display_address: row.text(1)?,
        listing: ListingId(row.integer(2)?),
        updated_at: row.integer(3)?,
        chain: row.parsed(4)?,
        version: row.integer(5)?,
        erased: 0,
        uprn: properties::read_uprn(row, 6)?,
    })
}
