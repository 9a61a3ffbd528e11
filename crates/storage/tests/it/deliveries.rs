//! Deliveries that lanes read, and results that lanes store.

use std::time::Duration;

use chain::event::EventType;
use storage::attempts::{self, AttemptResult, HealthChange, Next};
use storage::deliveries::{self, Head};
use storage::delivery_choice::DeliveryFilter;
use storage::delivery_log::{self, LoggedAttempt, LoggedDelivery};
use storage::events::{self, SimulatedEvent};
use storage::lanes::{self, Lane};
use storage::subscriptions::SubscriptionId;
use storage::{Read, Result, Storage, Write};

use crate::database::{TestDatabase, on_threads, open_file, read, spawn, wait_for, write};
use crate::on_both_engines;
use crate::rows::{THEN, insert_backlog, subscribe, subscribe_to};

/// When all deliveries are due, in milliseconds.
const DUE: i64 = THEN * 1000;
const LANE: SubscriptionId = SubscriptionId(1);
const BACKLOG: usize = 10_000;
/// How long reading the backlog may take. Reading all of it for each row takes much longer.
const BACKLOG_READ_MAX: Duration = Duration::from_secs(15);

on_both_engines! {
    fn any_number_of_results_is_stored(database) {
        let (storage, lane) = open_with_lane(database);
        // One statement stores eight results.
        for count in [1, 7, 8, 9, 19] {
            let ids = insert(&storage, (1..=count).collect());
            let results: Vec<_> = (0..).zip(ids).map(|(number, id)| result(id, number)).collect();
            assert!(store(&storage, &lane, results.clone()));
            let log = log(&storage);
            assert_eq!(log.len(), results.len());
            for (logged, result) in log.iter().zip(&results) {
                let AttemptResult { number, begun_at, duration, status, .. } = *result;
                let ended_at = Some(begun_at + duration);
                let (state, ended_at, not_before) = match result.next {
                    Next::Delivered => ("delivered", ended_at, 0),
                    Next::Retry(at) => ("waiting", None, at),
                    Next::Failed => ("failed", ended_at, 0),
                };
                let found = (logged.id, logged.state.as_str(), logged.ended_at, logged.not_before);
                assert_eq!(found, (result.delivery, state, ended_at, not_before));
                let error = result.error.map(ToOwned::to_owned);
                let answer = result.answer.clone();
                let attempt = LoggedAttempt { number, begun_at, duration, status, error, answer };
                assert_eq!(logged.attempts, [attempt]);
            }
            database.run("delete from attempt");
            database.run("delete from delivery");
        }
    }

    fn a_delivery_that_has_ended_is_not_changed(database) {
        let (storage, lane) = open_with_lane(database);
        let ids = insert(&storage, vec![1, 2]);
        assert!(store(&storage, &lane, vec![result(ids[0], 0)]));
        let before = log(&storage);
        let second = AttemptResult { number: 2, ..result(ids[0], 2) };
        assert!(store(&storage, &lane, vec![second, result(ids[1], 0)]));
        let after = log(&storage);
        assert_eq!(after[0], before[0]);
        assert_eq!(after[1].state, "delivered");
    }

    fn a_redelivery_during_an_attempt_keeps_its_new_schedule(database) {
        let (storage, lane) = open_with_lane(database);
        let ids = insert(&storage, vec![1, 2, 3]);
        for id in ids.clone() {
            assert!(store(&storage, &lane, vec![result(id, 1)]));
            assert!(write(&storage, move |write| {
                delivery_log::redeliver(write, LANE, id, DUE + 7)
            }));
        }
        // The second attempts began before the redelivery. Only the third one arrives.
        let second = |index, number| AttemptResult { number: 2, ..result(ids[index], number) };
        assert!(store(&storage, &lane, vec![second(0, 1), second(1, 2), second(2, 0)]));
        let log = log(&storage);
        let kept: Vec<_> = log.iter().map(|one| (one.state.as_str(), one.not_before)).collect();
        assert_eq!(kept, [("waiting", DUE + 7), ("waiting", DUE + 7), ("delivered", 0)]);
        assert_eq!(log[0].attempts.len(), 2, "the log shows both attempts");
        let (heads, _) = list_heads(&storage, DUE + 7, 9);
        assert_eq!(heads.iter().map(|head| head.delivery.attempts).max(), Some(0));
    }

    fn an_attempt_that_is_not_the_receivers_fault_is_not_counted(database) {
        let (storage, lane) = open_with_lane(database);
        let id = insert(&storage, vec![1])[0];
        for is_counted in [false, false, true] {
            let tried = AttemptResult { is_counted, next: Next::Retry(DUE), ..result(id, 1) };
            assert!(store(&storage, &lane, vec![tried]));
            let (heads, _) = list_heads(&storage, DUE, 9);
            assert_eq!(heads[0].delivery.attempts, i64::from(is_counted));
        }
        assert_eq!(log(&storage)[0].attempts.len(), 3);
    }

    fn a_head_is_the_oldest_delivery_of_its_property_if_it_is_due(database) {
        let (storage, lane) = open_with_lane(database);
        let ids = insert(&storage, vec![1, 1, 2, 3, 3, 4]);
        // Property 2 is tried again soon, and property 3 later.
        let retry = |id, at| AttemptResult { next: Next::Retry(at), ..result(id, 1) };
        let results = vec![retry(ids[2], DUE + 10), retry(ids[3], DUE + 1_000)];
        assert!(store(&storage, &lane, results));
        let expected = [(ids[0], true), (ids[5], false), (ids[2], false), (ids[3], true)];
        for (now, limit, count, is_cut) in [
            (DUE + 10, 2, 2, true),
            (DUE + 10, 3, 3, true),
            (DUE + 9, 9, 2, false),
            (DUE + 1_000, 9, 4, false),
        ] {
            let (heads, found_cut) = list_heads(&storage, now, limit);
            let found: Vec<_> =
                heads.iter().map(|head| (head.delivery.id, head.is_followed)).collect();
            assert_eq!((&found[..], found_cut), (&expected[..count], is_cut), "{now} {limit}");
        }
        // What follows a head waits for its own time.
        for (property, now, limit, expected, is_cut) in [
            (0, DUE, 9, vec![ids[1]], false),
            (0, DUE, 1, vec![ids[1]], true),
            (0, DUE - 1, 9, vec![], true),
            (3, DUE + 1_000, 9, vec![ids[4]], false),
        ] {
            let (heads, _) = list_heads(&storage, DUE + 1_000, 9);
            let head = heads[property].delivery.clone();
            let following = read(&storage, move |read| {
                deliveries::list_following(read, LANE, &head, now, limit)
            });
            let found: Vec<_> = following.due.iter().map(|delivery| delivery.id).collect();
            assert_eq!((found, following.is_cut), (expected, is_cut), "{property} {now} {limit}");
        }
    }

    fn each_property_gets_its_turn(database) {
        let (storage, lane) = open_with_lane(database);
        let ids = insert(&storage, vec![1, 1, 2, 3, 4, -5, -5]);
        // Property 2 is tried again now, and property 3 later.
        let retry = |id, at| AttemptResult { next: Next::Retry(at), ..result(id, 1) };
        assert!(store(&storage, &lane, vec![retry(ids[2], DUE), retry(ids[3], DUE + 1)]));
        let list_turn = |below, limit| {
            let turn = read(&storage, move |read| deliveries::list_turn(read, LANE, DUE, below, limit));
            let heads = turn.heads.iter().map(|head| (head.delivery.id, head.is_followed));
            (heads.collect::<Vec<_>>(), turn.below)
        };
        let (four, two, one, unknown) =
            ((ids[4], false), (ids[2], false), (ids[0], true), (ids[5], true));
        assert_eq!(list_turn(None, 9), (vec![four, two, one, unknown], None));
        assert_eq!(list_turn(None, 2), (vec![four], Some(3)));
        assert_eq!(list_turn(Some(3), 2), (vec![two, one], Some(1)));
        assert_eq!(list_turn(Some(1), 2), (vec![unknown], None));
        assert_eq!(list_turn(Some(-5), 2), (vec![], None));
    }

    fn unknown_properties_are_kept_apart(database) {
        let (storage, _lane) = open_with_lane(database);
        let ids = insert(&storage, vec![-5, -6, -5]);
        let (heads, _) = list_heads(&storage, DUE, 9);
        let found = heads.iter().map(|head| (head.delivery.id, head.delivery.order, head.is_followed));
        assert!(found.eq([(ids[0], -5, true), (ids[1], -6, false)]));
    }

    fn a_backlog_is_read_by_index_with_any_statistics(database) {
        let (storage, _lane) = open_with_lane(database);
        insert(&storage, vec![1]);
        insert_backlog(database, BACKLOG, 0, 1);
        database.run("update delivery set state = 'failed'");
        database.run("analyze");
        insert_backlog(database, BACKLOG, 0, 1);
        let list = storage.read_by_index(|read| {
            let (heads, _) = deliveries::list_heads(read, LANE, DUE, BACKLOG)?;
            let turn = deliveries::list_turn(read, LANE, DUE, None, BACKLOG)?;
            Ok::<_, storage::StorageError>([heads.len(), turn.heads.len()])
        });
        let listed = wait_for(async { tokio::time::timeout(BACKLOG_READ_MAX, list).await });
        let counts = listed.expect("each row is looked up in an index").unwrap();
        assert_eq!(counts, [BACKLOG; 2]);
    }

    fn finding_due_lanes_takes_no_longer_with_a_backlog(database) {
        let (storage, _lane) = open_with_lane(database);
        insert(&storage, vec![1]);
        database.run(&format!("update delivery set not_before = {}", DUE + 1));
        // The shortest of some measurements. No lane is due.
        let measure = || [(); 5].map(|()| {
            let begun = tokio::time::Instant::now();
            wait_for(storage.read_by_index(|read| -> Result<()> {
                for _ in 0..50 {
                    assert_eq!(lanes::list_due_lanes(read, "here", DUE)?, []);
                }
                Ok(())
            })).unwrap();
            begun.elapsed()
        }).into_iter().min().unwrap();
        let few = measure();
        insert_backlog(database, BACKLOG, 0, DUE + 1);
        // Reading each delivery takes a hundred times as long, on a busy machine as well.
        let is_quick = (0..20).any(|_attempt| measure() < 10 * few);
        assert!(is_quick, "without a backlog it takes {few:?}");
    }

    fn a_clock_that_is_days_ahead_keeps_no_other_node_from_a_lane(database) {
        let (storage, _lane) = open_with_lane(database);
        insert(&storage, vec![1]);
        let take = |owner: &'static str, now| {
            let taking = move |write: &mut Write<'_>| {
                lanes::take_lane(write, LANE, owner, now, now + lanes::LEASE_MILLISECONDS)
            };
            write(&storage, taking).is_some()
        };
        let due = |owner: &'static str| {
            read(&storage, move |read| lanes::list_due_lanes(read, owner, DUE)).len()
        };
        assert!(take("ahead", DUE + 3 * 86_400_000));
        assert_eq!(due("right"), 1);
        assert!(take("right", DUE));
        assert_eq!(due("other"), 0);
        assert!(!take("other", DUE));
        // A minute is a difference between right clocks.
        assert!(take("ahead", DUE + 60_000));
        assert_eq!(due("right"), 0);
        assert!(!take("right", DUE));
        assert!(take("right", DUE - 1));
    }

    fn a_new_lease_and_results_of_the_old_one_do_not_mix(database) {
        let (storage, mut lane) = open_with_lane(database);
        for id in insert(&storage, (1..=20).collect()) {
            let (other, old) = (storage.clone(), lane.clone());
            let storing = spawn(move || store(&other, &old, vec![result(id, 0)]));
            let taken = wait_for(storage.write_under_row_locks(|write| {
                lanes::take_lane(write, LANE, "another", DUE + 30_000, DUE)
            }));
            lane = taken.unwrap().unwrap();
            let is_stored = storing.join().unwrap();
            let logged = log(&storage).into_iter().find(|logged| logged.id == id).unwrap();
            assert_eq!(logged.state, if is_stored { "delivered" } else { "waiting" });
        }
    }
}

#[test]
fn a_change_of_event_types_and_results_do_not_deadlock() {
    let Some(database) = TestDatabase::on_postgres() else {
        return;
    };
    let (storage, lane) = open_with_lane(&database);
    for round in 0..40 {
        let ids = insert(&storage, (1..=8).collect());
        let results = (0..).zip(ids).map(|(number, id)| result(id, number));
        let results: Vec<_> = results.collect();
        // In turns, the subscription receives all types and one of them.
        let events = &EventType::ALL[round % 2..];
        on_threads(2, std::slice::from_ref(&storage), |storage, thread| {
            if thread == 0 {
                store(storage, &lane, results.clone());
            } else {
                write(storage, move |write| subscribe_to(write, 1, events));
            }
        });
    }
    // A connection reports its deadlocks at the latest when it ends.
    drop(storage);
    let others = "select count(*) from pg_stat_activity \
         where datname = current_database() and pid <> pg_backend_pid()";
    while database.count_on_postgres(others) > 0 {
        std::thread::yield_now();
    }
    let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
    assert_eq!(database.count_on_postgres(deadlocks), 0);
}

#[test]
fn opening_a_file_releases_the_lanes_of_a_killed_program() {
    let database = TestDatabase::on_sqlite();
    let steal = |write: &mut Write<'_>| lanes::take_lane(write, LANE, "another", DUE - 1, DUE);
    let take = |storage: &Storage| write(storage, steal);
    let (storage, lane) = open_with_lane(&database);
    let taken = take(&database.open());
    assert_eq!(taken, None, "another program has the store open");
    // A kill leaves the file and its log as they are now.
    for ending in ["", "-wal"] {
        let [from, to] = ["onward.db", "copy.db"].map(|name| format!("{name}{ending}"));
        std::fs::copy(database.beside(&from), database.beside(&to)).unwrap();
    }
    drop(storage);
    let taken = take(&open_file(&database.beside("copy.db"))).unwrap();
    assert!(taken.epoch > lane.epoch);
}

fn open_with_lane(database: &TestDatabase) -> (Storage, Lane) {
    let storage = database.open();
    let lane = write(&storage, |write| {
        subscribe(write)?;
        lanes::take_lane(write, LANE, "here", DUE + 30_000, DUE)
    });
    (storage, lane.unwrap())
}

/// Inserts a delivery for each of these properties, in this order. Numbers below 0 stand for unknown
/// properties.
fn insert(storage: &Storage, properties: Vec<i64>) -> Vec<i64> {
    let insert = |write: &mut Write<'_>, property: i64| {
        let event = SimulatedEvent {
            event_id: &uuid::Uuid::new_v4().to_string(),
            event_type: EventType::MilestoneUpdated,
            property: property.max(0),
            uprn: property.abs(),
            label: Some("SSTC"),
            date: "2026-03-02".parse().unwrap(),
            detail: None,
        };
        let row = events::insert_simulated_event(write, &event, THEN)?;
        deliveries::insert_delivery(write, LANE, row, property, DUE)
    };
    write(storage, move |write| {
        let ids = properties.iter().map(|property| insert(write, *property));
        ids.collect()
    })
}

/// The result of a first attempt. By `number`, attempts are delivered, tried again or failed in turns.
fn result(delivery: i64, number: usize) -> AttemptResult {
    let at = DUE + i64::try_from(number).unwrap();
    AttemptResult {
        delivery,
        number: 1,
        is_counted: true,
        begun_at: at,
        duration: 5,
        status: [Some(200), None, Some(500)][number % 3],
        error: [None, Some("timeout"), None][number % 3],
        answer: [None, None, Some("busy".to_owned())][number % 3].clone(),
        next: [Next::Delivered, Next::Retry(at + 5_000), Next::Failed][number % 3],
    }
}

fn store(storage: &Storage, lane: &Lane, results: Vec<AttemptResult>) -> bool {
    let lane = lane.clone();
    let stored = wait_for(storage.write_under_row_locks(move |write| {
        attempts::store_attempts(write, &lane, &results, &HealthChange::default())
    }));
    stored.unwrap()
}

fn list_heads(storage: &Storage, now: i64, limit: usize) -> (Vec<Head>, bool) {
    read(storage, move |read| {
        deliveries::list_heads(read, LANE, now, limit)
    })
}

/// All deliveries, the oldest first.
fn log(storage: &Storage) -> Vec<LoggedDelivery> {
    let list = |read: &mut Read<'_>| {
        delivery_log::list_deliveries(read, LANE, DeliveryFilter::default(), 100, 0)
    };
    let (_total, mut logged) = read(storage, list);
    logged.reverse();
    logged
}
