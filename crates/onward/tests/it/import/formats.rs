//! The same rows as NDJSON, CSV and compressed files.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value};

use super::rows::EVERY_TYPE;
use super::{generated, versions};
use crate::story;
use crate::test_server::TestServer;

/// NDJSON as one CSV table with a column for each member.
fn to_csv(ndjson: &str) -> Vec<u8> {
    let rows: Vec<Map<String, Value>> = ndjson
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let columns: BTreeSet<&String> = rows.iter().flat_map(Map::keys).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&columns).unwrap();
    for row in &rows {
        let cells = columns
            .iter()
            .map(|column| row.get(*column).map_or_else(String::new, to_cell));
        writer.write_record(cells).unwrap();
    }
    writer.into_inner().unwrap()
}

/// A file in the test's folder.
fn write(server: &TestServer, name: &str, text: &str) -> PathBuf {
    let path = server.directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn to_cell(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    match value.as_array() {
        Some(parts) => parts.iter().map(to_cell).collect::<Vec<_>>().join("; "),
        None => value.to_string(),
    }
}

story! {
    async fn csv_says_what_ndjson_says(server) {
        let ndjson = EVERY_TYPE.trim_start().to_owned() + &generated(300, 8);
        let folder = server.directory.path();
        let table = folder.join("sample.csv");
        std::fs::write(&table, to_csv(&ndjson)).unwrap();
        let (report, refused) = server.import_files(vec![table]).await;
        assert_eq!((report.changed, refused), (report.rows, Vec::new()));
        let before = versions(&server).await;

        let lines = folder.join("sample.jsonl.gz");
        let mut encoder = GzEncoder::new(std::fs::File::create(&lines).unwrap(), Compression::fast());
        encoder.write_all(ndjson.as_bytes()).unwrap();
        encoder.finish().unwrap();
        let (again, refused) = server.import_files(vec![lines]).await;
        assert_eq!((again.rows, again.changed, refused), (report.rows, 0, Vec::new()));
        assert_eq!(versions(&server).await, before);
    }
}

story! {
    async fn several_files_are_loaded_in_their_order(server) {
        let first = write(&server, "z.ndjson", r#"{"type":"branch","branch":"b1","name":"Acorn"}"#);
        let second = write(&server, "a.csv", "type,branch,name,uprn,line1,postcode,listing\r\n\
            property,,,1001,\"1, High Street\",ls1 4ap,\r\n\
            listing,b1,,1001,,,L1\r\n");
        let (report, refused) = server.import_files(vec![first.clone(), second.clone()]).await;
        assert_eq!((report.changed, refused), (3, Vec::new()));
        let backwards = server.import_files(vec![second, first]).await;
        assert_eq!((backwards.0.changed, backwards.0.bad), (0, 0));
    }
}
