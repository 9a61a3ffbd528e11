//! `api-key issue`, `list`, `rotate` and `revoke`.

use serde_json::{Value, json};

use super::folder::Folder;

fn issue(folder: &Folder, participant: &str) -> String {
    let args = ["api-key", "issue", "--participant", participant, "--json"];
    let issued = folder.run(&args);
    assert_eq!((issued.status, issued.err.as_str()), (Some(0), ""));
    let issued: Value = serde_json::from_str(&issued.out).unwrap();
    assert_eq!(issued["participantName"], participant.trim());
    let key = issued["key"].as_str().unwrap();
    // `api-key revoke` takes the id.
    assert!(
        key.starts_with(&format!("onward_{}_", issued["id"])),
        "{issued}"
    );
    key.to_owned()
}

#[test]
fn a_key_is_shown_once_listed_without_its_secret_and_revoked() {
    let folder = Folder::new();
    assert_eq!(folder.list("api-key"), Vec::<Value>::new());
    let (first, second) = (issue(&folder, "Lender Ltd"), issue(&folder, " Lender Ltd "));
    assert_ne!(first, second);
    for (id, key) in [("1", &first), ("2", &second)] {
        let secret = key.strip_prefix(&format!("onward_{id}_")).unwrap();
        // 256 bits in base64url.
        assert_eq!(secret.len(), 43, "{key}");
        let listed = folder.run(&["api-key", "list"]).out;
        assert!(!listed.contains(secret), "{listed}");
        let stored = std::fs::read(folder.path("onward.db")).unwrap();
        let is_stored = stored
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        assert!(!is_stored, "the store holds a key");
    }
    let revoked = folder.run(&["api-key", "revoke", "1"]);
    assert_eq!(
        (revoked.status, revoked.out.as_str()),
        (Some(0), "Revoked API key 1\n")
    );
    let again = folder.run(&["api-key", "revoke", "1"]);
    assert_eq!(again.failure(), "there is no active API key 1");
    let unknown = folder.run(&["api-key", "revoke", "99"]);
    assert_eq!(unknown.failure(), "there is no active API key 99");
    let mut listed = folder.list("api-key");
    assert!(listed[0]["revoked_at"].take().as_i64().unwrap() > 1_700_000_000);
    for key in &mut listed {
        assert!(key["created_at"].take().as_i64().unwrap() > 1_700_000_000);
    }
    let row = |id: i64| {
        json!({"id": id, "account": id, "participantName": "Lender Ltd",
        "created_at": null, "ends_at": null, "revoked_at": null})
    };
    assert_eq!(listed, [row(1), row(2)]);
    let listed = folder.run(&["api-key", "list"]).out;
    assert_eq!(listed.lines().count(), 2);
    assert!(
        listed.contains("1  Lender Ltd, issued ") && listed.contains(", revoked "),
        "{listed}"
    );
    assert!(listed.ends_with(", active\n"), "{listed}");
}

#[test]
fn the_account_of_a_client_is_no_key_to_revoke() {
    let folder = Folder::new();
    issue(&folder, "Lender Ltd");
    let storage = folder.open();
    let open = "insert into api_key (participant_id, client_id, digest, created_at) \
                select participant_id, 'lender-1', '', 0 from api_key";
    storage
        .write_blocking(move |write| write.execute(open, &[]))
        .unwrap();
    drop(storage);
    let refused = folder.run(&["api-key", "revoke", "2"]);
    let said = refused.failure();
    assert!(said.contains("onward client disable lender-1"), "{said}");
    let storage = folder.open();
    let find = "select count(*) from api_key where revoked_at is not null";
    let counted: Result<i64, storage::StorageError> =
        storage.read_blocking(move |read| read.query_exactly_one(find, &[], |row| row.integer(0)));
    assert_eq!(counted.unwrap(), 0);
}

#[test]
fn a_rotated_key_ends_and_its_account_stays() {
    let folder = Folder::new();
    issue(&folder, "Lender Ltd");
    let rotate = |id: &str, overlap: &str| {
        let args = ["api-key", "rotate", id, "--overlap", overlap, "--json"];
        let rotated = folder.run(&args);
        assert_eq!((rotated.status, rotated.err.as_str()), (Some(0), ""));
        serde_json::from_str::<Value>(&rotated.out).unwrap()
    };
    let second = rotate("1", "7d");
    assert_eq!((&second["id"], &second["replaces"]), (&json!(2), &json!(1)));
    assert!(second["key"].as_str().unwrap().starts_with("onward_2_"));
    // An end does not move away, and can come nearer.
    let ends = || folder.list("api-key")[0]["ends_at"].as_i64().unwrap();
    let end = ends();
    let third = rotate("1", "30d");
    assert_eq!(third["replaced_ends_at"], second["replaced_ends_at"]);
    assert_eq!(ends(), end);
    rotate("1", "0s");
    assert!(ends() < end);
    let listed = folder.list("api-key");
    let accounts: Vec<_> = listed.iter().map(|key| key["account"].as_i64()).collect();
    assert_eq!(accounts, [Some(1); 4]);
    let ended = folder.run(&["api-key", "rotate", "1"]);
    let said = "there is no valid API key 1; `onward api-key list` shows all keys";
    assert_eq!(ended.failure(), said);
    let listed = folder.run(&["api-key", "list"]).out;
    assert!(
        listed.contains(", ended ") && listed.contains("2  Lender Ltd, account 1, "),
        "{listed}"
    );
}

#[test]
fn wrong_usage_is_refused() {
    let folder = Folder::new();
    for args in [
        &["api-key"][..],
        &["api-key", "issue"],
        &["api-key", "issue", "--participant", " "],
        &["api-key", "revoke"],
        &["api-key", "revoke", "x"],
        &["api-key", "rotate"],
        &["api-key", "rotate", "1", "--overlap", "31d"],
        &["api-key", "rotate", "1", "--overlap", "-1d"],
        &["api-key", "rotate", "1", "--overlap", "soon"],
    ] {
        assert_eq!(folder.run(args).status, Some(2), "{args:?}");
    }
    assert_eq!(folder.list("api-key"), Vec::<Value>::new());
}
