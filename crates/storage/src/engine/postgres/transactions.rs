//! Transactions on PostgreSQL, and how they come about again after a conflict.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Hurt, PostgresSession};
use crate::StorageError;
use crate::engine::{Manner, ReadJob, View, WriteJob};
use crate::session::{Read, Session, Write};

/// How long a transaction that meets conflicts waits in all, before it gives up.
/// One of those in conflict always gets through, so that a transaction of a few
/// milliseconds has its turn long before; giving up is for a store that is stuck.
const CONFLICT_PAUSES_MAX: Duration = Duration::from_secs(8);
/// The ceilings of the pauses after a conflict: the first, which doubles with
/// each further conflict, and the last.
const CONFLICT_PAUSE_FIRST: Duration = Duration::from_millis(1);
const CONFLICT_PAUSE_LAST: Duration = Duration::from_millis(64);

/// What lanes do finds its rows by index, whatever the statistics say: those of
/// a table that fills up quickly are out of date for a minute.
macro_rules! by_index {
    ($begin:literal) => {
        concat!(
            $begin,
            "; set local enable_seqscan = off; set local enable_hashjoin = off; \
             set local enable_mergejoin = off"
        )
    };
}

const BEGIN_SNAPSHOT: &str = "begin isolation level repeatable read read only";
const BEGIN_SNAPSHOT_BY_INDEX: &str = by_index!("begin isolation level repeatable read read only");
const BEGIN_SERIALIZABLE: &str = "begin isolation level serializable";
const BEGIN_ROW_LOCKS: &str = by_index!("begin isolation level read committed");

/// What stands between the works of a group, each a single round trip.
const BEGIN_GROUP: &str = "begin isolation level serializable; savepoint job";
const NEXT_IN_GROUP: &str = "release savepoint job; savepoint job";
const UNDO_IN_GROUP: &str = "rollback to savepoint job";
const END_GROUP: &str = "release savepoint job; commit";

pub(super) fn read(session: &mut PostgresSession, job: ReadJob) {
    session.hurt = None;
    let begin = match job.view {
        View::Snapshot => BEGIN_SNAPSHOT,
        View::SnapshotByIndex => BEGIN_SNAPSHOT_BY_INDEX,
        View::Newest => {
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
        tracing::warn!(%error, "a read could not be ended");
    }
}

/// Runs the work in a transaction, again after each conflict.
pub(super) fn write(session: &mut PostgresSession, mut job: Box<dyn WriteJob>) {
    let ended = until_no_conflict(|| attempt(session, job.as_mut()));
    job.finish(ended);
}

/// Runs all works in one transaction, one after the other, each behind a
/// savepoint of its own, and answers them after the one commit. After a conflict
/// all of them run again. None of them can be in conflict with another one, as
/// they would be on connections of their own: they write to the same ends of the
/// same indexes.
pub(super) fn write_group(session: &mut PostgresSession, mut group: Vec<Box<dyn WriteJob>>) {
    if group.len() == 1 {
        for job in group {
            write(session, job);
        }
        return;
    }
    match until_no_conflict(|| attempt_group(session, &mut group)) {
        Ok(outcomes) => {
            for (job, outcome) in group.into_iter().zip(outcomes) {
                job.finish(outcome);
            }
        }
        Err(error) => {
            for job in group {
                job.finish(Err(error.clone()));
            }
        }
    }
}

fn until_no_conflict<T>(mut attempt: impl FnMut() -> Result<T, Hurt>) -> Result<T, StorageError> {
    let mut ceiling = CONFLICT_PAUSE_FIRST;
    let mut paused = Duration::ZERO;
    loop {
        match attempt() {
            Ok(ended) => return Ok(ended),
            Err(Hurt::Failure(error)) => return Err(error),
            Err(Hurt::Conflict) if paused >= CONFLICT_PAUSES_MAX => return Err(StorageError::Busy),
            Err(Hurt::Conflict) => {
                let pause = jitter(ceiling);
                std::thread::sleep(pause);
                paused += pause;
                ceiling = CONFLICT_PAUSE_LAST.min(ceiling * 2);
            }
        }
    }
}

fn attempt(session: &mut PostgresSession, job: &mut dyn WriteJob) -> Result<(), Hurt> {
    session.hurt = None;
    let begin = match job.manner() {
        Manner::Grouped | Manner::Alone => BEGIN_SERIALIZABLE,
        Manner::RowLocks => BEGIN_ROW_LOCKS,
    };
    session.run(begin).map_err(Hurt::Failure)?;
    let keep = job.run(&mut Write::new(Session::Postgres(session)));
    let hurt = session.hurt.take();
    let ending = if keep && hurt.is_none() {
        "commit"
    } else {
        "rollback"
    };
    session.is_unreplicated.store(false, Ordering::SeqCst);
    let ended = session.run(ending);
    match (hurt, session.hurt.take(), ended) {
        (Some(hurt), _, _) => Err(hurt),
        (None, Some(hurt), Err(_)) if keep => Err(unless_confirmed(hurt)),
        (None, _, Err(error)) if keep => Err(unless_confirmed(Hurt::Failure(error))),
        (None, _, Ok(()) | Err(_)) if !keep => Ok(()),
        (None, _, Ok(()) | Err(_)) => confirm(session),
    }
}

/// How each of them ended, if they were committed.
fn attempt_group(
    session: &mut PostgresSession,
    group: &mut [Box<dyn WriteJob>],
) -> Result<Vec<Result<(), StorageError>>, Hurt> {
    session.hurt = None;
    let outcomes = run_in_savepoints(session, group).and_then(|outcomes| {
        session.is_unreplicated.store(false, Ordering::SeqCst);
        run(session, END_GROUP).map_err(unless_confirmed)?;
        confirm(session)?;
        Ok(outcomes)
    });
    if outcomes.is_err() {
        // Nothing may stay open; where the commit itself failed, nothing is.
        drop(session.run("rollback"));
    }
    outcomes
}

fn run_in_savepoints(
    session: &mut PostgresSession,
    group: &mut [Box<dyn WriteJob>],
) -> Result<Vec<Result<(), StorageError>>, Hurt> {
    let mut outcomes = Vec::with_capacity(group.len());
    for job in group {
        let between = if outcomes.is_empty() {
            BEGIN_GROUP
        } else {
            NEXT_IN_GROUP
        };
        run(session, between)?;
        let mut write = Write::new(Session::Postgres(session));
        let kept = catch_unwind(AssertUnwindSafe(|| job.run(&mut write)));
        let undone = match (session.hurt.take(), kept) {
            // What it met would meet the whole transaction at its end.
            (Some(Hurt::Conflict), _) => return Err(Hurt::Conflict),
            (Some(Hurt::Failure(error)), _) => Err(error),
            (None, Err(_panic)) => Err(StorageError::Stopped),
            (None, Ok(false)) => Ok(()),
            (None, Ok(true)) => {
                outcomes.push(Ok(()));
                continue;
            }
        };
        run(session, UNDO_IN_GROUP)?;
        outcomes.push(undone);
    }
    Ok(outcomes)
}

/// Runs what belongs to no job.
fn run(session: &mut PostgresSession, sql: &str) -> Result<(), Hurt> {
    let outcome = session.run(sql);
    match (session.hurt.take(), outcome) {
        (Some(hurt), _) => Err(hurt),
        (None, Err(error)) => Err(Hurt::Failure(error)),
        (None, Ok(())) => Ok(()),
    }
}

/// A commit whose answer was lost may count. What the server itself refused does not.
fn unless_confirmed(hurt: Hurt) -> Hurt {
    match hurt {
        Hurt::Failure(StorageError::Unavailable(reason)) => {
            Hurt::Failure(StorageError::Unconfirmed(reason))
        }
        Hurt::Failure(_) | Hurt::Conflict => hurt,
    }
}

/// A server that waits for a standby says that the commit is done also when it gave up waiting,
/// after `statement_timeout` or because it was told to. If it is lost then, so is the change.
fn confirm(session: &PostgresSession) -> Result<(), Hurt> {
    if session.is_unreplicated.load(Ordering::SeqCst) {
        let reason = "the standby did not confirm it".to_owned();
        return Err(Hurt::Failure(StorageError::Unconfirmed(reason)));
    }
    Ok(())
}

/// Something between half of a pause and the whole of it, different each time,
/// so that two transactions do not meet again and again.
fn jitter(ceiling: Duration) -> Duration {
    let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), ceiling);
    let half = ceiling / 2;
    let micros = u64::try_from(half.as_micros()).unwrap_or(u64::MAX).max(1);
    half + Duration::from_micros(random % micros)
}
