//! `import`: what it prints, and its exit status.

use serde_json::{Value, json};

use super::folder::Folder;

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
    let expected = json!({"rows": 1, "changed": 0, "unchanged": 1, "bad": 0});
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
    let expected = json!({"rows": 5, "changed": 2, "unchanged": 1, "bad": 2});
    assert_eq!(report, expected);
    let expected = format!(
        "{first}:3: type `house` is not known: write one of property, branch, listing, party, \
         link, milestone, end_check\n\
         {second}:3: a row of type branch needs member `branch`: add it\n\
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
