//! Transactions that read or change the store.

use std::future::ready;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll, Waker};

use storage::{Result, Storage, StorageError, Write};

use crate::database::{
    Breakpoint, counted, increment, on_threads, open_with_counter, read, read_counter, set_counter,
    spawn, wait_for, write,
};
use crate::on_both_engines;

on_both_engines! {
    fn an_error_rolls_back(database) {
        let storage = open_with_counter(database);
        let refused: Result<()> = storage.write_blocking(|write| {
            set_counter(write, 7)?;
            Err(StorageError::Busy)
        });
        assert!(matches!(refused, Err(StorageError::Busy)), "{refused:?}");
        let refused = storage.write_blocking(|write| {
            set_counter(write, 7)?;
            break_primary_key(write)
        });
        assert!(matches!(refused, Err(StorageError::Statement(_))), "{refused:?}");
        assert_eq!(counted(&storage), 0);
        assert_eq!(write(&storage, increment), 1);
    }

    fn a_panic_leaves_the_store_usable(database) {
        let storage = open_with_counter(database);
        // There are fewer threads than rounds, so a lost thread shows.
        for _ in 0..20 {
            let stopped: Result<()> = storage.write_blocking(|write| {
                set_counter(write, 7)?;
                panic!("a fault in the work")
            });
            assert!(matches!(stopped, Err(StorageError::Stopped)), "{stopped:?}");
            let stopped: Result<()> = storage.read_blocking(|_read| panic!("a fault in the work"));
            assert!(matches!(stopped, Err(StorageError::Stopped)), "{stopped:?}");
            // A lookup may run on the thread of its caller.
            let caller = storage.clone();
            let lookup = spawn(move || wait_for(caller.lookup(
                |_read| -> Result<()> { panic!("a fault in the work") }
            )));
            assert!(!matches!(lookup.join(), Ok(Ok(()))));
        }
        assert_eq!(wait_for(storage.lookup(read_counter)).unwrap(), 0);
        assert_eq!(counted(&storage), 0);
        assert_eq!(write(&storage, increment), 1);
    }

    fn concurrent_writers_lose_no_update_and_those_of_one_node_do_not_conflict(database) {
        let nodes = database.open_two();
        for count in [1, 2] {
            write(&nodes[0], |write| set_counter(write, 0));
            let runs = Arc::new(AtomicI64::new(0));
            on_threads(64, &nodes[..count], |node, _| {
                for _ in 0..3 {
                    let runs = Arc::clone(&runs);
                    write(node, move |write| {
                        runs.fetch_add(1, Ordering::Relaxed);
                        increment(write)
                    });
                }
            });
            assert_eq!(counted(&nodes[0]), 192);
            assert!(count == 2 || runs.load(Ordering::Relaxed) == 192, "{runs:?}");
        }
    }

    fn a_failing_job_does_not_affect_its_group(database) {
        let storage = open_with_counter(database);
        let breakpoint = Breakpoint::default();
        let hit = breakpoint.hit();
        let first = queue(&storage, move |write| {
            hit();
            increment(write).map(drop)
        });
        breakpoint.wait_for_hits(1);
        // These jobs wait for the first one and are committed together.
        let jobs: Vec<_> = (0..30)
            .map(|number| queue(&storage, move |write| run_job(write, number)))
            .collect();
        breakpoint.resume();
        wait_for(first).unwrap();
        for (number, job) in jobs.into_iter().enumerate() {
            let outcome = wait_for(job);
            assert_eq!(outcome.is_ok(), number % 3 == 0, "{number}: {outcome:?}");
        }
        assert_eq!(counted(&storage), 11, "the first job and ten good ones");
    }

    fn closing_runs_queued_work(database) {
        let storage = open_with_counter(database);
        for _ in 0..200 {
            // The work runs although nobody waits for its answer.
            drop(queue(&storage, |write| increment(write).map(drop)));
        }
        drop(storage);
        assert_eq!(counted(&database.open()), 200);
    }

    fn an_ignored_statement_error_loses_no_change_silently(database) {
        let storage = open_with_counter(database);
        let outcome = storage.write_blocking(|write| -> Result<()> {
            set_counter(write, 7)?;
            // PostgreSQL rolls back such a transaction at its commit without an error.
            drop(break_primary_key(write));
            Ok(())
        });
        if database.is_postgres() {
            assert!(matches!(outcome, Err(StorageError::Statement(_))), "{outcome:?}");
        } else {
            assert!(outcome.is_ok(), "{outcome:?}");
        }
        assert_eq!(counted(&storage), if outcome.is_ok() { 7 } else { 0 });
        assert!(storage.write_blocking(increment).is_ok());
    }

    fn parameters_are_never_sql(database) {
        let storage = database.open();
        let hostile = "x'); drop table revision; -- $1 \u{1f3e0} \\ \"";
        write(&storage, move |write| write.execute(
            "insert into revision (name, value) values ($1, $2)",
            &[hostile.into(), i64::MAX.into()],
        ));
        let found = read(&storage, move |read| read.query_exactly_one(
            "select value, name from revision where name = $1",
            &[hostile.into()],
            |row| Ok((row.integer(0)?, row.text(1)?)),
        ));
        assert_eq!(found, (i64::MAX, hostile.to_owned()));
    }

    fn a_read_sees_one_snapshot_while_others_read_and_write(database) {
        let storage = open_with_counter(database);
        let other = storage.clone();
        let seen = read(&storage, move |read| {
            let before = read_counter(read)?;
            let others = spawn(move || {
                write(&other, |write| set_counter(write, 5));
                counted(&other)
            });
            Ok((before, others.join().unwrap(), read_counter(read)?))
        });
        assert_eq!(seen, (0, 5, 0));
    }

    fn a_transaction_reads_its_own_changes_and_others_do_not(database) {
        let storage = open_with_counter(database);
        let reader = storage.clone();
        let seen = write(&storage, move |write| {
            set_counter(write, 9)?;
            let reader = reader.clone();
            let others = spawn(move || counted(&reader)).join().unwrap();
            Ok((read_counter(write)?, others))
        });
        assert_eq!(seen, (9, 0));
        assert_eq!(counted(&storage), 9);
    }
}

type Queued = Pin<Box<dyn Future<Output = Result<()>>>>;

/// Queues work without waiting for it: the first poll queues it.
fn queue(
    storage: &Storage,
    work: impl FnMut(&mut Write<'_>) -> Result<()> + Send + 'static,
) -> Queued {
    let storage = storage.clone();
    let mut queued: Queued = Box::pin(async move { storage.write(work).await });
    let mut context = Context::from_waker(Waker::noop());
    match queued.as_mut().poll(&mut context) {
        Poll::Pending => queued,
        // The writer was quicker than this thread.
        Poll::Ready(outcome) => Box::pin(ready(outcome)),
    }
}

fn break_primary_key(write: &mut Write<'_>) -> Result<u64> {
    write.execute("insert into revision (name, value) values ('test', 1)", &[])
}

/// Of three jobs, the first succeeds, the second fails and the third panics.
fn run_job(write: &mut Write<'_>, number: i64) -> Result<()> {
    increment(write)?;
    match number % 3 {
        0 => Ok(()),
        1 => Err(StorageError::Corrupt("a fault of this job".to_owned())),
        _ => panic!("a fault of this job"),
    }
}
