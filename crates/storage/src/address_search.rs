//! Finds properties by UPRN and address, with their current listings and chains.

use address::Probe;
use chain::ids::{ChainId, ListingId, PropertyId, Uprn};

use crate::properties::{self, StoredProperty};
use crate::row::Row;
use crate::{Read, Result};

/// A property with its current listing (S-6) and chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
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
}

/// The answer to a lookup by UPRN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The registry's revision in the same snapshot.
    pub revision: i64,
    /// `None` if no property has this UPRN, or if it has no current listing.
    pub hit: Option<Hit>,
}

/// Finds the current listing of a UPRN: the newest that is not deleted (S-6). The same statement
/// reads the registry's revision, because a second statement would double the cost of the hot path.
pub fn find_by_uprn(read: &mut Read<'_>, uprn: Uprn) -> Result<Located> {
    read.find_cached(uprn, |read| {
        read.query_exactly_one(
            "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version, r.value \
             from revision r left join property p on p.uprn = $1 \
             left join listing l on l.id = (select x.id from listing x \
             where x.property_id = p.id and x.deleted_at is null \
             order by x.created_at desc, x.id desc limit 1) \
             left join chain c on c.id = l.chain_id where r.name = 'registry'",
            &[uprn.value().into()],
            |row| {
                let is_found = row.optional_integer(2)?.is_some();
                Ok(Located {
                    revision: row.integer(6)?,
                    hit: is_found.then(|| read_hit(row)).transpose()?,
                })
            },
        )
    })
}

/// Finds the current listing of a property (S-6).
pub fn find_by_property(read: &mut Read<'_>, property: PropertyId) -> Result<Option<Hit>> {
    read.query_one(
        "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version \
         from listing l join property p on p.id = l.property_id join chain c on c.id = l.chain_id \
         where l.property_id = $1 and l.deleted_at is null \
         order by l.created_at desc, l.id desc limit 1",
        &[property.into()],
        read_hit,
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

/// The current listings of a postcode's properties, in the order of S-7.
pub fn list_by_postcode(read: &mut Read<'_>, postcode_key: &str) -> Result<Vec<Hit>> {
    let hits = read.query(
        "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version, \
         (select count(*) from listing x where x.chain_id = c.id and x.deleted_at is null), \
         l.created_at from property p join listing l on l.property_id = p.id \
         join chain c on c.id = l.chain_id \
         where p.postcode_key = $1 and l.deleted_at is null \
         order by p.id, l.created_at desc, l.id desc",
        &[postcode_key.into()],
        |row| Ok((row.integer(6)? > 1, read_hit(row)?)),
    )?;
    Ok(rank(hits))
}

/// Keeps each property's first listing, and sorts: listings in a chain, then the newest change,
/// then the lowest property id (S-7). The flag says whether a listing is in a chain with others.
fn rank(mut hits: Vec<(bool, Hit)>) -> Vec<Hit> {
    hits.dedup_by_key(|(_, hit)| hit.property);
    hits.sort_by_key(|(is_in_chain, hit)| {
        (
            !is_in_chain,
            std::cmp::Reverse(hit.updated_at),
            hit.property,
        )
    });
    hits.into_iter().map(|(_, hit)| hit).collect()
}

fn read_hit(row: &Row<'_>) -> Result<Hit> {
    Ok(Hit {
        property: PropertyId(row.integer(0)?),
        display_address: row.text(1)?,
        listing: ListingId(row.integer(2)?),
        updated_at: row.integer(3)?,
        chain: row.parsed(4)?,
        version: row.integer(5)?,
    })
}
