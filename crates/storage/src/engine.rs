//! The two engines. SQL that only one engine understands stays in this module.
//!
//! An engine is a module of this one. It runs `ReadJob` and `WriteJob` on its own threads, gives them a
//! session, and has a `Dialect` for the migrations. Each list of engines below has one variant for it, and the
//! compiler then asks for the rest:
//!
//! - `StoreUrl` in `handle/store_url.rs`, and `Engine` in `handle.rs`, which opens it;
//! - `Session` in `session.rs`: the statements that `Read` and `Write` hand over;
//! - `Row` in `row.rs`: how a column is read.

mod each_row;
mod postgres;
mod sqlite;
mod threads;

pub(crate) use self::each_row::{EachRow, column_type, each_row, insert_each};
pub use self::postgres::NotificationListener;
pub(crate) use self::postgres::{
    PostgresEngine, PostgresOptions, PostgresSession, notify, tls_config,
};
pub(crate) use self::sqlite::{SqliteEngine, SqliteSession, back_up, let_others_write, restore};

use crate::error::StorageError;
use crate::session::{Read, Write};

/// A piece of work that only reads.
pub(crate) struct ReadJob {
    pub(crate) mode: ReadMode,
    /// The work. It gets an error instead of a reader when no connection is available.
    pub(crate) run: ReadWork,
}

/// Which commits the statements of a reader see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadMode {
    /// All statements see one snapshot.
    Snapshot,
    /// All statements see one snapshot. PostgreSQL uses indexes even when its statistics advise
    /// against them.
    SnapshotByIndex,
    /// Each statement sees the newest commit. This saves two round trips.
    Latest,
}

pub(crate) type ReadWork = Box<dyn FnOnce(Result<&mut Read<'_>, StorageError>) + Send>;

/// How PostgreSQL isolates a write from concurrent ones. SQLite has one writer thread and needs
/// no distinction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteMode {
    /// Serializable, and committed together with other writes.
    Grouped,
    /// Serializable, in a transaction of its own.
    Alone,
    /// Read committed: only the changed rows are locked.
    RowLocks,
    /// On a snapshot, while no serializable transaction of any node runs. It takes no predicate locks.
    Exclusive,
}

/// A piece of work that changes the store. Running and answering are separate steps, because
/// several jobs share a commit and an answer may leave only after the commit is durable.
pub(crate) trait WriteJob: Send {
    fn mode(&self) -> WriteMode;

    /// Runs the work inside the transaction and keeps its answer. `true` asks for a commit.
    /// The engine calls this again after a conflict.
    fn run(&mut self, write: &mut Write<'_>) -> bool;

    /// Sends the answer, or the error with which the transaction ended.
    fn finish(self: Box<Self>, ended: Result<(), StorageError>);
}

/// The SQL that replaces the words in braces in the migrations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// Column definition of a primary key that counts up.
    pub(crate) identity: &'static str,
    /// Type of a column of bytes.
    pub(crate) bytes: &'static str,
    /// Collation that compares text by bytes, so that both engines order alike.
    pub(crate) bytewise: &'static str,
    /// Creates the table `address_token (rowid, tokens)` and its index of tokens.
    pub(crate) address_tokens: &'static str,
    /// Drops foreign keys that cause conflicts.
    pub(crate) fewer_references: &'static str,
    /// Drops the foreign key of milestones, which costs more than the rest of their insert.
    pub(crate) fewer_milestone_references: &'static str,
    /// Gives the columns of event types, which programs before version 26 use, a default, and keeps them in
    /// step with the rows.
    pub(crate) event_type_columns: &'static str,
    /// Says that a table consists of its primary key's index.
    pub(crate) compact: &'static str,
    /// The present time in Unix seconds.
    pub(crate) now: &'static str,
    /// Refuses changes of rows of `operator_change`.
    pub(crate) append_only: &'static str,
}

impl Dialect {
    /// Replaces the words in braces in a migration.
    pub(crate) fn translate(self, sql: &str) -> String {
        sql.replace("{identity}", self.identity)
            .replace("{bytes}", self.bytes)
            .replace("{bytewise}", self.bytewise)
            .replace("{address_tokens}", self.address_tokens)
            .replace("{fewer_references}", self.fewer_references)
            .replace(
                "{fewer_milestone_references}",
                self.fewer_milestone_references,
            )
            .replace("{event_type_columns}", self.event_type_columns)
            .replace("{compact}", self.compact)
            .replace("{now}", self.now)
            .replace("{operator_change_append_only}", self.append_only)
    }
}
