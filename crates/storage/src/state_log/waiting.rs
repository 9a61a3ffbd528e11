//! Sealed versions and changes of keys that are in no log yet.

use std::collections::HashMap;

use crate::engine::{EachRow, each_row};
use crate::keys::{StoredKey, read_key};
use crate::row::Row;
use crate::sealing::{SealedDocument, decode_listings};
use crate::{Read, Result};

const SECRETS: EachRow = each_row!(
    "select s.listing_id, s.secret from ",
    ["$1" which bigint],
    " join listing_secret s on s.listing_id = given.which"
);

/// The columns that [`read_change`] reads.
macro_rules! key_columns {
    () => {
        "s.kid, s.purpose, s.algorithm, s.state, s.sealed_private_key, s.created_at, s.changed_at, \
         c.id, c.state, c.changed_at"
    };
}
pub(super) use key_columns;

/// What waits for the log.
#[derive(Clone, Default)]
pub struct Waiting {
    /// Changes of keys, in their order.
    pub keys: Vec<WaitingKey>,
    /// Sealed versions. Those of one chain are in their order, and without gaps.
    pub states: Vec<WaitingState>,
    /// The secrets of the listings of these versions, as far as they have one.
    pub secrets: HashMap<i64, [u8; 32]>,
}

/// A change of a signing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingKey {
    /// The id of the change.
    pub id: i64,
    /// The new state.
    pub state: String,
    /// When it changed. Unix seconds.
    pub changed_at: i64,
    /// The key as it is now.
    pub key: StoredKey,
}

/// A sealed version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingState {
    /// The chain.
    pub chain: String,
    /// Its version.
    pub version: i64,
    /// When it was recorded. Unix seconds.
    pub recorded_at: i64,
    /// The document and the listing of each of its properties. `None` if the columns are unreadable.
    pub sealed: Option<(SealedDocument, Vec<i64>)>,
}

/// Reads at most `limit` changes of keys and `limit` sealed versions.
pub fn read_waiting(read: &mut Read<'_>, limit: i64) -> Result<Waiting> {
    let keys = read.query(
        concat!(
            "select ",
            key_columns!(),
            " from key_change c join signing_key s on s.kid = c.kid \
             where c.log_number is null order by c.id limit $1"
        ),
        &[limit.into()],
        read_change,
    )?;
    // The times of one chain never fall, so this is the order of its versions. A version is sealed before
    // its successor is recorded, so no gap can be read.
    let states = read.query(
        "select chain_id, version, recorded_at, form, digest, document, listings from sealed \
         where log_number is null order by recorded_at, chain_id, version limit $1",
        &[limit.into()],
        read_state,
    )?;
    let documents = states.iter().filter_map(|state| state.sealed.as_ref());
    let mut listings: Vec<i64> = documents
        .flat_map(|(_, listings)| listings.iter().copied())
        .collect();
    listings.sort_unstable();
    listings.dedup();
    let secrets = find_secrets(read, &listings)?;
    Ok(Waiting {
        keys,
        states,
        secrets,
    })
}

/// Reads the first ten columns.
pub(super) fn read_change(row: &Row<'_>) -> Result<WaitingKey> {
    Ok(WaitingKey {
        key: read_key(row)?,
        id: row.integer(7)?,
        state: row.text(8)?,
        changed_at: row.integer(9)?,
    })
}

/// Reads the first seven columns: chain, version, time, and the parts of the sealed document.
pub(super) fn read_state(row: &Row<'_>) -> Result<WaitingState> {
    let sealed = || {
        let document = SealedDocument {
            form: row.integer(3).ok()?,
            digest: row.bytes(4).ok()?.try_into().ok()?,
            document: row.bytes(5).ok()?,
        };
        Some((document, decode_listings(&row.bytes(6).ok()?)?))
    };
    Ok(WaitingState {
        chain: row.text(0)?,
        version: row.integer(1)?,
        recorded_at: row.integer(2)?,
        sealed: sealed(),
    })
}

/// The secrets of these listings, as far as they have one.
pub fn find_secrets(read: &mut Read<'_>, listings: &[i64]) -> Result<HashMap<i64, [u8; 32]>> {
    let rows: Vec<_> = listings.iter().map(|listing| [(*listing).into()]).collect();
    let found = read.query_each(SECRETS, &rows, |row| {
        Ok((row.integer(0)?, row.bytes(1)?.try_into().ok()))
    })?;
    let whole = found
        .into_iter()
        .filter_map(|(listing, secret)| Some((listing, secret?)));
    Ok(whole.collect())
}
