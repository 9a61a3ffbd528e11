//! Tests of samples over the addresses of a table.

use std::io::Write;
use std::path::PathBuf;

use chain::ids::Uprn;
use flate2::Compression;
use flate2::write::GzEncoder;
use import::row::Row;

use super::loaded::Loaded;
use super::{GenerateOptions, generate, write};

/// Writes a table into a new directory.
fn table(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(name);
    std::fs::write(&file, bytes).unwrap();
    (directory, file)
}

fn given(file: PathBuf, listings: Option<u64>) -> GenerateOptions {
    GenerateOptions {
        listings,
        addresses: Some(file),
        ..GenerateOptions::default()
    }
}

const TABLE: &str = "source\tname\taddress\tpostcode\tuprn\n\
    x\tA \"quoted\tFlat 2, 5 High Street, Leeds, West Yorkshire\tls14ap\t\n\
    x\t\tHazelgrove, Hazel Grove, Old Estate, North End, East Side, Hatfield, Hertfordshire\tAL10 9DX\t100081151536\n\
    x\t\t1 Low Road\tnonsense\t\n\
    x\t\t\tLS1 4AP\t\n\
    x\t\t1 LOW ROAD LEEDS\tLS1 4AP\t900000000001\n\
    x\t\t2 Low Road, Leeds\tLS1 4AP\t100081151536\n\
    x\t\t2 low road, leeds\tLS1  4AP\t\n\
    x\t\t3 Low \"Old\" Road\\, Leeds\tLS1 4AP\t\n";

#[test]
fn given_addresses_are_taken_in_their_order() {
    let (_directory, file) = table("addresses.tsv", TABLE.as_bytes());
    let (text, summary) = write(&given(file, None));
    let loaded = Loaded::new(&text);
    let mut addresses = Vec::new();
    for line in text.lines() {
        if let Row::Property(row) = Row::from_json(line).unwrap() {
            addresses.push(format!("{} {}", row.uprn, row.display_address));
        }
    }
    let expected = [
        "900000000000 Flat 2, 5 High Street, Leeds, West Yorkshire, LS1 4AP",
        "100081151536 Hazelgrove, Hazel Grove, Old Estate, North End, East Side, Hatfield, Hertfordshire, AL10 9DX",
        "900000000001 1 LOW ROAD LEEDS, LS1 4AP",
        "900000000002 2 Low Road, Leeds, LS1 4AP",
        "900000000003 3 Low \"Old\" Road\\, Leeds, LS1 4AP",
    ];
    assert_eq!(addresses, expected);
    assert_eq!(loaded.listings.len(), 5);
    let unused = (summary.addresses_skipped, summary.addresses_repeated);
    assert_eq!(unused, (2, 1));
    let said = summary.to_string();
    let unused = "; 2 addresses skipped as unusable; 1 addresses skipped as repeated";
    assert!(said.ends_with(unused), "{said}");
    let parts = |uprn: i64| {
        let row = &loaded.properties[&Uprn::new(uprn).unwrap()];
        let lines = [&row.line1, &row.line2, &row.line3, &row.line4];
        let lines = lines.map(String::as_str).join("|");
        format!("{lines}|{}", row.post_town)
    };
    assert_eq!(parts(900_000_000_000), "Flat 2|5 High Street|||Leeds");
    let grove = "Hazelgrove|Hazel Grove|Old Estate|North End, East Side|Hatfield";
    assert_eq!(parts(100_081_151_536), grove);
    assert_eq!(parts(900_000_000_001), "1 LOW ROAD LEEDS||||");
}

#[test]
fn fewer_listings_than_addresses_may_be_asked_for() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"postcode,address\n").unwrap();
    for number in 1..=300 {
        writeln!(encoder, "LS1 4AP,\"{number} High Street, Leeds\"").unwrap();
    }
    let (_directory, file) = table("addresses.csv.gz", &encoder.finish().unwrap());
    let many = Some(1_000);
    for (wanted, expected) in [(None, 300), (Some(7), 7), (Some(299), 299), (many, 300)] {
        let (text, _) = write(&given(file.clone(), wanted));
        assert_eq!(Loaded::new(&text).listings.len(), expected);
    }
}

#[test]
fn an_unusable_table_is_an_error() {
    let no_postcode = "line 1: the header line needs a column `postcode`";
    let unreadable = "line 1: the file cannot be read";
    for (name, bytes, message) in [
        ("a.csv", "", "line 1: the file is empty"),
        ("a.csv", "address,uprn\n", no_postcode),
        ("a.csv.gz", "address,postcode\n", unreadable),
        ("a.txt", "address,postcode\n", "name the file .csv or .tsv"),
        ("a.ndjson", "{}\n", "name the file .csv or .tsv"),
    ] {
        let (_directory, file) = table(name, bytes.as_bytes());
        let error = generate(&given(file, None), &mut Vec::new()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_row_that_cannot_be_read_is_skipped() {
    let long = "x".repeat(20_000);
    let rows = format!(
        "address,postcode\n{long},LS1 4AP\n1 Low Road,LS1 4AP,more\n\"2 Low Road, Leeds\",LS1 4AP\n"
    );
    let (_directory, file) = table("addresses.csv", rows.as_bytes());
    let (_text, summary) = write(&given(file, None));
    assert_eq!((summary.properties, summary.addresses_skipped), (2, 1));
}

#[test]
fn a_table_that_ends_in_the_middle_is_an_error() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"address,postcode\n").unwrap();
    writeln!(encoder, "\"1 High Street, Leeds\",LS1 4AP").unwrap();
    let whole = encoder.finish().unwrap();
    // Without the checksum at the end.
    let (_directory, file) = table("addresses.csv.gz", &whole[..whole.len() - 8]);
    let error = generate(&given(file, None), &mut Vec::new()).unwrap_err();
    let error = error.to_string();
    assert!(error.contains("line 3: "), "{error}");
}
