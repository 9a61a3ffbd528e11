//! Real addresses, each found again.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use address::normalise;
use generate::{GenerateOptions, generate};
use serde_json::Value;

use crate::story;

const LISTINGS: u64 = 1_500;

/// The table of real addresses, which is not part of this repository.
fn find_table() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = folder.join("../../../shared/data/addresses_ogl.tsv.gz");
    if table.exists() {
        return Some(table);
    }
    eprintln!("skipped: there is no {}", table.display());
    None
}

/// Property rows of the table, each with a listing that is linked to nothing,
/// and the properties as UPRN and address.
fn read_table(table: PathBuf) -> (String, Vec<(String, String)>) {
    let options = GenerateOptions {
        listings: Some(LISTINGS),
        addresses: Some(table),
        ..GenerateOptions::default()
    };
    let mut file = Vec::new();
    generate(&options, &mut file).unwrap();
    let mut rows = "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Acorn\"}\n".to_owned();
    let mut properties = Vec::new();
    for line in String::from_utf8(file).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        if row["type"] == "property" {
            let uprn = row["uprn"].to_string();
            writeln!(rows, "{line}").unwrap();
            writeln!(
                rows,
                r#"{{"type":"listing","branch":"b1","listing":"{uprn}","uprn":{uprn}}}"#
            )
            .unwrap();
            properties.push((uprn, row["display_address"].as_str().unwrap().to_owned()));
        }
    }
    (rows, properties)
}

/// The UPRN of each answered chain of one property.
fn uprns(chains: &[Value]) -> Vec<String> {
    let only = |chain: &Value| {
        assert_eq!(chain["chainSummary"]["chainLength"], 1);
        chain["properties"][0]["uprn"].to_string()
    };
    chains.iter().map(only).collect()
}

story! {
    async fn real_addresses_lead_to_their_property(server) {
        let Some(table) = find_table() else {
            return server.end().await;
        };
        let (rows, properties) = read_table(table);
        assert!(properties.len() as u64 >= LISTINGS * 9 / 10, "{}", properties.len());
        server.import(&rows).await;
        let lender = server.lender().await;
        let mut owners: HashMap<String, Vec<&str>> = HashMap::new();
        for (uprn, address) in &properties {
            owners.entry(normalise(address)).or_default().push(uprn);
        }
        let mut doubles = 0;
        for page in properties.chunks(100) {
            let asked: Vec<String> = page.iter().map(|(uprn, _)| uprn.clone()).collect();
            assert_eq!(uprns(&lender.ask_values("uprn", &asked).await.chains()), asked);

            let alone = |address: &str| owners[&normalise(address)].len() == 1;
            let (single, double): (Vec<_>, Vec<_>) =
                page.iter().cloned().partition(|(_, address)| alone(address));
            let (expected, addresses): (Vec<_>, Vec<_>) = single.into_iter().unzip();
            let chains = lender.ask_values("address", &addresses).await.chains();
            let queried: Vec<_> = chains.iter().map(|chain| &chain["queriedAddress"]).collect();
            assert_eq!(queried, addresses.iter().collect::<Vec<_>>());
            assert_eq!(uprns(&chains), expected);
            doubles += double.len();
        }
        assert!(doubles * 100 <= properties.len(), "{doubles} addresses are those of several");
    }
}
