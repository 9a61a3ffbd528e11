//! `POST /api/v1/webhook/subscriptions/{id}/enable`.

use serde_json::json;

use crate::routes::webhook::{subscriber, wait_until_disabled};
use crate::story;
use crate::world::Reply;

story! {
    async fn pending_deliveries_go_out_and_missed_events_can_be_replayed(world) {
        let (receiver, key, subscription) = subscriber(&world).await;
        receiver.answer([Reply::status(500), Reply::status(410)]);
        let agent = world.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        agent.record(one, "sstc", "2026-11-20").await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        agent.record(two, "sstc", "2026-11-20").await;
        wait_until_disabled(&world, &key, &subscription).await;
        let shown = world.subscription(&key, &subscription).await;
        assert_eq!(shown["disabledAt"], "2026-11-21T10:00:00Z");
        agent.record(one, "exchange", "2026-11-21").await;
        world.clock.advance(3600);
        let path = format!("/subscriptions/{subscription}/enable");
        let enabled = world.webhook(&key, ("POST", &path), None).await;
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
        world.wait_until("both are delivered", async || {
            let log = world.deliveries(&key, &subscription).await;
            log.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        let path = format!("/subscriptions/{subscription}/replay");
        let body = json!({"since": "2026-11-21T10:00:00Z"});
        let replayed = world.post_webhook(&key, &path, body).await;
        assert_eq!(replayed.json(), json!({"deliveries": 3}));
        let arrived = receiver.wait_for(7).await;
        let missed = arrived[4..].iter().filter(|request| {
            request.claims()["data"]["milestone"]["label"] == "Exchange"
        });
        assert_eq!(missed.count(), 1);
    }
}

story! {
    async fn an_active_one_stays_as_it_is(world) {
        let (_receiver, key, subscription) = subscriber(&world).await;
        let before = world.subscription(&key, &subscription).await;
        world.clock.advance(60);
        let path = format!("/subscriptions/{subscription}/enable");
        for _time in 0..2 {
            let enabled = world.webhook(&key, ("POST", &path), None).await;
            assert_eq!((enabled.status, enabled.json()), (200, before.clone()));
        }
    }
}

story! {
    async fn subscribing_again_enables_too(world) {
        let (receiver, key, subscription) = subscriber(&world).await;
        receiver.answer([Reply::status(410)]);
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        world.post_webhook(&key, "/simulate", body).await;
        wait_until_disabled(&world, &key, &subscription).await;
        world.clock.advance(60);
        assert_eq!(world.subscribe(&key, &receiver).await, subscription);
        assert_eq!(world.status_of(&key, &subscription).await, "active");
        world.wait_for_state(&key, &subscription, "delivered").await;
    }
}
