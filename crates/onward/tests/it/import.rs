//! What an import does to the store, seen through the chain query.

mod addresses;
mod beside_load;
mod corrections;
mod formats;
mod links;
mod model;
mod placeholders;
mod refusals;
mod rows;

use std::collections::BTreeMap;

use generate::{GenerateOptions, generate};
use storage::{Read, StorageError};

use crate::test_server::TestServer;

/// Two branches with three listings, none of them linked.
const THREE: &str = r#"
{"type":"branch","branch":"b1","name":"Acorn & Co, Leeds"}
{"type":"branch","branch":"b2","name":"Oakfield, York"}
{"type":"property","uprn":1001,"line1":"1 High Street","post_town":"Leeds","postcode":"LS1 4AP"}
{"type":"property","uprn":1002,"line1":"2 Mill Lane","post_town":"Leeds","postcode":"LS2 8BB"}
{"type":"property","uprn":1003,"line1":"3 Park Row","post_town":"York","postcode":"YO1 7HH"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001}
{"type":"listing","branch":"b1","listing":"L2","uprn":1002}
{"type":"listing","branch":"b2","listing":"L3","uprn":1003}
"#;

/// A link row between two listings of branch `b1`.
fn link(seller: &str, buyer: &str, split: bool) -> String {
    format!(
        r#"{{"type":"link","seller_branch":"b1","seller":"{seller}","buyer_branch":"b1","buyer":"{buyer}","split":{split}}}"#
    ) + "\n"
}

/// A made-up import file.
pub(crate) fn generated(listings: u64, seed: u64) -> String {
    let mut file = Vec::new();
    let options = GenerateOptions {
        listings: Some(listings),
        seed,
        ..GenerateOptions::default()
    };
    generate(&options, &mut file).unwrap();
    String::from_utf8(file).unwrap()
}

/// The version of each chain.
pub(crate) async fn versions(server: &TestServer) -> BTreeMap<String, i64> {
    let found = server.storage.read(|read| {
        read.query("select id, version from chain", &[], |row| {
            Ok((row.text(0)?, row.integer(1)?))
        })
    });
    let found: Result<Vec<_>, StorageError> = found.await;
    found.unwrap().into_iter().collect()
}

/// The one number that a query gives.
async fn number(server: &TestServer, sql: &'static str) -> i64 {
    let found = server
        .storage
        .read(move |read: &mut Read<'_>| read.query_exactly_one(sql, &[], |row| row.integer(0)));
    found.await.unwrap()
}

/// Changes the store beside the program.
async fn change(server: &TestServer, sql: &'static str) {
    let changed = server.storage.write(move |write| write.execute(sql, &[]));
    assert_eq!(changed.await.unwrap(), 1);
}
