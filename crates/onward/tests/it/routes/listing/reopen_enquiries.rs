//! `POST /api/v1/listing/{id}/reopen-enquiries`: S-11, S-38, S-52.

use http::Method;
use serde_json::{Value, json};

use crate::management::NOVEMBER_20;
use crate::story;
use crate::test_server::{BEGINNING, Client, send};

fn path(listing: i64) -> String {
    format!("/listing/{listing}/reopen-enquiries")
}

async fn milestone(agent: &Client, listing: i64, key: &str) -> Value {
    let answer = agent
        .get(&format!("/listing/{listing}/milestone/{key}"))
        .await;
    assert_eq!(answer.status, 200, "{key}");
    answer.json()["data"]["attributes"].clone()
}

story! {
    async fn closed_is_withdrawn_and_opened_loses_its_date(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let lender = server.lender().await;
        for key in ["sstc", "enquiries_opened", "enquiries_closed"] {
            agent.record(listing, key, "2026-11-20").await;
        }
        let events = server.event_lines().await;
        assert_eq!(events.len(), 3);
        server.clock.advance(60);
        agent.post_nothing(&path(listing)).await.assert_success();
        let closed = agent.get(&format!("/listing/{listing}/milestone/enquiries_closed")).await;
        assert_eq!(closed.status, 204);
        let opened = milestone(&agent, listing, "enquiries_opened").await;
        assert_eq!(opened["completed_at"], Value::Null);
        assert_eq!(opened["deleted_at"], Value::Null);
        assert_eq!(opened["updated_at"], BEGINNING + 60);
        // Nothing else changes, and no event follows (S-38).
        assert_eq!(milestone(&agent, listing, "sstc").await["completed_at"], NOVEMBER_20);
        assert_eq!(server.event_lines().await, events);
        let shown = lender.shown_property(1).await["milestones"].clone();
        assert_eq!(shown["enquiries"], json!({"started": null, "completed": null}));
        assert_eq!(shown["soldSubjectToContract"], json!({"completed": "2026-11-20"}));
        let history = agent.history_lines(listing).await;
        assert!(history.last().unwrap().starts_with("enquiries.reopened "), "{history:?}");
        assert_eq!(history.len(), 5, "{history:?}");
        // Opened again on the same day: one event more.
        let again = agent.record(listing, "enquiries_opened", "2026-11-20").await;
        assert_eq!(again.json()["data"]["attributes"]["completed_at"], NOVEMBER_20);
        assert_eq!(server.event_lines().await.len(), 4);
        assert_eq!(
            lender.shown_property(1).await["milestones"]["enquiries"],
            json!({"started": "2026-11-20", "completed": null})
        );
    }
}

story! {
    async fn a_body_has_no_members(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let milestone = format!("/listing/{listing}/milestone/sstc");
        let withdrawn = format!("/listing/{listing}");
        for (method, path) in [
            (Method::POST, path(listing)), (Method::DELETE, milestone), (Method::DELETE, withdrawn),
        ] {
            let body = json!({"nonsense": 1});
            let refused = send(agent.request(method.clone(), &path).json(&body)).await;
            assert_eq!(refused.status, 422, "{path}");
            assert!(refused.failure().contains("nonsense"), "{}", refused.failure());
        }
        let empty = send(agent.request(Method::POST, &path(listing)).json(&json!({}))).await;
        empty.assert_success();
    }
}
