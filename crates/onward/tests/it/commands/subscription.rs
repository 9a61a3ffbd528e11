//! `subscription list`, `show` and `remove`.

use observe::clock::Clock;
use serde_json::json;
use storage::subscriptions::{self, NewSubscription};

use super::folder::Folder;

/// A folder with two subscriptions of one key. The second is disabled.
fn subscribed() -> Folder {
    let folder = Folder::new();
    let issued = folder.run(&["api-key", "issue", "--participant", "Example Bank"]);
    assert_eq!(issued.status, Some(0), "{issued:?}");
    let storage = folder.open();
    for reference in ["sub_1", "sub_2"] {
        let stored = storage.write_blocking(move |write| {
            let new = NewSubscription {
                reference,
                account: 1,
                key: 1,
                participant_name: "Bank",
                callback_url: &format!("https://bank.example/{reference}"),
                events: &chain::event::EventType::ALL,
            };
            subscriptions::store_subscription(write, &new, 1_795_255_200_000)?;
            let found = subscriptions::find_subscription(write, 1, reference)?.unwrap();
            if reference == "sub_2" {
                subscriptions::disable_subscription(write, found.id, "gone", 1_795_255_201)?;
            }
            Ok::<_, storage::StorageError>(())
        });
        stored.unwrap();
    }
    folder
}

#[test]
fn all_are_listed_and_those_behind_are_found() {
    let folder = subscribed();
    let listed = folder.run(&["subscription", "list"]);
    assert_eq!(
        listed.out,
        "sub_1  Example Bank, API key 1, active, 0 waiting\n\
         sub_2  Example Bank, API key 1, disabled (gone), 0 waiting\n"
    );
    let behind = folder.list_of(&["subscription", "list", "--behind"]);
    let expected = json!({
        "id": "sub_2", "participantName": "Example Bank", "api_key": 1,
        "callbackUrl": "https://bank.example/sub_2", "status": "disabled",
        "disabled_reason": "gone", "failures": 0, "waiting_deliveries": 0,
        "oldest_waiting_at": null,
    });
    assert_eq!(behind, [expected]);
}

#[test]
fn check_names_watches_that_are_larger_than_the_limit() {
    let folder = subscribed();
    let storage = folder.open();
    let watching = storage.write_blocking(|write| {
        // Disabled subscriptions count, too.
        write.execute("update subscription set watched_uprns = 600000", &[])
    });
    let watching: Result<u64, storage::StorageError> = watching;
    assert_eq!(watching.unwrap(), 2);
    drop(storage);
    let said = "the subscriptions of Example Bank watch 1200000 UPRNs, more than watched_uprns_max \
                (1000000): they stay, and may only shrink";
    let checked = folder.run(&["check"]);
    assert_eq!(checked.status, Some(0), "{checked:?}");
    assert!(checked.out.contains(said), "{checked:?}");
    let enough = folder.run(&["check", "--set", "watched_uprns_max=1200000"]);
    assert!(!enough.out.contains("may only shrink"), "{enough:?}");
}

/// A pending delivery of `sub_1` whose third attempt was answered 500.
const WAITING: [&str; 5] = [
    "insert into event (id, event_id, event_type, property_id, uprn, date, recorded_at) \
     values (1, 'evt_1', 'fallthrough', 1, 1, '2026-11-20', 1795255200)",
    "insert into delivery (id, subscription_id, event_row, property_id, state, attempts, \
     not_before, created_at) values (1, 1, 1, 1, 'waiting', 3, 1795255800000, 1795255200000)",
    "insert into attempt (delivery_id, number, begun_at, duration, status) \
     values (1, 2, 1795255260000, 5, 404)",
    "insert into attempt (delivery_id, number, begun_at, duration, status) \
     values (1, 3, 1795255500000, 5, 500)",
    // A later delivery, which is due earlier.
    "insert into delivery (id, subscription_id, event_row, property_id, state, attempts, \
     not_before, created_at) values (2, 1, 1, 2, 'waiting', 0, 1795255300000, 1795255300000)",
];

#[test]
fn a_pause_is_shown_until_it_ends() {
    let folder = subscribed();
    let state_after = |sql: &'static str| {
        let storage = folder.open();
        let changed = storage.write_blocking(move |write| write.execute(sql, &[]));
        changed.unwrap();
        drop(storage);
        let listed = folder.run(&["subscription", "list"]).out;
        let first = listed.lines().next().unwrap().to_owned();
        first.split(", ").nth(2).unwrap().to_owned()
    };
    let pause = "update lane set open_until = 7258118400000 where subscription_id = 1";
    assert_eq!(state_after(pause), "paused");
    let ended = "update lane set open_until = 1795255200000 where subscription_id = 1";
    assert_eq!(state_after(ended), "active");
}

#[test]
fn the_last_and_the_next_attempt_are_shown() {
    let folder = subscribed();
    let show = || folder.run(&["subscription", "show", "sub_1"]).out;
    assert!(!show().contains("attempt"), "{}", show());
    let change = |sql: &'static str| {
        let storage = folder.open();
        let changed = storage.write_blocking(move |write| write.execute(sql, &[]));
        changed.unwrap();
    };
    WAITING.into_iter().for_each(change);
    let expected = "  the oldest: attempt 3 at 2026-11-21T10:05:00Z was answered 500; \
                    the next attempt is not before 2026-11-21T10:10:00Z\n";
    assert!(show().ends_with(expected), "{}", show());
    let shown = folder.run(&["subscription", "show", "sub_1", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown.out).unwrap();
    let last = json!({
        "number": 3, "begun_at": "2026-11-21T10:05:00Z", "status": 500, "error": null,
    });
    assert_eq!(shown["last_attempt"], last);
    assert_eq!(shown["next_attempt_at"], "2026-11-21T10:10:00Z");

    change("update lane set open_until = 1795256400000 where subscription_id = 1");
    let end = "not before 2026-11-21T10:20:00Z\n";
    assert!(show().ends_with(end), "paused: {}", show());
    change("update attempt set status = null, error = 'timeout'");
    assert!(show().contains("failed (timeout);"), "{}", show());
    change("delete from attempt");
    assert!(
        show().contains("the oldest: no attempt yet; "),
        "{}",
        show()
    );
    change("update subscription set status = 'disabled' where reference = 'sub_1'");
    assert!(
        show().ends_with("the oldest: no attempt yet\n"),
        "{}",
        show()
    );
}

#[test]
fn an_operator_sends_what_waits() {
    let folder = subscribed();
    let storage = folder.open();
    let pause = "update lane set open_until = 7258118400000 where subscription_id = 1";
    for sql in WAITING.into_iter().chain([pause]) {
        let changed = storage.write_blocking(move |write| write.execute(sql, &[]));
        changed.unwrap();
    }
    let now = Clock::System.now_milliseconds();
    let later = "update delivery set not_before = 7258118400000";
    let changed = storage.write_blocking(move |write| write.execute(later, &[]));
    changed.unwrap();
    drop(storage);
    let retried = folder.run(&["subscription", "retry", "sub_1", "--reason", "it is back"]);
    assert_eq!(
        retried.out,
        "Subscription sub_1 of Example Bank is not paused, and its 2 pending deliveries are due\n"
    );
    let storage = folder.open();
    let due = storage.read_blocking(|read| {
        let sql = "select not_before from delivery order by id";
        read.query(sql, &[], |row| row.integer(0))
    });
    let due = due.unwrap();
    let ended = now + 600_000;
    assert!(due.iter().all(|at| (now..ended).contains(at)), "{due:?}");
    drop(storage);
    assert!(
        folder
            .run(&["subscription", "list"])
            .out
            .contains("active, 2 waiting")
    );
    let noted = folder.run(&["audit-log"]).out;
    assert!(noted.contains("subscription retry sub_1"), "{noted}");
    assert_eq!(noted.matches("it is back").count(), 1, "{noted}");
    let disabled = folder.run(&["subscription", "retry", "sub_2"]);
    assert!(disabled.failure().contains("is disabled"), "{disabled:?}");
}

#[test]
fn one_is_shown_and_removed() {
    let folder = subscribed();
    let shown = folder.run(&["subscription", "show", "sub_2"]);
    assert!(
        shown.out.ends_with("\n  to https://bank.example/sub_2\n"),
        "{shown:?}"
    );
    let removed = folder.run(&["subscription", "remove", "sub_2"]);
    assert_eq!(removed.out, "Removed subscription sub_2 of Example Bank\n");
    for command in ["show", "remove"] {
        let missing = folder.run(&["subscription", command, "sub_2"]);
        assert_eq!(missing.failure(), "there is no subscription sub_2");
    }
    assert_eq!(folder.list("subscription").len(), 1);
}
