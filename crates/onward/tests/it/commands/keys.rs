//! `keys list`, `rotate`, `revoke`, `rewrap` and `replace-lost`.

use std::collections::BTreeMap;

use observe::clock::Stopwatch;
use serde_json::Value;
use signing::seal::KeyEncryptionKey;
use tokens::key_source::KeySource;

use super::folder::Folder;
use crate::test_server::PATIENCE;

const FILE: &str = "key-encryption.key";

/// Ids by purpose and state, `event next` and the like.
fn list(folder: &Folder) -> BTreeMap<String, Vec<String>> {
    let rows = folder.list("keys");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in &rows {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        let is_token = text("purpose") == "token";
        let algorithm = if is_token { "ES256" } else { "RS256" };
        assert_eq!(text("algorithm"), algorithm);
        let place = format!("{} {}", text("purpose"), text("state"));
        found.entry(place).or_default().push(text("kid"));
    }
    found
}

fn only<'a>(listed: &'a BTreeMap<String, Vec<String>>, place: &str) -> &'a str {
    let found = &listed[place];
    assert_eq!(found.len(), 1, "{place}: {found:?}");
    &found[0]
}

#[test]
fn a_key_signs_only_after_it_was_published_unless_it_must() {
    let folder = Folder::new();
    let before = list(&folder);
    for purpose in ["provenance", "event", "token"] {
        for state in ["current", "next"] {
            only(&before, &format!("{purpose} {state}"));
        }
    }
    let early = folder.run(&["keys", "rotate", "--purpose", "event"]);
    let said = early.failure();
    let start = "the next key is published for too short a time: ";
    let is_told = said.starts_with(start) && said.ends_with(", or say --now");
    assert!(is_told, "{said}");
    assert_eq!(list(&folder), before);
    let rotated = folder.run(&["keys", "rotate", "--purpose", "event", "--now", "--json"]);
    assert_eq!(rotated.status, Some(0), "{}", rotated.err);
    let rotated: Vec<Value> = serde_json::from_str(&rotated.out).unwrap();
    let after = list(&folder);
    assert_eq!(rotated.len(), 1);
    assert_eq!(rotated[0]["purpose"], "event");
    for state in ["current", "retired", "next"] {
        let kid = only(&after, &format!("event {state}"));
        assert_eq!(rotated[0][state], kid);
    }
    assert_eq!(only(&after, "event current"), only(&before, "event next"));
    let retired = only(&after, "event retired");
    assert_eq!(retired, only(&before, "event current"));
    assert_eq!(after["provenance current"], before["provenance current"]);
    // Nobody outside keeps the keys of tokens, so they need not be known first.
    let token = folder.run(&["keys", "rotate", "--purpose", "token"]);
    assert_eq!(token.status, Some(0), "{}", token.err);
}

#[test]
fn all_keys_are_rotated_or_none_is() {
    let folder = Folder::new();
    let now = ["keys", "rotate", "--purpose", "token"];
    assert_eq!(folder.run(&now).status, Some(0));
    let before = list(&folder);
    // The keys of tokens could be rotated, those that verifiers keep not yet.
    let early = folder.run(&["keys", "rotate"]);
    assert!(early.failure().contains("too short a time"), "{early:?}");
    assert_eq!(list(&folder), before);
    let rotated = folder.run(&["keys", "rotate", "--now"]);
    assert_eq!((rotated.status, rotated.out.lines().count()), (Some(0), 3));
    let after = list(&folder);
    for purpose in ["provenance", "event", "token"] {
        let (current, next) = (format!("{purpose} current"), format!("{purpose} next"));
        assert_eq!(only(&after, &current), only(&before, &next));
    }
}

#[test]
fn new_keys_are_as_long_as_the_ones_before() {
    let folder = Folder::new();
    let rotate = ["keys", "rotate", "--purpose", "event", "--now"];
    for more in [&["--bits", "3072"][..], &[], &[]] {
        let rotated = folder.run(&[&rotate[..], more].concat());
        assert_eq!(rotated.status, Some(0));
    }
    let long = list(&folder);
    let current = only(&long, "event current");
    assert_eq!(folder.run(&["keys", "revoke", current]).status, Some(0));
    let sealing = folder.path(FILE);
    let sealing = KeySource::File(sealing.to_str().unwrap())
        .read()
        .unwrap()
        .into();
    let stored = folder.open().read_blocking(storage::keys::list_keys);
    let living = stored
        .unwrap()
        .into_iter()
        .filter(|row| row.purpose == "event" && ["current", "next"].contains(&row.state.as_str()));
    let opened = living.map(|row| tokens::keys::open_key(&row, &sealing).unwrap());
    let bits: Vec<_> = opened.map(|key| key.public_key().rsa_bits()).collect();
    assert_eq!(bits, [Some(3072), Some(3072)]);
}

#[test]
fn a_shorter_key_is_made_only_for_the_purpose_that_was_named() {
    let folder = Folder::new();
    let before = list(&folder);
    let rotate = ["keys", "rotate", "--purpose", "provenance", "--now"];
    let rotated = folder.run(&[&rotate[..], &["--bits", "2048"]].concat());
    assert_eq!(rotated.status, Some(0), "{}", rotated.err);
    let after = list(&folder);
    assert_eq!(
        only(&after, "provenance current"),
        only(&before, "provenance next")
    );
    assert_eq!(after["event current"], before["event current"]);
    assert_eq!(after["token current"], before["token current"]);
}

#[test]
fn a_revoked_key_is_followed_by_the_next() {
    let folder = Folder::new();
    let before = list(&folder);
    let (current, next) = (only(&before, "event current"), only(&before, "event next"));
    let revoked = folder.run(&["keys", "revoke", current]);
    let said = format!("Revoked {current}; {next} signs\n");
    assert_eq!((revoked.status, revoked.out), (Some(0), said));
    let after = list(&folder);
    assert_eq!(only(&after, "event revoked"), current);
    assert_eq!(only(&after, "event current"), next);
    assert_ne!(only(&after, "event next"), next);
    // One that does not sign yet is replaced.
    let waiting = only(&after, "event next");
    assert_eq!(folder.run(&["keys", "revoke", waiting]).status, Some(0));
    let last = list(&folder);
    assert_eq!(only(&last, "event current"), next);
    assert_ne!(only(&last, "event next"), waiting);
    assert_eq!(last["event revoked"].len(), 2);
    let unknown = folder.run(&["keys", "revoke", "none"]);
    assert_eq!(unknown.failure(), "there is no signing key none");
    // One id in 64 begins like an option.
    let hyphen = folder.run(&["keys", "revoke", "-ZZZ"]);
    assert_eq!(hyphen.failure(), "there is no signing key -ZZZ");
    for args in [
        &["keys"][..],
        &["keys", "revoke"],
        &["keys", "rotate", "--purpose", "session"],
        &["keys", "rotate", "--bits", "1024"],
    ] {
        assert_eq!(folder.run(args).status, Some(2), "{args:?}");
    }
}

fn new_key() -> String {
    KeyEncryptionKey::generate().unwrap().to_base64url()
}

#[test]
fn the_key_encryption_key_is_replaced_while_a_node_serves() {
    let folder = Folder::new();
    let old = std::fs::read_to_string(folder.path(FILE)).unwrap();
    let new = new_key();
    folder.write(FILE, format!("{new}\n{old}\n"));
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    // The seventh is the key of the log, which the node begins soon after it serves.
    let said = "7 signing keys are sealed with the first key-encryption key\n";
    let rewrap = |_attempt| folder.run(&["keys", "rewrap"]);
    assert!(
        (0..1_000)
            .map(rewrap)
            .any(|rewrapped| rewrapped.out == said)
    );
    let again = rewrap(0);
    assert_eq!((again.status, again.out.as_str()), (Some(0), said));
    server.signal("TERM");
    let finished = server.wait();
    assert!(
        !finished.err.contains("cannot be opened"),
        "{}",
        finished.err
    );
    folder.write(FILE, &new);
    assert_eq!(folder.run(&["check"]).status, Some(0));
    let rotated = folder.run(&["keys", "rotate", "--now"]);
    assert_eq!(rotated.status, Some(0), "{}", rotated.err);
    folder.write(FILE, &old);
    let closed = folder.run(&["check"]);
    assert_eq!(closed.status, Some(78));
    assert!(closed.failure().contains("cannot be opened"), "{closed:?}");
    let refused = folder.run(&["keys", "rewrap"]);
    assert!(
        refused.failure().contains("cannot be opened"),
        "{refused:?}"
    );
    for wrong in [
        String::new(),
        "short".to_owned(),
        format!("{new}\n").repeat(9),
    ] {
        folder.write(FILE, wrong);
        let refused = folder.run(&["keys", "rewrap"]);
        assert!(
            refused.failure().contains("must hold 32 bytes"),
            "{refused:?}"
        );
    }
}

/// Such a node would fail all calls at once.
#[test]
fn keys_are_not_sealed_with_a_key_that_a_running_node_lacks() {
    let folder = Folder::new();
    let old = std::fs::read_to_string(folder.path(FILE)).unwrap();
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    let storage = folder.open();
    let announced = || {
        let sql = "select count(*) from node_key";
        let counted = storage
            .read_blocking(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)));
        counted.unwrap()
    };
    let began = Stopwatch::start();
    while announced() == 0 {
        assert!(began.elapsed() < PATIENCE, "it announces itself");
        std::thread::yield_now();
    }
    folder.write(FILE, format!("{}\n{old}\n", new_key()));
    let refused = folder.run(&["keys", "rewrap"]);
    let said = "1 running nodes have not announced the first key-encryption key";
    assert!(refused.failure().starts_with(said), "{refused:?}");
    let recovering = folder.run(&["restore", "--recovered", "--reason", "a test"]);
    let said = "1 nodes use this store: stop them first";
    assert!(recovering.failure().contains(said), "{recovering:?}");
    server.stop("TERM");
    assert_eq!(announced(), 0, "a node that stops takes it back");
    drop(storage);
    let rewrapped = folder.run(&["keys", "rewrap"]);
    assert_eq!(rewrapped.status, Some(0), "{rewrapped:?}");

    // A node with both keys is no obstacle, and a third key can be forced on it.
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    assert_eq!(folder.run(&["keys", "rewrap"]).status, Some(0));
    let both = std::fs::read_to_string(folder.path(FILE)).unwrap();
    folder.write(FILE, format!("{}\n{both}", new_key()));
    let forced = folder.run(&["keys", "rewrap", "--now"]);
    assert_eq!(forced.status, Some(0), "{forced:?}");
    server.stop("TERM");
}

#[test]
fn a_command_gives_the_key_encryption_key() {
    let folder = Folder::new();
    let elsewhere = folder.path("vault");
    std::fs::rename(folder.path(FILE), &elsewhere).unwrap();
    let by = |command: &str| {
        let setting = format!("key_encryption_key_command={command}");
        folder.run(&["keys", "rotate", "--now", "--set", &setting])
    };
    let missing = by("");
    assert!(
        missing.failure().contains("as the key-encryption key"),
        "{missing:?}"
    );
    assert_eq!(by(&format!("cat {}", elsewhere.display())).status, Some(0));
    for (command, said) in [
        ("exit 3", "it failed with exit status: 3"),
        ("echo no key", "it must hold 32 bytes"),
        ("yes", "it failed with exit status: 141"),
        (
            "no-such-program-anywhere",
            "it failed with exit status: 127",
        ),
    ] {
        let failed = by(command);
        let start = format!("gave no key-encryption key: {said}");
        assert!(failed.err.contains(&start), "{failed:?}");
        assert_eq!(failed.status, Some(1));
    }
    // A vault may come back, so a supervisor tries again.
    let refused = folder.serve(&["key_encryption_key_command=exit 3"]).wait();
    assert_eq!(refused.status, Some(1), "{}", refused.err);
}

#[test]
fn signing_keys_are_replaced_if_the_key_encryption_key_is_lost() {
    let folder = Folder::new();
    let kept = folder.run(&["keys", "replace-lost"]);
    assert!(
        kept.failure()
            .ends_with("all signing keys can be opened: nothing is lost"),
        "{kept:?}"
    );
    let before = list(&folder);
    folder.write(FILE, new_key());
    let closed = folder.run(&["keys", "rotate", "--now"]);
    assert!(closed.failure().contains("cannot be opened"), "{closed:?}");
    let replaced = folder.run(&["keys", "replace-lost"]);
    assert_eq!(replaced.status, Some(0), "{}", replaced.err);
    let after = list(&folder);
    for purpose in ["provenance", "event", "token"] {
        assert_eq!(after[&format!("{purpose} revoked")].len(), 2);
        for state in ["current", "next"] {
            let place = format!("{purpose} {state}");
            assert_ne!(only(&after, &place), only(&before, &place));
        }
    }
    assert_eq!(folder.run(&["check"]).status, Some(0));
    let rewrapped = folder.run(&["keys", "rewrap", "--json"]);
    assert_eq!(rewrapped.out, "{\"sealed\":6}\n");
}
