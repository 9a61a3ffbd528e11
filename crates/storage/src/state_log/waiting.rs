//! Sealed versions and changes of keys that are in no log yet.

use std::collections::{BTreeMap, HashMap};

use crate::engine::{EachRow, each_row};
use crate::erased_places::decode_erased;
use crate::keys::{StoredKey, read_key};
use crate::row::Row;
use crate::sealing::{SealedDocument, decode_listings};
use crate::{Read, Result, Write};

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
    /// Statements about the service, by their ids.
    pub statements: Vec<(i64, String)>,
    /// Sealed versions. Those of one chain are in their order, and without gaps.
    pub states: Vec<WaitingState>,
    /// The secrets of the listings of these versions, as far as they have one.
    pub secrets: HashMap<i64, [u8; 32]>,
}

impl Waiting {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.statements.is_empty() && self.states.is_empty()
    }
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
    /// The places of the properties that the document lacks because they were erased, each with its digest.
    pub erased: BTreeMap<usize, [u8; 32]>,
}

impl WaitingState {
    /// The listings of the properties that the document still has.
    pub fn shown_listings(&self) -> impl Iterator<Item = i64> {
        let listings = self.sealed.iter().flat_map(|(_, listings)| listings);
        let shown = listings
            .enumerate()
            .filter(|(place, _)| !self.erased.contains_key(place));
        shown.map(|(_, listing)| *listing)
    }
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
        "select chain_id, version, recorded_at, form, digest, document, listings, erased from sealed \
         where log_number is null order by recorded_at, chain_id, version limit $1",
        &[limit.into()],
        read_state,
    )?;
    let mut listings: Vec<i64> = states
        .iter()
        .flat_map(WaitingState::shown_listings)
        .collect();
    listings.sort_unstable();
    listings.dedup();
    let secrets = find_secrets(read, &listings)?;
    let statements = read.query(
        "select id, statement from service_statement where log_number is null order by id limit $1",
        &[limit.into()],
        |row| Ok((row.integer(0)?, row.text(1)?)),
    )?;
    Ok(Waiting {
        keys,
        statements,
        states,
        secrets,
    })
}

/// Adds a statement about the service, which the node that appends to the log takes.
pub fn add_statement(write: &mut Write<'_>, statement: &str) -> Result<()> {
    write.execute(
        "insert into service_statement (statement) values ($1)",
        &[statement.into()],
    )?;
    Ok(())
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

/// Reads the first eight columns: chain, version, time, and the parts of the sealed document.
pub(crate) fn read_state(row: &Row<'_>) -> Result<WaitingState> {
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
        // Most rows have none.
        erased: row
            .bytes(7)
            .ok()
            .and_then(|bytes| decode_erased(&bytes))
            .unwrap_or_default(),
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
