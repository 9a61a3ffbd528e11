//! SQLite: one writer thread that commits waiting jobs together, and several readers.

mod abandoned_lanes;
mod address_tokens;
mod backup;
mod checkpoints;
mod commits;
mod counters;
mod damage;
mod each_row;
mod error;
mod figures;
mod file_lock;
mod file_owner;
mod newest_time;
mod open_files;
mod parameter;
mod private_files;
mod schema;
mod uprn_cache;
mod waiting;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::Receiver;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub(crate) use self::backup::{back_up, restore};
use self::checkpoints::Checkpoints;
use self::error::{open_reason, reason, storage_error};
use self::file_lock::FileLock;
use self::open_files::OpenFiles;
use self::uprn_cache::UprnCache;
pub(crate) use self::waiting::let_others_write;
use super::threads::Threads;
use super::{Dialect, ReadJob, ReadMode, WriteJob};
use crate::row::{Row, Value};
use crate::session::{Read, Session};
use crate::{Opening, Result, StorageError};

/// Lookups that run at the same time on the threads of their callers.
const LOOKUP_CONNECTIONS: usize = 8;
/// Prepared statements that each connection keeps.
const STATEMENTS_KEPT: usize = 256;

const DIALECT: Dialect = Dialect {
    identity: "integer primary key autoincrement",
    bytes: "blob",
    bytewise: "",
    address_tokens: address_tokens::TABLE,
    // SQLite checks a foreign key with one look into a table and without a conflict.
    fewer_references: "",
    fewer_milestone_references: "",
    event_type_columns: include_str!("sqlite/event_types.sql"),
    compact: " without rowid",
    now: "cast(strftime('%s', 'now') as integer)",
    append_only: "create trigger operator_change_update before update on operator_change \
                  begin select raise(abort, 'operator_change is append-only'); end; \
                  create trigger operator_change_delete before delete on operator_change \
                  begin select raise(abort, 'operator_change is append-only'); end;",
};

/// A store in one SQLite file.
#[derive(Debug)]
pub(crate) struct SqliteEngine {
    // The order of these fields is the order in which they close. Only the last connection moves
    // the log into the file. A reader must not be the last one, because it cannot write.
    /// Connections for [`SqliteEngine::look_up`] that are not in use.
    idle: Mutex<Vec<(Connection, UprnCache)>>,
    readers: Threads<ReadJob>,
    writer: Threads<Box<dyn WriteJob>>,
    checkpoints: Checkpoints,
    files: OpenFiles,
    /// Held until all connections have closed, so that nobody replaces the file before.
    _lock: Option<Arc<FileLock>>,
}

/// A connection in use.
#[derive(Debug)]
pub(crate) struct SqliteSession<'c> {
    connection: &'c Connection,
    uprn_cache: Option<&'c mut UprnCache>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// Writes, and creates the file if it is missing.
    Create,
}

impl SqliteEngine {
    /// Opens the file and migrates its schema as far as `opening` allows.
    pub(crate) fn open(path: &Path, opening: Opening, readers: usize) -> Result<Self> {
        let access = match opening {
            Opening::Create => Access::Create,
            Opening::Unchanged | Opening::Upgrade => Access::Write,
        };
        if path.exists() {
            abandoned_lanes::release(path);
        }
        let lock = FileLock::share(path, access == Access::Create)?.map(Arc::new);
        let mut connection = connect(path, access)?;
        schema::migrate(&mut connection, path, opening)?;
        let moving = connect(path, Access::Write)?;
        let checkpoints = Checkpoints::start(&mut connection, moving, lock.clone())?;
        let files = OpenFiles::note(path);
        let checked = files.clone();
        let writer = Threads::start(
            "onward-writer",
            vec![move |jobs| commits::write_until_closed(&connection, &checked, &jobs)],
        )?;
        let bodies = (0..readers.max(1))
            .map(|_| {
                let connection = connect(path, Access::Read)?;
                Ok(move |jobs: Receiver<ReadJob>| read_until_closed(&connection, &jobs))
            })
            .collect::<Result<Vec<_>>>()?;
        let readers = Threads::start("onward-reader", bodies)?;
        let idle = (0..LOOKUP_CONNECTIONS)
            .map(|_| Ok((connect(path, Access::Read)?, UprnCache::default())))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            idle: Mutex::new(idle),
            readers,
            writer,
            checkpoints,
            files,
            _lock: lock,
        })
    }

    /// Runs a small read on the thread of the caller, because waking another thread takes longer
    /// than a read from the page cache. Returns the work if all connections are in use.
    pub(crate) fn look_up<T, W>(&self, work: W) -> std::result::Result<Result<T>, W>
    where
        W: FnOnce(&mut Read<'_>) -> T,
    {
        let taken = self.lock_idle().pop();
        let Some((connection, mut uprn_cache)) = taken else {
            return Err(work);
        };
        let mut read = Read::new(Session::Sqlite(SqliteSession {
            connection: &connection,
            uprn_cache: Some(&mut uprn_cache),
        }));
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut read)));
        self.lock_idle().push((connection, uprn_cache));
        Ok(outcome.map_err(|_panic| StorageError::Stopped))
    }

    /// Fails if somebody removed or replaced a file of the store. All writes fail then.
    pub(crate) fn check_files(&self) -> Result<()> {
        self.files.check()
    }

    /// Fails if a sync failed, so that the log stays as it is until a restart.
    pub(crate) fn check_syncs(&self) -> Result<()> {
        self.checkpoints.check()
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<(Connection, UprnCache)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn submit_read(&self, job: ReadJob) -> Result<()> {
        self.readers.submit(job)
    }

    pub(crate) fn submit_write(&self, job: Box<dyn WriteJob>) -> Result<()> {
        self.writer.submit(job)
    }
}

impl<'c> SqliteSession<'c> {
    fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            uprn_cache: None,
        }
    }

    pub(crate) fn each(
        &mut self,
        sql: &'static str,
        parameters: &[Value<'_>],
        mut visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.prepare(sql, parameters)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(storage_error)? {
            visit(&Row::Sqlite(row))?;
        }
        Ok(())
    }

    pub(crate) fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        let mut statement = self.prepare(sql, parameters)?;
        let changed = statement.raw_execute().map_err(storage_error)?;
        Ok(changed as u64)
    }

    /// Runs `insert … returning id` without its last two words: for `returning` SQLite builds a
    /// temporary table, which costs two thirds of the insert. The id of a row is its row id.
    pub(crate) fn insert(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<i64> {
        let insert = sql.strip_suffix(" returning id");
        let insert = insert.filter(|insert| insert.starts_with("insert into "));
        let corrupt = || StorageError::Corrupt(format!("no new row of: {sql}"));
        if self.execute(insert.ok_or_else(corrupt)?, parameters)? != 1 {
            return Err(corrupt());
        }
        Ok(self.connection.last_insert_rowid())
    }

    fn prepare(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<rusqlite::CachedStatement<'_>> {
        let prepared = self.connection.prepare_cached(sql);
        let mut statement = prepared.map_err(storage_error)?;
        for (index, parameter) in (1..).zip(parameters) {
            // SQLite numbers named placeholders in the order of their first appearance.
            debug_assert_eq!(
                statement.parameter_name(index),
                Some(format!("${index}").as_str()),
                "placeholders out of order in: {sql}"
            );
            let bound = statement.raw_bind_parameter(index, parameter);
            bound.map_err(storage_error)?;
        }
        Ok(statement)
    }
}

fn connect(path: &Path, access: Access) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
            Access::Create => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        };
    if access != Access::Read {
        private_files::keep(path, access == Access::Create);
    }
    Connection::open_with_flags(path, flags)
        .and_then(|mut connection| {
            configure(&mut connection, access)?;
            Ok(connection)
        })
        .map_err(|error| StorageError::Open {
            target: path.display().to_string(),
            reason: open_reason(&error, path),
        })
}

fn configure(connection: &mut Connection, access: Access) -> rusqlite::Result<()> {
    connection.busy_handler(Some(waiting::wait_for_lock))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Without this, SQLite plans a prepared statement again for each new parameter value once
    // `analyze` has run.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    if access != Access::Read {
        connection.pragma_update(None, "journal_mode", "wal")?;
        // With `full`, an acknowledged commit survives a loss of power.
        connection.pragma_update(None, "synchronous", "full")?;
        // SQLite itself would go on moving the log after a failed sync: see `Checkpoints`.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "analysis_limit", 1000)?;
    }
    connection.pragma_update(None, "cache_size", -32_768)?;
    connection.pragma_update(None, "temp_store", "memory")
}

fn read_until_closed(connection: &Connection, jobs: &Receiver<ReadJob>) {
    for job in jobs {
        let begun = match job.mode {
            ReadMode::Snapshot | ReadMode::SnapshotByIndex => control(connection, "begin"),
            ReadMode::Latest => Ok(()),
        };
        let mut read = Read::new(Session::Sqlite(SqliteSession::new(connection)));
        // A panic in the work must not end the thread. The caller notices the panic because its
        // reply channel is dropped.
        let _panicked = catch_unwind(AssertUnwindSafe(|| match begun {
            Ok(()) => (job.run)(Ok(&mut read)),
            Err(error) => (job.run)(Err(error)),
        }));
        if !connection.is_autocommit()
            && let Err(error) = control(connection, "commit")
        {
            tracing::error!(%error, "a read transaction cannot be ended");
        }
    }
}

/// Runs a statement that begins or ends a transaction or savepoint.
fn control(connection: &Connection, sql: &'static str) -> Result<()> {
    run_alone(connection, sql).map_err(storage_error)
}

fn run_alone(connection: &Connection, sql: &'static str) -> rusqlite::Result<()> {
    let prepared = connection.prepare_cached(sql);
    prepared
        .and_then(|mut statement| statement.raw_execute())
        .map(drop)
}
