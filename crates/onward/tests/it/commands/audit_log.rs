//! `onward audit-log`, and the lines about operators' changes in the log of a server.

use std::os::unix::fs::MetadataExt as _;

use chain::ids::PropertyId;
use serde_json::{Value, json};
use storage::accesses::{Access, insert_accesses};

use super::folder::Folder;
use super::program::Program;

/// The commands that the list shows.
fn commands(folder: &Folder) -> Vec<String> {
    let listed = folder.list_of(&["audit-log"]);
    let commands = listed
        .iter()
        .map(|change| change["command"].as_str().unwrap().to_owned());
    commands.collect()
}

#[test]
fn each_change_is_noted_once_and_no_setting() {
    let folder = Folder::new();
    let none: [String; 0] = [];
    assert_eq!(commands(&folder), none);
    for line in [
        "participant add --name Acorn --set log=debug --json",
        "participant list",
        "participant disable Nobody",
        "api-key issue --participant Acorn",
        "keys rotate --now",
    ] {
        folder.run(&line.split(' ').collect::<Vec<_>>());
    }
    folder.run(&[
        "branch",
        "add",
        "--name",
        "Acorn, Leeds",
        "--participant",
        "Acorn",
    ]);
    let rows = "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Beech\"}\n".repeat(2500);
    let file = folder.write("rows.ndjson", rows);
    assert_eq!(folder.run(&["import", &file]).status, Some(0));
    assert_eq!(
        commands(&folder),
        [
            "participant add --name Acorn".to_owned(),
            "api-key issue --participant Acorn".to_owned(),
            "keys rotate --now".to_owned(),
            "branch add --name \"Acorn, Leeds\" --participant Acorn".to_owned(),
            format!("import {file}"),
        ]
    );
    let last = folder.list_of(&["audit-log", "--after", "4"]);
    assert_eq!((last.len(), &last[0]["id"]), (1, &json!(5)));
    let text = folder.run(&["audit-log"]).out;
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("1  20"), "{first}");
    assert!(
        first.contains("Z  participant add --name Acorn  by: "),
        "{first}"
    );
}

/// Only root may say on whose behalf it works.
#[test]
fn the_person_behind_sudo_is_noted() {
    let folder = Folder::new();
    let mut add = folder.command(&["participant", "add", "--name", "Acorn"]);
    let added = Program::spawn(add.env("SUDO_USER", "kim\u{202e}")).wait();
    assert_eq!(added.status, Some(0), "{}", added.err);
    let noted = folder.list_of(&["audit-log"])[0]["user"].clone();
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let is_named = noted.as_str().unwrap().ends_with(" (kim\\u{202e})");
    assert_eq!(is_named, is_root, "{noted}");
}

#[test]
fn who_and_why_are_noted_and_narrow_the_list() {
    let folder = Folder::new();
    let whoami = std::process::Command::new("id")
        .arg("-un")
        .output()
        .unwrap();
    let user = String::from_utf8(whoami.stdout).unwrap();
    for (name, reason) in [("Acorn", "Ticket 7"), ("Beech", "Ticket 8")] {
        let add = ["participant", "add", "--name", name, "--reason", reason];
        assert_eq!(folder.run(&add).status, Some(0));
    }
    let listed = folder.list_of(&["audit-log"]);
    let (user, row) = (user.trim(), &listed[1]);
    assert_eq!(
        (&row["command"], &row["reason"]),
        (&json!("participant add --name Beech"), &json!("Ticket 8"))
    );
    assert!(row["user"].as_str().unwrap().starts_with(user), "{row}");
    for (narrowed, expected) in [
        (&["--matching", "Ticket 7"][..], 1),
        (&["--matching", "participant"], 2),
        (&["--since", "2026-01-01"], 2),
        (&["--since", "2999-01-01T00:00:00Z"], 0),
        (&["--until", "2026-01-01"], 0),
        (&["--user", "nobody at all"], 0),
    ] {
        let found = folder.list_of(&[&["audit-log"], narrowed].concat());
        assert_eq!(found.len(), expected, "{narrowed:?}");
    }
    for time in ["yesterday", "2026-11-23T23:59:59"] {
        let wrong = folder.run(&["audit-log", "--since", time]);
        assert_eq!(wrong.status, Some(2), "{wrong:?}");
        assert!(wrong.err.contains("give a date such as"), "{wrong:?}");
    }
}

/// The triggers of the store refuse changes of its audit log.
#[test]
fn the_store_refuses_to_change_what_was_noted() {
    let folder = Folder::new();
    let add = ["participant", "add", "--name", "Acorn"];
    assert_eq!(folder.run(&add).status, Some(0));
    let storage = folder.open();
    for sql in [
        "delete from operator_change",
        "update operator_change set command = ''",
    ] {
        let refused = storage.write_blocking(move |write| write.execute(sql, &[]));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("append-only"), "{refused}");
    }
}

#[test]
fn a_server_logs_changes_while_it_serves() {
    let folder = Folder::new();
    let add = |name: &str| {
        let added = folder.run(&["participant", "add", "--name", name]);
        assert_eq!(added.status, Some(0), "{}", added.err);
    };
    add("Before");
    let mut server = folder.serve(&["log_format=json"]);
    server.wait_for("serving");
    add("Meanwhile");
    let line = server.wait_for_line("operator_change");
    let line: Value = serde_json::from_str(&line).unwrap();
    let fields = &line["fields"];
    assert_eq!(fields["command"], "participant add --name Meanwhile");
    assert_eq!(fields["id"], 2);
    server.stop("TERM");
}

#[test]
fn accesses_are_listed_as_lines_or_objects() {
    let folder = Folder::new();
    let storage = folder.open();
    let access = |number: i64| Access {
        accessed_at: 1_795_255_200 + number,
        client: format!("client-{}", number % 2),
        property: PropertyId(number),
    };
    let accesses: Vec<Access> = (0..2500).map(access).collect();
    let stored = storage.write_blocking(move |write| insert_accesses(write, &accesses));
    stored.unwrap();
    drop(storage);
    let all = folder.run(&["access-log"]);
    assert_eq!((all.status, all.out.lines().count()), (Some(0), 2500));
    let first = "2026-11-21T10:00:00Z  client-0  no property";
    assert_eq!(all.out.lines().next(), Some(first));
    let narrowed = [
        "--client",
        "client-1",
        "--since",
        "2026-11-21T10:00:10Z",
        "--until",
        "2026-11-21T10:00:13Z",
    ];
    let narrowed = folder.run(&[&["access-log", "--json"], &narrowed[..]].concat());
    let lines: Vec<Value> = narrowed
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = [11].map(|property| {
        json!({"id": property + 1, "accessed_at": "2026-11-21T10:00:11Z",
        "client": "client-1", "property": property, "uprn": null})
    });
    assert_eq!(lines, expected);
    assert_eq!(folder.run(&["access-log", "--uprn", "1"]).out, "");
    for (uprn, said) in [("0", "at least 1"), ("abc", "1 to 12 digits")] {
        let refused = folder.run(&["access-log", "--uprn", uprn]);
        assert_eq!(refused.status, Some(2));
        assert!(refused.err.contains(said), "{refused:?}");
    }
}
