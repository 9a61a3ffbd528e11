//! Transactions on PostgreSQL, and how they come about again after a conflict.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Hurt, PostgresSession};
use crate::StorageError;
use crate::engine::{Guard, ReadJob, WriteJob};
use crate::session::{Read, Session, Write};

/// How long a transaction that meets conflicts waits in all, before it gives up.
/// One of those in conflict always gets through, so that a transaction of a few
/// milliseconds has its turn long before; giving up is for a store that is stuck.
const CONFLICT_PAUSES_MAX: Duration = Duration::from_secs(8);
/// The ceilings of the pauses after a conflict: the first, which doubles with
/// each further conflict, and the last.
const CONFLICT_PAUSE_FIRST: Duration = Duration::from_millis(1);
const CONFLICT_PAUSE_LAST: Duration = Duration::from_millis(64);

const BEGIN_SERIALIZABLE: &str = "begin isolation level serializable";
/// Statements under row locks find their rows by index, whatever the statistics
/// say: those of a table that fills up quickly are out of date for a minute.
const BEGIN_ROW_LOCKS: &str = "begin isolation level read committed; \
     set local enable_seqscan = off; set local enable_hashjoin = off; \
     set local enable_mergejoin = off";

pub(super) fn read(session: &mut PostgresSession, job: ReadJob) {
    session.hurt = None;
    if job.snapshot
        && let Err(error) = session.run("begin isolation level repeatable read read only")
    {
        (job.run)(Err(error));
        return;
    }
    (job.run)(Ok(&mut Read::new(Session::Postgres(session))));
    if job.snapshot
        && let Err(error) = session.run("commit")
    {
        tracing::warn!(%error, "a read could not be ended");
    }
}

/// Runs the work in a transaction, again after each conflict.
pub(super) fn write(session: &mut PostgresSession, mut job: Box<dyn WriteJob>) {
    let mut ceiling = CONFLICT_PAUSE_FIRST;
    let mut paused = Duration::ZERO;
    loop {
        match attempt(session, job.as_mut()) {
            Ok(()) => return job.finish(Ok(())),
            Err(Hurt::Failure(error)) => return job.finish(Err(error)),
            Err(Hurt::Conflict) if paused >= CONFLICT_PAUSES_MAX => {
                return job.finish(Err(StorageError::Busy));
            }
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
    let begin = match job.guard() {
        Guard::Serializable => BEGIN_SERIALIZABLE,
        Guard::RowLocks => BEGIN_ROW_LOCKS,
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
