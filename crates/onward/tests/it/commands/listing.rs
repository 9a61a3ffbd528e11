//! `properties --contested` and `listing make-current` (S-6).

use serde_json::{Value, json};

use super::folder::Folder;

/// A folder with a property and two listings under offer, of which the first is current.
fn prepare() -> Folder {
    let folder = Folder::new();
    let sstc = |listing: &str, date: &str| json!({"type": "milestone", "branch": "b", "listing": listing, "key": "sstc", "date": date});
    let listing =
        |name: &str| json!({"type": "listing", "branch": "b", "listing": name, "uprn": 7});
    let rows = [
        json!({"type": "branch", "branch": "b", "name": "Acorn"}),
        json!({"type": "property", "uprn": 7, "line1": "7 High Street", "post_town": "Leeds",
            "postcode": "LS1 4AP"}),
        listing("L1"),
        listing("L2"),
        sstc("L1", "2026-01-01"),
        sstc("L2", "2026-01-02"),
    ];
    let file = folder.write("rows.ndjson", rows.map(|row| format!("{row}\n")).concat());
    assert_eq!(folder.run(&["import", &file]).status, Some(0));
    folder
}

fn contested(folder: &Folder) -> Vec<(i64, bool)> {
    let listed = folder.run(&["properties", "--contested", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&listed.out).unwrap();
    let row = |row: &Value| {
        assert_eq!((&row["uprn"], &row["branch"]), (&json!(7), &json!("Acorn")));
        assert_eq!(row["address"], "7 High Street, Leeds, LS1 4AP");
        (row["listing"].as_i64().unwrap(), row["current"] == true)
    };
    rows.iter().map(row).collect()
}

#[test]
fn the_operator_finds_contested_properties_and_decides() {
    let folder = prepare();
    assert_eq!(contested(&folder), [(1, true), (2, false)]);
    let text = folder.run(&["properties", "--contested"]).out;
    let line = text.lines().next().unwrap();
    assert!(
        line.starts_with(
            "7  7 High Street, Leeds, LS1 4AP: listing 1 of Acorn, under offer since 20"
        ) && line.ends_with(", current"),
        "{text}"
    );
    let decide =
        |id: &str| folder.run(&["listing", "make-current", id, "--reason", "Seller's letter"]);
    let address = "the current listing of 7 High Street, Leeds, LS1 4AP\n";
    assert_eq!(decide("2").out, format!("Listing 2 is now {address}"));
    assert_eq!(
        decide("2").out,
        format!("Listing 2 was {} already\n", address.trim_end())
    );
    assert_eq!(contested(&folder), [(1, false), (2, true)]);
    let history = folder
        .open()
        .read_blocking(|read| storage::history::list_history(read, chain::ids::ListingId(2), 9, 0));
    let entry = history.unwrap().1.pop().unwrap();
    assert_eq!(
        (entry.action.as_str(), entry.actor.as_str()),
        ("current.gained", "operator")
    );
    assert_eq!(entry.detail, r#"{"reason":"Seller's letter"}"#);
    assert_eq!(decide("3").failure(), "there is no listing 3");
    let unverified = folder.run(&["properties", "--unverified"]);
    assert_eq!(
        unverified.out,
        "An import has confirmed the address of every listed property.\n"
    );
    let silent = folder.run(&["listing", "make-current", "1"]);
    assert_eq!(silent.status, Some(2), "{silent:?}");
}

#[test]
fn addresses_that_no_import_confirmed_are_listed() {
    let none = Folder::new().run(&["properties", "--contested"]).out;
    assert_eq!(none, "No property has two listings under offer.\n");
    let folder = prepare();
    let storage = folder.open();
    let changed =
        storage.write_blocking(|write| write.execute("update property set verified = 0", &[]));
    changed.unwrap();
    drop(storage);
    let listed = folder.run(&["properties", "--unverified"]);
    let line = "7  7 High Street, Leeds, LS1 4AP, listed by Acorn\n";
    assert_eq!(listed.out, line);
    let row = json!({"uprn": 7, "address": "7 High Street, Leeds, LS1 4AP", "branch": "Acorn"});
    assert_eq!(folder.list_of(&["properties", "--unverified"]), [row]);
}
