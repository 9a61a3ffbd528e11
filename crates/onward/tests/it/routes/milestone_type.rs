//! `GET /api/v1/milestone_type`: the catalogue of milestones (S-50).

mod relationships;

use serde_json::{Value, json};

use crate::model::catalogue::KINDS;
use crate::story;

story! {
    async fn the_whole_catalogue(server) {
        let agent = server.agent("north").await;
        agent.record(agent.list(1).await, "sstc", "2026-11-20").await;
        let answer = agent.get("/milestone_type").await;
        assert_eq!(answer.status, 200);
        let mut body = answer.json();
        let data = body["data"].as_array_mut().unwrap();
        for entry in data.iter_mut() {
            // Times of the catalogue itself, the same at each call.
            let attributes = entry["attributes"].as_object_mut().unwrap();
            for name in ["created_at", "updated_at"] {
                assert!(attributes.remove(name).unwrap().is_i64(), "{name}");
            }
        }
        let expected: Vec<Value> = (1_i64..)
            .zip(&*KINDS)
            .map(|(sequence, kind)| json!({
                "id": kind.id.to_string(),
                "type": "milestone_type",
                "attributes": {
                    "deleted_at": null,
                    "name": kind.name,
                    "key": kind.key,
                    "sequence": sequence,
                    "is_default_workflow": kind.label.is_some(),
                    "is_checklist_enabled": kind.label.is_none(),
                },
            }))
            .collect();
        assert_eq!(body, json!({"data": expected}));
        let again = agent.get("/milestone_type").await.json();
        assert_eq!(again, answer.json());
    }
}
