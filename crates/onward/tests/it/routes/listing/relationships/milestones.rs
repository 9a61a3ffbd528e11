//! `GET /api/v1/listing/{id}/relationships/milestones`.

use serde_json::{Value, json};

use crate::story;

fn path(listing: i64) -> String {
    format!("/listing/{listing}/relationships/milestones")
}

story! {
    async fn each_recorded_milestone_as_its_own_address_shows_it(server) {
        let agent = server.agent("north").await;
        let [listing, other] = agent.list_each([1, 2]).await;
        let none = agent.get(&path(listing)).await;
        assert_eq!((none.status, none.json()), (200, json!({"data": []})));
        // Not in the catalogue's order.
        for key in ["exchange", "sstc", "memo_of_sale_sent", "proposed_completion"] {
            agent.record(listing, key, "2026-11-20").await;
        }
        agent.record(other, "searches_ordered", "2026-11-20").await;
        agent.delete(&format!("/listing/{listing}/milestone/exchange")).await.assert_success();
        let mut alone = Vec::new();
        for key in ["sstc", "memo_of_sale_sent", "proposed_completion"] {
            let body = agent.get(&format!("/listing/{listing}/milestone/{key}")).await.json();
            alone.push(body["data"].clone());
        }
        // In the catalogue's order.
        assert_eq!(agent.get(&path(listing)).await.json(), json!({"data": alone}));
        let types = alone.iter().map(|milestone| milestone["attributes"]["milestone_type_id"].clone());
        assert_eq!(types.collect::<Vec<Value>>(), [1, 26, 6]);
    }
}
