//! `GET /api/v1/listing/{id}/history`.

use serde_json::json;

use crate::story;
use crate::test_server::{BEGINNING, Client};

fn path(listing: i64) -> String {
    format!("/listing/{listing}/history")
}

story! {
    async fn an_entry_says_what_when_and_by_whom(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let chain = agent.chain_of(listing).await;
        server.clock.advance(7);
        agent.mark(listing, "check/top").await;
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
    async fn each_action_leaves_a_line(server) {
        let agent = server.agent("north").await;
        let [listing, seller] = agent.list_each([1, 2]).await;
        let own = format!("/listing/{listing}");
        agent.patch(&own, json!({"price": 5, "is_locked": false})).await;
        agent.link(seller, listing).await;
        agent.mark(listing, "check/bottom").await;
        agent.mark(listing, "uncheck/bottom").await;
        agent.unlink(seller, listing).await.assert_success();
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

/// The actions on a page.
async fn actions(agent: &Client, listing: i64, query: &str) -> Vec<String> {
    let (_, entries) = agent.get(&format!("{}{query}", path(listing))).await.page();
    let named = entries
        .iter()
        .map(|entry| entry["attributes"]["action"].as_str().unwrap());
    named.map(str::to_owned).collect()
}

story! {
    async fn the_oldest_comes_first_and_pages_follow(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for price in 1..=16 {
            agent.patch(&format!("/listing/{listing}"), json!({"price": price})).await;
        }
        let first = actions(&agent, listing, "").await;
        assert_eq!((first.len(), first[0].as_str()), (15, "listing.created"));
        assert_eq!(actions(&agent, listing, "?page=2").await, ["listing.updated"; 2]);
        assert_eq!(actions(&agent, listing, "?page=3").await, [""; 0]);
        assert_eq!(actions(&agent, listing, "?per_page=1").await, ["listing.created"]);
        assert_eq!(actions(&agent, listing, "?per_page=100").await.len(), 17);
        let page = agent.get(&format!("{}?per_page=8&page=3", path(listing))).await.page();
        assert_eq!(page.0, "17 8 3 3");
    }
}

story! {
    async fn a_withdrawn_listing_keeps_its_history_for_its_own_branch(server) {
        let [north, south] = server.two_agents().await;
        let listing = north.list(1).await;
        north.withdraw(listing).await;
        assert_eq!(actions(&north, listing, "").await, ["listing.created", "listing.withdrawn"]);
        // To others it does not exist any more.
        let failure = south.get(&path(listing)).await.failure();
        assert_eq!(failure, format!("404 listing_unknown: listing {listing} does not exist"));
    }
}
