//! `GET /api/v1/listing/{id}/relationships/milestones`.

use serde_json::{Value, json};

use crate::story;

fn path(listing: i64) -> String {
    format!("/listing/{listing}/relationships/milestones")
}

story! {
    async fn each_recorded_milestone_as_its_own_address_shows_it(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let other = agent.list(2).await;
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
        let gone = north.list(3).await;
        north.record(gone, "sstc", "2026-11-20").await;
        north.delete(&format!("/listing/{gone}")).await.assert_success();
        let unknown = format!("404 listing_unknown: listing {gone} does not exist");
        assert_eq!(north.get(&path(gone)).await.failure(), unknown);
    }
}
