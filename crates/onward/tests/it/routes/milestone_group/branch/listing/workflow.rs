//! `GET /api/v1/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow`.

use serde_json::json;

use crate::model::catalogue::{GROUPS, KINDS};
use crate::story;
use crate::test_server::{Answer, Client};

async fn workflow(agent: &Client, group: &str, branch: i64, listing: i64) -> Answer {
    let path = format!("/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow");
    agent.get(&path).await
}

story! {
    async fn a_group_by_its_id_or_its_key(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for (id, key) in (1..).zip(GROUPS) {
            let by_id = workflow(&agent, &i32::to_string(&id), agent.branch(), listing).await;
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
            let kinds = KINDS.iter().filter(|kind| kind.group == key);
            assert_eq!(shown, kinds.map(|kind| kind.key).collect::<Vec<_>>(), "{key}");
            assert_eq!(body["included"], json!([]), "{key}");
            assert_eq!(workflow(&agent, key, agent.branch(), listing).await.json(), body);
        }
    }
}

story! {
    async fn group_branch_and_listing_have_to_fit(server) {
        let [north, south] = server.two_agents().await;
        let (ours, theirs) = (north.list(1).await, south.list(2).await);
        for group in ["0", "7", "SSTC", "-1", "milestones", "%00", "99999999999999999999"] {
            let answer = workflow(&north, group, north.branch(), ours).await;
            assert_eq!(answer.code(), "404 milestone_group_unknown", "{group}");
        }
        let both = server.agent_of("both", &[north.branch(), south.branch()]).await;
        let gone = north.list(3).await;
        north.withdraw(gone).await;
        for (agent, branch, listing, expected) in [
            (&north, 999, ours, "404 branch_unknown"),
            (&north, north.branch(), 999, "404 listing_unknown"),
            (&north, north.branch(), gone, "404 listing_unknown"),
            (&north, north.branch(), theirs, "403 not_your_branch"),
            (&north, south.branch(), theirs, "403 not_your_branch"),
            (&north, south.branch(), ours, "403 not_your_branch"),
            // Both branches are the caller's, but the listing is in the other one.
            (&both, south.branch(), ours, "404 listing_unknown"),
        ] {
            let answer = workflow(agent, "sstc", branch, listing).await;
            assert_eq!(answer.code(), expected, "{branch} {listing}");
        }
        assert_eq!(workflow(&both, "sstc", south.branch(), theirs).await.status, 200);
    }
}
