//! Transactions that overlap. Recordings do not conflict with each other, and no transaction leaves
//! a reference to a row that the other one deletes.

use std::future::Future as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use storage::retention::OldRows;
use storage::subscriptions::{self, StoredSubscription};
use storage::{Result, Storage, StorageError, Write, replay, waiting};

use crate::database::{Breakpoint, CONNECTIONS, TestDatabase, count, spawn, wait_for, write};
use crate::on_both_engines;
use crate::rows::{THEN, open_with_listings, record_event, subscribe};

const DELIVERIES: &str = "select count(*) from delivery";
const EVENTS: &str = "select count(*) from event";

on_both_engines! {
    fn recordings_of_two_nodes_run_once(database) {
        let (storage, _subscription) = open_with_subscription(database);
        let (runs, subscribers) = overlap(
            database,
            &storage,
            |write| record_event(write, "evt_1", 1),
            |write| record_event(write, "evt_3", 1),
            |other| write(other, |write| record_event(write, "evt_2", 1)),
        );
        assert_eq!((runs, subscribers), (1, 1));
        assert_eq!(count(&storage, DELIVERIES), 3);
    }

    fn a_subscription_removed_during_a_recording_leaves_no_delivery(database) {
        let (storage, subscription) = open_with_subscription(database);
        overlap(database, &storage, |write| record_event(write, "evt_1", 1), |_| Ok(0), move |other| {
            let remove = move |write: &mut Write<'_>| {
                subscriptions::remove_subscription(write, subscription.id)
            };
            wait_for(other.write_at_length(remove)).unwrap();
            delete_removed(other);
        });
        assert_eq!([EVENTS, DELIVERIES].map(|sql| count(&storage, sql)), [1, 0]);
    }

    fn a_recording_during_the_removal_of_a_subscription_leaves_no_delivery(database) {
        let (storage, subscription) = open_with_subscription(database);
        overlap(
            database,
            &storage,
            move |write| {
                subscriptions::remove_subscription(write, subscription.id)?;
                Ok(0)
            },
            |_| Ok(0),
            |other| write(other, |write| record_event(write, "evt_1", 1)),
        );
        delete_removed(&storage);
        assert_eq!([EVENTS, DELIVERIES].map(|sql| count(&storage, sql)), [1, 0]);
        assert_eq!(count(&storage, "select count(*) from subscription"), 0);
    }

    fn a_replayed_event_is_not_pruned(database) {
        let (storage, subscription) = open_with_subscription(database);
        write(&storage, |write| record_event(write, "evt_1", 1));
        database.run("delete from delivery");
        overlap(
            database,
            &storage,
            move |write| match replay::find_event_range(write, THEN)? {
                Some(all) => replay::replay(write, subscription.id, all, THEN * 1000),
                None => Ok(0),
            },
            |_| Ok(0),
            |other| write(other, |write| OldRows::Events.delete(write, THEN + 60, 10)),
        );
        let orphans = "select count(*) from delivery d where not exists \
             (select 1 from event e where e.id = d.event_row)";
        assert_eq!(count(&storage, orphans), 0);
    }

    fn no_write_waits_for_long_work_on_postgres(database) {
        let (storage, _subscription) = open_with_subscription(database);
        if database.is_postgres() {
            let breakpoint = Breakpoint::default();
            let long = start_waiting(&storage, &breakpoint, true);
            breakpoint.wait_for_hits(1);
            write(&storage, |write| record_event(write, "evt_1", 1));
            breakpoint.resume();
            long.join().unwrap();
        }
    }

    fn a_write_waits_for_a_lock_of_another_node_and_others_do_not(database) {
        let (storage, _subscription) = open_with_subscription(database);
        if !database.is_postgres() {
            return;
        }
        let raise = |write: &mut Write<'_>| {
            write.execute("update listing set price = price + 1 where id = 1", &[])
        };
        let (breakpoint, other) = (Breakpoint::default(), database.open());
        let hit = breakpoint.hit();
        let holding = spawn(move || {
            wait_for(other.write_under_row_locks(move |write| {
                raise(write)?;
                hit();
                Ok::<_, StorageError>(())
            }))
        });
        breakpoint.wait_for_hits(1);
        let waiting: Vec<_> = (0..2)
            .map(|_writer| {
                let storage = storage.clone();
                spawn(move || wait_for(storage.write(move |write| raise(write))))
            })
            .collect();
        for number in 1..20 {
            write(&storage, move |write| record_event(write, &format!("evt_{number}"), number));
        }
        assert!(waiting.iter().all(|waiting| !waiting.is_finished()));
        breakpoint.resume();
        holding.join().unwrap().unwrap();
        for waiting in waiting {
            assert_eq!(waiting.join().unwrap().unwrap(), 1);
        }
        let raised = count(&storage, "select price from listing where id = 1") - 250_001;
        assert_eq!(raised, 3);
    }

    fn a_read_is_left_out_when_its_caller_has_gone(database) {
        let storage = database.open();
        let breakpoint = Breakpoint::default();
        let blocked: Vec<_> = (0..CONNECTIONS)
            .map(|_reader| {
                let (storage, hit) = (storage.clone(), breakpoint.hit());
                spawn(move || {
                    wait_for(storage.read(move |_read| {
                        hit();
                        Ok::<_, StorageError>(())
                    }))
                })
            })
            .collect();
        breakpoint.wait_for_hits(CONNECTIONS);
        let has_run = Arc::new(AtomicBool::new(false));
        let running = Arc::clone(&has_run);
        let unwanted = storage.read(move |_read| {
            running.store(true, Ordering::SeqCst);
            Ok::<_, StorageError>(())
        });
        // The future queues the read when it is polled, and drops its end when the caller goes.
        let mut unwanted = Box::pin(unwanted);
        let waker = std::task::Waker::noop();
        let polled = unwanted.as_mut().poll(&mut std::task::Context::from_waker(waker));
        assert!(polled.is_pending());
        drop(unwanted);
        breakpoint.resume();
        for blocked in blocked {
            blocked.join().unwrap().unwrap();
        }
        assert_eq!(count(&storage, DELIVERIES), 0);
        assert!(!has_run.load(Ordering::SeqCst));
    }

    fn no_read_waits_for_a_write(database) {
        let storage = database.open();
        let breakpoint = Breakpoint::default();
        // There are many more writes than threads that write. PostgreSQL has two for long work.
        let start = |number| start_waiting(&storage, &breakpoint, number % 2 == 0);
        let writes: Vec<_> = (0..32).map(start).collect();
        breakpoint.wait_for_hits(if database.is_postgres() { CONNECTIONS + 2 } else { 1 });
        assert_eq!(count(&storage, DELIVERIES), 0);
        breakpoint.resume();
        for write in writes {
            write.join().unwrap();
        }
    }
}

/// Runs `before` and `after` in one transaction, and `other` on another node between them. SQLite
/// runs `other` after the transaction. Returns how often the transaction ran, and the result of
/// `other`.
fn overlap<T: Send + 'static>(
    database: &TestDatabase,
    storage: &Storage,
    before: impl Fn(&mut Write<'_>) -> Result<u64> + Send + 'static,
    after: impl Fn(&mut Write<'_>) -> Result<u64> + Send + 'static,
    other: impl FnOnce(&Storage) -> T + Send + 'static,
) -> (usize, T) {
    let (breakpoint, node) = (Breakpoint::default(), database.open());
    let (storage, hit) = (storage.clone(), breakpoint.hit());
    let first = spawn(move || {
        let mut runs = 0;
        write(&storage, move |write| {
            runs += 1;
            before(write)?;
            hit();
            after(write)?;
            Ok(runs)
        })
    });
    breakpoint.wait_for_hits(1);
    let second = spawn(move || other(&node));
    if !database.is_postgres() {
        breakpoint.resume();
    }
    let second = second.join().unwrap();
    breakpoint.resume();
    (first.join().unwrap(), second)
}

/// Starts long work, or a write under row locks, that waits at the breakpoint.
fn start_waiting(storage: &Storage, breakpoint: &Breakpoint, is_long: bool) -> JoinHandle<()> {
    let (storage, hit) = (storage.clone(), breakpoint.hit());
    let work = move |_write: &mut Write<'_>| -> Result<()> {
        hit();
        Ok(())
    };
    spawn(move || {
        let written = if is_long {
            wait_for(storage.write_at_length(work))
        } else {
            wait_for(storage.write_under_row_locks(work))
        };
        written.unwrap();
    })
}

fn open_with_subscription(database: &TestDatabase) -> (Storage, StoredSubscription) {
    let (storage, _branch, _listings) = open_with_listings(database, 1);
    let subscription = write(&storage, |write| {
        let api_key = subscribe(write)?;
        Ok(subscriptions::list_subscriptions(write, api_key)?.remove(0))
    });
    (storage, subscription)
}

fn delete_removed(storage: &Storage) {
    let delete = |write: &mut Write<'_>| waiting::delete_removed(write, 10);
    while wait_for(storage.write_at_length(delete)).unwrap() > 0 {}
}
