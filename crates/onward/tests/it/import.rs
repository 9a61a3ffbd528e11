//! What an import does to the store, seen through the chain query.

mod addresses;
mod corrections;
mod formats;
mod links;
mod model;
mod refusals;
mod rows;

use std::collections::BTreeMap;

use generate::{GenerateOptions, generate};
use serde_json::Value;
use storage::{Read, StorageError};

use crate::world::{TestClient, World};

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

/// Somebody who may ask for chains.
struct Lender {
    client: TestClient,
    token: String,
}

impl Lender {
    async fn new(world: &World) -> Self {
        let client = world.register("lender", &["transaction-status"]).await;
        let token = world.token(&client, None).await;
        Self { client, token }
    }

    /// The chains of these values, one for each value that matched.
    async fn ask(&self, world: &World, kind: &str, values: &[String]) -> Vec<Value> {
        let mut form = vec![("inputType", kind), ("rows", "100")];
        form.extend(values.iter().map(|value| ("value[]", value.as_str())));
        let answer = world.query_with(&self.client, &self.token, &form).await;
        answer.chains()
    }

    /// The chain of one UPRN.
    async fn chain(&self, world: &World, uprn: i64) -> Value {
        let mut chains = self.ask(world, "uprn", &[uprn.to_string()]).await;
        assert_eq!(chains.len(), 1);
        chains.remove(0)
    }

    /// What the chain of one UPRN says of that property.
    async fn property(&self, world: &World, uprn: i64) -> Value {
        let chain = self.chain(world, uprn).await;
        let mut properties = chain["properties"].as_array().unwrap().iter();
        let found = properties.find(|property| property["uprn"] == uprn);
        found.unwrap().clone()
    }

    async fn status(&self, world: &World, uprn: i64) -> u16 {
        let uprn = uprn.to_string();
        let form = [("inputType", "uprn"), ("value[]", uprn.as_str())];
        let answer = world.query_with(&self.client, &self.token, &form).await;
        answer.status
    }
}

/// A link row between two listings of branch `b1`.
fn link(seller: &str, buyer: &str, split: bool) -> String {
    format!(
        r#"{{"type":"link","seller_branch":"b1","seller":"{seller}","buyer_branch":"b1","buyer":"{buyer}","split":{split}}}"#
    ) + "\n"
}

/// A made-up import file.
fn generated(listings: u64, seed: u64) -> String {
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
async fn versions(world: &World) -> BTreeMap<String, i64> {
    let found = world.storage.read(|read| {
        read.query("select id, version from chain", &[], |row| {
            Ok((row.text(0)?, row.integer(1)?))
        })
    });
    let found: Result<Vec<_>, StorageError> = found.await;
    found.unwrap().into_iter().collect()
}

/// The one number that a query gives.
async fn number(world: &World, sql: &'static str) -> i64 {
    let found = world
        .storage
        .read(move |read: &mut Read<'_>| read.query_exactly_one(sql, &[], |row| row.integer(0)));
    found.await.unwrap()
}

/// Changes the store beside the program.
async fn change(world: &World, sql: &'static str) {
    let changed = world.storage.write(move |write| write.execute(sql, &[]));
    assert_eq!(changed.await.unwrap(), 1);
}
