//! Which properties an address may mean, and which chain a property leads to.

use address::Probe;
use chain::ids::{ChainId, ListingId, PropertyId, Uprn};

use crate::properties::{self, StoredProperty};
use crate::row::Row;
use crate::{Read, Result};

/// A property with a current listing (S-6), and the chain it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The property.
    pub property: PropertyId,
    /// Its whole address in one line.
    pub display_address: String,
    /// Its current listing.
    pub listing: ListingId,
    /// When that listing last changed, Unix seconds.
    pub updated_at: i64,
    /// The listing's chain.
    pub chain: ChainId,
    /// The version under which the chain's state may be cached.
    pub version: i64,
}

/// What a UPRN leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The registry's revision at that moment.
    pub revision: i64,
    /// None: no property has this UPRN, or it has no current listing.
    pub hit: Option<Hit>,
}

/// Finds the current listing of a UPRN: the newest that is not deleted (S-6).
/// The same statement reads the registry's revision, because a second one would
/// cost the hot path as much again.
pub fn find_by_uprn(read: &mut Read<'_>, uprn: Uprn) -> Result<Located> {
    read.recall(uprn, |read| {
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

/// Counts the properties whose whole address has this normal form, with or
/// without a listing.
pub fn count_by_address(read: &mut Read<'_>, address_key: &str) -> Result<i64> {
    read.query_exactly_one(
        "select count(*) from property where address_key = $1",
        &[address_key.into()],
        |row| row.integer(0),
    )
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

/// The properties that a probe finds: at most `limit`, the lowest ids first,
/// with or without a listing.
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

/// The current listings of all properties of a postcode, the best placed first
/// (S-7).
pub fn list_by_postcode(read: &mut Read<'_>, postcode_key: &str) -> Result<Vec<Hit>> {
    let hits = read.query(
        "select p.id, p.display_address, l.id, l.updated_at, c.id, c.version, \
         (select count(*) from listing x where x.chain_id = c.id and x.deleted_at is null), \
         l.created_at from property p join listing l on l.property_id = p.id \
         join chain c on c.id = l.chain_id \
         where p.postcode_key = $1 and l.deleted_at is null \
         order by p.id, l.created_at desc, l.id desc",
        &[postcode_key.into()],
        read_placed,
    )?;
    Ok(rank(hits))
}

struct Placed {
    hit: Hit,
    is_in_chain: bool,
}

/// Keeps each property's current listing, and puts first a listing in a chain,
/// then the newest change, then the lowest property id (S-7).
fn rank(mut placed: Vec<Placed>) -> Vec<Hit> {
    placed.dedup_by_key(|placed| placed.hit.property);
    placed.sort_by_key(|placed| {
        (
            !placed.is_in_chain,
            std::cmp::Reverse(placed.hit.updated_at),
            placed.hit.property,
        )
    });
    placed.into_iter().map(|placed| placed.hit).collect()
}

fn read_placed(row: &Row<'_>) -> Result<Placed> {
    Ok(Placed {
        hit: read_hit(row)?,
        is_in_chain: row.integer(6)? > 1,
    })
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
