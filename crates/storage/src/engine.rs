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
    /// Whether all its statements shall see one snapshot. Without, each
    /// statement sees the newest commit, and two round trips are saved.
    pub(crate) snapshot: bool,
    /// The work, or the news that no connection could be had for it.
    pub(crate) run: ReadWork,
}

pub(crate) type ReadWork = Box<dyn FnOnce(Result<&mut Read<'_>, StorageError>) + Send>;

/// What keeps a transaction apart from those that run at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Everything that it read stands as it was read, or it runs again.
    Serializable,
    /// The rows that it changed are locked, and nothing else.
    RowLocks,
}

/// One piece of work that changes the store. It is split in two because the
/// answer may leave only when the commit that carries it is durable, and
/// SQLite commits several pieces of work at once.
pub(crate) trait WriteJob: Send {
    /// What keeps it apart from others.
    fn guard(&self) -> Guard;

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
}

impl Dialect {
    /// Replaces the dialect words of a schema text.
    pub(crate) fn translate(self, sql: &str) -> String {
        sql.replace("{identity}", self.identity)
            .replace("{bytewise}", self.bytewise)
            .replace("{address_tokens}", self.address_tokens)
    }
}
