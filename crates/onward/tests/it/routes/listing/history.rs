//! `GET /api/v1/listing/{id}/history`.

use serde_json::json;

use crate::story;
use crate::world::{Agent, BEGINNING};

fn path(listing: i64) -> String {
    format!("/listing/{listing}/history")
}

story! {
    async fn an_entry_says_what_when_and_by_whom(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let chain = agent.chain_of(listing).await;
        world.clock.advance(7);
        agent.post_nothing(&format!("/listing/chain/{listing}/check/top")).await.assert_success();
        let answer = agent.get(&path(listing)).await;
        assert_eq!(answer.status, 200);
        let entry = |id: &str, action: &str, seconds: i64, detail: serde_json::Value| json!({
            "id": id,
            "type": "history_entry",
            "attributes": {
                "action": action,
                "at": BEGINNING + seconds,
                "by": "north Ltd",
                "chain_link_id": chain,
                "detail": detail,
            },
        });
        assert_eq!(answer.json(), json!({
            "data": [
                entry("1", "listing.created", 0, json!({"address_id": 1, "price": 250_000})),
                entry("2", "end.checked", 7, json!({"end": "top", "reason": "Checked"})),
            ],
            "meta": {"pagination":
                {"total": 2, "per_page": 15, "current_page": 1, "last_page": 1}},
        }));
    }
}

story! {
    async fn each_action_leaves_a_line(world) {
        let agent = world.agent("north").await;
        let (listing, seller) = (agent.list(1).await, agent.list(2).await);
        let own = format!("/listing/{listing}");
        let shortcut = |rest: &str| format!("/listing/chain/{listing}/{rest}");
        agent.patch(&own, json!({"price": 5, "is_locked": false})).await;
        agent.link(seller, listing).await;
        agent.post_nothing(&shortcut("check/bottom")).await.assert_success();
        agent.post_nothing(&shortcut("uncheck/bottom")).await.assert_success();
        let link = json!({"seller": seller, "buyer": listing});
        agent.post("/chain/remove/link", link).await.assert_success();
        agent.record(listing, "enquiries_opened", "2026-11-20").await;
        agent.post_nothing(&format!("{own}/reopen-enquiries")).await.assert_success();
        agent.delete(&format!("{own}/milestone/enquiries_opened")).await.assert_success();
        agent.delete(&own).await.assert_success();
        assert_shown!(agent.history_lines(listing).await.join("\n"), @r#"
        listing.created {"address_id":1,"price":250000}
        listing.updated {"price":5}
        link.added {"buyer":1,"seller":2}
        end.checked {"end":"bottom","reason":"Checked"}
        end.unchecked {"end":"bottom","reason":"Unspecified"}
        link.broken {"buyer":1,"seller":2}
        milestone.recorded {"date":"2026-11-20","excluded":false,"key":"enquiries_opened","origin":1}
        enquiries.reopened {}
        milestone.withdrawn {"key":"enquiries_opened"}
        listing.withdrawn {"id":1}
        "#);
    }
}

story! {
    async fn both_listings_of_a_link_have_its_lines_and_ids_only(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (seller, buyer) = (south.list(1).await, north.list(2).await);
        north.link(seller, buyer).await;
        let link = json!({"seller": seller, "buyer": buyer});
        south.post("/chain/remove/link", link.clone()).await.assert_success();
        for (agent, listing) in [(&south, seller), (&north, buyer)] {
            let body = agent.get(&path(listing)).await.json();
            let shown: Vec<String> = body["data"].as_array().unwrap()[1..]
                .iter()
                .map(|entry| {
                    assert_eq!(entry["attributes"]["detail"], link);
                    let attributes = &entry["attributes"];
                    format!("{} by {}", attributes["action"], attributes["by"])
                })
                .collect();
            // Whoever made the change, not whose listing it is.
            assert_eq!(shown, [
                "\"link.added\" by \"north Ltd\"",
                "\"link.broken\" by \"south Ltd\"",
            ]);
        }
    }
}

/// The actions on a page.
async fn actions(agent: &Agent, listing: i64, query: &str) -> Vec<String> {
    let answer = agent.get(&format!("{}{query}", path(listing))).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{query}: {body}");
    let entries = body["data"].as_array().unwrap().iter();
    let named = entries.map(|entry| entry["attributes"]["action"].as_str().unwrap().to_owned());
    named.collect()
}

story! {
    async fn the_oldest_comes_first_and_pages_follow(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for price in 1..=16 {
            agent.patch(&format!("/listing/{listing}"), json!({"price": price})).await;
        }
        let first = actions(&agent, listing, "").await;
        assert_eq!((first.len(), first[0].as_str()), (15, "listing.created"));
        assert_eq!(actions(&agent, listing, "?page=2").await, ["listing.updated"; 2]);
        assert_eq!(actions(&agent, listing, "?page=3").await, [""; 0]);
        assert_eq!(actions(&agent, listing, "?per_page=1").await, ["listing.created"]);
        assert_eq!(actions(&agent, listing, "?per_page=100").await.len(), 17);
        let body = agent.get(&format!("{}?per_page=8&page=3", path(listing))).await.json();
        assert_eq!(body["meta"], json!({"pagination":
            {"total": 17, "per_page": 8, "current_page": 3, "last_page": 3}}));
        for query in ["?page=0", "?page=x", "?per_page=0", "?per_page=101"] {
            let failure = agent.get(&format!("{}{query}", path(listing))).await.failure();
            let field = query.split(['?', '=']).nth(1).unwrap();
            let expected = format!("422 value_invalid ({field}): ");
            assert!(failure.starts_with(&expected), "{query}: {failure}");
        }
    }
}

story! {
    async fn a_withdrawn_listing_keeps_its_history_for_its_own_branch(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let listing = north.list(1).await;
        north.delete(&format!("/listing/{listing}")).await.assert_success();
        assert_eq!(actions(&north, listing, "").await, ["listing.created", "listing.withdrawn"]);
        // To others it does not exist any more.
        let failure = south.get(&path(listing)).await.failure();
        assert_eq!(failure, format!("404 listing_unknown: listing {listing} does not exist"));
    }
}

story! {
    async fn refused_like_the_listing_itself(world) {
        let north = world.agent("north").await;
        let theirs = world.agent("south").await.list(1).await;
        let ours = north.list(2).await;
        north.link(theirs, ours).await;
        assert_eq!(
            north.get(&path(theirs)).await.failure(),
            format!("403 not_your_branch: listing {theirs} does not belong to one of your branches")
        );
        let unknown = "404 listing_unknown: listing 999 does not exist";
        assert_eq!(north.get(&path(999)).await.failure(), unknown);
    }
}
