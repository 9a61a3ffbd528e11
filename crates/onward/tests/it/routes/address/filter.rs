//! `POST /api/v1/address/filter`: S-52.

use http::Method;
use serde_json::json;

use crate::test_server::{Answer, Client};
use crate::{sqlite_story, story};

async fn filter(agent: &Client, text: &str) -> Answer {
    agent
        .post("/address/filter", json!({"full_address": text}))
        .await
}

/// The UPRNs found, in ascending order.
async fn uprns(agent: &Client, text: &str) -> Vec<i64> {
    let found = filter(agent, text).await.page().1;
    let uprns = found
        .iter()
        .map(|address| address["attributes"]["uprn"].as_i64().unwrap());
    let mut uprns: Vec<i64> = uprns.collect();
    uprns.sort_unstable();
    uprns
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
    async fn an_address_shows_every_attribute(server) {
        let agent = server.agent("north").await;
        server.import(&properties(&[(1001, "14 Example Road", "Leeds", "LS6 3AB")])).await;
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
    async fn a_postcode_or_a_whole_address_finds_it(server) {
        let agent = server.agent("north").await;
        server.import(&properties(&[
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
            assert_eq!(uprns(&agent, text).await, expected, "{text}");
        }
        assert_eq!(filter(&agent, "Nowhere Crescent").await.page(), ("0 15 1 1".to_owned(), vec![]));
    }
}

story! {
    async fn the_list_is_paged(server) {
        let agent = server.agent("north").await;
        let lines: Vec<String> = (1..=17).map(|number| format!("{number} Example Road")).collect();
        let rows: Vec<(i64, &str, &str, &str)> = (1..)
            .zip(&lines)
            .map(|(uprn, line)| (uprn, line.as_str(), "Leeds", "LS6 3AB"))
            .collect();
        server.import(&properties(&rows)).await;
        let mut found = Vec::new();
        for page in 1..=4 {
            let path = format!("/address/filter?per_page=8&page={page}");
            let answer = agent.post(&path, json!({"full_address": "LS6 3AB"})).await;
            let (figures, entries) = answer.page();
            assert_eq!(figures, format!("17 8 {page} 3"));
            found.extend(entries.iter().map(|address| address["id"].as_i64().unwrap()));
        }
        found.sort_unstable();
        assert_eq!(found, (1..=17).collect::<Vec<i64>>());
    }
}

sqlite_story! {
    async fn wrong_texts_are_named(server) {
        let agent = server.agent("north").await;
        let refusals = agent.refusals(Method::POST, "/address/filter", [
            json!({}), json!({"full_address": null}), json!({"full_address": ""}),
            json!({"full_address": " \u{a0} "}), json!({"full_address": "a\nb"}),
            json!({"full_address": 5}), json!({"full_address": ["x"]}),
        ]).await;
        assert_shown!(refusals, @r#"
        422 value_invalid (full_address): full_address: is missing
          {}  {"full_address":null}
        422 value_invalid (full_address): full_address: must have 1 to 200 characters, none of them a control character
          {"full_address":""}  {"full_address":"   "}  {"full_address":"a\nb"}
        422 value_invalid (full_address): full_address: must be a string
          {"full_address":5}  {"full_address":["x"]}
        "#);
        for (characters, status) in [(200, 200), (201, 422)] {
            let text = format!("  {}  ", "é".repeat(characters));
            assert_eq!(filter(&agent, &text).await.status, status, "{characters}");
        }
    }
}

story! {
    async fn every_agent_finds_every_address_and_no_sale(server) {
        let [north, south] = server.two_agents().await;
        south.withdraw(south.list(1001).await).await;
        south.list(1002).await;
        let body = filter(&north, "LS1 4AP").await.json();
        assert_eq!(body["meta"]["pagination"]["total"], 2, "{body}");
        let names: Vec<&String> = body["data"][0]["attributes"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["address_area", "address_id", "address_postal_code",
            "address_street_name", "full_address", "uprn"]);
    }
}
