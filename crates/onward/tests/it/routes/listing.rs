//! Reading `/api/v1/listing` and `/api/v1/listing/{id}` (S-47, S-48, S-52). `management/create.rs`
//! and `management/change.rs` test writing, `management/includes.rs` tests the includes.

mod bottleneck;
mod chain;
mod forecast;
mod history;
mod is_complete;
mod lagging;
mod milestone;
mod proposals;
mod relationships;
mod reopen_enquiries;

use serde_json::json;

use crate::test_server::manners::grouped;
use crate::test_server::{BEGINNING, Client};
use crate::{sqlite_story, story};

story! {
    async fn a_listing_shows_every_attribute(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(1001).await;
        let answer = agent.get(&format!("/listing/{listing}")).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/json");
        let mut body = answer.json();
        let chain = body["data"]["attributes"]["chain_link_id"].take();
        assert!(uuid::Uuid::parse_str(chain.as_str().unwrap()).is_ok(), "{chain}");
        // Without includes: no `included`, no empty relationships (S-49).
        assert_eq!(body, json!({"data": {
            "id": listing,
            "type": "listing",
            "attributes": {
                "address_id": 1,
                "branch_id": agent.branch(),
                "price": 250_000,
                "chain_link_id": null,
                "is_locked": false,
                "full_address": "1001 High Street, Leeds, LS1 4AP",
                "address_street_name": "High Street",
                "address_area": "Leeds",
                "address_postal_code": "LS1 4AP",
                "created_at": BEGINNING,
                "updated_at": BEGINNING,
                "is_current": true,
                "uprn": 1001,
                "external_id": null,
                "tenure": null,
                "transaction_type": [],
                "parties": {"sellerConveyancer": null, "buyerConveyancer": null},
            },
        }}));
        // A list shows the same but for the attributes of the requested listing.
        let listed = agent.get("/listing").await.page().1.remove(0);
        let attributes = listed["attributes"].as_object().unwrap();
        assert_eq!(attributes["chain_link_id"], chain);
        assert_eq!(attributes.len(), 11);
    }
}

sqlite_story! {
    async fn a_refusal_has_the_envelope_of_document_2(server) {
        let answer = server.agent("north").await.get("/listing/999").await;
        assert_eq!((answer.status, answer.json()), (404, json!({
            "message": "listing 999 does not exist",
            "success": false,
            "data": [],
            "errors": [{"code": "listing_unknown", "detail": "listing 999 does not exist"}],
        })));
    }
}

/// The ids on a page, and its pagination as `total per_page current last`.
async fn page(agent: &Client, query: &str) -> (Vec<i64>, String) {
    let (figures, entries) = agent.get(&format!("/listing{query}")).await.page();
    let ids = entries.iter().map(|listing| {
        assert_eq!(listing["type"], "listing");
        listing["id"].as_i64().unwrap()
    });
    (ids.collect(), figures)
}

story! {
    async fn the_list_is_paged(server) {
        let agent = server.agent("north").await;
        let mut all = Vec::new();
        for uprn in 1..=17 {
            all.push(agent.list(uprn).await);
        }
        for (query, expected, figures) in [
            ("", &all[..15], "17 15 1 2"),
            ("?page=1", &all[..15], "17 15 1 2"),
            ("?page=2", &all[15..], "17 15 2 2"),
            ("?page=3", &[], "17 15 3 2"),
            ("?per_page=100", &all[..], "17 100 1 1"),
            ("?per_page=17", &all[..], "17 17 1 1"),
            ("?per_page=16&page=2", &all[16..], "17 16 2 2"),
            ("?per_page=1&page=17", &all[16..], "17 1 17 17"),
            ("?per_page=5&page=2", &all[5..10], "17 5 2 4"),
            ("?per_page=100&page=1000000", &[], "17 100 1000000 1"),
        ] {
            assert_eq!(page(&agent, query).await, (expected.to_vec(), figures.to_owned()), "{query}");
        }
    }
}

sqlite_story! {
    async fn wrong_values_of_a_list_s_query_are_named(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let lists = ["/listing", &format!("/listing/{listing}/history"),
            "/milestone_type/1/relationships/milestones", "/address/filter", "/branch/filter"];
        let long = format!("external_id={}", "x".repeat(201));
        for list in lists {
            let mut queries = vec!["page=0", "page=-1", "page=x", "page=", "page=1.5",
                "page=99999999999999999999", "per_page=0", "per_page=101", "per_page=x", "per_page="];
            if list == "/listing" {
                queries.extend(["updated_since=x", "updated_since=-1", "updated_since=1.5",
                    "updated_since=2026-11-21", "updated_since=99999999999999999999",
                    "updated_since=", "external_id=", &long]);
            }
            let mut cases = Vec::new();
            for query in queries {
                let path = format!("{list}?{query}");
                let answer = if list.ends_with("/filter") {
                    agent.post(&path, json!({"name": "x", "full_address": "x"})).await
                } else {
                    agent.get(&path).await
                };
                cases.push((query.replace(&long[12..], "x…"), answer.failure()));
            }
            let shown = grouped(cases);
            let (paging, own) = shown.split_once("422 value_invalid (updated_since)").unwrap_or((&shown, ""));
            assert_shown!(paging, @"
            422 value_invalid (page): page: must be an integer from 1 to 1000000000
              page=0  page=-1  page=x  page=  page=1.5  page=99999999999999999999
            422 value_invalid (per_page): per_page: must be an integer from 1 to 100
              per_page=0  per_page=101  per_page=x  per_page=
            ");
            if list == "/listing" {
                assert_shown!(own, @"
                : updated_since: must be an integer from 0 to 9007199254740991
                  updated_since=x  updated_since=-1  updated_since=1.5  updated_since=2026-11-21  updated_since=99999999999999999999  updated_since=
                422 value_invalid (external_id): external_id: must have 1 to 200 characters, none of them a control character
                  external_id=  external_id=x…
                ");
            }
        }
        let several = agent.get("/listing?page=0&per_page=0&updated_since=x").await;
        let codes = "422 value_invalid (page), value_invalid (per_page), value_invalid (updated_since)";
        assert_eq!(several.code(), codes);
    }
}

story! {
    async fn updated_since_and_external_id_narrow_the_list(server) {
        let agent = server.agent("north").await;
        let other = server.agent("south").await;
        let [a, b, c] = agent.list_each([1, 2, 3]).await;
        let theirs = other.list(4).await;
        let since = |seconds: i64| format!("?updated_since={}", BEGINNING + seconds);
        let ids = async |query: String| page(&agent, &query).await.0;
        assert_eq!(ids(since(0)).await, [a, b, c]);
        assert_eq!(ids(since(1)).await, [] as [i64; 0]);
        assert_eq!(ids("?updated_since=0".to_owned()).await, [a, b, c]);
        server.clock.advance(10);
        agent.patch(&format!("/listing/{b}"), json!({"price": 1})).await;
        assert_eq!(ids(since(1)).await, [b]);
        assert_eq!(ids(since(10)).await, [b]);
        assert_eq!(ids(since(11)).await, [] as [i64; 0]);
        server.clock.advance(10);
        agent.record(a, "sstc", "2026-11-20").await;
        // Those that changed first come first.
        assert_eq!(ids(since(10)).await, [b, a]);
        server.clock.advance(10);
        // A link changes both listings (S-7), whichever agent makes it.
        other.link(theirs, c).await;
        assert_eq!(ids(since(20)).await, [a, c]);
        assert_eq!(page(&agent, &since(20)).await.1, "2 15 1 1");
        let named = json!({"address_id": 1, "branch_id": agent.branch(), "price": 1,
            "external_id": "N/7 ä"});
        let named = agent.post("/listing", named).await.listing();
        assert_eq!(ids("?external_id=N%2F7%20%C3%A4".to_owned()).await, [named]);
        assert_eq!(ids("?external_id=n%2F7%20%C3%A4".to_owned()).await, [] as [i64; 0]);
        assert_eq!(ids("?external_id=N".to_owned()).await, [] as [i64; 0]);
        let theirs = json!({"address_id": 1, "branch_id": other.branch(), "price": 1,
            "external_id": "S/1"});
        assert_eq!(other.post("/listing", theirs).await.status, 201);
        assert_eq!(ids("?external_id=S%2F1".to_owned()).await, [] as [i64; 0]);
    }
}
