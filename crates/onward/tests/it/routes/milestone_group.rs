//! `GET /api/v1/milestone_group`: the six groups of the catalogue.

mod branch;

use serde_json::{Value, json};

use crate::model::catalogue::GROUPS;
use crate::sqlite_story;

sqlite_story! {
    async fn six_groups_in_their_order(server) {
        let agent = server.agent("north").await;
        let answer = agent.get("/milestone_group").await;
        let groups: Vec<Value> = answer.json()["data"].as_array().unwrap().clone();
        assert_eq!((answer.status, groups.len()), (200, GROUPS.len()));
        for ((number, key), group) in (1_i64..).zip(GROUPS).zip(&groups) {
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
