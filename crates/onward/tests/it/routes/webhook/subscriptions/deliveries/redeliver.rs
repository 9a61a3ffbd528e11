//! `POST …/webhook/subscriptions/{id}/deliveries/{deliveryId}/redeliver`.

use serde_json::json;

use crate::story;
use crate::test_server::Reply;

story! {
    async fn a_delivery_is_made_again_whatever_became_of_it(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        let delivery = server.wait_for_state(&key, &subscription, "delivered").await;
        let id = delivery["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        server.clock.advance(1);
        let answer = server.webhook(&key, ("POST", &path), None).await;
        let said = json!({"deliveryId": id, "status": "waiting"});
        assert_eq!((answer.status, answer.json()), (202, said));
        let arrived = receiver.wait_for(2).await;
        let keys = server.key_set().await;
        let ((first, _), (second, _)) = (arrived[0].verify(&keys), arrived[1].verify(&keys));
        assert_eq!(first["eventId"], second["eventId"]);
        assert_eq!(first["data"], second["data"]);
        // S-35: every attempt carries a fresh JWT.
        assert_eq!(second["iat"].as_i64(), first["iat"].as_i64().map(|iat| iat + 1));
        server.wait_until("both attempts are in the log", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.len() == 1 && log[0]["attempts"].as_array().unwrap().len() == 2
        }).await;
        // What failed and waits goes out at once.
        receiver.answer([Reply::status(500)]);
        agent.record(listing, "sstc", "2026-11-21").await;
        let waiting = server.wait_for_attempts(&key, &subscription, 1).await;
        let id = waiting["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 202);
        receiver.wait_for(4).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
    }
}

story! {
    async fn it_needs_an_active_subscription_and_a_delivery_of_it(server) {
        let (receiver, second) = (server.receiver().await, server.receiver().await);
        let key = server.api_key("Example Lender").await;
        let subscription = server.subscribe(&key, &receiver).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body.clone()).await;
        let delivery = server.wait_for_state(&key, &subscription, "delivered").await;
        let id = delivery["deliveryId"].as_str().unwrap();
        let after = format!("/deliveries/{id}/redeliver");
        let path = format!("/subscriptions/{subscription}{after}");
        let said = "404 not-found: The subscription has no such delivery.";
        // Another subscription of the same key is not asked for it either.
        let other = server.subscribe(&key, &second).await;
        let foreign = format!("/subscriptions/{other}{after}");
        let answer = server.webhook(&key, ("POST", &foreign), None).await;
        assert_eq!(answer.problem(), said);
        for unknown in ["0", "999999", "-1", "x", "99999999999999999999", "%00", "1.0"] {
            let path = format!("/subscriptions/{subscription}/deliveries/{unknown}/redeliver");
            let answer = server.webhook(&key, ("POST", &path), None).await;
            assert_eq!(answer.problem(), said, "{unknown}");
        }
        assert_eq!(receiver.received().len(), 1);
        receiver.answer([Reply::status(410)]);
        server.post_webhook(&key, "/simulate", body).await;
        server.wait_until_disabled(&key, &subscription).await;
        let answer = server.webhook(&key, ("POST", &path), None).await;
        let said = "409 conflict: The subscription is disabled. Enable it first.";
        assert_eq!(answer.problem(), said);
    }
}
