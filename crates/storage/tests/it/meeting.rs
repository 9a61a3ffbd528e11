//! Transactions that meet: two that record do not hinder each other, and none leaves something
//! that refers to what the other one removed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use storage::subscriptions::{self, StoredSubscription, SubscriptionId};
use storage::{Result, Storage, StorageError, Write, delivery_log, waiting};

use crate::on_both_engines;
use crate::place::{Place, beside, count, counted, increment, open_with_counter, wait_for};
use crate::rows::{THEN, open_with_listings, record_event, subscribe};

const MINUTE: i64 = 60;
/// How long the second one may take before the first one goes on. On SQLite it
/// cannot end before.
const SECOND_MAX: Duration = Duration::from_millis(300);
/// How long a read may take that waits for nobody.
const READ_MAX: Duration = Duration::from_secs(10);

on_both_engines! {
    fn recordings_of_two_nodes_run_once(place) {
        let (storage, _subscription) = open_with_subscription(place);
        let other = place.open();
        let (first, second) = meet(
            &storage,
            |write| record_event(write, "evt_1", 1),
            |write| record_event(write, "evt_3", 1),
            move || other.write_blocking(|write| record_event(write, "evt_2", 1)),
        );
        assert_eq!((first.unwrap(), second.unwrap()), (1, 1), "how often the first ran; subscribers");
        assert_eq!(count(&storage, "select count(*) from delivery"), 3);
    }

    fn nothing_is_owed_to_whom_is_removed_meanwhile(place) {
        let (storage, subscription) = open_with_subscription(place);
        let other = place.open();
        let (first, second) = meet(
            &storage,
            |write| record_event(write, "evt_1", 1),
            |_write| Ok(0),
            move || remove(&other, subscription.id),
        );
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        assert_eq!(count(&storage, "select count(*) from event"), 1);
        assert_eq!(count(&storage, "select count(*) from delivery"), 0);
    }

    fn nothing_is_owed_to_whom_a_recording_meets_on_its_way_out(place) {
        let (storage, subscription) = open_with_subscription(place);
        let other = place.open();
        let (first, second) = meet(
            &storage,
            move |write| {
                subscriptions::remove_subscription(write, subscription.id)?;
                Ok(0)
            },
            |_write| Ok(0),
            move || other.write_blocking(|write| record_event(write, "evt_1", 1)),
        );
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        delete_remains(&storage).unwrap();
        assert_eq!(count(&storage, "select count(*) from event"), 1);
        assert_eq!(count(&storage, "select count(*) from delivery"), 0);
        assert_eq!(count(&storage, "select count(*) from subscription"), 0);
    }

    fn an_event_that_is_owed_again_is_not_removed_meanwhile(place) {
        let (storage, subscription) = open_with_subscription(place);
        storage.write_blocking(|write| record_event(write, "evt_1", 1)).unwrap();
        wait_for(storage.write_at_length(|write| write.execute("delete from delivery", &[])))
            .unwrap();
        let other = place.open();
        let (first, second) = meet(
            &storage,
            move |write| {
                if let Some(stretch) = delivery_log::find_stretch(write, THEN)? {
                    delivery_log::replay(write, &subscription, stretch, THEN * 1000)?;
                }
                Ok(0)
            },
            |_write| Ok(0),
            move || other.write_blocking(|write| {
                delivery_log::prune(write, (THEN + MINUTE) * 1000, 10)
            }),
        );
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        let adrift = "select count(*) from delivery d where not exists \
             (select 1 from event e where e.id = d.event_row)";
        assert_eq!(count(&storage, adrift), 0);
    }

    fn works_of_one_node_are_not_in_each_others_way(place) {
        let storage = open_with_counter(place);
        let runs = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = (0..8)
            .map(|_writer| {
                let (storage, runs) = (storage.clone(), Arc::clone(&runs));
                beside(move || {
                    for _round in 0..10 {
                        let runs = Arc::clone(&runs);
                        let written = storage.write_blocking(move |write| {
                            runs.fetch_add(1, Ordering::Relaxed);
                            increment(write)
                        });
                        written.unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!((runs.load(Ordering::Relaxed), counted(&storage)), (80, 80));
    }

    fn long_work_holds_nobody_up_where_many_write(place) {
        let (storage, _subscription) = open_with_subscription(place);
        if !place.is_postgres() {
            return;
        }
        let (begun, has_begun) = mpsc::channel();
        let (go_on, told) = mpsc::channel::<()>();
        let told = Mutex::new(told);
        let long = storage.clone();
        let long = beside(move || {
            wait_for(long.write_at_length(move |_write| {
                begun.send(()).unwrap();
                told.lock().unwrap().recv().unwrap();
                Ok::<_, StorageError>(())
            }))
        });
        has_begun.recv().unwrap();
        storage.write_blocking(|write| record_event(write, "evt_1", 1)).unwrap();
        go_on.send(()).unwrap();
        long.join().unwrap().unwrap();
    }

    fn no_read_waits_for_those_who_write(place) {
        let (storage, _subscription) = open_with_subscription(place);
        let (go_on, told) = mpsc::channel::<()>();
        let told = Arc::new(Mutex::new(told));
        let wait = |told: &Arc<Mutex<mpsc::Receiver<()>>>| {
            let told = Arc::clone(told);
            move |_write: &mut Write<'_>| {
                // Nothing is ever sent: it ends when the other side goes away.
                let _gone = told.lock().unwrap().recv();
                Ok::<_, StorageError>(())
            }
        };
        // Many more than there are threads, and all of them before the read.
        let writers: Vec<_> = (0..16)
            .flat_map(|_writer| {
                let (one, other) = (storage.clone(), storage.clone());
                let (first, second) = (wait(&told), wait(&told));
                [
                    beside(move || wait_for(one.write_at_length(first))),
                    beside(move || wait_for(other.write_under_row_locks(second))),
                ]
            })
            .collect();
        std::thread::sleep(SECOND_MAX);
        let reader = storage.clone();
        let (ended, has_ended) = mpsc::channel();
        let read = beside(move || ended.send(count(&reader, "select count(*) from delivery")));
        let seen = has_ended.recv_timeout(READ_MAX);
        drop(go_on);
        for writer in writers {
            writer.join().unwrap().unwrap();
        }
        read.join().unwrap().unwrap();
        assert_eq!(seen, Ok(0));
    }
}

/// Begins a transaction with `before`, lets the other one run, ends the
/// transaction with `after`. How often the transaction ran, and what came of the
/// other one.
fn meet<T: Send + 'static>(
    storage: &Storage,
    before: impl Fn(&mut Write<'_>) -> Result<u64> + Send + 'static,
    after: impl Fn(&mut Write<'_>) -> Result<u64> + Send + 'static,
    other: impl FnOnce() -> Result<T> + Send + 'static,
) -> (Result<usize>, Result<T>) {
    let (begun, has_begun) = mpsc::channel();
    let (go_on, told) = mpsc::channel::<()>();
    let told = Mutex::new(told);
    let storage = storage.clone();
    let first = beside(move || {
        let mut runs = 0;
        storage.write_blocking(move |write| {
            runs += 1;
            before(write)?;
            // After a conflict it runs again, and waits no more.
            if runs == 1 {
                begun.send(()).unwrap();
                told.lock().unwrap().recv().unwrap();
            }
            after(write)?;
            Ok(runs)
        })
    });
    has_begun.recv().unwrap();
    let (ended, has_ended) = mpsc::channel::<()>();
    let second = beside(move || {
        let outcome = other();
        drop(ended);
        outcome
    });
    // Nothing is ever sent: either the other one has ended, or it waits for this one.
    let _ended_or_waits = has_ended.recv_timeout(SECOND_MAX);
    go_on.send(()).unwrap();
    (first.join().unwrap(), second.join().unwrap())
}

fn open_with_subscription(place: &Place) -> (Storage, StoredSubscription) {
    let (storage, _branch, _listings) = open_with_listings(place, 1);
    let subscription = storage.write_blocking(|write| -> Result<_> {
        let api_key = subscribe(write)?;
        Ok(subscriptions::list_subscriptions(write, api_key)?.remove(0))
    });
    (storage, subscription.unwrap())
}

fn remove(storage: &Storage, subscription: SubscriptionId) -> Result<()> {
    wait_for(
        storage
            .write_at_length(move |write| subscriptions::remove_subscription(write, subscription)),
    )?;
    delete_remains(storage)
}

fn delete_remains(storage: &Storage) -> Result<()> {
    while wait_for(storage.write_at_length(|write| waiting::delete_remains(write, 10)))? > 0 {}
    Ok(())
}
