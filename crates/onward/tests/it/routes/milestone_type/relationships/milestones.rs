//! `GET /api/v1/milestone_type/{id}/relationships/milestones`: the caller's listings only.

use serde_json::{Value, json};

use crate::test_server::Client;
use crate::{sqlite_story, story};

async fn milestones(agent: &Client, query: &str) -> Value {
    let path = format!("/milestone_type/1/relationships/milestones{query}");
    let answer = agent.get(&path).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{body}");
    body
}

story! {
    async fn milestones_of_that_type_on_the_caller_s_listings(server) {
        let [north, south] = server.two_agents().await;
        let pages = |total: i64| json!({"pagination":
            {"total": total, "per_page": 15, "current_page": 1, "last_page": 1}});
        assert_eq!(milestones(&north, "").await, json!({"data": [], "meta": pages(0)}));
        let listings = [north.list(1).await, south.list(2).await, north.list(3).await,
            north.list(4).await, north.list(5).await];
        let [one, theirs, two, withdrawn, gone] = listings;
        for (agent, listing) in
            [(&north, one), (&south, theirs), (&north, two), (&north, withdrawn), (&north, gone)]
        {
            agent.record(listing, "sstc", "2026-11-20").await;
            agent.record(listing, "exchange", "2026-11-20").await;
        }
        north.link(theirs, one).await;
        north.delete(&format!("/listing/{withdrawn}/milestone/sstc")).await.assert_success();
        north.withdraw(gone).await;
        let mut alone = Vec::new();
        for listing in [one, two] {
            let body = north.get(&format!("/listing/{listing}/milestone/sstc")).await.json();
            alone.push(body["data"].clone());
        }
        assert_eq!(milestones(&north, "").await, json!({"data": alone, "meta": pages(2)}));
        assert_eq!(milestones(&south, "").await["meta"], pages(1));
        let both = server.agent_of("both", &[north.branch(), south.branch()]).await;
        assert_eq!(milestones(&both, "").await["meta"], pages(3));
        let nobody = server.agent_of("nobody", &[]).await;
        assert_eq!(milestones(&nobody, "").await, json!({"data": [], "meta": pages(0)}));
    }
}

story! {
    async fn they_are_paged(server) {
        let agent = server.agent("north").await;
        for listing in agent.list_each([1, 2, 3, 4]).await {
            agent.record(listing, "sstc", "2026-11-20").await;
        }
        let all = milestones(&agent, "").await["data"].as_array().unwrap().clone();
        assert_eq!(all.len(), 4);
        let body = milestones(&agent, "?per_page=3&page=2").await;
        assert_eq!(body, json!({"data": all[3..], "meta": {"pagination":
            {"total": 4, "per_page": 3, "current_page": 2, "last_page": 2}}}));
        assert_eq!(milestones(&agent, "?page=2").await["data"], json!([]));
    }
}

sqlite_story! {
    async fn unknown_types_do_not_exist(server) {
        let agent = server.agent("north").await;
        for id in ["4", "100", "112", "0", "-1", "sstc", "1.0", "9007199254740993"] {
            let path = format!("/milestone_type/{id}/relationships/milestones");
            let failure = agent.get(&path).await.failure();
            assert!(failure.starts_with("404 milestone_type_unknown: "), "{failure}");
        }
        for id in [1, 33, 101, 111] {
            let path = format!("/milestone_type/{id}/relationships/milestones");
            assert_eq!(agent.get(&path).await.status, 200, "{id}");
        }
    }
}
