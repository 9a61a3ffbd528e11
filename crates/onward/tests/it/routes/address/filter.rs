//! `POST /api/v1/address/filter`: S-52.

use http::Method;
use serde_json::{Value, json};
use storage::accesses::{AccessFilter, list_accesses};
use storage::quotas::{Used, add_used};

use crate::test_server::{Answer, Client, TestServer};
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
            "current_listing": null,
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

/// The UPRNs in the access log of a client.
async fn accessed(server: &TestServer, client: &str) -> Vec<i64> {
    let filter = AccessFilter {
        after: 0,
        since: i64::MIN,
        until: i64::MAX,
        client: client.to_owned(),
        uprn: 0,
    };
    let listing = server
        .storage
        .read(move |read| list_accesses(read, &filter, 1000));
    let found = listing.await.unwrap();
    found.iter().map(|one| one.uprn.unwrap().value()).collect()
}

story! {
    /// A link can be made by address (S-91).
    async fn one_home_shows_its_current_listing_to_other_branches(server) {
        let [north, south] = server.two_agents().await;
        let [listed, sold, linked, plain, own] = [1001, 1002, 1003, 1004, 1005];
        let ids = south.list_each([listed, sold, linked, plain]).await;
        let own_id = north.list(own).await;
        south.record(ids[0], "property_listed", "2026-11-20").await;
        south.record(ids[1], "sstc", "2026-11-20").await;
        north.link(ids[2], own_id).await;
        let of = |uprn: i64| format!("{uprn} High Street, Leeds, LS1 4AP");
        let seller = |id: i64| json!({"id": id, "branch_name": "branch south"});
        for (text, expected) in [
            (of(listed), seller(ids[0])),
            (of(sold), seller(ids[1])),
            (of(linked), seller(ids[2])),
            (format!("{sold} high st leeds ls14ap"), seller(ids[1])),
            (of(own), json!({"id": own_id, "branch_name": "branch north"})),
            (of(plain), Value::Null),
            ("High Street, Leeds, LS1 4AP".to_owned(), Value::Null),
            ("LS1 4AP".to_owned(), Value::Null),
            (of(9999), Value::Null),
        ] {
            let answer = filter(&north, &text).await;
            assert_eq!((answer.status, &answer.json()["current_listing"]), (200, &expected), "{text}");
        }
        let seen = accessed(&server, &north.registration.id).await;
        assert_eq!(seen, [listed, sold, linked, sold, own]);
        // With the id alone the agent links.
        let [buyer] = north.list_each([1006]).await;
        north.link(ids[1], buyer).await;
        // A withdrawn listing is not told.
        south.withdraw(ids[0]).await;
        assert_eq!(filter(&north, &of(listed)).await.json()["current_listing"], Value::Null);
    }
}

story! {
    async fn a_branch_is_told_so_many_listings_a_day(server) {
        server = server.reconfigure(|config| config.rate_limit_enabled = true).await;
        let [north, south] = server.two_agents().await;
        let listing = south.list(1001).await;
        south.record(listing, "sstc", "2026-11-20").await;
        let (branch, now) = (north.branch().to_string(), server.now());
        let told = server.storage.write(move |write| {
            add_used(write, &branch, Used::ToldListings, 199, now)
        });
        told.await.unwrap();
        let on_sale = "1001 High Street, Leeds, LS1 4AP";
        // Calls at the same time are told no more than one call after the other.
        let ask = || filter(&north, on_sale);
        let answers: [Answer; 6] = tokio::join!(ask(), ask(), ask(), ask(), ask(), ask()).into();
        let told = answers.iter().filter(|answer| answer.status == 200);
        let told: Vec<_> = told.map(|answer| answer.json()["current_listing"]["id"].clone()).collect();
        assert_eq!(told, [listing]);
        let said = format!(
            "429 quota_used_up: Branch {} was told 200 current listings within a day, which is its \
             quota. Ask for homes again later; postcodes are answered still.",
            north.branch()
        );
        // A home that is not on sale is refused alike, so the refusal tells nothing.
        server.import(&properties(&[(7, "14 Example Road", "Leeds", "LS6 3AB")])).await;
        for text in [on_sale, "14 Example Road, Leeds, LS6 3AB"] {
            let refused = filter(&north, text).await;
            assert_eq!(refused.failure(), said, "{text}");
            assert_eq!(refused.header("retry-after"), "600");
        }
        assert_eq!(filter(&north, "LS6 3AB").await.status, 200);
        assert_eq!(accessed(&server, &north.registration.id).await.len(), 1);
        assert_eq!(filter(&south, on_sale).await.json()["current_listing"]["id"], listing);
        server.clock.advance(86_400 + 600);
        let north = north.renewed(&server).await;
        assert_eq!(filter(&north, on_sale).await.json()["current_listing"]["id"], listing);
    }
}
