//! What commands take and print when a text has characters that mislead readers (S-96).

use serde_json::json;

use super::folder::Folder;
use super::program::run;

const ROWS: &str = r#"{"type":"branch","branch":"b","name":"B"}
{"type":"property","uprn":7,"line1":"7 High Street","post_town":"Leeds","postcode":"LS1 4AP"}
{"type":"listing","branch":"b","listing":"L1","uprn":7}"#;

/// A folder with a listing, and the changes to its store.
fn folder_with(changes: &[&'static str]) -> Folder {
    let folder = Folder::new();
    let rows = folder.write("rows.ndjson", ROWS);
    assert_eq!(folder.run(&["import", &rows]).status, Some(0));
    let storage = folder.open();
    for change in changes {
        let sql = *change;
        let changing = move |write: &mut storage::Write<'_>| write.execute(sql, &[]);
        storage.write_blocking(changing).unwrap();
    }
    folder
}

#[test]
fn names_are_clean() {
    let folder = Folder::new();
    let add = |name: &str| folder.run(&["branch", "add", "--participant", "Acorn", "--name", name]);
    let refused = add("Ac\u{202e}orn");
    assert_eq!(refused.status, Some(2));
    assert!(
        refused
            .err
            .contains("it has the character U+202E, which texts must not have"),
        "{}",
        refused.err
    );
    assert_eq!(add("Cafe\u{301}\u{a0}1").status, Some(0));
    let listed = folder.list("branch");
    assert_eq!(listed[0]["name"], "Café 1");
}

#[test]
fn lists_of_a_store_show_numbers() {
    let folder = folder_with(&[
        "update branch set name = 'B' || char(8238) || 'x'",
        "update property set display_address = '7' || char(8203) || ' High', verified = 0",
        "update participant set name = 'P' || char(65279)",
    ]);
    for (args, shown, json) in [
        (&["branch", "list"][..], "BU+202Ex", "B\\u202ex"),
        (
            &["properties", "--unverified"],
            "7U+200B High",
            "7\\u200b High",
        ),
    ] {
        let listed = folder.run(args);
        assert!(listed.out.contains(shown), "{args:?}: {listed:?}");
        let listed = folder.run(&[args, &["--json"]].concat());
        assert!(listed.out.contains(json), "{args:?}: {listed:?}");
        assert!(!listed.out.contains(['\u{202e}', '\u{200b}']));
    }
    // JSON has the stored values.
    assert_eq!(folder.list("branch")[0]["name"], "B\u{202e}x");
}

#[test]
fn a_failure_shows_numbers() {
    let missing = json!("a\u{202e}b.json");
    let failed = run(&["verify", missing.as_str().unwrap(), "--jwks", "none"]);
    assert!(failed.err.contains("aU+202Eb.json"), "{failed:?}");
}
