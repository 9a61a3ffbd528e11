//! `GET /api/v1/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow`.

use serde_json::{Value, json};

use crate::story;
use crate::world::{Agent, Answer};

async fn workflow(agent: &Agent, group: &str, branch: i64, listing: i64) -> Answer {
    let path = format!("/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow");
    agent.get(&path).await
}

/// Each group with the keys of its types in the catalogue's order.
const GROUPS: [(&str, &str, &str); 6] = [
    (
        "1",
        "sstc",
        "property_listed sstc memo_of_sale_sent solicitors_instructed draft_contracts_prepared \
         contract_sent contract_received management_pack fall_through",
    ),
    (
        "2",
        "searches",
        "searches_ordered searches_expected la_search_delivered environmental_search_delivered \
         water_search_delivered",
    ),
    (
        "3",
        "funding",
        "cash_buyer funding_applied valuation_booked valuation_satisfactory buyers_survey \
         mortgage_offer_expected mortgage_offered",
    ),
    ("4", "enquiries", "enquiries_opened enquiries_closed"),
    ("5", "exchange", "proposed_exchange exchange"),
    (
        "6",
        "completion",
        "proposed_completion completion_date_set completion",
    ),
];

story! {
    async fn a_group_by_its_id_or_its_key(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        for (id, key, types) in GROUPS {
            let by_id = workflow(&agent, id, agent.branch, listing).await;
            assert_eq!(by_id.status, 200, "{key}");
            let body = by_id.json();
            let shown: Vec<&str> = body["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|entry| {
                    assert_eq!(entry["type"], "milestone_type");
                    assert_eq!(entry["relationships"], json!({"milestones": {"data": []}}));
                    entry["attributes"]["key"].as_str().unwrap()
                })
                .collect();
            assert_eq!(shown.join(" "), types, "{key}");
            assert_eq!(body["included"], json!([]), "{key}");
            assert_eq!(workflow(&agent, key, agent.branch, listing).await.json(), body);
        }
    }
}

story! {
    async fn each_type_with_the_listing_s_milestone_of_it(world) {
        let agent = world.agent("north").await;
        let (listing, other) = (agent.list(1).await, agent.list(2).await);
        agent.record(listing, "enquiries_opened", "2026-11-20").await;
        agent.record(listing, "sstc", "2026-11-20").await;
        agent.record(other, "enquiries_closed", "2026-11-20").await;
        let path = format!("/listing/{listing}/milestone/enquiries_opened");
        let milestone = agent.get(&path).await.json()["data"].clone();
        let mut types = agent.get("/milestone_type").await.json()["data"].take();
        let mut types: Vec<Value> = types.as_array_mut().unwrap().drain(20..22).collect();
        let related = json!([{"type": "milestone", "id": milestone["id"]}]);
        types[0]["relationships"] = json!({"milestones": {"data": related}});
        types[1]["relationships"] = json!({"milestones": {"data": []}});
        let body = workflow(&agent, "enquiries", agent.branch, listing).await.json();
        assert_eq!(body, json!({"data": types, "included": [milestone]}));
        agent.delete(&path).await.assert_success();
        let body = workflow(&agent, "enquiries", agent.branch, listing).await.json();
        assert_eq!(body["included"], json!([]));
        assert_eq!(body["data"][0]["relationships"], json!({"milestones": {"data": []}}));
    }
}

story! {
    async fn group_branch_and_listing_have_to_fit(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (ours, theirs) = (north.list(1).await, south.list(2).await);
        for group in ["0", "7", "SSTC", "-1", "milestones", "%00", "99999999999999999999"] {
            let failure = workflow(&north, group, north.branch, ours).await.failure();
            assert!(failure.starts_with("404 milestone_group_unknown: "), "{group}: {failure}");
        }
        let failure = workflow(&north, "sstc", 999, ours).await.failure();
        assert!(failure.starts_with("404 branch_unknown: "), "{failure}");
        assert_eq!(
            workflow(&north, "sstc", north.branch, 999).await.failure(),
            "404 listing_unknown: listing 999 does not exist"
        );
        let failure = workflow(&north, "sstc", north.branch, theirs).await.failure();
        assert!(failure.starts_with("403 not_your_branch: "), "{failure}");
        let failure = workflow(&north, "sstc", south.branch, theirs).await.failure();
        assert!(failure.starts_with("403 not_your_branch: "), "{failure}");
        let failure = workflow(&north, "sstc", south.branch, ours).await.failure();
        assert!(failure.starts_with("403 not_your_branch: "), "{failure}");
        // Both branches are the caller's, but the listing is in the other one.
        let both = world.agent_of("both", &[north.branch, south.branch]).await;
        assert_eq!(workflow(&both, "sstc", south.branch, theirs).await.status, 200);
        let failure = workflow(&both, "sstc", south.branch, ours).await.failure();
        assert!(failure.starts_with("404 listing_unknown: "), "{failure}");
        north.delete(&format!("/listing/{ours}")).await.assert_success();
        assert_eq!(
            workflow(&north, "sstc", north.branch, ours).await.failure(),
            format!("404 listing_unknown: listing {ours} does not exist")
        );
    }
}
