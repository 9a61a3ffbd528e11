//! `GET /api/v1/milestone_group`: spec/4-milestones.md.

mod branch;

use serde_json::{Value, json};

use crate::story;

story! {
    async fn six_groups_in_their_order(world) {
        let agent = world.agent("north").await;
        let answer = agent.get("/milestone_group").await;
        let groups: Vec<Value> = answer.json()["data"].as_array().unwrap().clone();
        let keys = ["sstc", "searches", "funding", "enquiries", "exchange", "completion"];
        assert_eq!((answer.status, groups.len()), (200, keys.len()));
        for ((number, key), group) in (1..).zip(keys).zip(&groups) {
            let name = group["attributes"]["name"].clone();
            assert!(!name.as_str().unwrap().is_empty());
            assert_eq!(group, &json!({
                "id": number.to_string(),
                "type": "milestone_group",
                "attributes": {"key": key, "name": name, "sequence": number},
            }));
        }
        assert_eq!(answer.json(), json!({"data": groups}));
    }
}
