//! `import`: what it prints, and its exit status.

use generate::{GenerateOptions, generate};
use serde_json::{Value, json};

use super::folder::Folder;
use super::tables::Counts;

const GOOD: &str = "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Acorn\"}\n";

#[test]
fn good_rows_are_counted() {
    let folder = Folder::new();
    let file = folder.write("good.ndjson", GOOD);
    let human = folder.run(&["import", &file]);
    assert_eq!((human.status, human.err.as_str()), (Some(0), ""));
    let said = "1 rows read: 1 changed the store, 0 were there already, 0 bad\n";
    assert_eq!(human.out, said);
    let machine = folder.run(&["import", &file, "--json"]);
    let report: Value = serde_json::from_str(&machine.out).unwrap();
    let expected = json!({"rows": 1, "changed": 0, "unchanged": 1, "bad": 0, "refused": []});
    assert_eq!(report, expected);
}

#[test]
fn bad_rows_are_named_with_file_and_line() {
    let folder = Folder::new();
    let text = format!("{GOOD}\n{{\"type\":\"house\"}}\n{GOOD}");
    let first = folder.write("first.ndjson", text);
    let text = "type,branch,name\nbranch,b2,Oak\nbranch,,Elm\n";
    let second = folder.write("second.csv", text);
    let finished = folder.run(&["import", &first, &second, "--json"]);
    assert_eq!(finished.status, Some(1));
    let report: Value = serde_json::from_str(&finished.out).unwrap();
    let kinds = "type `house` is not known: write one of property, branch, listing, party, link, \
                 milestone, end_check";
    let member = "a row of type branch needs member `branch`: add it";
    let expected = json!({"rows": 5, "changed": 2, "unchanged": 1, "bad": 2, "refused": [
        {"file": first, "line": 3, "reason": kinds},
        {"file": second, "line": 3, "reason": member},
    ]});
    assert_eq!(report, expected);
    let expected = format!(
        "{first}:3: {kinds}\n{second}:3: {member}\n\
         onward: 2 rows were refused; the others are stored. Mend them and import again.\n"
    );
    assert_eq!(finished.err, expected);
}

#[test]
fn no_more_than_a_thousand_bad_rows_are_printed() {
    let folder = Folder::new();
    let file = folder.write("bad.ndjson", "x\n".repeat(2_345) + GOOD);
    let finished = folder.run(&["import", &file]);
    assert_eq!(finished.status, Some(1));
    let said = "2346 rows read: 1 changed the store, 0 were there already, 2345 bad\n";
    assert_eq!(finished.out, said);
    let lines: Vec<&str> = finished.err.lines().collect();
    assert_eq!(lines.len(), 1_002);
    assert_eq!(lines[1_000], "… and 1345 more bad rows");
}

#[test]
fn a_dry_run_reports_and_changes_nothing() {
    let folder = Folder::new();
    let mut rows = Vec::new();
    let options = GenerateOptions {
        listings: Some(300),
        ..GenerateOptions::default()
    };
    generate(&options, &mut rows).unwrap();
    let text = String::from_utf8(rows).unwrap() + "{\"type\":\"house\"}\n";
    let file = folder.write("sales.ndjson", text);
    let audited = folder.list_of(&["audit-log"]);
    let tried = folder.run(&["import", &file, "--dry-run", "--json"]);
    assert_eq!(tried.status, Some(1));
    let end = "onward: 1 row was refused; nothing was stored. Mend it and import again.\n";
    assert!(tried.err.ends_with(end), "{}", tried.err);
    let nothing = Counts::after(std::iter::empty());
    assert_eq!(Counts::of(&folder.open()), nothing);
    assert_eq!(folder.list_of(&["audit-log"]), audited);
    let done = folder.run(&["import", &file, "--json"]);
    assert_eq!(done.out, tried.out, "the dry run foresaw the import");
    assert_ne!(Counts::of(&folder.open()), nothing);
}

#[test]
fn a_file_without_rows_is_refused() {
    let folder = Folder::new();
    for (name, text) in [
        ("none.ndjson", ""),
        ("blank.ndjson", "\n\n"),
        ("none.csv", "type,branch,name\n"),
    ] {
        let file = folder.write(name, text);
        let failed = folder.run(&["import", &file]);
        let expected = format!("{file} has no rows: check how it was made, and import it again");
        assert_eq!(failed.failure(), expected);
    }
    let failed = folder.run(&["import", "-"]);
    let expected = "standard input has no rows: check how it was made, and import it again";
    assert_eq!(failed.failure(), expected);
}

#[test]
fn what_cannot_be_opened_changes_nothing() {
    let folder = Folder::new();
    let good = folder.write("good.ndjson", GOOD);
    let text = folder.write("good.txt", GOOD);
    let none = folder.path("none.ndjson").display().to_string();
    for (file, part) in [
        (&none, "cannot be opened"),
        (&text, "name the file .ndjson"),
    ] {
        let failed = folder.run(&["import", &good, file]);
        assert!(failed.failure().contains(part), "{failed:?}");
    }
    // The good file was not loaded before the other one was found wrong.
    let loaded = folder.run(&["import", &good]);
    assert!(loaded.out.contains("1 changed the store"));
}
