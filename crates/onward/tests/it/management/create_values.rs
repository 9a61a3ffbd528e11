//! Wrong values of `POST /api/v1/listing`, and values at their bounds (S-40, S-52).

use serde_json::{Value, json};

use super::create::{body, mill_house, with};
use crate::test_server::Client;
use crate::test_server::manners::grouped;
use crate::{sqlite_story, story};

sqlite_story! {
    async fn every_wrong_field_is_named_at_once(server) {
        let agent = server.agent("north").await;
        let answer = agent.post("/listing", json!({
            "address": {"line1": "", "line2": 5, "postcode": "LEEDS", "uprn": "1001"},
            "branch_id": "1",
            "price": -1,
            "external_id": "",
            "tenure": "rented",
            "transaction_type": ["probate", "gift"],
            "parties": {"sellerConveyancer": 5},
        })).await;
        assert_eq!(answer.status, 422);
        let body = answer.json();
        let shown: Vec<String> = body["errors"].as_array().unwrap().iter().map(|error| {
            assert_eq!(error["code"], "value_invalid");
            format!("{}: {}", error["field"].as_str().unwrap(), error["detail"].as_str().unwrap())
        }).collect();
        assert_eq!(body["data"], json!([]));
        assert_shown!(shown.join("\n"), @"
        address.postTown: is missing
        address.line1: must have 1 to 200 characters
        address.line2: must be a string
        address.postcode: must be a full UK postcode, such as LS1 4AP
        address.uprn: must be an integer from 1 to 999999999999
        branch_id: must be an integer from 1 to 9007199254740991
        price: must be an integer from 0 to 1000000000000
        tenure: must be one of freehold, leasehold, commonhold, shareoffreehold
        transaction_type: must be of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
        external_id: must have 1 to 64 characters
        parties.sellerConveyancer: must be a string
        ");
        assert_eq!(agent.get("/listing").await.page().1.len(), 0);
    }
}

/// Members and wrong values of them.
fn wrong_values(long: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("address", Value::Null),
        ("address_id", json!(1)),
        ("address", json!("14 Example Road")),
        ("address", json!([])),
        ("address.line1", Value::Null),
        ("address.postTown", Value::Null),
        ("address.postcode", Value::Null),
        ("address.line1", json!(" ")),
        ("address.line1", json!("a\tb")),
        ("address.line4", json!(long)),
        ("address.postcode", json!("LS6")),
        ("address.uprn", json!(0)),
        ("address.uprn", json!(1_000_000_000_000_i64)),
        ("address.uprn", json!(1.5)),
        ("address.uprn", json!(900_000_000_000_i64)),
        ("branch_id", Value::Null),
        ("branch_id", json!(-1)),
        ("price", Value::Null),
        ("price", json!("1")),
        ("price", json!(1.5)),
        ("price", json!(1_000_000_000_001_i64)),
        ("external_id", json!("x".repeat(65))),
        ("external_id", json!(5)),
        ("tenure", json!("Freehold")),
        ("tenure", json!(["freehold"])),
        ("transaction_type", json!("gift")),
        ("transaction_type", json!([5])),
        ("parties", json!([])),
        ("parties", json!({"buyerConveyancer": long})),
    ]
}

/// Sends each wrong value; the cases and how each is refused.
async fn refuse_wrong_values(agent: &Client) -> Vec<(String, String)> {
    let right = with(&body(agent, &mill_house()), "address", Value::Null);
    let whole = with(&right, "address", mill_house());
    let long = "x".repeat(201);
    let mut cases = Vec::new();
    for (member, value) in wrong_values(&long) {
        let body = match member.strip_prefix("address.") {
            Some(inner) => with(&right, "address", with(&mill_house(), inner, value.clone())),
            None => with(&whole, member, value.clone()),
        };
        let failure = agent.post("/listing", body).await.failure();
        let case = format!("{member}={value}")
            .replace(&long, "x…")
            .replace(&long[..65], "x…");
        // The result without the member's name, so that equal results are shown once.
        cases.push((
            case,
            failure.replace(&format!(" ({member}): {member}: "), ": "),
        ));
    }
    for id in [json!(0), json!("1"), json!(9_007_199_254_740_992_i64)] {
        let body = with(&right, "address_id", id.clone());
        let failure = agent.post("/listing", body).await.failure();
        cases.push((format!("address_id={id}, address=null"), failure));
    }
    cases.push((
        "nothing".to_owned(),
        agent.post("/listing", json!({})).await.failure(),
    ));
    cases
}

sqlite_story! {
    async fn wrong_values_are_named(server) {
        let agent = server.agent("north").await;
        let cases = refuse_wrong_values(&agent).await;
        assert_eq!(agent.get("/listing").await.page().1.len(), 0);
        assert_shown!(grouped(cases), @r#"
        422 value_invalid (address_id): address_id: is missing: send address_id or address
          address=null
        422 value_invalid (address): address: send either address_id or address, not both
          address_id=1
        422 value_invalid: must be an object
          address="14 Example Road"  address=[]  parties=[]
        422 value_invalid: is missing
          address.line1=null  address.postTown=null  address.postcode=null  branch_id=null  price=null
        422 value_invalid: must have 1 to 200 characters
          address.line1=" "
        422 value_invalid: has the character U+0009, which texts must not have
          address.line1="a\tb"
        422 value_invalid: must have 0 to 200 characters
          address.line4="x…"
        422 value_invalid: must be a full UK postcode, such as LS1 4AP
          address.postcode="LS6"
        422 value_invalid: must be an integer from 1 to 999999999999
          address.uprn=0  address.uprn=1000000000000  address.uprn=1.5
        422 value_invalid (address.uprn): is in the range of placeholders and not known; leave it out
          address.uprn=900000000000
        422 value_invalid: must be an integer from 1 to 9007199254740991
          branch_id=-1
        422 value_invalid: must be an integer from 0 to 1000000000000
          price="1"  price=1.5  price=1000000000001
        422 value_invalid: must have 1 to 64 characters
          external_id="x…"
        422 value_invalid: must be a string
          external_id=5  tenure=["freehold"]
        422 value_invalid: must be one of freehold, leasehold, commonhold, shareoffreehold
          tenure="Freehold"
        422 value_invalid: must be of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
          transaction_type="gift"
        422 value_invalid: must be a string or an array of strings
          transaction_type=[5]
        422 value_invalid (parties.buyerConveyancer): parties.buyerConveyancer: must have 0 to 200 characters
          parties={"buyerConveyancer":"x…"}
        422 value_invalid (address_id): address_id: must be an integer from 1 to 9007199254740991
          address_id=0, address=null  address_id="1", address=null  address_id=9007199254740992, address=null
        422 value_invalid (address_id), value_invalid (branch_id), value_invalid (price): address_id: is missing: send address_id or address; branch_id: is missing; price: is missing
          nothing
        "#);
    }
}

sqlite_story! {
    async fn values_at_their_bounds_are_fine(server) {
        let agent = server.agent("north").await;
        let whole = body(&agent, &mill_house());
        for (member, value) in [
            ("price", json!(0)),
            ("price", json!(1_000_000_000_000_i64)),
            ("external_id", json!("é".repeat(64))),
            ("tenure", json!("")),
            ("tenure", json!("shareoffreehold")),
            ("transaction_type", json!([])),
            ("transaction_type", json!("buy_to_let")),
            ("transaction_type", json!(["auction", "buy_to_let", "freehold_enfranchisement",
                "power_of_attorney", "probate", "repossession", "shared_ownership"])),
            ("parties", json!({})),
            ("parties", json!({"sellerConveyancer": "é".repeat(200)})),
        ] {
            let answer = agent.post("/listing", with(&whole, member, value.clone())).await;
            assert_eq!(answer.status, 201, "{member} {value}: {}", answer.json());
        }
        let address = with(&mill_house(), "uprn", json!(899_999_999_999_i64));
        let answer = agent.post("/listing", body(&agent, &address)).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
    }
}

story! {
    async fn an_address_has_few_enough_bytes_for_an_index(server) {
        let agent = server.agent("north").await;
        // Letters that no database makes shorter.
        let line = |first: u32| {
            let letters = (first..).filter_map(char::from_u32).take(200);
            letters.collect::<String>()
        };
        let [one, two, three, town] = [0x4e00, 0x5e00, 0x6e00, 0x7e00].map(line);
        let mut address = json!({"line1": one, "line2": two, "line3": three, "postTown": town,
            "postcode": "LS6 3AB"});
        let answer = agent.post("/listing", body(&agent, &address)).await;
        assert_eq!(answer.failure(), "422 value_invalid (address.line1): address.line1: and the other lines \
            must have at most 2000 bytes together in UTF-8");
        assert_eq!(agent.get("/listing").await.page().1.len(), 0);
        address["postTown"] = "Leeds".into();
        let answer = agent.post("/listing", body(&agent, &address)).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
    }
}
