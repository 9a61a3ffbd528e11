//! `POST /api/v1/webhook/subscriptions/{id}/replay`.

use serde_json::json;

use crate::story;
use crate::test_server::Reply;

story! {
    async fn events_since_a_time_are_sent_again_with_their_ids(server) {
        let receiver = server.receiver().await;
        let key = server.api_key("Example Lender").await;
        let (agent, listing) = server.agent_with_listing().await;
        // Before anybody subscribed.
        agent.record(listing, "sstc", "2026-11-01").await;
        server.clock.advance(10);
        agent.record(listing, "searches_ordered", "2026-11-02").await;
        let subscription = server.subscribe(&key, &receiver).await;
        server.clock.advance(10);
        agent.record(listing, "exchange", "2026-11-03").await;
        agent.record(listing, "fall_through", "2026-11-04").await;
        let first = receiver.wait_for(2).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        server.clock.advance(100);
        let path = format!("/subscriptions/{subscription}/replay");
        for (since, expected) in [
            ("2026-11-21T10:00:00Z", 4),
            // The same moment elsewhere, and within a second.
            ("2026-11-21T11:00:10+01:00", 3),
            ("2026-11-21T10:00:20.000Z", 2),
            ("2026-11-21T10:00:21Z", 0),
            ("2030-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00Z", 4),
        ] {
            let before = receiver.received().len();
            let answer = server.post_webhook(&key, &path, json!({"since": since})).await;
            assert_eq!((answer.status, answer.json()), (202, json!({"deliveries": expected})));
            receiver.wait_for(before + expected).await;
            server.wait_for_state(&key, &subscription, "delivered").await;
        }
        let all = receiver.received();
        assert_eq!(all.len(), 15);
        // In order, and as the same events: only the token is new.
        let keys = server.key_set().await;
        let labels: Vec<_> = all[2..6].iter().map(|request| {
            let (claims, _kid) = request.verify(&keys);
            assert_eq!(claims["iat"], 1_795_255_320);
            claims["data"].clone()
        }).collect();
        assert_eq!(labels, [
            json!({"milestone": {"label": "SSTC", "date": "2026-11-01"}}),
            json!({"milestone": {"label": "Searches Ordered", "date": "2026-11-02"}}),
            json!({"milestone": {"label": "Exchange", "date": "2026-11-03"}}),
            json!({"fallThroughDate": "2026-11-04"}),
        ]);
        for (again, before) in [(4, 0), (5, 1)] {
            let (again, before) = (all[again].claims(), first[before].claims());
            assert_eq!(again["eventId"], before["eventId"]);
            assert_eq!(again["eventTimestamp"], before["eventTimestamp"]);
        }
    }
}

story! {
    async fn pending_simulated_and_unsubscribed_events_are_not_replayed(server) {
        let receiver = server.receiver().await;
        let key = server.api_key("Example Lender").await;
        let answer = receiver.subscribe_to(&server, &key, &["milestone.updated"]).await;
        let subscription = answer.json()["subscriptionId"].as_str().unwrap().to_owned();
        let agent = server.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        let body = json!({"eventType": "milestone.updated", "uprn": "9"});
        server.post_webhook(&key, "/simulate", body).await;
        receiver.wait_for(1).await;
        agent.record(one, "fall_through", "2026-11-01").await;
        agent.record(one, "sstc", "2026-11-01").await;
        receiver.wait_for(2).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        receiver.answer_always(Reply::status(500));
        agent.record(two, "sstc", "2026-11-01").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        receiver.answer_always(Reply::status(200));
        let path = format!("/subscriptions/{subscription}/replay");
        let body = json!({"since": "2026-11-21T00:00:00Z"});
        let answer = server.post_webhook(&key, &path, body).await;
        assert_eq!(answer.json(), json!({"deliveries": 1}));
        let arrived = receiver.wait_for(4).await;
        assert_eq!(arrived[3].claims()["uprn"], "1");
        assert_eq!(server.deliveries(&key, &subscription).await.len(), 4);
    }
}

story! {
    async fn it_needs_a_time_and_an_active_subscription(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let path = format!("/subscriptions/{subscription}/replay");
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        let missing = server.post_webhook(&key, &path, json!({"since": null})).await;
        assert_eq!(missing.wrong_values(), ["since: is missing"]);
        let number = server.post_webhook(&key, &path, json!({"since": 1_795_255_200})).await;
        assert_eq!(number.wrong_values(), ["since: must be a string"]);
        for wrong in ["", "yesterday", "2026-11-21", "2026-11-21T10:00:00", "10:00:00Z",
            "2026-13-01T00:00:00Z", "1795255200", "2026-11-21T25:00:00Z", "2026-11-21 10:00:00Z",
            "2026-11-21T10:00:00+24:00", "2026-11-21T10:00:60Z", "2026-11-21T10:00:00Z[UTC]",
            "2026-11-21T10Z", "2026-11-21T10:00:00+01"] {
            let answer = server.post_webhook(&key, &path, json!({"since": wrong})).await;
            let said = "since: must be an RFC 3339 time, such as 2026-11-21T10:00:00Z";
            assert_eq!(answer.wrong_values(), [said], "{wrong}");
        }
        receiver.answer([Reply::status(410)]);
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body).await;
        server.wait_until_disabled(&key, &subscription).await;
        let answer = server.post_webhook(&key, &path, since).await;
        let said = "409 conflict: The subscription is disabled. Enable it first.";
        assert_eq!(answer.problem(), said);
    }
}
