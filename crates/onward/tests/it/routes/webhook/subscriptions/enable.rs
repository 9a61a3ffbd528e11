//! `POST /api/v1/webhook/subscriptions/{id}/enable`.

use serde_json::json;

use crate::story;
use crate::test_server::Reply;

story! {
    async fn pending_deliveries_go_out_and_missed_events_can_be_replayed(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(500), Reply::status(410)]);
        let agent = server.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        agent.record(one, "sstc", "2026-11-20").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        agent.record(two, "sstc", "2026-11-20").await;
        server.wait_until_disabled(&key, &subscription).await;
        let shown = server.subscription(&key, &subscription).await;
        assert_eq!(shown["disabledAt"], "2026-11-21T10:00:00Z");
        agent.record(one, "exchange", "2026-11-21").await;
        server.clock.advance(3600);
        let path = format!("/subscriptions/{subscription}/enable");
        let enabled = server.webhook(&key, ("POST", &path), None).await;
        assert_eq!(enabled.status, 200);
        assert_eq!(enabled.json(), json!({
            "subscriptionId": subscription, "participantName": "Example Lender",
            "callbackUrl": receiver.url, "events": ["milestone.updated", "fallthrough"],
            "status": "active", "createdAt": "2026-11-21T10:00:00Z",
            "updatedAt": "2026-11-21T11:00:00Z",
        }));
        let arrived = receiver.wait_for(4).await;
        let mut resumed = Vec::new();
        for request in &arrived[2..] {
            assert_eq!(request.header("webhook-attempt"), "2");
            resumed.push(request.claims()["uprn"].as_str().unwrap().to_owned());
        }
        resumed.sort();
        assert_eq!(resumed, ["1", "2"]);
        server.wait_until("both are delivered", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        let path = format!("/subscriptions/{subscription}/replay");
        let body = json!({"since": "2026-11-21T10:00:00Z"});
        let replayed = server.post_webhook(&key, &path, body).await;
        assert_eq!(replayed.json(), json!({"deliveries": 3}));
        let arrived = receiver.wait_for(7).await;
        let missed = arrived[4..].iter().filter(|request| {
            request.claims()["data"]["milestone"]["label"] == "Exchange"
        });
        assert_eq!(missed.count(), 1);
    }
}

story! {
    async fn an_active_one_stays_as_it_is(server) {
        let (_receiver, key, subscription) = server.subscriber().await;
        let before = server.subscription(&key, &subscription).await;
        server.clock.advance(60);
        let path = format!("/subscriptions/{subscription}/enable");
        for _time in 0..2 {
            let enabled = server.webhook(&key, ("POST", &path), None).await;
            assert_eq!((enabled.status, enabled.json()), (200, before.clone()));
        }
    }
}

story! {
    async fn subscribing_again_enables_too(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(410)]);
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body).await;
        server.wait_until_disabled(&key, &subscription).await;
        server.clock.advance(60);
        assert_eq!(server.subscribe(&key, &receiver).await, subscription);
        assert_eq!(server.status_of(&key, &subscription).await, "active");
        server.wait_for_state(&key, &subscription, "delivered").await;
    }
}
