//! Transactions on PostgreSQL, which run again after a conflict.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Failure, PostgresSession};
use crate::StorageError;
use crate::engine::{ReadJob, ReadMode, WriteJob, WriteMode};
use crate::session::{Read, Session, Write};

/// How long a transaction pauses in total before it gives up. One of the conflicting transactions
/// always commits, so a short transaction needs far less. The limit is for a store that is stuck.
const CONFLICT_PAUSES_MAX: Duration = Duration::from_secs(8);
/// The longest pause after the first conflict. It doubles with each conflict up to the last one.
const CONFLICT_PAUSE_FIRST: Duration = Duration::from_millis(1);
const CONFLICT_PAUSE_LAST: Duration = Duration::from_millis(64);

/// Makes the planner use indexes. The statistics of a table that fills quickly are out of date for
/// a minute, and lanes must stay fast meanwhile.
macro_rules! by_index {
    ($begin:expr) => {
        concat!(
            $begin,
            "; set local enable_seqscan = off; set local enable_hashjoin = off; \
             set local enable_mergejoin = off"
        )
    };
}

const BEGIN_SNAPSHOT: &str = "begin isolation level repeatable read read only";
const BEGIN_SNAPSHOT_BY_INDEX: &str = by_index!("begin isolation level repeatable read read only");
/// A serializable transaction shares a table lock with all others of all nodes. It takes the lock before
/// its snapshot, which `lock table` does not take. Nothing else locks this table.
macro_rules! begin_serializable {
    () => {
        "begin isolation level serializable; lock table schema_version in row share mode"
    };
}

/// A transaction that has this lock alone needs no predicate locks, because it runs before or after each
/// serializable one. It waits a short time only: others wait behind it, and a frozen node may have the
/// lock.
macro_rules! begin_exclusive {
    () => {
        "begin isolation level repeatable read; set local lock_timeout = 50; \
         lock table schema_version in exclusive mode; set local lock_timeout = 0"
    };
}

/// A job of the writer waits 0.1 s for a lock, because all writes of this node wait behind it. An import that
/// is only tried keeps its locks for as long as it takes. Other jobs wait 5 s.
macro_rules! hastily {
    ($begin:expr) => {
        concat!($begin, "; set local lock_timeout = 100")
    };
}

const BEGIN_SERIALIZABLE: &str = concat!(begin_serializable!(), "; set local lock_timeout = 5000");
/// A part of a long change. Its few statements are planned anew each time, because tables grow much
/// meanwhile.
const BEGIN_PART: &str = concat!(
    by_index!(begin_exclusive!()),
    "; set local plan_cache_mode = force_custom_plan"
);
const BEGIN_EXCLUSIVE: &str = begin_exclusive!();
const BEGIN_ROW_LOCKS: &str = by_index!("begin isolation level read committed");

const BEGIN_HASTILY: &str = hastily!(begin_serializable!());
const BEGIN_HASTILY_EXCLUSIVE: &str = hastily!(begin_exclusive!());

/// The statements between the jobs of a group. Each is a single round trip.
const BEGIN_GROUP: &str = concat!(hastily!(begin_serializable!()), "; savepoint job");
const BEGIN_GROUP_EXCLUSIVE: &str = concat!(hastily!(begin_exclusive!()), "; savepoint job");
const NEXT_IN_GROUP: &str = "release savepoint job; savepoint job";
const UNDO_IN_GROUP: &str = "rollback to savepoint job";
const END_GROUP: &str = "release savepoint job; commit";

pub(super) fn read(session: &mut PostgresSession, job: ReadJob) {
    session.failure = None;
    let begin = match job.mode {
        ReadMode::Snapshot => BEGIN_SNAPSHOT,
        ReadMode::SnapshotByIndex => BEGIN_SNAPSHOT_BY_INDEX,
        ReadMode::Latest => {
            (job.run)(Ok(&mut Read::new(Session::Postgres(session))));
            return;
        }
    };
    if let Err(error) = session.run(begin) {
        (job.run)(Err(error));
        return;
    }
    (job.run)(Ok(&mut Read::new(Session::Postgres(session))));
    if let Err(error) = session.run("commit") {
        tracing::warn!(%error, "a read transaction cannot be ended");
    }
}

/// Runs a job in a transaction of its own.
pub(super) fn write(session: &mut PostgresSession, mut job: Box<dyn WriteJob>) {
    let ended = repeat_after_conflicts(|| {
        let begin = begin_of(session, job.mode());
        attempt(session, job.as_mut(), begin)
    });
    job.finish(ended);
}

fn begin_of(session: &mut PostgresSession, mode: WriteMode) -> &'static str {
    match mode {
        WriteMode::Exclusive => BEGIN_PART,
        WriteMode::Grouped | WriteMode::Alone if session.takes_exclusive_turn() => BEGIN_EXCLUSIVE,
        WriteMode::Grouped | WriteMode::Alone => BEGIN_SERIALIZABLE,
        WriteMode::RowLocks => BEGIN_ROW_LOCKS,
    }
}

/// Runs all jobs in one transaction, each behind its own savepoint, and answers them after the
/// commit. After a conflict all of them run again. On separate connections these jobs would
/// conflict with each other, because they write to the same ends of the same indexes.
///
/// Returns the jobs that met somebody's lock. They changed nothing, and are not answered.
pub(super) fn write_group(
    session: &mut PostgresSession,
    mut group: Vec<Box<dyn WriteJob>>,
) -> Vec<Box<dyn WriteJob>> {
    let mut locked = Vec::new();
    let attempt = || match group.as_mut_slice() {
        [job] => attempt_alone(session, job.as_mut()).map(|outcome| vec![outcome]),
        group => attempt_group(session, group),
    };
    match repeat_after_conflicts(attempt) {
        Ok(outcomes) => {
            for (job, outcome) in group.into_iter().zip(outcomes) {
                match outcome {
                    Outcome::Ended(ended) => job.finish(ended),
                    Outcome::Locked => locked.push(job),
                }
            }
        }
        Err(error) => {
            for job in group {
                job.finish(Err(error.clone()));
            }
        }
    }
    locked
}

/// The outcome of a job of a group.
enum Outcome {
    Ended(Result<(), StorageError>),
    /// The job met somebody's lock, and was undone.
    Locked,
}

fn repeat_after_conflicts<T>(
    mut attempt: impl FnMut() -> Result<T, Failure>,
) -> Result<T, StorageError> {
    let mut ceiling = CONFLICT_PAUSE_FIRST;
    let mut paused = Duration::ZERO;
    loop {
        match attempt() {
            Ok(ended) => return Ok(ended),
            Err(Failure::Error(error)) => return Err(error),
            Err(Failure::Locked) => return Err(StorageError::Busy),
            Err(Failure::Conflict) if paused >= CONFLICT_PAUSES_MAX => {
                return Err(StorageError::Busy);
            }
            Err(Failure::Conflict) => {
                let pause = jitter(ceiling);
                std::thread::sleep(pause);
                paused += pause;
                ceiling = CONFLICT_PAUSE_LAST.min(ceiling * 2);
            }
        }
    }
}

/// As a group of one job, without a savepoint.
fn attempt_alone(
    session: &mut PostgresSession,
    job: &mut dyn WriteJob,
) -> Result<Outcome, Failure> {
    let begin = if session.takes_exclusive_turn() {
        BEGIN_HASTILY_EXCLUSIVE
    } else {
        BEGIN_HASTILY
    };
    match attempt(session, job, begin) {
        Ok(()) => Ok(Outcome::Ended(Ok(()))),
        Err(Failure::Locked) => Ok(Outcome::Locked),
        Err(failure) => Err(failure),
    }
}

fn attempt(
    session: &mut PostgresSession,
    job: &mut dyn WriteJob,
    begin: &str,
) -> Result<(), Failure> {
    session.failure = None;
    if let Err(failure) = begin_with(session, begin) {
        // The transaction began, and did not get its lock.
        drop(session.run("rollback"));
        return Err(failure);
    }
    let keep = job.run(&mut Write::new(Session::Postgres(session)));
    match session.failure.take() {
        None if keep => commit(session, "commit"),
        failure => {
            // Whether the rollback arrives makes no difference: nothing was committed.
            drop(session.run("rollback"));
            failure.map_or(Ok(()), Err)
        }
    }
}

/// Returns the outcome of each job, once they are committed.
fn attempt_group(
    session: &mut PostgresSession,
    group: &mut [Box<dyn WriteJob>],
) -> Result<Vec<Outcome>, Failure> {
    session.failure = None;
    let outcomes = run_in_savepoints(session, group).and_then(|outcomes| {
        commit(session, END_GROUP)?;
        Ok(outcomes)
    });
    if outcomes.is_err() {
        // A failed commit has ended the transaction already. Then this does nothing.
        drop(session.run("rollback"));
    }
    outcomes
}

fn run_in_savepoints(
    session: &mut PostgresSession,
    group: &mut [Box<dyn WriteJob>],
) -> Result<Vec<Outcome>, Failure> {
    let mut outcomes = Vec::with_capacity(group.len());
    let begin = if session.takes_exclusive_turn() {
        BEGIN_GROUP_EXCLUSIVE
    } else {
        BEGIN_GROUP
    };
    begin_with(session, begin)?;
    for (index, job) in group.iter_mut().enumerate() {
        if index > 0 {
            run(session, NEXT_IN_GROUP)?;
        }
        let mut write = Write::new(Session::Postgres(session));
        let kept = catch_unwind(AssertUnwindSafe(|| job.run(&mut write)));
        let undone = match (session.failure.take(), kept) {
            // The whole transaction would fail with this conflict at its commit.
            (Some(Failure::Conflict), _) => return Err(Failure::Conflict),
            (Some(Failure::Locked), _) => Outcome::Locked,
            (Some(Failure::Error(error)), _) => Outcome::Ended(Err(error)),
            (None, Err(_panic)) => Outcome::Ended(Err(StorageError::Stopped)),
            (None, Ok(false)) => Outcome::Ended(Ok(())),
            (None, Ok(true)) => {
                outcomes.push(Outcome::Ended(Ok(())));
                continue;
            }
        };
        run(session, UNDO_IN_GROUP)?;
        outcomes.push(undone);
    }
    Ok(outcomes)
}

/// Commits, and checks that the server confirmed it. A connection that broke before committed nothing. A server that waits for a standby reports
/// success even when it gave up waiting. The change is lost if the server is lost then.
fn commit(session: &mut PostgresSession, sql: &str) -> Result<(), Failure> {
    session.is_unreplicated.store(false, Ordering::SeqCst);
    if let Err(error) = session.client.look() {
        return Err(Failure::Error(error.into()));
    }
    let committed = run(session, sql);
    committed.map_err(|failure| match failure {
        // The commit may count although its answer was lost.
        Failure::Error(StorageError::Unavailable(reason)) if session.client.was_sent() => {
            Failure::Error(StorageError::Unconfirmed(reason))
        }
        Failure::Error(_) | Failure::Conflict | Failure::Locked => failure,
    })?;
    if session.is_unreplicated.load(Ordering::SeqCst) {
        let reason = "the standby did not confirm it".to_owned();
        return Err(Failure::Error(StorageError::Unconfirmed(reason)));
    }
    Ok(())
}

/// Begins a transaction. Somebody else may have the lock that all of them take.
fn begin_with(session: &mut PostgresSession, sql: &str) -> Result<(), Failure> {
    run(session, sql).map_err(|failure| match failure {
        Failure::Locked => Failure::Conflict,
        Failure::Conflict | Failure::Error(_) => failure,
    })
}

/// Runs a statement that belongs to no job.
fn run(session: &mut PostgresSession, sql: &str) -> Result<(), Failure> {
    let outcome = session.run(sql);
    match (session.failure.take(), outcome) {
        (Some(failure), _) => Err(failure),
        (None, Err(error)) => Err(Failure::Error(error)),
        (None, Ok(())) => Ok(()),
    }
}

/// A random time between half of `ceiling` and all of it, so that two transactions do not conflict
/// again and again.
fn jitter(ceiling: Duration) -> Duration {
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), ceiling);
    let half = ceiling / 2;
    let micros = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_micros(random % micros)
}
