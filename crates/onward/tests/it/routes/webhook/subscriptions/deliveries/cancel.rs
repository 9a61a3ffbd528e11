//! `POST …/webhook/subscriptions/{id}/deliveries/{deliveryId}/cancel`.

use serde_json::json;

use crate::story;
use crate::test_server::Reply;

/// Longer than the whole schedule of a delivery.
const SCHEDULE_SECONDS: i64 = 3 * 86_400;

story! {
    async fn a_pending_delivery_ends_and_can_be_sent_again(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer_always(Reply::status(500));
        server.simulate(&key, "fallthrough", 5).await;
        let waiting = server.wait_for_attempts(&key, &subscription, 1).await;
        let id = waiting["deliveryId"].as_str().unwrap();
        let path = |call: &str| format!("/subscriptions/{subscription}/deliveries/{id}/{call}");
        let said = json!({"deliveryId": id, "status": "cancelled"});
        let ended = server.now();
        // Once more changes nothing.
        for _time in 0..2 {
            let answer = server.webhook(&key, ("POST", &path("cancel")), None).await;
            assert_eq!((answer.status, answer.json()), (200, said.clone()));
            let log = server.deliveries(&key, &subscription).await;
            assert_eq!((log.len(), &log[0]["status"]), (1, &json!("cancelled")));
            let at = log[0]["endedAt"].as_str().unwrap();
            assert_eq!(at.parse::<jiff::Timestamp>().unwrap().as_second(), ended);
            assert!(log[0].get("nextAttemptAt").is_none(), "{}", log[0]);
            assert_eq!(log[0]["attempts"].as_array().unwrap().len(), 1);
            server.clock.advance(1);
        }
        // It is not tried again, and a later event of the same property does not wait for it.
        server.clock.advance(SCHEDULE_SECONDS);
        receiver.answer_always(Reply::status(200));
        server.simulate(&key, "fallthrough", 5).await;
        receiver.wait_for(2).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        let log = server.deliveries(&key, &subscription).await;
        assert_eq!(log[1]["attempts"].as_array().unwrap().len(), 1);
        let again = server.webhook(&key, ("POST", &path("redeliver")), None).await;
        assert_eq!(again.status, 202);
        let arrived = receiver.wait_for(3).await;
        assert_eq!(arrived[0].claims()["eventId"], arrived[2].claims()["eventId"]);
        server.wait_until("it is delivered", async || {
            server.deliveries(&key, &subscription).await[1]["status"] == "delivered"
        }).await;
        let answer = server.webhook(&key, ("POST", &path("cancel")), None).await;
        let said = "409 conflict: The delivery has ended already. Only a pending delivery can be cancelled.";
        assert_eq!(answer.problem(), said);
    }
}

story! {
    async fn a_disabled_subscription_can_give_up_what_waits(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(410)]);
        server.simulate(&key, "fallthrough", 5).await;
        server.wait_until_disabled(&key, &subscription).await;
        let log = server.deliveries(&key, &subscription).await;
        assert_eq!(log[0]["status"], "waiting", "{}", log[0]);
        let id = log[0]["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/cancel");
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 200);
        let enable = format!("/subscriptions/{subscription}/enable");
        assert_eq!(server.webhook(&key, ("POST", &enable), None).await.status, 200);
        server.simulate(&key, "fallthrough", 5).await;
        receiver.wait_for(2).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        assert_eq!(receiver.received().len(), 2);
    }
}

story! {
    async fn only_a_delivery_of_an_own_subscription_is_known(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let (_theirs, their_key, their_id) = server.subscriber().await;
        receiver.answer_always(Reply::status(500));
        server.simulate(&key, "fallthrough", 5).await;
        let waiting = server.wait_for_attempts(&key, &subscription, 1).await;
        let id = waiting["deliveryId"].as_str().unwrap();
        let said = "404 not-found: The subscription has no such delivery.";
        for unknown in ["0", "999999", "-1", "x", "99999999999999999999", "%00", "1.0"] {
            let path = format!("/subscriptions/{subscription}/deliveries/{unknown}/cancel");
            let answer = server.webhook(&key, ("POST", &path), None).await;
            assert_eq!(answer.problem(), said, "{unknown}");
        }
        let path = format!("/subscriptions/{their_id}/deliveries/{id}/cancel");
        let answer = server.webhook(&their_key, ("POST", &path), None).await;
        assert_eq!(answer.problem(), said);
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/cancel");
        let answer = server.webhook(&their_key, ("POST", &path), None).await;
        assert_eq!(answer.status, 404);
        let log = server.deliveries(&key, &subscription).await;
        assert_eq!(log[0]["status"], "waiting");
    }
}
