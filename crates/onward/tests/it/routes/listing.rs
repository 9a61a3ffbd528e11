//! `/api/v1/listing` and `/api/v1/listing/{id}`: reading (S-47, S-48, S-52). What is written there
//! is told in `management/create.rs` and `management/change.rs`, the includes in
//! `management/includes.rs`.

mod chain;
mod history;
mod is_complete;
mod lagging;
mod milestone;
mod relationships;
mod reopen_enquiries;

use serde_json::{Value, json};

use crate::story;
use crate::world::{Agent, BEGINNING};

story! {
    async fn a_listing_shows_every_attribute(world) {
        let agent = world.agent("north").await;
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
                "branch_id": agent.branch,
                "price": 250_000,
                "chain_link_id": null,
                "is_locked": false,
                "full_address": "1001 High Street, Leeds, LS1 4AP",
                "address_street_name": "High Street",
                "address_area": "Leeds",
                "address_postal_code": "LS1 4AP",
                "created_at": BEGINNING,
                "updated_at": BEGINNING,
            },
        }}));
    }
}

story! {
    async fn a_listing_of_another_branch_is_403_and_an_unknown_one_404(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let theirs = south.list(1).await;
        let answer = north.get(&format!("/listing/{theirs}")).await;
        assert_eq!(answer.json(), json!({
            "message": format!("listing {theirs} does not belong to one of your branches"),
            "success": false,
            "data": [],
            "errors": [{
                "code": "not_your_branch",
                "detail": format!("listing {theirs} does not belong to one of your branches"),
            }],
        }));
        assert_eq!(answer.status, 403);
        let answer = north.get("/listing/999").await;
        assert_eq!(answer.json(), json!({
            "message": "listing 999 does not exist",
            "success": false,
            "data": [],
            "errors": [{"code": "listing_unknown", "detail": "listing 999 does not exist"}],
        }));
        assert_eq!(answer.status, 404);
        // Their partners in a chain are no exception: only the includes show them.
        let ours = north.list(2).await;
        assert_eq!(north.link(theirs, ours).await.status, 200);
        assert_eq!(north.get(&format!("/listing/{theirs}")).await.status, 403);
    }
}

story! {
    async fn a_withdrawn_listing_is_unknown_to_everybody(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let listing = north.list(1).await;
        let path = format!("/listing/{listing}");
        north.delete(&path).await.assert_success();
        for agent in [&north, &south] {
            assert_eq!(
                agent.get(&path).await.failure(),
                format!("404 listing_unknown: listing {listing} does not exist")
            );
        }
    }
}

/// The ids on a page, and its pagination as `total per_page current last`.
async fn page(agent: &Agent, query: &str) -> (Vec<i64>, String) {
    let answer = agent.get(&format!("/listing{query}")).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{query}: {body}");
    let data = body["data"].as_array().unwrap();
    let ids = data.iter().map(|listing| {
        assert_eq!(listing["type"], "listing");
        listing["id"].as_i64().unwrap()
    });
    let figures = &body["meta"]["pagination"];
    let figures = ["total", "per_page", "current_page", "last_page"]
        .map(|name| figures[name].as_u64().unwrap().to_string());
    (ids.collect(), figures.join(" "))
}

story! {
    async fn the_list_holds_the_caller_s_listings_only(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        assert_eq!(page(&north, "").await, (vec![], "0 15 1 1".to_owned()));
        let (a, theirs, b, gone) = (
            north.list(1).await,
            south.list(2).await,
            north.list(3).await,
            north.list(4).await,
        );
        north.link(theirs, a).await;
        north.delete(&format!("/listing/{gone}")).await.assert_success();
        assert_eq!(page(&north, "").await, (vec![a, b], "2 15 1 1".to_owned()));
        assert_eq!(page(&south, "").await, (vec![theirs], "1 15 1 1".to_owned()));
        let both = world.agent_of("both", &[south.branch, north.branch]).await;
        assert_eq!(page(&both, "").await, (vec![a, theirs, b], "3 15 1 1".to_owned()));
    }
}

story! {
    async fn an_entry_of_the_list_is_the_listing_itself(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let body = agent.get("/listing").await.json();
        let alone = agent.get(&format!("/listing/{listing}")).await.json();
        assert_eq!(body, json!({
            "data": [alone["data"]],
            "meta": {"pagination":
                {"total": 1, "per_page": 15, "current_page": 1, "last_page": 1}},
        }));
    }
}

story! {
    async fn the_list_is_paged(world) {
        let agent = world.agent("north").await;
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

story! {
    async fn wrong_values_of_the_list_s_query_are_named(world) {
        let agent = world.agent("north").await;
        let mut shown = String::new();
        for query in [
            "page=0", "page=-1", "page=x", "page=", "page=1.5", "page=99999999999999999999",
            "per_page=0", "per_page=101", "per_page=x", "per_page=", "updated_since=x",
            "updated_since=-1", "updated_since=1.5", "updated_since=2026-11-21",
            "updated_since=99999999999999999999", "updated_since=", "external_id=",
            "page=0&per_page=0&updated_since=x",
        ] {
            let answer = agent.get(&format!("/listing?{query}")).await;
            shown += &[query, "\n  ", &answer.failure(), "\n"].concat();
        }
        let long = agent.get(&format!("/listing?external_id={}", "x".repeat(201))).await;
        shown += &["external_id=xxx…\n  ", &long.failure(), "\n"].concat();
        assert_shown!(shown, @"
        page=0
          422 value_invalid (page): page: must be an integer from 1 to 1000000000
        page=-1
          422 value_invalid (page): page: must be an integer from 1 to 1000000000
        page=x
          422 value_invalid (page): page: must be an integer from 1 to 1000000000
        page=
          422 value_invalid (page): page: must be an integer from 1 to 1000000000
        page=1.5
          422 value_invalid (page): page: must be an integer from 1 to 1000000000
        page=99999999999999999999
          422 value_invalid (page): page: must be an integer from 1 to 1000000000
        per_page=0
          422 value_invalid (per_page): per_page: must be an integer from 1 to 100
        per_page=101
          422 value_invalid (per_page): per_page: must be an integer from 1 to 100
        per_page=x
          422 value_invalid (per_page): per_page: must be an integer from 1 to 100
        per_page=
          422 value_invalid (per_page): per_page: must be an integer from 1 to 100
        updated_since=x
          422 value_invalid (updated_since): updated_since: must be an integer from 0 to 9007199254740991
        updated_since=-1
          422 value_invalid (updated_since): updated_since: must be an integer from 0 to 9007199254740991
        updated_since=1.5
          422 value_invalid (updated_since): updated_since: must be an integer from 0 to 9007199254740991
        updated_since=2026-11-21
          422 value_invalid (updated_since): updated_since: must be an integer from 0 to 9007199254740991
        updated_since=99999999999999999999
          422 value_invalid (updated_since): updated_since: must be an integer from 0 to 9007199254740991
        updated_since=
          422 value_invalid (updated_since): updated_since: must be an integer from 0 to 9007199254740991
        external_id=
          422 value_invalid (external_id): external_id: must have 1 to 200 characters, none of them a control character
        page=0&per_page=0&updated_since=x
          422 value_invalid (page), value_invalid (per_page), value_invalid (updated_since): page: must be an integer from 1 to 1000000000; per_page: must be an integer from 1 to 100; updated_since: must be an integer from 0 to 9007199254740991
        external_id=xxx…
          422 value_invalid (external_id): external_id: must have 1 to 200 characters, none of them a control character
        ");
    }
}

story! {
    async fn updated_since_and_external_id_narrow_the_list(world) {
        let agent = world.agent("north").await;
        let other = world.agent("south").await;
        let (a, b, c) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        let theirs = other.list(4).await;
        let since = |seconds: i64| format!("?updated_since={}", BEGINNING + seconds);
        let ids = async |query: String| page(&agent, &query).await.0;
        assert_eq!(ids(since(0)).await, [a, b, c]);
        assert_eq!(ids(since(1)).await, [] as [i64; 0]);
        assert_eq!(ids("?updated_since=0".to_owned()).await, [a, b, c]);
        world.clock.advance(10);
        agent.patch(&format!("/listing/{b}"), json!({"price": 1})).await;
        assert_eq!(ids(since(1)).await, [b]);
        assert_eq!(ids(since(10)).await, [b]);
        assert_eq!(ids(since(11)).await, [] as [i64; 0]);
        world.clock.advance(10);
        agent.record(a, "sstc", "2026-11-20").await;
        // Those that changed first come first.
        assert_eq!(ids(since(10)).await, [b, a]);
        world.clock.advance(10);
        // A link is a change of both (S-7), whoever makes it.
        other.link(theirs, c).await;
        assert_eq!(ids(since(20)).await, [a, c]);
        assert_eq!(page(&agent, &since(20)).await.1, "2 15 1 1");
        let named = json!({"address_id": 1, "branch_id": agent.branch, "price": 1,
            "external_id": "N/7 ä"});
        let named = agent.post("/listing", named).await.json()["data"]["id"].as_i64().unwrap();
        assert_eq!(ids("?external_id=N%2F7%20%C3%A4".to_owned()).await, [named]);
        assert_eq!(ids("?external_id=n%2F7%20%C3%A4".to_owned()).await, [] as [i64; 0]);
        assert_eq!(ids("?external_id=N".to_owned()).await, [] as [i64; 0]);
        let theirs = json!({"address_id": 1, "branch_id": other.branch, "price": 1,
            "external_id": "S/1"});
        assert_eq!(other.post("/listing", theirs).await.status, 201);
        assert_eq!(ids("?external_id=S%2F1".to_owned()).await, [] as [i64; 0]);
    }
}

story! {
    async fn updated_at_follows_every_change(world) {
        let agent = world.agent("north").await;
        let (listing, seller) = (agent.list(1).await, agent.list(2).await);
        let path = format!("/listing/{listing}");
        let shortcut = |rest: &str| format!("/listing/chain/{listing}/{rest}");
        let updated = async || {
            let shown: Value = agent.attributes(listing).await;
            assert_eq!(shown["created_at"], BEGINNING);
            shown["updated_at"].as_i64().unwrap() - BEGINNING
        };
        assert_eq!(updated().await, 0);
        world.clock.advance(1);
        agent.patch(&path, json!({"is_locked": true})).await;
        assert_eq!(updated().await, 1);
        agent.patch(&path, json!({"is_locked": false})).await;
        world.clock.advance(1);
        agent.link(seller, listing).await;
        assert_eq!(updated().await, 2);
        world.clock.advance(1);
        // What is said of the chain's end is no change of the listing (S-7).
        agent.post_nothing(&shortcut("check/bottom")).await.assert_success();
        agent.post_nothing(&shortcut("uncheck/bottom")).await.assert_success();
        assert_eq!(updated().await, 2);
        world.clock.advance(1);
        world.clock.advance(1);
        agent.record(listing, "enquiries_opened", "2026-11-20").await;
        assert_eq!(updated().await, 5);
        world.clock.advance(1);
        agent.post_nothing(&format!("{path}/reopen-enquiries")).await.assert_success();
        assert_eq!(updated().await, 6);
        world.clock.advance(1);
        agent.delete(&format!("{path}/milestone/enquiries_opened")).await.assert_success();
        assert_eq!(updated().await, 7);
        world.clock.advance(1);
        let link = json!({"seller": seller, "buyer": listing});
        agent.post("/chain/remove/link", link).await.assert_success();
        assert_eq!(updated().await, 8);
        // Nothing new, nothing updated.
        world.clock.advance(1);
        agent.patch(&path, json!({"is_locked": false, "price": 250_000})).await;
        agent.post_nothing(&shortcut("uncheck/bottom")).await.assert_success();
        agent.delete(&format!("{path}/milestone/enquiries_opened")).await.assert_success();
        agent.post_nothing(&format!("{path}/reopen-enquiries")).await.assert_success();
        assert_eq!(updated().await, 8);
    }
}
