//! The two engines. Words of one SQL dialect stand here and nowhere else.

mod postgres;
mod sqlite;
mod threads;

pub use self::postgres::Hearing;
pub(crate) use self::postgres::{PostgresEngine, PostgresOptions, PostgresSession, tell, trust};
pub(crate) use self::sqlite::{SqliteEngine, SqliteSession, back_up_file, restore_file};

use crate::error::StorageError;
use crate::session::{Read, Write};

/// One piece of work that only reads.
pub(crate) struct ReadJob {
    /// What its statements see.
    pub(crate) view: View,
    /// The work, or the news that no connection could be had for it.
    pub(crate) run: ReadWork,
}

/// What the statements of a reader see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// All of them one snapshot.
    Snapshot,
    /// As above, and on PostgreSQL they find their rows by index, whatever its
    /// statistics say.
    SnapshotByIndex,
    /// Each of them the newest commit, which saves two round trips.
    Newest,
}

pub(crate) type ReadWork = Box<dyn FnOnce(Result<&mut Read<'_>, StorageError>) + Send>;

/// How a piece of work is kept apart from what runs at the same time. On SQLite
/// there is one manner: one thread writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Everything that it read stands as it was read, or it runs again. It is
    /// committed together with others, which run before and after it.
    Grouped,
    /// As above, in a transaction that is its own.
    Alone,
    /// The rows that it changed are locked, and nothing else.
    RowLocks,
}

/// One piece of work that changes the store. It is split in two because the
/// answer may leave only when the commit that carries it is durable, and
/// several pieces of work are committed at once.
pub(crate) trait WriteJob: Send {
    /// How it is kept apart from others.
    fn manner(&self) -> Manner;

    /// Runs the work inside the transaction and keeps its answer. `true`: it
    /// shall be committed. May be called again after a conflict.
    fn run(&mut self, write: &mut Write<'_>) -> bool;

    /// Says how the transaction ended and sends the answer.
    fn finish(self: Box<Self>, ended: Result<(), StorageError>);
}

/// The words of one dialect that the schema needs; see `migrations`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// Column definition of a primary key that counts up by itself.
    pub(crate) identity: &'static str,
    /// What makes text compare by bytes, so that both engines order alike.
    pub(crate) bytewise: &'static str,
    /// The table `address_token (rowid, tokens)` with an index of the tokens.
    pub(crate) address_tokens: &'static str,
    /// Removes references that cost more than they protect.
    pub(crate) fewer_references: &'static str,
}

impl Dialect {
    /// Replaces the dialect words of a schema text.
    pub(crate) fn translate(self, sql: &str) -> String {
        sql.replace("{identity}", self.identity)
            .replace("{bytewise}", self.bytewise)
            .replace("{address_tokens}", self.address_tokens)
            .replace("{fewer_references}", self.fewer_references)
    }
}
