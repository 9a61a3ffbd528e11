//! What lanes read and store.

use std::path::Path;
use std::time::Duration;

use chain::event::EventType;
use storage::attempts::{self, AttemptResult, Next};
use storage::deliveries::{self, Head};
use storage::delivery_log::{self, LoggedDelivery};
use storage::events::{self, SimulatedEvent};
use storage::lanes::{self, Health, Lane};
use storage::subscriptions::{self, SubscriptionId};
use storage::{OpenOptions, Read, Result, Storage, StorageError, StoreUrl, Write};

use crate::on_both_engines;
use crate::place::{Place, beside, wait_for};
use crate::rows::{THEN, subscribe, subscribe_to};

/// When everything is owed, in milliseconds.
const OWED: i64 = THEN * 1000;
const LANE: SubscriptionId = SubscriptionId(1);
const LEASE: i64 = 30_000;
/// Properties of which something waits in a backlog.
const MANY: usize = 10_000;
/// How long reading it may take; were the whole of it read for each of its rows,
/// it would take much longer.
const MANY_READ_MAX: Duration = Duration::from_secs(15);
/// Owes an event to the lane for so many properties.
const OWE_MANY: &str = "\
    insert into delivery (subscription_id, event_row, property_id, state, attempts, not_before, \
    created_at) with recursive number (value) as (select 1 union all select value + 1 from number \
    where value < 10000) select 1, 1, value, 'waiting', 0, 1, 1 from number";

on_both_engines! {
    fn results_are_stored_however_many_come_at_once(place) {
        // Around the length of one statement's batch, and beyond it.
        for count in [1, 7, 8, 9, 19] {
            let (storage, lane) = open_with_lane(place);
            let ids = owe(&storage, (0..count).map(|number| number + 1).collect());
            let results: Vec<_> = (0..).zip(&ids).map(|(number, id)| result(*id, number)).collect();
            let expected: Vec<_> = results.iter().map(described).collect();
            assert!(store(&storage, &lane, results));
            let logged: Vec<_> = log(&storage).iter().map(shown).collect();
            assert_eq!(logged, expected);
            forget(&storage);
        }
    }

    fn a_delivery_that_ended_meanwhile_is_not_touched(place) {
        let (storage, lane) = open_with_lane(place);
        let ids = owe(&storage, vec![1, 2]);
        assert!(store(&storage, &lane, vec![result(ids[0], 0)]));
        let before = log(&storage);
        let mut second = result(ids[0], 2);
        second.number = 2;
        assert!(store(&storage, &lane, vec![second, result(ids[1], 0)]));
        let after = log(&storage);
        assert_eq!(after[0], before[0]);
        assert_eq!(after[1].state, "delivered");
    }

    fn what_was_asked_for_again_meanwhile_keeps_its_new_schedule(place) {
        let (storage, lane) = open_with_lane(place);
        let ids = owe(&storage, vec![1, 2, 3]);
        for id in &ids {
            assert!(store(&storage, &lane, vec![result(*id, 1)]));
        }
        let ask = |write: &mut Write<'_>, id| delivery_log::redeliver(write, LANE, id, OWED + 7);
        for id in ids.clone() {
            assert!(storage.write_blocking(move |write| ask(write, id)).unwrap());
        }
        // Their second attempts were under way; one of them arrived.
        let second = |id, number| AttemptResult { number: 2, ..result(id, number) };
        let results = vec![second(ids[0], 1), second(ids[1], 2), second(ids[2], 0)];
        assert!(store(&storage, &lane, results));
        let logged = log(&storage);
        let kept: Vec<_> = logged.iter().map(|one| (one.state.as_str(), one.not_before)).collect();
        assert_eq!(kept, [("waiting", OWED + 7), ("waiting", OWED + 7), ("delivered", 0)]);
        assert_eq!(logged[0].attempts.len(), 2, "it was made all the same");
        let (heads, _is_cut) = list_heads(&storage, OWED + 7, 9);
        assert_eq!(heads.iter().map(|head| head.delivery.attempts).max(), Some(0));
    }

    fn what_is_no_fault_of_the_subscriber_is_not_counted(place) {
        let (storage, lane) = open_with_lane(place);
        let id = owe(&storage, vec![1])[0];
        for is_counted in [false, false, true] {
            let tried = AttemptResult { is_counted, next: Next::Retry(OWED), ..result(id, 1) };
            assert!(store(&storage, &lane, vec![tried]));
            let (heads, _is_cut) = list_heads(&storage, OWED, 9);
            assert_eq!(heads[0].delivery.attempts, i64::from(is_counted));
        }
        assert_eq!(log(&storage)[0].attempts.len(), 3);
    }

    fn of_each_property_comes_the_oldest_that_is_due(place) {
        let (storage, lane) = open_with_lane(place);
        let ids = owe(&storage, vec![1, 1, 2, 3, 3, 4]);
        // Property 3 waits until later, property 2 is to be tried again.
        let mut retried = result(ids[2], 1);
        retried.next = Next::Retry(OWED + 10);
        let mut later = result(ids[3], 1);
        later.next = Next::Retry(OWED + 1_000);
        assert!(store(&storage, &lane, vec![retried, later]));
        let (heads, is_cut) = list_heads(&storage, OWED + 10, 2);
        assert!(is_cut, "as many as may be");
        assert_eq!(places(&heads), [(ids[0], true), (ids[5], false)]);
        let (heads, is_cut) = list_heads(&storage, OWED + 10, 3);
        assert!(is_cut, "as many as may be");
        assert_eq!(places(&heads), [(ids[0], true), (ids[5], false), (ids[2], false)]);
        let (heads, is_cut) = list_heads(&storage, OWED + 9, 9);
        assert!(!is_cut);
        assert_eq!(places(&heads), [(ids[0], true), (ids[5], false)]);
        let (heads, _is_cut) = list_heads(&storage, OWED + 1_000, 9);
        let all = [(ids[0], true), (ids[5], false), (ids[2], false), (ids[3], true)];
        assert_eq!(places(&heads), all);
        let first = (1, ids[0]);
        let following = storage
            .read_blocking(move |read| deliveries::list_following(read, LANE, first, 9));
        let following: Vec<_> = following.unwrap().iter().map(|delivery| delivery.id).collect();
        assert_eq!(following, [ids[1]]);
    }

    fn a_backlog_is_read_once_whatever_the_statistics_say(place) {
        let (storage, _lane) = open_with_lane(place);
        owe(&storage, vec![1]);
        for sql in [OWE_MANY, "update delivery set state = 'failed'", "analyze", OWE_MANY] {
            place.run(sql);
        }
        let (heads, _is_cut) = wait_for(async {
            let read = storage.read_by_index(|read| deliveries::list_heads(read, LANE, OWED, MANY));
            let read = tokio::time::timeout(MANY_READ_MAX, read).await;
            read.expect("each is looked for in an index").unwrap()
        });
        assert_eq!(heads.len(), MANY);
    }

    fn whether_something_is_due_does_not_take_longer_the_more_waits(place) {
        let (storage, _lane) = open_with_lane(place);
        owe(&storage, vec![1]);
        place.run(&format!("update delivery set not_before = {}", OWED + 1));
        let few = measure_due_lanes(&storage);
        place.run(&OWE_MANY.replace("0, 1, 1 from", &format!("0, {}, 1 from", OWED + 1)));
        let many = measure_due_lanes(&storage);
        // Looking at each of them takes a hundred times as long.
        assert!(many < 10 * few, "{few:?}, and {many:?} with a backlog");
    }

    fn properties_that_are_not_known_are_told_apart(place) {
        let (storage, _lane) = open_with_lane(place);
        let ids = owe(&storage, vec![-5, -6, -5]);
        let (heads, _is_cut) = list_heads(&storage, OWED, 9);
        assert_eq!(places(&heads), [(ids[0], true), (ids[1], false)]);
        let orders: Vec<_> = heads.iter().map(|head| head.delivery.order).collect();
        assert_eq!(orders, [-5, -6]);
    }

    fn a_lane_that_is_taken_and_its_last_results_do_not_mix(place) {
        let (storage, mut lane) = open_with_lane(place);
        for id in owe(&storage, (1..=20).collect()) {
            let (other_storage, old) = (storage.clone(), lane.clone());
            let storing = beside(move || store(&other_storage, &old, vec![result(id, 0)]));
            let taken = wait_for(storage.write_under_row_locks(|write| {
                lanes::take_lane(write, LANE, "another", (OWED + LEASE, OWED))
            }));
            lane = taken.unwrap().unwrap();
            let is_stored = storing.join().unwrap();
            let state = log(&storage).into_iter().find(|logged| logged.id == id).unwrap().state;
            assert_eq!(state, if is_stored { "delivered" } else { "waiting" });
        }
    }
}

#[test]
fn a_subscription_that_asks_for_less_and_results_do_not_lock_each_other_out() {
    let Some(place) = Place::on_postgres() else {
        return;
    };
    let (storage, lane) = open_with_lane(&place);
    for round in 0..40 {
        let ids = owe(&storage, (1..=8).collect());
        let results = (0..)
            .zip(ids)
            .map(|(number, id)| result(id, number))
            .collect();
        let (other_storage, old) = (storage.clone(), lane.clone());
        let storing = beside(move || store(&other_storage, &old, results));
        // All types and one of them, in turns.
        let events = &EventType::ALL[round % 2..];
        let asked = storage.write_blocking(move |write| subscribe_to(write, 1, events));
        asked.unwrap();
        storing.join().unwrap();
    }
    let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
    let read = |read: &mut Read<'_>| read.query_exactly_one(deadlocks, &[], |row| row.integer(0));
    // The server counts them after a while.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(storage.read_blocking(read).unwrap(), 0);
}

/// The shortest time that it took to find out, many times, that no lane has anything due.
fn measure_due_lanes(storage: &Storage) -> Duration {
    let look = || {
        let begun = tokio::time::Instant::now();
        let due = wait_for(storage.read_by_index(|read| {
            for _ in 0..50 {
                assert_eq!(lanes::list_due_lanes(read, "here", OWED)?, []);
            }
            Ok::<_, StorageError>(())
        }));
        due.unwrap();
        begun.elapsed()
    };
    (0..5).map(|_| look()).min().unwrap()
}

#[test]
fn lanes_of_a_killed_program_are_free_when_the_file_is_opened_again() {
    let place = Place::on_sqlite();
    let StoreUrl::Sqlite(path) = &place.url else {
        unreachable!("on_sqlite");
    };
    let take = |storage: &Storage| {
        let take =
            |write: &mut Write<'_>| lanes::take_lane(write, LANE, "another", (OWED - 1, OWED));
        storage.write_blocking(take).unwrap()
    };
    let (storage, lane) = open_with_lane(&place);
    assert_eq!(
        take(&place.open()),
        None,
        "somebody else has the store open"
    );
    // What a kill leaves: the file and its log, copied as they are.
    let copy = path.with_file_name("copy.db");
    for ending in ["", "-wal"] {
        let name = |path: &Path| format!("{}{ending}", path.display());
        std::fs::copy(name(path), name(&copy)).unwrap();
    }
    drop(storage);
    let copied = Storage::open(&StoreUrl::Sqlite(copy), &OpenOptions::default()).unwrap();
    let taken = take(&copied).unwrap();
    assert!(taken.epoch > lane.epoch);
}

fn open_with_lane(place: &Place) -> (Storage, Lane) {
    let storage = place.open();
    let lane = storage.write_blocking(|write| -> Result<_> {
        if subscriptions::count_subscriptions(write, 1)? == 0 {
            subscribe(write)?;
        }
        lanes::take_lane(write, LANE, "here", (OWED + LEASE, OWED))
    });
    (storage, lane.unwrap().unwrap())
}

/// Owes the lane one event of each of these properties, in this order; numbers
/// below 0 stand for properties that are not known.
fn owe(storage: &Storage, properties: Vec<i64>) -> Vec<i64> {
    let owe = move |write: &mut Write<'_>| -> Result<Vec<i64>> {
        let mut ids = Vec::new();
        for property in &properties {
            let event_id = uuid::Uuid::new_v4().to_string();
            let event = SimulatedEvent {
                event_id: &event_id,
                event_type: EventType::MilestoneUpdated,
                property: (*property).max(0),
                uprn: property.abs(),
                label: Some("SSTC"),
                date: "2026-03-02".parse().unwrap(),
            };
            let row = events::insert_simulated_event(write, &event, THEN)?;
            ids.push(deliveries::insert_delivery(
                write,
                LANE,
                (row, *property),
                OWED,
            )?);
        }
        Ok(ids)
    };
    storage.write_blocking(owe).unwrap()
}

fn result(delivery: i64, number: usize) -> AttemptResult {
    let at = OWED + i64::try_from(number).unwrap();
    AttemptResult {
        delivery,
        number: 1,
        is_counted: true,
        begun_at: at,
        duration: 5,
        status: [Some(200), None, Some(500)][number % 3],
        error: [None, Some("timeout"), None][number % 3],
        next: [Next::Delivered, Next::Retry(at + 5_000), Next::Failed][number % 3],
    }
}

fn store(storage: &Storage, lane: &Lane, results: Vec<AttemptResult>) -> bool {
    let lane = lane.clone();
    let storing = storage.write_under_row_locks(move |write| {
        attempts::store_attempts(write, &lane, &results, &Health::default())
    });
    wait_for(storing).unwrap()
}

fn list_heads(storage: &Storage, now: i64, limit: usize) -> (Vec<Head>, bool) {
    let list = storage.read_blocking(move |read| deliveries::list_heads(read, LANE, now, limit));
    list.unwrap()
}

fn places(heads: &[Head]) -> Vec<(i64, bool)> {
    heads
        .iter()
        .map(|head| (head.delivery.id, head.is_followed))
        .collect()
}

/// All deliveries, the oldest first.
fn log(storage: &Storage) -> Vec<LoggedDelivery> {
    let (_total, mut logged) = storage
        .read_blocking(|read| delivery_log::list_deliveries(read, LANE, 100, 0))
        .unwrap();
    logged.reverse();
    logged
}

/// Delivery, state, when it ended, when it is tried next, and its one attempt.
type Shown = (i64, String, Option<i64>, i64, Option<i64>, Option<String>);

fn shown(logged: &LoggedDelivery) -> Shown {
    let [attempt] = logged.attempts.as_slice() else {
        panic!("one attempt each: {logged:?}");
    };
    assert_eq!((attempt.number, attempt.duration), (1, 5));
    (
        logged.id,
        logged.state.clone(),
        logged.ended_at,
        logged.not_before,
        attempt.status,
        attempt.error.clone(),
    )
}

fn described(result: &AttemptResult) -> Shown {
    let ended_at = Some(result.begun_at + result.duration);
    let (state, ended_at, not_before) = match result.next {
        Next::Delivered => ("delivered", ended_at, 0),
        Next::Retry(at) => ("waiting", None, at),
        Next::Failed => ("failed", ended_at, 0),
    };
    let error = result.error.map(ToOwned::to_owned);
    (
        result.delivery,
        state.to_owned(),
        ended_at,
        not_before,
        result.status,
        error,
    )
}

fn forget(storage: &Storage) {
    let forget = |write: &mut Write<'_>| -> Result<()> {
        write.execute("delete from attempt", &[])?;
        write.execute("delete from delivery", &[])?;
        Ok(())
    };
    storage.write_blocking(forget).unwrap();
}
