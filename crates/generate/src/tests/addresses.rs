//! Tests of properties without chains.

use std::collections::HashSet;

use import::row::PropertyRow;

use crate::addresses::Properties;

fn summarise(row: &PropertyRow) -> String {
    let place = format!("{}|{}|{}", row.line1, row.post_town, row.postcode);
    format!("{} {place}", row.uprn)
}

#[test]
fn each_property_has_its_own_placeholder_whatever_its_source() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("addresses.csv");
    let rows =
        "uprn,address,postcode\n7,\"2 High Street, Leeds\",LS1 4AP\n,3 High Street,nonsense\n";
    std::fs::write(&file, rows).unwrap();
    let mut properties = Properties::default();
    let first = properties.read("1 High Street, Leeds, ls14ap");
    assert_eq!(
        summarise(&first.unwrap().unwrap()),
        "900000000000 1 High Street|Leeds|LS1 4AP"
    );
    let table = properties.read_table(&file).unwrap();
    let table: Vec<String> = table.map(|row| summarise(&row.unwrap())).collect();
    assert_eq!(table, ["900000000001 2 High Street|Leeds|LS1 4AP"]);
    let made_up: Vec<PropertyRow> = properties.make_up().take(500).map(Result::unwrap).collect();
    assert_eq!(made_up[0].uprn.to_string(), "900000000002");
    let homes: HashSet<_> = made_up.iter().map(|row| &row.display_address).collect();
    let uprns: HashSet<_> = made_up.iter().map(|row| row.uprn).collect();
    assert_eq!((homes.len(), uprns.len()), (500, 500));
}

#[test]
fn a_text_without_an_address_and_a_postcode_is_no_property() {
    let mut properties = Properties::default();
    for text in [
        "",
        "1 High Street LS1 4AP",
        "1 High Street, Leeds",
        ", LS1 4AP",
    ] {
        assert!(properties.read(text).unwrap().is_none(), "{text}");
    }
    let missing = properties.read_table("no/such.csv".as_ref()).err();
    let missing = missing.unwrap().to_string();
    assert!(missing.contains("no/such.csv"), "{missing}");
}
