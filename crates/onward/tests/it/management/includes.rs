//! The includes of `GET /api/v1/listing/{id}`: S-40, S-48, S-49 and document 2's shapes. The model
//! in `model/views.rs` compares every combination of them.

use serde_json::{Value, json};

use crate::test_server::{BEGINNING, Client};
use crate::{sqlite_story, story};

/// A listing with these includes.
async fn show(agent: &Client, listing: i64, includes: &str) -> Value {
    let answer = agent
        .get(&format!("/listing/{listing}?includes={includes}"))
        .await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{includes}: {body}");
    body
}

/// The listing's own resource under another type.
async fn resource(agent: &Client, listing: i64, kind: &str) -> Value {
    let mut resource = agent.get(&format!("/listing/{listing}")).await.json()["data"].take();
    resource["type"] = json!(kind);
    resource
}

fn reference(kind: &str, id: impl Into<Value>) -> Value {
    json!({"type": kind, "id": id.into()})
}

story! {
    async fn milestones_change_ids_and_attributes(server) {
        let (agent, listing) = server.agent_with_listing().await;
        // None is recorded yet.
        let body = show(&agent, listing, "milestones").await;
        assert_eq!((&body["included"], &body["data"]["id"]), (&json!([]), &json!(listing.to_string())));
        server.clock.advance(3);
        agent.record(listing, "sstc", "2026-11-20").await;
        server.clock.advance(3);
        agent.record(listing, "exchange", "2026-11-20").await;
        let mut milestones = Vec::new();
        for key in ["sstc", "exchange"] {
            let body = agent.get(&format!("/listing/{listing}/milestone/{key}")).await.json();
            milestones.push(body["data"].clone());
        }
        let body = show(&agent, listing, "milestones").await;
        let references = [0, 1].map(|index: usize| {
            reference("milestone", milestones[index]["id"].clone())
        });
        let mut own = resource(&agent, listing, "listing").await;
        own["id"] = json!(listing.to_string());
        own["relationships"] = json!({"milestones": {"data": references}});
        let attributes = own["attributes"].as_object_mut().unwrap();
        attributes.extend(json!({
            "deleted_at": null,
            "status_changedate": BEGINNING + 6,
            "date_last_received": BEGINNING + 6,
            "verified_as_property": 0,
            "branch_owner_id": 1,
            "branch_name": "branch north",
        }).as_object().unwrap().clone());
        assert_eq!(body, json!({"data": own, "included": milestones}));
    }
}

sqlite_story! {
    async fn unknown_includes_are_named(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for (includes, unknown) in [("x", "x"), ("buyer,x", "x"), ("Buyer", "Buyer"),
            ("buyers", "buyers"), ("buyer;seller", "buyer;seller"), ("%00", "\0"),
            ("milestone", "milestone"), ("chain-data", "chain-data"), ("listing", "listing")]
        {
            let answer = agent.get(&format!("/listing/{listing}?includes={includes}")).await;
            assert_eq!(answer.failure(), format!(
                "422 include_unknown (includes): `{unknown}` cannot be included; there are buyer, \
                 seller, chain_data, chained_listings, milestones"
            ));
        }
        // An empty name counts for nothing, and a name counts once.
        let plain = agent.get(&format!("/listing/{listing}")).await.json();
        for (includes, expected) in [("", plain.clone()), ("%20", plain),
            ("buyer,,%20chain_data,", show(&agent, listing, "buyer,chain_data").await),
            ("buyer,chain_data,buyer,chain_data", show(&agent, listing, "buyer,chain_data").await)]
        {
            assert_eq!(show(&agent, listing, includes).await, expected, "{includes}");
        }
    }
}
