//! Changing and removing pending deliveries in parts, also while others record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use chain::event::EventType;
use storage::delivery_choice::{DeliveryFilter, DeliveryState};
use storage::subscriptions::{self, SubscriptionId};
use storage::{
    Read, Result, Storage, StorageError, Write, api_keys, deliveries, delivery_log, replay, waiting,
};

use crate::database::{TestDatabase, count, read, spawn, wait_for, write};
use crate::on_both_engines;
use crate::rows::{
    THEN, insert_backlog, open_with_listings, record_event, subscribe, subscribe_to,
};

const LANE: SubscriptionId = SubscriptionId(1);
/// In milliseconds.
const NOW: i64 = THEN * 1000;
const LATER: i64 = NOW + 3_600_000;
const PART: i64 = 1_000;
const DELIVERIES: &str = "select count(*) from delivery";

on_both_engines! {
    fn later_deliveries_become_due_now(database) {
        let (storage, _api_key) = open(database, 5);
        database.run(&format!("update delivery set attempts = 1, not_before = {LATER} where id > 2"));
        let parts = in_parts(&storage, |write| waiting::make_waiting_due(write, LANE, NOW, 2));
        assert_eq!(parts, [2, 1, 0]);
        assert_eq!(count(&storage, "select count(*) from delivery where attempts = 1"), 3);
        let (due, _) = read(&storage, |read| deliveries::list_heads(read, LANE, NOW, 9));
        assert_eq!(due.len(), 5);
    }

    fn deliveries_of_one_type_are_cancelled(database) {
        let (storage, _api_key) = open(database, 5);
        let cancel = |write: &mut Write<'_>| waiting::cancel_unsubscribed(write, LANE, NOW, 3);
        assert_eq!(in_parts(&storage, cancel), [0]);
        database.run("update event set event_type = 'fallthrough' where event_id = 'evt_3'");
        database.run("delete from subscribed_type");
        database.run("insert into subscribed_type select id, 'fallthrough' from subscription");
        assert_eq!(in_parts(&storage, cancel), [3, 1, 0]);
        assert_eq!(states(&storage), ["cancelled", "cancelled", "waiting", "cancelled", "cancelled"]);
    }

    fn a_choice_by_event_type_looks_at_the_newest_ten_thousand(database) {
        let (storage, _api_key) = open(database, 3);
        insert_backlog(database, 9_999, 0, 0);
        database.run("update event set event_type = 'fallthrough' where event_id in ('evt_2', 'evt_3')");
        let filter = DeliveryFilter {
            state: Some(DeliveryState::Waiting),
            event_type: Some(EventType::FallThrough),
        };
        let list = |offset| {
            read(&storage, move |read| {
                let (total, found) = delivery_log::list_deliveries(read, LANE, filter, 9, offset)?;
                let events: Vec<_> = found.into_iter().map(|one| one.event.event_id).collect();
                Ok::<_, StorageError>((total, events))
            })
        };
        assert_eq!(list(0), (1, vec!["evt_3".to_owned()]));
        assert_eq!(list(1), (1, vec![]));
        let all = read(&storage, |read| {
            delivery_log::list_deliveries(read, LANE, DeliveryFilter::default(), 9, 0)
        });
        assert_eq!((all.0, all.1.len()), (10_000, 9));
    }

    fn deliveries_of_a_revoked_key_are_cancelled(database) {
        let (storage, api_key) = open(database, 3);
        let receivers = write(&storage, |write| {
            let other = api_keys::insert_api_key(write, 1, "other", THEN)?;
            write.execute("update subscription set reference = 'first'", &[])?;
            subscribe_to(write, other, &[EventType::MilestoneUpdated])?;
            record(write, 4)
        });
        assert_eq!(receivers, 2);
        let cancel = |write: &mut Write<'_>| waiting::cancel_of_ended_accounts(write, NOW, 3);
        assert_eq!(in_parts(&storage, cancel), [0]);
        // The subscription may be disabled already.
        database.run("update subscription set status = 'disabled', disabled_reason = 'gone' \
            where reference = 'first'");
        let revoke = move |write: &mut Write<'_>| api_keys::revoke_api_key(write, api_key, THEN);
        assert!(write(&storage, revoke).is_some());
        assert_eq!(in_parts(&storage, cancel), [3, 1, 0]);
        assert_eq!(states(&storage), ["cancelled", "cancelled", "cancelled", "cancelled", "waiting"]);
        // Revoking again disables subscriptions that are active under a revoked key.
        database.run("update subscription set status = 'active'");
        assert_eq!(write(&storage, revoke), None, "it was revoked before");
        let disabled = "select count(*) from subscription where status = 'disabled'";
        assert_eq!(count(&storage, disabled), 1);
    }

    fn the_last_valid_key_of_an_account_keeps_its_deliveries(database) {
        let (storage, first) = open(database, 3);
        let now = NOW / 1000;
        let second = write(&storage, move |write| {
            let first = api_keys::find_api_key(write, first)?.unwrap();
            api_keys::rotate_api_key(write, &first, "second", now, now + 10)
        });
        database.run("update subscription set status = 'disabled', disabled_reason = 'gone'");
        write(&storage, move |write| api_keys::revoke_api_key(write, second, now));
        let cancel_at = |time| {
            in_parts(&storage, move |write: &mut Write<'_>| {
                waiting::cancel_of_ended_accounts(write, time, 9)
            })
        };
        assert_eq!(cancel_at(NOW + 9_000), [0]);
        assert_eq!(cancel_at(NOW + 10_000), [3, 0]);
    }

    fn a_removed_subscription_is_gone_at_once_and_its_rows_in_parts(database) {
        let (storage, api_key) = open(database, 5);
        database.run(
            "insert into attempt (delivery_id, number, begun_at, duration) \
             select id, 1, 1, 1 from delivery",
        );
        write(&storage, |write| subscriptions::remove_subscription(write, LANE));
        let seen = read(&storage, move |read| {
            let url = "https://lender.example/events";
            let by_url = subscriptions::find_subscription_by_url(read, api_key, url)?;
            let found = subscriptions::find_subscription(read, api_key, "subscription")?;
            let all = subscriptions::list_subscriptions(read, api_key)?;
            let count = subscriptions::count_active_subscriptions(read, api_key)?;
            Ok((by_url, found, all, count))
        });
        assert_eq!(seen, (None, None, vec![], 0));
        assert_eq!(write(&storage, |write| record(write, 9)), 0, "it receives nothing");
        assert_eq!(in_parts(&storage, |write| waiting::delete_removed(write, 2)), [2, 2, 1, 1, 0]);
        for sql in [
            "select count(*) from subscription",
            "select count(*) from lane",
            "select count(*) from attempt",
            DELIVERIES,
        ] {
            assert_eq!(count(&storage, sql), 0, "{sql}");
        }
        let subscribe = move |write: &mut Write<'_>| {
            subscribe_to(write, api_key, &[EventType::FallThrough])
        };
        assert!(write(&storage, subscribe), "it is new");
    }

    fn a_replay_runs_in_parts(database) {
        let (storage, api_key) = open(database, 5);
        database.run("delete from delivery");
        database.run(&format!("update event set recorded_at = {THEN} + id"));
        let list = move |read: &mut Read<'_>| subscriptions::list_subscriptions(read, api_key);
        let subscription = read(&storage, list).remove(0).id;
        // Each part has two events. A part shows its deliveries and the time of its first event.
        for (since, expected) in [
            (6, vec![]),
            (4, vec![(2, 4)]),
            (2, vec![(2, 2), (0, 4)]),
            (0, vec![(1, 1), (0, 3), (0, 5)]),
        ] {
            let parts = write(&storage, move |write| {
                let mut parts = Vec::new();
                let Some(mut left) = replay::find_event_range(write, THEN + since)? else {
                    return Ok(parts);
                };
                while let Some((part, is_needed)) =
                    replay::find_part(write, subscription, left, 2)?
                {
                    let first = replay::find_first_time(write, subscription, left)?;
                    let count = replay::replay(write, subscription, part, NOW)?;
                    assert_eq!(is_needed, count > 0);
                    parts.push((count, first.unwrap() - THEN));
                    left.after = part.last;
                }
                assert_eq!(replay::find_first_time(write, subscription, left)?, None);
                Ok(parts)
            });
            assert_eq!(parts, expected, "since {since}");
        }
        assert_eq!(count(&storage, DELIVERIES), 5);
    }

    fn a_backlog_is_changed_and_removed_while_others_record(database) {
        let (storage, _api_key) = open(database, 1);
        insert_backlog(database, 20_000, 1, LATER);
        let progress = Arc::new((AtomicI64::new(0), AtomicBool::new(false)));
        // SQLite shares a file between processes without fairness, but one process has a queue.
        let node = if database.is_postgres() { database.open() } else { storage.clone() };
        let shared = Arc::clone(&progress);
        let recording = spawn(move || {
            let (recorded, is_done) = &*shared;
            while !is_done.load(Ordering::Relaxed) {
                let number = 2 + recorded.load(Ordering::Relaxed);
                write(&node, move |write| record(write, number));
                recorded.fetch_add(1, Ordering::Relaxed);
            }
        });
        let (recorded, is_done) = &*progress;
        let parts = in_parts(&storage, |write| waiting::make_waiting_due(write, LANE, NOW, PART));
        assert_eq!(parts.iter().sum::<u64>(), 20_000);
        let remove = |write: &mut Write<'_>| subscriptions::remove_subscription(write, LANE);
        wait_for(storage.write_at_length(remove)).unwrap();
        let delete = |write: &mut Write<'_>| waiting::delete_removed(write, PART);
        while wait_for(storage.write_at_length(delete)).unwrap() > 0 {}
        // Recordings after the removal insert no delivery.
        let before = recorded.load(Ordering::Relaxed);
        while recorded.load(Ordering::Relaxed) < before + 3 {
            std::thread::yield_now();
        }
        is_done.store(true, Ordering::Relaxed);
        recording.join().unwrap();
        assert_eq!(count(&storage, DELIVERIES), 0);
        assert_eq!(count(&storage, "select count(*) from subscription"), 0);
    }
}

/// A store with a subscription and this many recorded events. Returns its API key too.
fn open(database: &TestDatabase, events: i64) -> (Storage, i64) {
    let (storage, _branch, _listings) = open_with_listings(database, 1);
    let api_key = write(&storage, subscribe);
    for number in 1..=events {
        write(&storage, move |write| record(write, number));
    }
    (storage, api_key)
}

/// Records an event of a property of its own. Returns the number of its deliveries.
fn record(write: &mut Write<'_>, number: i64) -> Result<u64> {
    record_event(write, &format!("evt_{number}"), number)
}

/// Runs a part until it changes nothing. Returns what each part changed.
fn in_parts(
    storage: &Storage,
    part: impl Fn(&mut Write<'_>) -> Result<u64> + Clone + Send + 'static,
) -> Vec<u64> {
    let mut parts = Vec::new();
    while parts.last() != Some(&0) {
        parts.push(wait_for(storage.write_under_row_locks(part.clone())).unwrap());
    }
    parts
}

fn states(storage: &Storage) -> Vec<String> {
    let sql = "select state from delivery order by id";
    read(storage, |read| read.query(sql, &[], |row| row.text(0)))
}
