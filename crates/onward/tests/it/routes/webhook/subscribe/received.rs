//! The events that a subscriber receives.

use serde_json::json;

use crate::story;
use crate::test_server::Reply;

story! {
    async fn a_recorded_milestone_comes_as_the_event_of_document_1(server) {
        let (receiver, _, _) = server.subscriber().await;
        let agent = server.agent("north").await;
        let listing = agent.list(100_023).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        let arrived = receiver.wait_for(1).await.remove(0);
        assert_eq!(arrived.header("content-type"), "application/jwt");
        assert_eq!(arrived.header("webhook-attempt"), "1");
        let header = arrived.part(0);
        assert_eq!((&header["typ"], &header["alg"]), (&json!("JWT"), &json!("RS256")));
        let mut claims = arrived.claims();
        let event_id = claims["eventId"].take();
        assert_eq!(arrived.header("webhook-id"), event_id.as_str().unwrap());
        let property = claims["propertyId"].take();
        assert!(property.as_str().unwrap().parse::<i64>().unwrap() > 0);
        let expected = json!({
            "iss": "https://localhost:8440", "iat": 1_795_255_200, "exp": 1_795_255_500,
            "eventId": null, "eventType": "milestone.updated",
            "eventTimestamp": "2026-11-21T10:00:00Z", "propertyId": null, "uprn": "100023",
            "data": {"milestone": {"label": "SSTC", "date": "2026-11-20"}},
        });
        assert_eq!(claims, expected);
    }
}

story! {
    async fn a_failed_attempt_is_made_again_with_the_same_id_and_a_fresh_token(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(500)]);
        let agent = server.agent("north").await;
        let listing = agent.list(100_023).await;
        agent.record(listing, "fall_through", "2026-11-20").await;
        let first = receiver.wait_for(1).await.remove(0);
        server.wait_for_attempts(&key, &subscription, 1).await;
        server.clock.advance(7);
        let second = receiver.wait_for(2).await.remove(1);
        assert_eq!(second.header("webhook-attempt"), "2");
        let (first, second) = (first.claims(), second.claims());
        assert_eq!(first["eventId"], second["eventId"]);
        assert_eq!(second["iat"].as_i64(), first["iat"].as_i64().map(|iat| iat + 7));
        assert_eq!(second["data"], json!({"fallThroughDate": "2026-11-20"}));
    }
}
