//! Sealed versions of chains, and the chain of a property at a time (S-60).

use chain::ids::{ChainId, ListingId, PropertyId, Uprn};

use crate::address_search::{CurrentListing, Located};
use crate::erased_places::ERASED_BYTES;
use crate::row::Row;
use crate::sealing::{Seal, SealedDocument, SealedVersion, decode_listings, read_present};
use crate::{Read, Result, StorageError, Write, properties, registry, state};

/// The number of a version and the time when it was recorded, in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionTime {
    /// The version.
    pub version: i64,
    /// Unix seconds.
    pub recorded_at: i64,
}

/// Finds the document of a version. The present version may not be sealed yet; then `seal` renders it.
pub fn find_version(
    read: &mut Read<'_>,
    seal: Seal,
    chain: ChainId,
    version: i64,
) -> Result<Option<SealedVersion>> {
    let found = read.query_one(
        "select version, recorded_at, form, digest, document, listings, \
         cast(coalesce(length(erased), 0) as bigint) from sealed where chain_id = $1 and version = $2",
        &[(&chain.to_string()).into(), version.into()],
        |row| read_sealed(row, chain),
    )?;
    if found.is_some() {
        return Ok(found);
    }
    match state::find_present(read, chain)? {
        Some((present, _)) if present == version => read_present(read, seal, chain),
        Some(_) | None => Ok(None),
    }
}

/// When a version was recorded, and how many properties it lacks because they were erased. `None` if it does not
/// exist, or is not kept any more.
pub fn find_time(read: &mut Read<'_>, chain: ChainId, version: i64) -> Result<Option<(i64, i64)>> {
    let key = chain.to_string();
    read.query_one(
        "select recorded_at, cast(coalesce(length(erased), 0) as bigint) from sealed \
         where chain_id = $1 and version = $2 \
         union all select changed_at, 0 from chain where id = $3 and version = $4 limit 1",
        &[(&key).into(), version.into(), (&key).into(), version.into()],
        |row| Ok((row.integer(0)?, count_erased(row.integer(1)?))),
    )
}

/// Lists the sealed versions of a chain by number, and returns their count too.
pub fn list_versions(
    read: &mut Read<'_>,
    chain: ChainId,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<VersionTime>)> {
    let key = chain.to_string();
    let total = read.query_integer(
        "select count(*) from sealed where chain_id = $1",
        &[(&key).into()],
    )?;
    let versions = read.query(
        "select version, recorded_at from sealed where chain_id = $1 \
         order by version limit $2 offset $3",
        &[(&key).into(), limit.into(), offset.into()],
        read_version,
    )?;
    Ok((total, versions))
}

/// The time of the oldest version that is kept of any chain. `None` if none is.
pub fn find_first_time(read: &mut Read<'_>) -> Result<Option<i64>> {
    read.query_one(
        "select recorded_at from sealed order by recorded_at limit 1",
        &[],
        |row| row.integer(0),
    )
}

/// Notes that answers may give the state at times up to this one, in Unix seconds. No version gets such a time
/// from then on. Run it between all other writes: one that runs beside it may have read the note before.
pub fn note_answered_until(write: &mut Write<'_>, until: i64) -> Result<()> {
    write.execute(
        "insert into counter (name, value) values ('answered_until', $1) \
         on conflict (name) do update set value = \
         case when counter.value < excluded.value then excluded.value else counter.value end",
        &[until.into()],
    )?;
    Ok(())
}

/// As [`crate::address_search::find_by_uprn`], for the listing that was current at a time, in Unix
/// seconds, and for the version that its chain had then.
pub fn find_by_uprn_at(read: &mut Read<'_>, uprn: Uprn, at: i64) -> Result<Located> {
    let revision = registry::find_revision(read)?;
    let known = read.query_one(
        "select id from property where uprn = $1",
        &[uprn.value().into()],
        |row| Ok(PropertyId(row.integer(0)?)),
    )?;
    Ok(Located {
        revision,
        is_known: known.is_some(),
        current: match known {
            Some(property) => find_by_property_at(read, property, at)?,
            None => None,
        },
    })
}

/// The listing of a property that was current at a time, in Unix seconds, with the version that its chain
/// had then. `None` if there was none.
pub fn find_by_property_at(
    read: &mut Read<'_>,
    property: PropertyId,
    at: i64,
) -> Result<Option<CurrentListing>> {
    let held = read.query_one(
        "select h.listing_id, h.chain_id, p.display_address, p.uprn, h.since from chain_holds h \
         join property p on p.id = h.property_id where h.property_id = $1 and h.since <= $2 \
         order by h.since desc limit 1",
        &[property.into(), at.into()],
        |row| read_held(row, property),
    )?;
    let Some(held) = held.flatten() else {
        return Ok(None);
    };
    let Some(version) = find_version_at(read, held.chain, at)? else {
        return Ok(None);
    };
    let found = find_time(read, held.chain, version)?;
    let erased = found.map_or(0, |(_recorded_at, erased)| erased);
    Ok(Some(CurrentListing {
        version,
        erased,
        ..held
    }))
}

/// The listing that a property had then, if it had one, without the version of its chain.
fn read_held(row: &Row<'_>, property: PropertyId) -> Result<Option<CurrentListing>> {
    let Some(listing) = row.optional_integer(0)? else {
        return Ok(None);
    };
    Ok(Some(CurrentListing {
        property,
        display_address: row.text(2)?,
        listing: ListingId(listing),
        updated_at: row.integer(4)?,
        chain: row.parsed(1)?,
        version: 0,
        erased: 0,
        uprn: properties::read_uprn(row, 3)?,
    }))
}

/// The version that a chain had at a time, in Unix seconds.
fn find_version_at(read: &mut Read<'_>, chain: ChainId, at: i64) -> Result<Option<i64>> {
    if let Some((version, changed_at)) = state::find_present(read, chain)?
        && changed_at <= at
    {
        return Ok(Some(version));
    }
    // Times rise with versions, so halving the interval finds the last version that is not too late.
    let key = chain.to_string();
    let ends = read.query_one(
        "select coalesce((select min(version) from sealed where chain_id = $1), 0), \
         coalesce((select max(version) from sealed where chain_id = $2), -1)",
        &[(&key).into(), (&key).into()],
        |row| Ok((row.integer(0)?, row.integer(1)?)),
    )?;
    let (mut lowest, mut highest) = ends.unwrap_or((0, -1));
    let mut found = None;
    while lowest <= highest {
        let middle = lowest + (highest - lowest) / 2;
        let probed = read.query_one(
            "select version, recorded_at from sealed where chain_id = $1 and version <= $2 \
             order by version desc limit 1",
            &[(&key).into(), middle.into()],
            read_version,
        )?;
        let Some(probed) = probed.filter(|probed| probed.version >= lowest) else {
            lowest = middle + 1;
            continue;
        };
        if probed.recorded_at <= at {
            found = Some(probed.version);
            lowest = middle + 1;
        } else {
            highest = probed.version - 1;
        }
    }
    Ok(found)
}

/// The number of properties that this many bytes name as erased.
fn count_erased(bytes: i64) -> i64 {
    bytes / ERASED_BYTES
}

fn read_version(row: &Row<'_>) -> Result<VersionTime> {
    Ok(VersionTime {
        version: row.integer(0)?,
        recorded_at: row.integer(1)?,
    })
}

fn read_sealed(row: &Row<'_>, chain: ChainId) -> Result<SealedVersion> {
    let digest = row.bytes(3)?;
    Ok(SealedVersion {
        chain,
        version: row.integer(0)?,
        recorded_at: row.integer(1)?,
        sealed: SealedDocument {
            form: row.integer(2)?,
            digest: digest
                .try_into()
                .map_err(|_other| StorageError::Corrupt(format!("chain {chain}: no digest")))?,
            document: row.bytes(4)?,
        },
        // A row from before the log has none.
        listings: row
            .bytes(5)
            .ok()
            .and_then(|bytes| decode_listings(&bytes))
            .unwrap_or_default(),
        erased: count_erased(row.integer(6)?),
    })
}
