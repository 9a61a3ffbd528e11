//! Transactions that change the store.

use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

use storage::{Storage, StorageError, Write};

use crate::on_both_engines;
use crate::place::{
    beside, counted, increment, open_with_counter, read_counter, set_counter, wait_for,
};

const WRITERS: i64 = 64;

on_both_engines! {
    fn an_error_of_the_work_undoes_it(place) {
        let storage = open_with_counter(place);
        let refused: Result<(), StorageError> = storage.write_blocking(|write| {
            set_counter(write, 7)?;
            Err(StorageError::Busy)
        });
        assert!(matches!(refused, Err(StorageError::Busy)), "{refused:?}");
        assert_eq!(counted(&storage), 0);
    }

    fn a_failed_statement_undoes_the_work(place) {
        let storage = open_with_counter(place);
        let refused = storage.write_blocking(|write| {
            set_counter(write, 7)?;
            insert_counter_again(write)
        });
        assert!(matches!(refused, Err(StorageError::Statement(_))), "{refused:?}");
        assert_eq!(counted(&storage), 0);
        assert_eq!(storage.write_blocking(increment).unwrap(), 1);
    }

    fn a_panic_leaves_the_store_usable(place) {
        let storage = open_with_counter(place);
        // More often than there are threads: none of them may be lost.
        for _ in 0..20 {
            let stopped: Result<(), StorageError> = storage.write_blocking(|write| {
                set_counter(write, 7)?;
                panic!("a fault in the work")
            });
            assert!(matches!(stopped, Err(StorageError::Stopped)), "{stopped:?}");
            let stopped: Result<(), StorageError> =
                storage.read_blocking(|_read| panic!("a fault in the work"));
            assert!(matches!(stopped, Err(StorageError::Stopped)), "{stopped:?}");
            // A lookup may run on the thread of whoever asks.
            let asking = storage.clone();
            let looked = beside(move || {
                wait_for(asking.lookup(|_read| -> Result<(), StorageError> {
                    panic!("a fault in the work")
                }))
            });
            assert!(!matches!(looked.join(), Ok(Ok(()))));
        }
        assert_eq!(wait_for(storage.lookup(read_counter)).unwrap(), 0);
        assert_eq!(counted(&storage), 0);
        assert_eq!(storage.write_blocking(increment).unwrap(), 1);
    }

    fn concurrent_writers_lose_no_update(place) {
        // Two handles are two nodes, or two processes on one file.
        let nodes = [open_with_counter(place), place.open()];
        let writers: Vec<_> = (0..WRITERS)
            .zip(nodes.iter().cycle())
            .map(|(_, node)| {
                let node = node.clone();
                beside(move || (0..3).map(|_| node.write_blocking(increment).unwrap()).max())
            })
            .collect();
        let last = writers.into_iter().filter_map(|writer| writer.join().unwrap()).max();
        assert_eq!(last, Some(WRITERS * 3));
        assert_eq!(counted(&nodes[0]), WRITERS * 3);
    }

    fn a_failing_job_does_not_hurt_its_neighbours(place) {
        let storage = open_with_counter(place);
        let (hold, queued) = hold_writer(&storage);
        // They wait together behind the first one, and SQLite commits them together.
        let jobs: Vec<_> = (0..30)
            .map(|number| {
                let storage = storage.clone();
                beside(move || storage.write_blocking(move |write| run_job(write, number)))
            })
            .collect();
        wait_until_queued();
        queued.send(()).unwrap();
        hold.join().unwrap();
        for (number, job) in jobs.into_iter().enumerate() {
            let outcome = job.join().unwrap();
            assert_eq!(outcome.is_ok(), number % 3 == 0, "{number}: {outcome:?}");
        }
        assert_eq!(counted(&storage), 11, "ten good jobs and the first one");
    }

    fn closing_waits_for_queued_work(place) {
        let storage = open_with_counter(place);
        for _ in 0..200 {
            // Nobody waits for the answer, which makes no difference to the work.
            let mut asked = Box::pin(storage.write(increment));
            let polled = asked.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(!matches!(polled, Poll::Ready(Err(_))), "{polled:?}");
        }
        drop(storage);
        assert_eq!(counted(&place.open()), 200);
    }

    fn a_swallowed_statement_error_loses_nothing_in_silence(place) {
        let storage = open_with_counter(place);
        let outcome = storage.write_blocking(|write| {
            set_counter(write, 7)?;
            // PostgreSQL rolls back at the commit of such a transaction, and says nothing.
            drop(insert_counter_again(write));
            Ok::<_, StorageError>(())
        });
        if place.is_postgres() {
            assert!(matches!(outcome, Err(StorageError::Statement(_))), "{outcome:?}");
            assert_eq!(counted(&storage), 0);
        } else {
            assert!(outcome.is_ok(), "{outcome:?}");
            assert_eq!(counted(&storage), 7);
        }
        assert!(storage.write_blocking(increment).is_ok());
    }

    fn placeholders_and_texts_are_never_sql(place) {
        let storage = open_with_counter(place);
        let hostile = "x'); drop table revision; -- $1 \u{1f3e0} \\ \"";
        storage
            .write_blocking(move |write| {
                write.execute(
                    "insert into revision (name, value) values ($1, $2)",
                    &[hostile.into(), i64::MAX.into()],
                )
            })
            .unwrap();
        let found = storage.read_blocking(move |read| {
            read.query_exactly_one(
                "select value, name from revision where name = $1",
                &[hostile.into()],
                |row| Ok((row.integer(0)?, row.text(1)?)),
            )
        });
        assert_eq!(found.unwrap(), (i64::MAX, hostile.to_owned()));
    }
}

/// Breaks the primary key.
fn insert_counter_again(write: &mut Write<'_>) -> Result<u64, StorageError> {
    write.execute("insert into revision (name, value) values ('test', 1)", &[])
}

/// One of three is good, one fails, one panics.
fn run_job(write: &mut Write<'_>, number: i64) -> Result<(), StorageError> {
    increment(write)?;
    match number % 3 {
        0 => Ok(()),
        1 => Err(StorageError::Corrupt(
            "a fault of this job alone".to_owned(),
        )),
        _ => panic!("a fault of this job alone"),
    }
}

/// A write that increments and then holds its thread until it is told to go on.
fn hold_writer(storage: &Storage) -> (std::thread::JoinHandle<()>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, told) = mpsc::channel::<()>();
    let told = std::sync::Mutex::new(told);
    let storage = storage.clone();
    let hold = beside(move || {
        let mut is_first = true;
        let held = storage.write_blocking(move |write| {
            increment(write)?;
            // After a conflict the work runs again, and waits no more.
            if std::mem::take(&mut is_first) {
                begun.send(()).unwrap();
                told.lock().unwrap().recv().unwrap();
            }
            Ok::<_, StorageError>(())
        });
        held.unwrap();
    });
    has_begun.recv().unwrap();
    (hold, go_on)
}

/// The jobs cannot be seen in the queue; a moment is enough, and if it were
/// not, they would only be committed in other groups.
fn wait_until_queued() {
    std::thread::sleep(std::time::Duration::from_millis(100));
}
