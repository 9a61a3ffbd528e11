//! The log of states (S-61): what waits for it, and the tree as it was written.
//!
//! This crate knows nothing about hashes. Tiles and frontiers are bytes.

mod audited;
mod checkpoints;
mod figures;
mod places;
mod waiting;

use crate::engine::{EachRow, each_row, insert_each};
use crate::lease::Lease;
use crate::row::Row;
use crate::{Read, Result, Write};

pub use self::audited::{
    AuditedState, Rendered, RenderedPage, list_gaps, list_gone, list_logged_keys, list_logs,
    read_audited, render_again,
};
pub use self::checkpoints::{store_checkpoint, store_witnessed};
pub use self::figures::{LogFigures, find_figures};
pub use self::places::{Place, find_key_places, find_state, is_unsealed};
pub(crate) use self::waiting::read_state;
pub use self::waiting::{
    Waiting, WaitingKey, WaitingState, add_statement, find_secrets, read_waiting,
};

/// The level under which bundles of entries are stored.
pub const ENTRIES: i64 = -1;

/// A log of this store. It has a secret, and so no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredLog {
    /// Its number, from 1.
    pub number: i64,
    /// The origin of its checkpoints.
    pub origin: String,
    /// The public key (C2SP signed-note).
    pub verifier: String,
    /// The private key, sealed.
    pub sealed_key: String,
    /// The secret of its commitments.
    pub secret: Vec<u8>,
    /// The number of entries.
    pub size: i64,
    /// The frontier of its tree.
    pub frontier: Vec<u8>,
    /// The newest signed checkpoint.
    pub checkpoint: String,
    /// The size in that checkpoint.
    pub signed_size: i64,
    /// When it was signed. Unix seconds.
    pub signed_at: i64,
    /// The newest checkpoint that the quorum of witnesses cosigned. Empty: there is none.
    pub witnessed: String,
    /// The size in that checkpoint.
    pub witnessed_size: i64,
    /// Since when the newest checkpoint is larger than that one, if it is. Unix seconds.
    pub unwitnessed_since: i64,
    /// The program that this log named last.
    pub program: String,
}

impl StoredLog {
    /// The newest signed checkpoint, with the cosignatures of witnesses if it has the quorum of them.
    pub fn shown(&self) -> &str {
        let is_witnessed = self.witnessed_size == self.signed_size && !self.witnessed.is_empty();
        if is_witnessed {
            &self.witnessed
        } else {
            &self.checkpoint
        }
    }
}

/// Hashes or entries from the beginning of a tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTile {
    /// The level of the tile, or [`ENTRIES`].
    pub level: i64,
    /// The number of tiles to the left.
    pub place: i64,
    /// The bytes.
    pub content: Vec<u8>,
}

/// Entries to append, and all that follows from them.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// The number of the log.
    pub log: i64,
    /// Its size before.
    pub old_size: i64,
    /// Its size with the entries.
    pub size: i64,
    /// Its frontier with the entries.
    pub frontier: Vec<u8>,
    /// The program that it named last, with the entries.
    pub program: String,
    /// The tiles that grew.
    pub tiles: Vec<StoredTile>,
    /// The sealed versions with their indexes. `None`: the document is unreadable, and enters no log.
    pub states: Vec<(String, i64, Option<i64>)>,
    /// The changes of keys with their indexes. `None`: nobody can tell the key any more.
    pub keys: Vec<(i64, Option<i64>)>,
    /// The statements about the service with their indexes. `None`: the statement is unreadable.
    pub statements: Vec<(i64, Option<i64>)>,
    /// New secrets of listings.
    pub secrets: Vec<(i64, [u8; 32])>,
}

/// The outcome of an attempt to change the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It was changed.
    Done,
    /// Another node has the lease.
    NotOwner,
    /// The log has changed since it was read.
    Stale,
}

const PLACE_STATES: EachRow = each_row!(
    "update sealed set log_number = given.book, log_index = given.place from ",
    ["$1" which text, "$2" number bigint, "$3" book bigint, "$4" place bigint],
    " where sealed.chain_id = given.which and sealed.version = given.number"
);
const PLACE_KEYS: EachRow = each_row!(
    "update key_change set log_number = given.book, log_index = given.place from ",
    ["$1" which bigint, "$2" book bigint, "$3" place bigint],
    " where key_change.id = given.which"
);
const PLACE_STATEMENTS: EachRow = each_row!(
    "update service_statement set log_number = given.book, log_index = given.place from ",
    ["$1" which bigint, "$2" book bigint, "$3" place bigint],
    " where service_statement.id = given.which"
);
const INSERT_SECRETS: EachRow =
    insert_each!("listing_secret", ["$1" listing_id bigint, "$2" secret bytes]);

/// The columns that [`read_log`] reads.
macro_rules! log_columns {
    () => {
        "number, origin, verifier, sealed_key, secret, size, frontier, checkpoint, signed_size, program, \
         signed_at, witnessed, witnessed_size, unwitnessed_since"
    };
}
pub(crate) use log_columns;

const NEWEST: &str = concat!(
    "select ",
    log_columns!(),
    " from state_log order by number desc limit 1"
);

/// The newest log.
pub fn find_newest(read: &mut Read<'_>) -> Result<Option<StoredLog>> {
    read.query_one(NEWEST, &[], read_log)
}

/// A log by its number.
pub fn find_log(read: &mut Read<'_>, number: i64) -> Result<Option<StoredLog>> {
    read.query_one(
        concat!(
            "select ",
            log_columns!(),
            " from state_log where number = $1"
        ),
        &[number.into()],
        read_log,
    )
}

/// The private keys of all logs: the number, the origin and the sealed key of each.
pub fn list_sealed_keys(read: &mut Read<'_>) -> Result<Vec<(i64, String, String)>> {
    read.query(
        "select number, origin, sealed_key from state_log order by number",
        &[],
        |row| Ok((row.integer(0)?, row.text(1)?, row.text(2)?)),
    )
}

/// The numbers and public keys of all logs.
pub fn list_verifiers(read: &mut Read<'_>) -> Result<Vec<(i64, String)>> {
    read.query(
        "select number, verifier from state_log order by number",
        &[],
        |row| Ok((row.integer(0)?, row.text(1)?)),
    )
}

/// Changes the sealed form of a private key.
pub fn update_sealed_key(write: &mut Write<'_>, number: i64, sealed: &str) -> Result<()> {
    write.execute(
        "update state_log set sealed_key = $1 where number = $2",
        &[sealed.into(), number.into()],
    )?;
    Ok(())
}

/// The bytes of a tile, as far as it is filled.
pub fn find_tile(read: &mut Read<'_>, log: i64, level: i64, place: i64) -> Result<Option<Vec<u8>>> {
    read.query_one(
        "select content from log_tile where log_number = $1 and level = $2 and place = $3",
        &[log.into(), level.into(), place.into()],
        |row| row.bytes(0),
    )
}

/// Takes or renews the lease of the sequencer. `false`: another node has it.
pub fn take_lease(write: &mut Write<'_>, lease: Lease<'_>) -> Result<bool> {
    let running = lease.running();
    let leased = write.execute(
        "update sequencer set owner = $1, lease_until = $2 \
         where id = 1 and (owner = $3 or lease_until <= $4 or lease_until > $5)",
        &[
            lease.owner.into(),
            lease.until.into(),
            lease.owner.into(),
            running.after.into(),
            running.last.into(),
        ],
    )?;
    Ok(leased > 0)
}

/// Whether no other node has the lease of the sequencer.
pub fn is_lease_free(read: &mut Read<'_>, lease: Lease<'_>) -> Result<bool> {
    let running = lease.running();
    let found = read.query_one(
        "select id from sequencer \
         where id = 1 and (owner = $1 or lease_until <= $2 or lease_until > $3)",
        &[
            lease.owner.into(),
            running.after.into(),
            running.last.into(),
        ],
        |row| row.integer(0),
    )?;
    Ok(found.is_some())
}

/// Appends entries to the newest log.
pub fn append(write: &mut Write<'_>, lease: Lease<'_>, batch: &Batch) -> Result<Appended> {
    if !take_lease(write, lease)? {
        return Ok(Appended::NotOwner);
    }
    append_entries(write, batch)
}

/// Closes the newest log and begins the next one with these first entries. Entries of the closed log that
/// no checkpoint shows wait for the new one.
pub fn begin(
    write: &mut Write<'_>,
    lease: Lease<'_>,
    new: &StoredLog,
    first: &Batch,
) -> Result<Appended> {
    if !take_lease(write, lease)? {
        return Ok(Appended::NotOwner);
    }
    let newest = find_newest(write)?;
    if newest.as_ref().is_some_and(|log| log.number >= new.number) {
        return Ok(Appended::Stale);
    }
    if let Some(closed) = newest {
        let cells = [closed.number.into(), closed.signed_size.into()];
        write.execute(
            "update sealed set log_number = null, log_index = null \
             where log_number = $1 and log_index >= $2",
            &cells,
        )?;
        write.execute(
            "update key_change set log_number = null, log_index = null \
             where log_number = $1 and log_index >= $2",
            &cells,
        )?;
        write.execute(
            "update service_statement set log_number = null, log_index = null \
             where log_number = $1 and log_index >= $2",
            &cells,
        )?;
    }
    write.execute(
        "insert into state_log (number, origin, verifier, sealed_key, secret, size, frontier, \
         checkpoint, signed_size, program, signed_at, witnessed, witnessed_size, unwitnessed_since) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            new.number.into(),
            (&new.origin).into(),
            (&new.verifier).into(),
            (&new.sealed_key).into(),
            new.secret.as_slice().into(),
            new.size.into(),
            new.frontier.as_slice().into(),
            (&new.checkpoint).into(),
            new.signed_size.into(),
            (&new.program).into(),
            new.signed_at.into(),
            (&new.witnessed).into(),
            new.witnessed_size.into(),
            new.unwitnessed_since.into(),
        ],
    )?;
    append_entries(write, first)
}

fn append_entries(write: &mut Write<'_>, batch: &Batch) -> Result<Appended> {
    let grown = write.execute(
        "update state_log set size = $1, frontier = $2, program = $3 where number = $4 and size = $5 \
         and not exists (select 1 from state_log n where n.number > $6)",
        &[
            batch.size.into(),
            batch.frontier.as_slice().into(),
            (&batch.program).into(),
            batch.log.into(),
            batch.old_size.into(),
            batch.log.into(),
        ],
    )?;
    if grown == 0 {
        return Ok(Appended::Stale);
    }
    for tile in &batch.tiles {
        write.execute(
            "insert into log_tile (log_number, level, place, content) values ($1, $2, $3, $4) \
             on conflict (log_number, level, place) do update set content = excluded.content",
            &[
                batch.log.into(),
                tile.level.into(),
                tile.place.into(),
                tile.content.as_slice().into(),
            ],
        )?;
    }
    let secrets = batch.secrets.iter();
    let secrets: Vec<_> = secrets
        .map(|(listing, secret)| [(*listing).into(), secret.as_slice().into()])
        .collect();
    write.execute_each(INSERT_SECRETS, &secrets)?;
    for (statement, placed) in [
        (PLACE_KEYS, &batch.keys),
        (PLACE_STATEMENTS, &batch.statements),
    ] {
        let rows = placed.iter().map(|(id, index)| {
            let (book, index) = place_of(batch.log, *index);
            [(*id).into(), book.into(), index.into()]
        });
        write.execute_each(statement, &rows.collect::<Vec<_>>())?;
    }
    let states = batch.states.iter().map(|(chain, version, index)| {
        let (book, index) = place_of(batch.log, *index);
        [chain.into(), (*version).into(), book.into(), index.into()]
    });
    let states: Vec<_> = states.collect();
    write.execute_each(PLACE_STATES, &states)?;
    Ok(Appended::Done)
}

/// The number of the log and the index. Log 0 is none.
fn place_of(log: i64, index: Option<i64>) -> (i64, i64) {
    index.map_or((0, 0), |index| (log, index))
}

fn read_log(row: &Row<'_>) -> Result<StoredLog> {
    Ok(StoredLog {
        number: row.integer(0)?,
        origin: row.text(1)?,
        verifier: row.text(2)?,
        sealed_key: row.text(3)?,
        secret: row.bytes(4)?,
        size: row.integer(5)?,
        frontier: row.bytes(6)?,
        checkpoint: row.text(7)?,
        signed_size: row.integer(8)?,
        program: row.text(9)?,
        signed_at: row.integer(10)?,
        witnessed: row.text(11)?,
        witnessed_size: row.integer(12)?,
        unwitnessed_since: row.integer(13)?,
    })
}
