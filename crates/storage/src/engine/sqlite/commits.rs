//! The writer: commits waiting jobs together, and tells each job the truth about its changes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::Receiver;
use rusqlite::{Connection, ErrorCode};

use super::error::storage_error;
use super::open_files::OpenFiles;
use super::{SqliteSession, control, run_alone};
use crate::engine::WriteJob;
use crate::session::{Session, Write};
use crate::{Result, StorageError};

/// Jobs in one commit.
const GROUP_LENGTH_MAX: usize = 256;

pub(super) fn write_until_closed(
    connection: &Connection,
    files: &OpenFiles,
    jobs: &Receiver<Box<dyn WriteJob>>,
) {
    while let Ok(first) = jobs.recv() {
        let mut group = vec![first];
        group.extend(jobs.try_iter().take(GROUP_LENGTH_MAX - 1));
        match files.check() {
            Ok(()) => commit_group(connection, group),
            Err(error) => refuse(group, &error),
        }
    }
    drop(connection.execute_batch("pragma optimize"));
}

/// Runs all jobs in one transaction, each behind its own savepoint, and answers them after the
/// commit.
fn commit_group(connection: &Connection, group: Vec<Box<dyn WriteJob>>) {
    if let Err(error) = control(connection, "begin immediate") {
        refuse(group, &error);
        return;
    }
    if group.len() == 1 {
        for job in group {
            commit_alone(connection, job);
        }
        return;
    }
    let mut ended = Vec::with_capacity(group.len());
    let mut jobs = group.into_iter();
    while let Some(mut job) = jobs.next() {
        let ran = run_in_savepoint(connection, job.as_mut());
        let Some(outcome) = ran.filter(|_outcome| !connection.is_autocommit()) else {
            // What the group did is gone, or nobody can say whose changes are there.
            if !connection.is_autocommit() {
                drop(control(connection, "rollback"));
            }
            let before = ended.into_iter().map(|(job, _outcome)| job);
            refuse(before.chain([job]).chain(jobs).collect(), &rolled_back());
            return;
        };
        ended.push((job, outcome));
    }
    let committed = end_transaction(connection, "commit");
    for (job, outcome) in ended {
        job.finish(outcome.and_then(|()| committed.clone()));
    }
}

fn refuse(group: Vec<Box<dyn WriteJob>>, error: &StorageError) {
    for job in group {
        job.finish(Err(error.clone()));
    }
}

/// SQLite itself rolls back the whole transaction after some failures of a statement, such as a full disk.
fn rolled_back() -> StorageError {
    let reason = "a statement failed, and the transaction was rolled back";
    StorageError::Unavailable(reason.to_owned())
}

/// Runs the only job of a transaction. It has no savepoint, because a savepoint makes each
/// statement of a large job more expensive than the one before.
fn commit_alone(connection: &Connection, mut job: Box<dyn WriteJob>) {
    let kept = run(connection, job.as_mut());
    let ended = match kept {
        Ok(true) if connection.is_autocommit() => Err(rolled_back()),
        Ok(true) => end_transaction(connection, "commit"),
        Ok(false) | Err(_) if connection.is_autocommit() => Ok(()),
        Ok(false) | Err(_) => end_transaction(connection, "rollback"),
    };
    job.finish(kept.and(ended));
}

/// Commits or rolls back. No transaction stays open after a failure.
fn end_transaction(connection: &Connection, ending: &'static str) -> Result<()> {
    let ended = run_alone(connection, ending).map_err(|error| {
        let is_unknown =
            ending == "commit" && error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure);
        let error = storage_error(error);
        if is_unknown {
            // The change may be in the log although the disk did not confirm it.
            return StorageError::Unconfirmed(error.to_string());
        }
        error
    });
    if ended.is_err() && !connection.is_autocommit() {
        drop(control(connection, "rollback"));
    }
    ended
}

fn run(connection: &Connection, job: &mut dyn WriteJob) -> Result<bool> {
    let mut write = Write::new(Session::Sqlite(SqliteSession::new(connection)));
    catch_unwind(AssertUnwindSafe(|| job.run(&mut write))).map_err(|_panic| StorageError::Stopped)
}

/// Runs one job of several. `None` if its savepoint failed, so that the transaction is not to be used
/// any more.
fn run_in_savepoint(connection: &Connection, job: &mut dyn WriteJob) -> Option<Result<()>> {
    control(connection, "savepoint job").ok()?;
    let kept = run(connection, job);
    if !matches!(kept, Ok(true)) {
        control(connection, "rollback to job").ok()?;
    }
    control(connection, "release job").ok()?;
    Some(kept.map(drop))
}
