//! SQLite: one writer that commits waiting work as a group, readers beside it.

mod address_tokens;
mod copy;
mod held;
mod killed;
mod recall;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::Receiver;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags};

pub(crate) use self::copy::{back_up as back_up_file, restore as restore_file};
use self::held::Held;
use self::recall::Recall;
use super::threads::Threads;
use super::{Dialect, ReadJob, View, WriteJob};
use crate::migrations;
use crate::row::{Row, Value};
use crate::session::{Read, Session, Write};
use crate::{Opening, Result, StorageError};

/// How long a statement waits for another process that holds the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Work that one commit may carry.
const GROUP_LENGTH_MAX: usize = 256;
/// Small reads that run at once on their callers' threads.
const LOOKUP_CONNECTIONS: usize = 8;
/// Prepared statements kept for each connection.
const STATEMENTS_KEPT: usize = 256;

const DIALECT: Dialect = Dialect {
    identity: "integer primary key autoincrement",
    bytewise: "",
    address_tokens: address_tokens::TABLE,
    // Here they cost a look into a table, and nobody else waits for it.
    fewer_references: "",
};

/// A store in one SQLite file.
#[derive(Debug)]
pub(crate) struct SqliteEngine {
    // The readers are declared first, so that they end first: only the last
    // connection to close moves the log into the file, and theirs may not write.
    /// Connections of [`SqliteEngine::look_up`] that nobody uses at the moment.
    idle: Mutex<Vec<(Connection, Recall)>>,
    readers: Threads<ReadJob>,
    writer: Threads<Box<dyn WriteJob>>,
    /// Last, so that nobody puts another file in place while these still end.
    _held: Option<Held>,
}

/// One connection in use.
#[derive(Debug)]
pub(crate) struct SqliteSession<'c> {
    connection: &'c Connection,
    recall: Option<&'c mut Recall>,
}

impl SqliteEngine {
    /// Opens the file and sees to its schema.
    pub(crate) fn open(path: &Path, opening: Opening, readers: usize) -> Result<Self> {
        let create = opening == Opening::Make;
        if path.exists() {
            killed::free_lanes(path);
        }
        let held = Held::share(path, create)?;
        let mut connection = connect(path, create, false)?;
        migrate(&mut connection, path, opening)?;
        let writer = Threads::start(
            "onward-writer",
            vec![move |jobs| write_until_closed(&connection, &jobs)],
        )?;
        let bodies = (0..readers.max(1))
            .map(|_| {
                let connection = connect(path, false, true)?;
                Ok(move |jobs: Receiver<ReadJob>| read_until_closed(&connection, &jobs))
            })
            .collect::<Result<Vec<_>>>()?;
        let readers = Threads::start("onward-reader", bodies)?;
        let idle = (0..LOOKUP_CONNECTIONS)
            .map(|_| Ok((connect(path, false, true)?, Recall::default())))
            .collect::<Result<Vec<_>>>()?;
        Ok(Self {
            idle: Mutex::new(idle),
            readers,
            writer,
            _held: held,
        })
    }

    /// Runs a small read on the caller's own thread: from the page cache it is
    /// done in less time than another thread takes to wake up. Gives the work
    /// back if more callers are here than connections.
    pub(crate) fn look_up<T, W>(&self, work: W) -> std::result::Result<Result<T>, W>
    where
        W: FnOnce(&mut Read<'_>) -> T,
    {
        let taken = self.lock_idle().pop();
        let Some((connection, mut recall)) = taken else {
            return Err(work);
        };
        let mut read = Read::new(Session::Sqlite(SqliteSession {
            connection: &connection,
            recall: Some(&mut recall),
        }));
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut read)));
        self.lock_idle().push((connection, recall));
        Ok(outcome.map_err(|_panic| StorageError::Stopped))
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<(Connection, Recall)>> {
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
            recall: None,
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
        while let Some(row) = rows.next().map_err(|error| failed(&error))? {
            visit(&Row::Sqlite(row))?;
        }
        Ok(())
    }

    pub(crate) fn execute(&mut self, sql: &'static str, parameters: &[Value<'_>]) -> Result<u64> {
        let mut statement = self.prepare(sql, parameters)?;
        let changed = statement.raw_execute().map_err(|error| failed(&error))?;
        Ok(changed as u64)
    }

    fn prepare(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<rusqlite::CachedStatement<'_>> {
        let mut statement = self
            .connection
            .prepare_cached(sql)
            .map_err(|error| failed(&error))?;
        for (index, parameter) in parameters.iter().enumerate() {
            // SQLite numbers named placeholders by first appearance.
            debug_assert_eq!(
                statement.parameter_name(index + 1),
                Some(format!("${}", index + 1).as_str()),
                "placeholders out of order in: {sql}"
            );
            statement
                .raw_bind_parameter(index + 1, parameter)
                .map_err(|error| failed(&error))?;
        }
        Ok(statement)
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Tokens(tokens) => {
                return Ok(ToSqlOutput::from(address_tokens::document(tokens)));
            }
            Value::Null => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

fn connect(path: &Path, create: bool, read_only: bool) -> Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags |= if read_only {
            OpenFlags::SQLITE_OPEN_READ_ONLY
        } else {
            OpenFlags::SQLITE_OPEN_READ_WRITE
        };
        if create {
            flags |= OpenFlags::SQLITE_OPEN_CREATE;
        }
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
        // Without this, SQLite plans a prepared statement anew for each new
        // value of a parameter once `analyze` has run.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        if !read_only {
            connection.pragma_update(None, "journal_mode", "wal")?;
            // FULL: a commit that was acknowledged survives a loss of power.
            connection.pragma_update(None, "synchronous", "full")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
            connection.pragma_update(None, "analysis_limit", 1000)?;
        }
        connection.pragma_update(None, "cache_size", -32_768)?;
        connection.pragma_update(None, "temp_store", "memory")?;
        Ok(connection)
    };
    open().map_err(|error| StorageError::Open {
        target: path.display().to_string(),
        reason: reason(&error),
    })
}

fn migrate(connection: &mut Connection, path: &Path, opening: Opening) -> Result<()> {
    let target = PathBuf::from(path).display().to_string();
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(|error| failed(&error))?;
    // A statement, because `table_exists` believes the schema that this connection
    // read before it waited for another one that was making the tables.
    let exists: bool = transaction
        .query_row(
            "select count(*) > 0 from sqlite_schema where name = 'schema_version'",
            [],
            |row| row.get(0),
        )
        .map_err(|error| failed(&error))?;
    let found = if exists {
        transaction
            .query_row(migrations::READ_VERSION, [], |row| {
                Ok(row
                    .get(0)
                    .map_err(|_null_or_no_number| migrations::foreign(&target)))
            })
            .map_err(|error| failed(&error))??
    } else {
        0
    };
    for statements in migrations::allowed(&target, found, opening)? {
        transaction
            .execute_batch(&DIALECT.translate(statements))
            .map_err(|error| failed(&error))?;
    }
    transaction.commit().map_err(|error| failed(&error))
}

fn read_until_closed(connection: &Connection, jobs: &Receiver<ReadJob>) {
    for job in jobs {
        let begun = match job.view {
            View::Snapshot | View::SnapshotByIndex => control(connection, "begin"),
            View::Newest => Ok(()),
        };
        let mut read = Read::new(Session::Sqlite(SqliteSession::new(connection)));
        // A panic in the work must not take the thread with it. The asker
        // learns of it because its reply channel is dropped.
        let _panicked = catch_unwind(AssertUnwindSafe(|| match begun {
            Ok(()) => (job.run)(Ok(&mut read)),
            Err(error) => (job.run)(Err(error)),
        }));
        if !connection.is_autocommit()
            && let Err(error) = control(connection, "commit")
        {
            tracing::error!(%error, "a read could not be ended");
        }
    }
}

fn write_until_closed(connection: &Connection, jobs: &Receiver<Box<dyn WriteJob>>) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP_LENGTH_MAX - 1));
        commit_group(connection, group);
    }
    drop(connection.execute_batch("pragma optimize"));
}

/// Runs all jobs of a group in one transaction, each behind a savepoint of its
/// own, and answers them after the one commit.
fn commit_group(connection: &Connection, group: Vec<Box<dyn WriteJob>>) {
    if let Err(error) = control(connection, "begin immediate") {
        for job in group {
            job.finish(Err(error.clone()));
        }
        return;
    }
    if group.len() == 1 {
        for job in group {
            commit_alone(connection, job);
        }
        return;
    }
    let mut ended = Vec::with_capacity(group.len());
    for mut job in group {
        let outcome = run_in_savepoint(connection, job.as_mut());
        ended.push((job, outcome));
    }
    let committed = end_transaction(connection, "commit");
    for (job, outcome) in ended {
        job.finish(outcome.and_then(|()| committed.clone()));
    }
}

/// Runs a job that has the transaction for itself. It needs no savepoint, which
/// would make each statement of a large job dearer than the one before.
fn commit_alone(connection: &Connection, mut job: Box<dyn WriteJob>) {
    let kept = run(connection, job.as_mut());
    let ending = if matches!(kept, Ok(true)) {
        "commit"
    } else {
        "rollback"
    };
    job.finish(kept.and(end_transaction(connection, ending)));
}

/// Commits or rolls back; after a failure nothing stays open.
fn end_transaction(connection: &Connection, ending: &'static str) -> Result<()> {
    control(connection, ending).inspect_err(|_error| {
        if !connection.is_autocommit() {
            drop(control(connection, "rollback"));
        }
    })
}

fn run(connection: &Connection, job: &mut dyn WriteJob) -> Result<bool> {
    let mut write = Write::new(Session::Sqlite(SqliteSession::new(connection)));
    catch_unwind(AssertUnwindSafe(|| job.run(&mut write))).map_err(|_panic| StorageError::Stopped)
}

fn run_in_savepoint(connection: &Connection, job: &mut dyn WriteJob) -> Result<()> {
    control(connection, "savepoint job")?;
    let undone = match run(connection, job) {
        Ok(true) => return control(connection, "release job"),
        Ok(false) => Ok(()),
        Err(error) => Err(error),
    };
    control(connection, "rollback to job")?;
    control(connection, "release job")?;
    undone
}

/// Runs a statement that begins or ends something, prepared once.
fn control(connection: &Connection, sql: &'static str) -> Result<()> {
    let outcome = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.raw_execute());
    outcome.map(drop).map_err(|error| failed(&error))
}

fn failed(error: &rusqlite::Error) -> StorageError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            StorageError::Busy
        }
        Some(_) | None => StorageError::Statement(reason(error)),
    }
}

fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::CannotOpen) => {
            "there is no such file, or it may not be opened".to_owned()
        }
        Some(rusqlite::ErrorCode::NotADatabase) => "the file is not an SQLite database".to_owned(),
        Some(_) | None => error.to_string(),
    }
}
