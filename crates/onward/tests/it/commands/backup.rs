//! `backup` and `restore`, beside the real server.

use std::io::ErrorKind;
use std::path::PathBuf;

use observe::clock::Stopwatch;
use serde_json::{Value, json};

use super::folder::Folder;
use crate::test_server::{Database, PATIENCE};

#[test]
fn a_store_is_copied_while_it_serves_and_put_back() {
    let folder = Folder::new();
    let copy = folder.path("copy.db").display().to_string();
    let register = |name: &str| {
        let added = folder.run(&["branch", "add", "--name", name, "--participant", "Firm"]);
        assert_eq!(added.status, Some(0), "{}", added.err);
    };
    let list = || folder.run(&["branch", "list"]).out;
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    register("First");
    let saved = folder.run(&["backup", &copy]);
    assert_eq!(saved.status, Some(0), "{}", saved.err);
    assert!(saved.out.contains("key-encryption.key"), "{}", saved.out);
    register("Second");
    assert!(list().contains("First") && list().contains("Second"));

    let again = folder.run(&["backup", &copy]);
    let said = "is there already, and nothing is overwritten";
    assert!(again.failure().ends_with(said));
    let held = folder.run(&["restore", &copy, "--replace"]);
    let said = held.failure();
    assert!(said.contains("is in use: stop every program"), "{said}");
    server.stop("TERM");

    let there = folder.run(&["restore", &copy]);
    let said = there.failure();
    assert!(said.contains("with --replace it is set aside"), "{said}");
    let restored = folder.run(&["restore", &copy, "--replace", "--reason", "a trial"]);
    assert_eq!(restored.status, Some(0), "{}", restored.err);
    assert!(!folder.path("onward.db-wal").exists());
    let noted = folder.run(&["audit-log", "--matching", "restore"]).out;
    assert!(noted.contains("because: a trial"), "{noted}");
    let listed = list();
    let is_back = listed.contains("First") && !listed.contains("Second");
    assert!(is_back, "{listed}");
    // Callers know the numbers of lost rows, so no other row gets them.
    register("Third");
    let ids = folder.list("branch");
    let newest = ids
        .iter()
        .map(|branch| branch["branch_id"].as_i64().unwrap())
        .max();
    assert!(newest.unwrap() > 1_000_000, "{ids:?}");
    assert_eq!(folder.run(&["check"]).status, Some(0));
    let mut server = folder.serve(&[]);
    server.wait_for("serving");
    server.stop("TERM");
}

#[test]
fn a_copy_that_is_put_back_twice_gives_no_number_twice() {
    let folder = Folder::new();
    let copy = folder.path("copy.db").display().to_string();
    let run = |args: &[&str]| {
        let done = folder.run(args);
        assert_eq!(done.status, Some(0), "{}", done.err);
        done.out
    };
    let issue = |name: &str| {
        run(&["branch", "add", "--name", name, "--participant", "Firm"]);
        run(&["api-key", "issue", "--participant", "Firm"]);
    };
    // No key has a number in the copy, and none a row.
    run(&["backup", &copy]);
    let mut given = Vec::new();
    for name in ["First", "Second", "Third"] {
        issue(name);
        for (kind, id) in [("branch", "branch_id"), ("api-key", "id")] {
            let rows = folder.list(kind);
            given.extend(rows.iter().map(|row| (kind, row[id].to_string())));
        }
        run(&["restore", &copy, "--replace"]);
    }
    let count = given.len();
    assert_eq!(count, 6, "{given:?}");
    given.sort();
    given.dedup();
    assert_eq!(given.len(), count, "{given:?}");
}

#[test]
fn an_audit_says_what_a_restore_lost() {
    let folder = Folder::new();
    let copy = folder.path("copy.db").display().to_string();
    let audit = |status| {
        let done = folder.run(&["audit", "--json"]);
        assert_eq!(done.status, Some(status), "{done:?}");
        serde_json::from_str::<Value>(&done.out).unwrap()
    };
    // Serves until the newest log has a new entry. Returns its size.
    let grow_log = |logs: usize, size: u64| {
        let mut server = folder.serve(&[]);
        server.wait_for("serving");
        let newest = || {
            let done = folder.run(&["audit", "--json"]);
            let report: Value = serde_json::from_str(&done.out).unwrap();
            report["logs"][logs - 1]["size"].as_u64()
        };
        let began = Stopwatch::start();
        while newest() <= Some(size) {
            assert!(began.elapsed() < PATIENCE, "the log grows");
        }
        server.stop("TERM");
        audit(0)["logs"][logs - 1]["size"].as_u64().unwrap()
    };
    let kept = grow_log(1, 0);
    for args in [
        &["backup", &copy][..],
        &["keys", "rotate", "--purpose", "event", "--now"],
    ] {
        assert_eq!(folder.run(args).status, Some(0));
    }
    let end = grow_log(1, kept);
    assert_eq!(folder.run(&["restore", &copy, "--replace"]).status, Some(0));
    let behind = audit(1)["faults"][0].to_string();
    assert!(
        behind.contains("does not continue its last checkpoint"),
        "{behind}"
    );
    grow_log(2, 0);
    let report = audit(0);
    let note = report["notes"][0].as_str().unwrap();
    assert!(
        note.ends_with(&format!(": a restore lost {}", end - kept)),
        "{note}"
    );
    let origin = &report["logs"][0]["origin"];
    let ended = json!([{"origin": origin, "size": end, "in_store": kept}]);
    assert_eq!(report["ended_logs"], ended);
    let said = folder.run(&["audit"]).out;
    let is_said = said.contains(&format!("NOTE {note}\n"))
        && said.ends_with("Nothing else is missing, and nothing differs.\n");
    assert!(is_said, "{said}");
    std::fs::remove_file(folder.path("onward.db.checkpoint")).unwrap();
    let missing = audit(1)["faults"][0].to_string();
    assert!(missing.contains("does not exist"), "{missing}");
}

#[test]
fn a_copy_says_where_the_key_of_its_signing_keys_is() {
    let folder = Folder::new();
    let key = folder.path("key-encryption.key").display().to_string();
    let command = format!("key_encryption_key_command=cat {key}");
    let copy = folder.path("copy.db").display().to_string();
    let saved = folder.run(&["backup", &copy, "--set", &command]);
    assert_eq!(
        saved.out,
        format!(
            "Wrote {copy}. The key that opens its signing keys is not in it: \
             `key_encryption_key_command` prints it\n"
        )
    );
}

#[test]
fn copies_follow_one_another_and_the_oldest_go() {
    let folder = Folder::new();
    let copies = folder.path("copies");
    std::fs::create_dir(&copies).unwrap();
    // The third is a copy that a wrong clock named.
    let kept = [
        "onward-notes.db",
        "other.unfinished",
        "onward-20990101T000000Z.db",
    ];
    for name in kept {
        std::fs::write(copies.join(name), "").unwrap();
    }
    std::fs::write(copies.join("onward-1.db.5.unfinished"), "").unwrap();
    let to = copies.to_str().unwrap();
    let mut program = folder.start(&["backup", "--every", "1s", "--keep", "2", "--to", to]);
    program.wait_for_line("Note: the copies are on the same file system as the store");
    let name_of = |line: String| {
        let name = line.strip_prefix("Wrote ").unwrap().split(": ").next();
        PathBuf::from(name.unwrap())
    };
    let mut written = Vec::new();
    for _copy in 0..4 {
        written.push(name_of(program.wait_for_line("Wrote ")));
    }
    // The fourth one is written, so the first one was removed after the third.
    assert!(!written[0].exists());
    let metrics = || std::fs::read_to_string(copies.join("onward-backup.prom")).unwrap();
    let shown = metrics();
    for line in [
        "onward_backup_interval_seconds 1",
        "onward_backup_failed 0",
        "onward_backup_copies 2",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}: {shown}");
    }

    let (store, away) = (folder.path("onward.db"), folder.path("away.db"));
    std::fs::rename(&store, &away).unwrap();
    program.wait_for("onward: ");
    program.wait_for("onward: ");
    assert!(
        metrics().contains("onward_backup_failed 1\n"),
        "{}",
        metrics()
    );
    std::fs::rename(&away, &store).unwrap();
    program.wait_for("Wrote ");
    program.stop("TERM");
    let names = std::fs::read_dir(&copies).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let last = names
        .filter(|name| name.starts_with("onward-20") && !kept.contains(&name.as_str()))
        .max();
    let last = copies.join(last.unwrap());
    let restored = folder.run(&["restore", last.to_str().unwrap(), "--replace"]);
    assert_eq!(restored.status, Some(0), "{}", restored.err);
    assert!(kept.iter().all(|name| copies.join(name).exists()));
    assert!(!copies.join("onward-1.db.5.unfinished").exists());
}

#[test]
fn a_failure_is_in_the_metrics_even_if_no_file_can_be_made() {
    let folder = Folder::new();
    let copies = folder.path("copies");
    std::fs::create_dir(&copies).unwrap();
    let to = copies.to_str().unwrap();
    let mut program = folder.start(&["backup", "--every", "1s", "--to", to]);
    program.wait_for_line("Wrote ");
    program.wait_for_line("Wrote ");
    // The program cannot make its new file, as on a full disk.
    let in_the_way = copies.join("onward-backup.prom.unfinished");
    while let Err(error) = std::fs::create_dir(&in_the_way) {
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
    }
    let store = folder.path("onward.db");
    std::fs::rename(&store, folder.path("away.db")).unwrap();
    program.wait_for("onward: ");
    program.wait_for("onward: ");
    let shown = std::fs::read_to_string(copies.join("onward-backup.prom")).unwrap();
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines.contains(&"onward_backup_failed 1"), "{shown}");
    assert!(!lines.contains(&"onward_backup_failed 0"), "{shown}");

    std::fs::remove_file(copies.join("onward-backup.prom")).unwrap();
    let said = program.wait_for_line("onward: cannot write the metrics ");
    assert!(said.contains("onward-backup.prom: "), "{said}");
    program.stop("TERM");
}

#[test]
fn a_schedule_needs_an_interval_and_a_folder() {
    let folder = Folder::new();
    for args in [
        &["backup"][..],
        &["backup", "--every", "15m"],
        &["backup", "--every", "15m", "--to", ".", "/no/such/file.db"],
        &["backup", "--every", "15", "--to", "."],
        &["backup", "--every", "0s", "--to", "."],
        &["backup", "--every", "32d", "--to", "."],
        &["backup", "--every", "15m", "--to", ".", "--keep", "0"],
        &["backup", "--to", ".", "/no/such/file.db"],
    ] {
        assert_eq!(folder.run(args).status, Some(2), "{args:?}");
    }
    let missing = folder.run(&["backup", "--every", "1s", "--to", "/no/such/folder"]);
    assert!(
        missing.failure().contains("cannot use /no/such/folder"),
        "{missing:?}"
    );
}

#[tokio::test]
async fn postgres_is_left_to_its_own_tools() {
    let Some(database) = Database::create().await else {
        return;
    };
    let url = database.url.clone();
    let checked = tokio::task::spawn_blocking(move || {
        let folder = Folder::on(Some(url));
        for args in [
            &["backup", "copy.db"][..],
            &["restore", "copy.db"],
            &["backup", "--every", "15m", "--to", "."],
        ] {
            let refused = folder.run(args);
            let said = refused.failure();
            assert!(said.contains("`pg_dump --format=custom`"), "{said}");
        }
        let add = |name| {
            let added = folder.run(&["branch", "add", "--name", name, "--participant", "Firm"]);
            assert_eq!(added.status, Some(0), "{added:?}");
        };
        add("First");
        let taken_up = folder.run(&["restore", "--recovered", "--reason", "a trial"]);
        assert_eq!(taken_up.status, Some(0), "{taken_up:?}");
        add("Second");
        let ids = folder.list("branch");
        let newest = ids
            .iter()
            .map(|branch| branch["branch_id"].as_i64().unwrap())
            .max();
        assert!(newest.unwrap() > 1_000_000, "{ids:?}");
        let noted = folder.run(&["audit-log", "--matching", "recovered"]).out;
        assert!(noted.contains("because: a trial"), "{noted}");
    });
    checked.await.unwrap();
    database.remove().await;
}
