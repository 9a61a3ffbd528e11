//! The values of `POST /api/v1/listing`, wrong ones and those at a bound (S-40, S-52).

use serde_json::{Value, json};

use super::create::{body, mill_house, with};
use crate::story;

story! {
    async fn every_wrong_field_is_named_at_once(world) {
        let agent = world.agent("north").await;
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
        address.line1: must have 1 to 200 characters, none of them a control character
        address.line2: must be a string
        address.postcode: must be a full UK postcode, such as LS1 4AP
        address.uprn: must be an integer from 1 to 999999999999
        branch_id: must be an integer from 1 to 9007199254740991
        price: must be an integer from 0 to 1000000000000
        tenure: must be one of freehold, leasehold, commonhold, shareoffreehold
        transaction_type: must be of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
        external_id: must have 1 to 200 characters, none of them a control character
        parties.sellerConveyancer: must be a string
        ");
        assert_eq!(agent.get("/listing").await.json()["meta"]["pagination"]["total"], 0);
    }
}

story! {
    async fn wrong_values_are_named(world) {
        let agent = world.agent("north").await;
        let right = with(&body(&agent, &mill_house()), "address", Value::Null);
        let address = |member: &str, value: Value| {
            with(&right, "address", with(&mill_house(), member, value))
        };
        let long = "x".repeat(201);
        let whole = with(&right, "address", mill_house());
        let mut shown = String::new();
        for body in [
            json!({}),
            right.clone(),
            with(&whole, "address_id", json!(1)),
            with(&right, "address_id", json!(0)),
            with(&right, "address_id", json!("1")),
            with(&right, "address_id", json!(9_007_199_254_740_992_i64)),
            with(&right, "address", json!("14 Example Road")),
            with(&right, "address", json!([])),
            address("line1", Value::Null),
            address("postTown", Value::Null),
            address("postcode", Value::Null),
            address("line1", json!(" ")),
            address("line1", json!("a\tb")),
            address("line4", json!(long)),
            address("postcode", json!("LS6")),
            address("uprn", json!(0)),
            address("uprn", json!(1_000_000_000_000_i64)),
            address("uprn", json!(900_000_000_000_i64)),
            address("uprn", json!(1.5)),
            with(&whole, "branch_id", Value::Null),
            with(&whole, "branch_id", json!(-1)),
            with(&whole, "price", Value::Null),
            with(&whole, "price", json!("1")),
            with(&whole, "price", json!(1.5)),
            with(&whole, "price", json!(1_000_000_000_001_i64)),
            with(&whole, "external_id", json!("x".repeat(65))),
            with(&whole, "external_id", json!(5)),
            with(&whole, "tenure", json!("Freehold")),
            with(&whole, "tenure", json!(["freehold"])),
            with(&whole, "transaction_type", json!("gift")),
            with(&whole, "transaction_type", json!([5])),
            with(&whole, "parties", json!([])),
            with(&whole, "parties", json!({"buyerConveyancer": long})),
        ] {
            let answer = agent.post("/listing", body.clone()).await;
            let body = body.to_string().replace(&long, "xxx…").replace(&long[..65], "xxx…");
            shown += &[&body, "\n  ", &answer.failure(), "\n"].concat();
        }
        assert_eq!(agent.get("/listing").await.json()["meta"]["pagination"]["total"], 0);
        assert_shown!(shown, @r#"
        {}
          422 value_invalid (address_id), value_invalid (branch_id), value_invalid (price): address_id: is missing: send address_id or address; branch_id: is missing; price: is missing
        {"branch_id":1,"price":250000}
          422 value_invalid (address_id): address_id: is missing: send address_id or address
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"address_id":1,"branch_id":1,"price":250000}
          422 value_invalid (address): address: send either address_id or address, not both
        {"address_id":0,"branch_id":1,"price":250000}
          422 value_invalid (address_id): address_id: must be an integer from 1 to 9007199254740991
        {"address_id":"1","branch_id":1,"price":250000}
          422 value_invalid (address_id): address_id: must be an integer from 1 to 9007199254740991
        {"address_id":9007199254740992,"branch_id":1,"price":250000}
          422 value_invalid (address_id): address_id: must be an integer from 1 to 9007199254740991
        {"address":"14 Example Road","branch_id":1,"price":250000}
          422 value_invalid (address): address: must be an object
        {"address":[],"branch_id":1,"price":250000}
          422 value_invalid (address): address: must be an object
        {"address":{"line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.line1): address.line1: is missing
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.postTown): address.postTown: is missing
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.postcode): address.postcode: is missing
        {"address":{"line1":" ","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.line1): address.line1: must have 1 to 200 characters, none of them a control character
        {"address":{"line1":"a\tb","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.line1): address.line1: must have 1 to 200 characters, none of them a control character
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"xxx…","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.line4): address.line4: must have 0 to 200 characters, none of them a control character
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"LS6","uprn":1001},"branch_id":1,"price":250000}
          422 value_invalid (address.postcode): address.postcode: must be a full UK postcode, such as LS1 4AP
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":0},"branch_id":1,"price":250000}
          422 value_invalid (address.uprn): address.uprn: must be an integer from 1 to 999999999999
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1000000000000},"branch_id":1,"price":250000}
          422 value_invalid (address.uprn): address.uprn: must be an integer from 1 to 999999999999
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":900000000000},"branch_id":1,"price":250000}
          422 value_invalid (address.uprn): is in the range of placeholders and not known; leave it out
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1.5},"branch_id":1,"price":250000}
          422 value_invalid (address.uprn): address.uprn: must be an integer from 1 to 999999999999
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"price":250000}
          422 value_invalid (branch_id): branch_id: is missing
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":-1,"price":250000}
          422 value_invalid (branch_id): branch_id: must be an integer from 1 to 9007199254740991
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1}
          422 value_invalid (price): price: is missing
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":"1"}
          422 value_invalid (price): price: must be an integer from 0 to 1000000000000
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":1.5}
          422 value_invalid (price): price: must be an integer from 0 to 1000000000000
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":1000000000001}
          422 value_invalid (price): price: must be an integer from 0 to 1000000000000
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"external_id":"xxx…","price":250000}
          422 value_invalid (external_id): external_id: must have at most 64 characters
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"external_id":5,"price":250000}
          422 value_invalid (external_id): external_id: must be a string
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000,"tenure":"Freehold"}
          422 value_invalid (tenure): tenure: must be one of freehold, leasehold, commonhold, shareoffreehold
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000,"tenure":["freehold"]}
          422 value_invalid (tenure): tenure: must be a string
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000,"transaction_type":"gift"}
          422 value_invalid (transaction_type): transaction_type: must be of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"price":250000,"transaction_type":[5]}
          422 value_invalid (transaction_type): transaction_type: must be a string or an array of strings
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"parties":[],"price":250000}
          422 value_invalid (parties): parties: must be an object
        {"address":{"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"ls63ab","uprn":1001},"branch_id":1,"parties":{"buyerConveyancer":"xxx…"},"price":250000}
          422 value_invalid (parties.buyerConveyancer): parties.buyerConveyancer: must have 0 to 200 characters, none of them a control character
        "#);
    }
}

story! {
    async fn values_at_their_bounds_are_fine(world) {
        let agent = world.agent("north").await;
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
            ("parties", json!({"sellerConveyancer": "é".repeat(200), "colour": 5})),
            ("colour", json!({"deep": [[[]]]})),
        ] {
            let answer = agent.post("/listing", with(&whole, member, value.clone())).await;
            assert_eq!(answer.status, 201, "{member} {value}: {}", answer.json());
        }
        let address = with(&mill_house(), "uprn", json!(899_999_999_999_i64));
        let answer = agent.post("/listing", body(&agent, &address)).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
    }
}
