//! What waits for a subscription is changed and removed in parts, also while others record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chain::event::EventType;
use storage::subscriptions::{self, SubscriptionId};
use storage::{Result, Storage, StorageError, Write, api_keys, deliveries, delivery_log, waiting};

use crate::on_both_engines;
use crate::place::{Place, beside, count, wait_for};
use crate::rows::{THEN, open_with_listings, record_event, subscribe, subscribe_to};

const LANE: SubscriptionId = SubscriptionId(1);
/// In milliseconds.
const NOW: i64 = THEN * 1000;
const LATER: i64 = NOW + 3_600_000;
/// As much as waits for somebody who was away for a while.
const BACKLOG: u64 = 20_000;
const PART: i64 = 1_000;
/// A backlog of one event that was tried once and is due later.
const OWE_BACKLOG: &str = "\
    insert into delivery (subscription_id, event_row, property_id, state, attempts, not_before, \
    created_at) with recursive number (value) as (select 1 union all select value + 1 from number \
    where value < 20000) select 1, 1, value, 'waiting', 1, 4102444800000, 1 from number";

on_both_engines! {
    fn what_is_due_later_goes_out_at_once(place) {
        let (storage, _api_key) = open(place);
        record_all(&storage, 5);
        place.run(&format!("update delivery set attempts = 1, not_before = {LATER} where id > 2"));
        let parts = in_parts(&storage, |write| waiting::hasten_waiting(write, LANE, NOW, 2));
        assert_eq!(parts, [2, 1, 0]);
        assert_eq!(count(&storage, "select count(*) from delivery where attempts = 1"), 3);
        let due = storage.read_blocking(|read| deliveries::list_heads(read, LANE, NOW, 9)).unwrap();
        assert_eq!(due.0.len(), 5);
    }

    fn what_waits_of_one_type_is_cancelled(place) {
        let (storage, _api_key) = open(place);
        record_all(&storage, 5);
        place.run("update event set event_type = 'fallthrough' where id = 3");
        let milestones = EventType::MilestoneUpdated;
        let parts = in_parts(&storage, move |write| {
            waiting::cancel_waiting(write, LANE, milestones, (NOW, 3))
        });
        assert_eq!(parts, [3, 1, 0]);
        assert_eq!(states(&storage), ["cancelled", "cancelled", "waiting", "cancelled", "cancelled"]);
    }

    fn what_a_revoked_key_is_owed_is_cancelled(place) {
        let (storage, api_key) = open(place);
        record_all(&storage, 3);
        let other = storage.write_blocking(|write| {
            let key = api_keys::insert_api_key(write, 1, "other", THEN)?;
            write.execute("update subscription set reference = 'kept'", &[])?;
            subscribe_to(write, key, &[EventType::MilestoneUpdated])?;
            record(write, 4)
        });
        assert_eq!(other.unwrap(), 2);
        let cancel = |write: &mut Write<'_>| waiting::cancel_ownerless(write, NOW, 3);
        assert_eq!(in_parts(&storage, cancel), [0]);
        // Whatever else had disabled it before.
        place.run("update subscription set status = 'disabled', disabled_reason = 'gone' \
            where reference = 'kept'");
        let revoke = move |write: &mut Write<'_>| api_keys::revoke_api_key(write, api_key, THEN);
        assert!(storage.write_blocking(revoke).unwrap());
        assert_eq!(in_parts(&storage, cancel), [3, 1, 0]);
        assert_eq!(states(&storage), ["cancelled", "cancelled", "cancelled", "cancelled", "waiting"]);
        // Nobody else could end what is active under a key that counts no more.
        place.run("update subscription set status = 'active'");
        assert!(!storage.write_blocking(revoke).unwrap(), "it was revoked before");
        let disabled = "select count(*) from subscription where status = 'disabled'";
        assert_eq!(count(&storage, disabled), 1);
    }

    fn a_removed_subscription_is_gone_at_once_and_its_rows_in_parts(place) {
        let (storage, api_key) = open(place);
        record_all(&storage, 5);
        place.run(
            "insert into attempt (delivery_id, number, begun_at, duration) \
             select id, 1, 1, 1 from delivery",
        );
        storage.write_blocking(|write| subscriptions::remove_subscription(write, LANE)).unwrap();
        let seen = storage.read_blocking(move |read| -> Result<_> {
            let url = "https://lender.example/events";
            let by_url = subscriptions::find_subscription_by_url(read, api_key, url)?;
            let found = subscriptions::find_subscription(read, api_key, "subscription")?;
            let all = subscriptions::list_subscriptions(read, api_key)?;
            let count = subscriptions::count_subscriptions(read, api_key)?;
            Ok((by_url.is_some(), found.is_some(), all.len(), count))
        });
        assert_eq!(seen.unwrap(), (false, false, 0, 0));
        assert_eq!(storage.write_blocking(|write| record(write, 9)).unwrap(), 0, "owed nothing");
        assert_eq!(in_parts(&storage, |write| waiting::delete_remains(write, 2)), [2, 2, 1, 1, 0]);
        for rows in ["subscription", "lane", "delivery", "attempt"] {
            let sql = match rows {
                "subscription" => "select count(*) from subscription",
                "lane" => "select count(*) from lane",
                "delivery" => "select count(*) from delivery",
                _ => "select count(*) from attempt",
            };
            assert_eq!(count(&storage, sql), 0, "{rows}");
        }
        let again = storage
            .write_blocking(move |write| subscribe_to(write, api_key, &[EventType::FallThrough]));
        assert!(again.unwrap(), "it is a new one");
    }

    fn a_replay_goes_on_part_by_part(place) {
        let (storage, api_key) = open(place);
        record_all(&storage, 5);
        place.run("delete from delivery");
        place.run(&format!("update event set recorded_at = {THEN} + id"));
        let subscription = storage
            .read_blocking(move |read| subscriptions::list_subscriptions(read, api_key))
            .unwrap()
            .remove(0);
        let parts = |since: i64| {
            let subscription = subscription.clone();
            let replayed = storage.write_blocking(move |write| {
                let Some(mut left) = delivery_log::find_stretch(write, since)? else {
                    return Ok(Vec::new());
                };
                let mut owed = Vec::new();
                while let Some((part, is_owing)) =
                    delivery_log::find_part(write, &subscription, left, 2)?
                {
                    let first = delivery_log::find_first_time(write, &subscription, left)?;
                    let count = delivery_log::replay(write, &subscription, part, NOW)?;
                    assert_eq!(is_owing, count > 0);
                    owed.push((count, first.unwrap() - THEN));
                    left.after = part.last;
                }
                assert_eq!(delivery_log::find_first_time(write, &subscription, left)?, None);
                Ok::<_, StorageError>(owed)
            });
            replayed.unwrap()
        };
        assert_eq!(parts(THEN + 6), [], "nothing so late");
        assert_eq!(parts(THEN + 4), [(2, 4)]);
        assert_eq!(parts(THEN + 2), [(2, 2), (0, 4)], "those wait already");
        assert_eq!(parts(THEN), [(1, 1), (0, 3), (0, 5)]);
        assert_eq!(count(&storage, "select count(*) from delivery"), 5);
    }

    fn a_backlog_is_changed_and_removed_while_others_record(place) {
        let (storage, _api_key) = open(place);
        record_all(&storage, 1);
        place.run(OWE_BACKLOG);
        let is_done = Arc::new(AtomicBool::new(false));
        let (writer, has_ended) = (place.open(), Arc::clone(&is_done));
        let recording = beside(move || {
            let mut recorded = 0;
            while !has_ended.load(Ordering::Relaxed) {
                writer.write_blocking(move |write| record(write, 2 + recorded)).unwrap();
                recorded += 1;
                // SQLite lets nobody in before others who wait.
                std::thread::sleep(Duration::from_millis(2));
            }
            recorded
        });
        // In the manner of the server: each part is short, and gets through.
        let hasten = storage.clone();
        let mut parts = 0;
        while wait_for(hasten.write_under_row_locks(|write| {
            waiting::hasten_waiting(write, LANE, NOW, PART)
        })).unwrap() > 0 {
            parts += 1;
        }
        assert!(parts >= BACKLOG / 1_000, "{parts}");
        let remove = |write: &mut Write<'_>| subscriptions::remove_subscription(write, LANE);
        wait_for(storage.write_at_length(remove)).unwrap();
        while wait_for(storage.write_at_length(|write| waiting::delete_remains(write, PART)))
            .unwrap() > 0 {}
        std::thread::sleep(Duration::from_millis(50));
        is_done.store(true, Ordering::Relaxed);
        assert!(recording.join().unwrap() > 0);
        assert_eq!(count(&storage, "select count(*) from delivery"), 0);
        assert_eq!(count(&storage, "select count(*) from subscription"), 0);
    }
}

/// A store with a subscription, and its API key.
fn open(place: &Place) -> (Storage, i64) {
    let (storage, _branch, _listings) = open_with_listings(place, 1);
    let api_key = storage.write_blocking(subscribe).unwrap();
    (storage, api_key)
}

fn record_all(storage: &Storage, count: i64) {
    for number in 1..=count {
        storage
            .write_blocking(move |write| record(write, number))
            .unwrap();
    }
}

/// Records an event of a property of its own; to how many it is owed.
fn record(write: &mut Write<'_>, number: i64) -> Result<u64> {
    record_event(write, &format!("evt_{number}"), number)
}

/// What each part came to, until one did nothing.
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
    storage
        .read_blocking(move |read| read.query(sql, &[], |row| row.text(0)))
        .unwrap()
}
