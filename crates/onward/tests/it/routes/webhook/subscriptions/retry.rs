//! `POST /api/v1/webhook/subscriptions/{id}/retry`.

use serde_json::{Value, json};

use crate::story;
use crate::test_server::Reply;

story! {
    async fn all_that_waits_goes_out_at_once_and_the_pause_ends(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer_always(Reply::status(500));
        for uprn in 1..=5 {
            let body = json!({"eventType": "fallthrough", "uprn": uprn.to_string()});
            server.post_webhook(&key, "/simulate", body).await;
        }
        receiver.wait_for(5).await;
        server.wait_until("the lane pauses", async || {
            server.subscription(&key, &subscription).await["pausedUntil"].is_string()
        }).await;
        let paused = server.subscription(&key, &subscription).await;
        assert_eq!(paused["failures"], 5);
        assert_eq!(paused["status"], "active");
        assert_eq!(paused["pausedUntil"], "2026-11-21T10:00:15Z");
        for delivery in server.deliveries(&key, &subscription).await {
            assert!(delivery["nextAttemptAt"].as_str().unwrap() >= "2026-11-21T10:00:15");
        }

        receiver.answer_always(Reply::status(200));
        let path = format!("/subscriptions/{subscription}/retry");
        let resumed = server.webhook(&key, ("POST", &path), None).await;
        assert_eq!(resumed.status, 200);
        assert_eq!(resumed.json()["pausedUntil"], Value::Null);
        assert_eq!(resumed.json()["failures"], 5);
        let arrived = receiver.wait_for(10).await;
        assert!(arrived[5..].iter().all(|request| request.header("webhook-attempt") == "2"));
        server.wait_until("all are delivered", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        server.wait_until("the failures are forgotten", async || {
            server.subscription(&key, &subscription).await.get("failures").is_none()
        }).await;
    }
}

story! {
    async fn a_disabled_one_must_be_enabled_instead(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(410)]);
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body).await;
        server.wait_until_disabled(&key, &subscription).await;
        let path = format!("/subscriptions/{subscription}/retry");
        let refused = server.webhook(&key, ("POST", &path), None).await;
        let said = "409 conflict: The subscription is disabled. Enable it first.";
        assert_eq!(refused.problem(), said);
        let other = server.api_key("Other Ltd").await;
        let refused = server.webhook(&other, ("POST", &path), None).await;
        let said = "404 not-found: There is no such subscription of yours.";
        assert_eq!(refused.problem(), said);
    }
}
