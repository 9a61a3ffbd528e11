//! `POST /api/v1/address/filter`: S-52.

use serde_json::{Value, json};

use crate::story;
use crate::world::{Agent, Answer};

async fn filter(agent: &Agent, text: &str) -> Answer {
    agent
        .post("/address/filter", json!({"full_address": text}))
        .await
}

/// The UPRNs found, in their order.
async fn uprns(agent: &Agent, text: &str) -> Vec<i64> {
    let answer = filter(agent, text).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{text}: {body}");
    let found = body["data"].as_array().unwrap().iter();
    found
        .map(|address| address["attributes"]["uprn"].as_i64().unwrap())
        .collect()
}

/// Rows of properties, none of which is on sale.
fn properties(addresses: &[(i64, &str, &str, &str)]) -> String {
    let rows = addresses.iter().map(|(uprn, line1, town, postcode)| {
        json!({"type": "property", "uprn": uprn, "line1": line1, "post_town": town,
            "postcode": postcode})
        .to_string()
    });
    rows.collect::<Vec<String>>().join("\n")
}

story! {
    async fn an_address_shows_every_attribute(world) {
        let agent = world.agent("north").await;
        world.import(&properties(&[(1001, "14 Example Road", "Leeds", "LS6 3AB")])).await;
        let answer = filter(&agent, "14 Example Road, Leeds, LS6 3AB").await;
        assert_eq!((answer.status, answer.json()), (200, json!({
            "data": [{
                "id": 1,
                "type": "address",
                "attributes": {
                    "address_id": 1,
                    "uprn": 1001,
                    "full_address": "14 Example Road, Leeds, LS6 3AB",
                    "address_street_name": "Example Road",
                    "address_area": "Leeds",
                    "address_postal_code": "LS6 3AB",
                },
            }],
            "meta": {"pagination":
                {"total": 1, "per_page": 15, "current_page": 1, "last_page": 1}},
        })));
    }
}

story! {
    async fn a_postcode_or_a_whole_address_finds_it(world) {
        let agent = world.agent("north").await;
        world.import(&properties(&[
            (1, "14 Example Road", "Leeds", "LS6 3AB"),
            (2, "15 Example Road", "Leeds", "LS6 3AB"),
            (3, "1 Mill Lane", "York", "YO1 7HH"),
        ])).await;
        for (text, expected) in [
            ("14 Example Road, Leeds, LS6 3AB", &[1][..]),
            ("  14 EXAMPLE ROAD leeds ls63ab", &[1]),
            ("14 Example Road, LS6 3AB", &[]),
            ("LS6 3AB", &[1, 2]),
            ("ls63ab", &[1, 2]),
            ("Example Road", &[]),
            ("1 Mill Lane, York, YO1 7HH", &[3]),
            ("16 Example Road, LS6 3AB", &[]),
            ("Nowhere Crescent", &[]),
            ("ZE3 9JZ", &[]),
        ] {
            let mut found = uprns(&agent, text).await;
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
        let none = filter(&agent, "Nowhere Crescent").await.json();
        assert_eq!(none, json!({"data": [], "meta": {"pagination":
            {"total": 0, "per_page": 15, "current_page": 1, "last_page": 1}}}));
    }
}

story! {
    async fn the_list_is_paged(world) {
        let agent = world.agent("north").await;
        let lines: Vec<String> = (1..=17).map(|number| format!("{number} Example Road")).collect();
        let rows: Vec<(i64, &str, &str, &str)> = (1..)
            .zip(&lines)
            .map(|(uprn, line)| (uprn, line.as_str(), "Leeds", "LS6 3AB"))
            .collect();
        world.import(&properties(&rows)).await;
        let mut found = Vec::new();
        for page in 1..=3 {
            let path = format!("/address/filter?per_page=8&page={page}");
            let body = agent.post(&path, json!({"full_address": "LS6 3AB"})).await.json();
            assert_eq!(body["meta"], json!({"pagination":
                {"total": 17, "per_page": 8, "current_page": page, "last_page": 3}}));
            let data = body["data"].as_array().unwrap().clone();
            found.extend(data.into_iter().map(|address| address["id"].as_i64().unwrap()));
        }
        found.sort_unstable();
        assert_eq!(found, (1..=17).collect::<Vec<i64>>());
        let path = "/address/filter?page=4&per_page=8";
        let body = agent.post(path, json!({"full_address": "LS6 3AB"})).await.json();
        assert_eq!(body["data"], json!([]));
        for query in ["page=0", "page=x", "per_page=0", "per_page=101"] {
            let path = format!("/address/filter?{query}");
            let failure = agent.post(&path, json!({"full_address": "x"})).await.failure();
            let field = query.split('=').next().unwrap();
            let expected = format!("422 value_invalid ({field}): ");
            assert!(failure.starts_with(&expected), "{failure}");
        }
    }
}

story! {
    async fn wrong_texts_are_named(world) {
        let agent = world.agent("north").await;
        let mut shown = String::new();
        let long: Value = "x".repeat(201).into();
        for body in [json!({}), json!({"full_address": null}), json!({"full_address": ""}),
            json!({"full_address": " \u{a0} "}), json!({"full_address": 5}),
            json!({"full_address": ["x"]}), json!({"full_address": "a\nb"}),
            json!({"full_address": long})]
        {
            let answer = agent.post("/address/filter", body.clone()).await;
            let body = body.to_string();
            shown += &[&body[..body.len().min(40)], "\n  ", &answer.failure(), "\n"].concat();
        }
        assert_shown!(shown, @r#"
        {}
          422 value_invalid (full_address): full_address: is missing
        {"full_address":null}
          422 value_invalid (full_address): full_address: is missing
        {"full_address":""}
          422 value_invalid (full_address): full_address: must have 1 to 200 characters, none of them a control character
        {"full_address":"   "}
          422 value_invalid (full_address): full_address: must have 1 to 200 characters, none of them a control character
        {"full_address":5}
          422 value_invalid (full_address): full_address: must be a string
        {"full_address":["x"]}
          422 value_invalid (full_address): full_address: must be a string
        {"full_address":"a\nb"}
          422 value_invalid (full_address): full_address: must have 1 to 200 characters, none of them a control character
        {"full_address":"xxxxxxxxxxxxxxxxxxxxxxx
          422 value_invalid (full_address): full_address: must have 1 to 200 characters, none of them a control character
        "#);
        let longest = format!("  {}  ", "é".repeat(200));
        assert_eq!(filter(&agent, &longest).await.status, 200);
    }
}

story! {
    async fn addresses_are_everybody_s_and_sales_nobody_s(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let listing = south.list(1001).await;
        south.delete(&format!("/listing/{listing}")).await.assert_success();
        south.list(1002).await;
        // Whether it is on sale, and by whom, is not shown.
        let body = filter(&north, "LS1 4AP").await.json();
        assert_eq!(body["meta"]["pagination"]["total"], 2, "{body}");
        let names: Vec<&String> = body["data"][0]["attributes"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["address_area", "address_id", "address_postal_code",
            "address_street_name", "full_address", "uprn"]);
    }
}
