//! `subscription list`, `show` and `remove`.

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
                api_key: 1,
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
