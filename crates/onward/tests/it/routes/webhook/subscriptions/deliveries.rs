//! `GET /api/v1/webhook/subscriptions/{id}/deliveries`.

mod cancel;
mod redeliver;

use serde_json::{Value, json};

use crate::story;
use crate::test_server::Reply;

story! {
    async fn each_delivery_is_shown_with_its_attempts(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let busy = format!("busy\0{}", "é".repeat(600));
        receiver.answer([
            Reply { status: 503, ..Reply::with_body(&busy) }, Reply::status(302).with("location", "/"),
        ]);
        let path = format!("/subscriptions/{subscription}/deliveries");
        let none = server.webhook(&key, ("GET", &path), None).await.json();
        let page = json!({"total": 0, "per_page": 15, "current_page": 1, "last_page": 1});
        assert_eq!(none, json!({"data": [], "meta": {"pagination": page}}));
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        let waiting = server.wait_for_attempts(&key, &subscription, 1).await;
        assert_eq!(waiting["status"], "waiting");
        let next = waiting["nextAttemptAt"].as_str().unwrap();
        let second = next.strip_prefix("2026-11-21T10:00:0").unwrap();
        assert!(second.starts_with(['5', '6']), "{next}");
        server.clock.advance(10);
        server.wait_for_attempts(&key, &subscription, 2).await;
        server.clock.advance(40);
        server.wait_for_state(&key, &subscription, "delivered").await;
        let mut log = server.webhook(&key, ("GET", &path), None).await.json();
        let delivery = &mut log["data"][0];
        assert!(delivery["deliveryId"].take().as_str().unwrap().parse::<i64>().is_ok());
        let mut claims = receiver.received()[0].claims();
        assert_eq!(delivery["eventId"].take(), claims["eventId"]);
        assert_eq!(delivery["propertyId"].take(), claims["propertyId"]);
        for renewed in ["iss", "iat", "exp"] {
            claims.as_object_mut().unwrap().remove(renewed);
        }
        assert_eq!(delivery["event"].take(), claims);
        // The first 1,024 bytes end within a letter.
        let kept = format!("busy\u{fffd}{}\u{fffd}", "é".repeat(509));
        assert_eq!(delivery["attempts"][0]["answer"].take(), kept);
        // How long an attempt takes is measured by another clock, which does not stand still.
        let ended = delivery["endedAt"].take();
        assert!(ended.as_str().unwrap().starts_with("2026-11-21T10:00:5"), "{ended}");
        for attempt in delivery["attempts"].as_array_mut().unwrap() {
            let took = attempt["durationMilliseconds"].take().as_i64().unwrap();
            assert!((0..15_000).contains(&took));
        }
        let attempt = |number: i64, at: &str, status: i64, error: Value| json!({
            "number": number, "at": at, "durationMilliseconds": null, "status": status,
            "error": error, "answer": null,
        });
        let page = json!({"total": 1, "per_page": 15, "current_page": 1, "last_page": 1});
        assert_eq!(log, json!({"meta": {"pagination": page}, "data": [{
            "deliveryId": null, "eventId": null, "eventType": "milestone.updated",
            "propertyId": null, "event": null, "status": "delivered", "createdAt": "2026-11-21T10:00:00Z",
            "endedAt": null, "attempts": [
                attempt(1, "2026-11-21T10:00:00Z", 503, Value::Null),
                attempt(2, "2026-11-21T10:00:10Z", 302, json!("redirect_refused")),
                attempt(3, "2026-11-21T10:00:50Z", 200, Value::Null),
            ],
        }]}));
    }
}

story! {
    async fn they_come_in_pages_newest_first(server) {
        let (receiver, other) = (server.receiver().await, server.receiver().await);
        let key = server.api_key("Example Lender").await;
        let subscription = server.subscribe(&key, &receiver).await;
        server.subscribe(&key, &other).await;
        for uprn in 1..=5 {
            let body = json!({"eventType": "fallthrough", "uprn": uprn.to_string()});
            server.post_webhook(&key, "/simulate", body).await;
        }
        receiver.wait_for(5).await;
        let all: Vec<Value> = server.deliveries(&key, &subscription).await;
        let ids: Vec<Value> = all.iter().map(|delivery| delivery["eventId"].clone()).collect();
        assert_eq!(ids.len(), 5);
        let path = format!("/subscriptions/{subscription}/deliveries");
        for (query, expected, page) in [
            ("?per_page=2", &ids[..2], json!({"total": 5, "per_page": 2, "current_page": 1, "last_page": 3})),
            ("?per_page=2&page=3", &ids[4..], json!({"total": 5, "per_page": 2, "current_page": 3, "last_page": 3})),
            ("?page=2", &[], json!({"total": 5, "per_page": 15, "current_page": 2, "last_page": 1})),
        ] {
            let path = format!("{path}{query}");
            let answer = server.webhook(&key, ("GET", &path), None).await.json();
            let shown = answer["data"].as_array().unwrap().iter();
            let shown: Vec<Value> = shown.map(|delivery| delivery["eventId"].clone()).collect();
            assert_eq!((shown.as_slice(), &answer["meta"]["pagination"]), (expected, &page), "{query}");
        }
        for (query, errors) in [
            ("?page=0", vec!["page: must be an integer from 1 to 1000000000"]),
            ("?page=x", vec!["page: must be an integer from 1 to 1000000000"]),
            ("?per_page=101", vec!["per_page: must be an integer from 1 to 100"]),
            ("?page=-1&per_page=", vec![
                "page: must be an integer from 1 to 1000000000",
                "per_page: must be an integer from 1 to 100",
            ]),
            ("?status=lost&eventType=x", vec![
                "status: must be one of `waiting`, `delivered`, `failed`, `cancelled`",
                "eventType: must be one of `milestone.updated`, `fallthrough`, `chain.changed`",
            ]),
            ("?status=failed&status=waiting", vec!["status: is given twice"]),
            ("?state=failed&sort=-id", vec![
                "state: is not known here; known are status, eventType, page, per_page",
                "sort: is not known here; known are status, eventType, page, per_page",
            ]),
        ] {
            let answer = server.webhook(&key, ("GET", &format!("{path}{query}")), None).await;
            assert_eq!(answer.wrong_values(), errors, "{query}");
        }
    }
}

story! {
    async fn they_are_chosen_by_status_and_event_type(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        server.simulate(&key, "fallthrough", 1).await;
        server.simulate(&key, "milestone.updated", 1).await;
        server.wait_until("both are delivered", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.len() == 2 && log.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        receiver.answer_always(Reply::status(500));
        server.simulate(&key, "fallthrough", 2).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        let path = format!("/subscriptions/{subscription}/deliveries");
        for (query, expected) in [
            ("?status=delivered", &["milestone.updated", "fallthrough"][..]),
            ("?status=waiting", &["fallthrough"]),
            ("?status=failed", &[]),
            ("?status=cancelled", &[]),
            ("?eventType=fallthrough", &["fallthrough", "fallthrough"]),
            ("?eventType=fallthrough&status=delivered&per_page=1", &["fallthrough"]),
            ("?eventType=milestone.updated&status=waiting", &[]),
        ] {
            let path = format!("{path}{query}");
            let answer = server.webhook(&key, ("GET", &path), None).await.json();
            let shown = answer["data"].as_array().unwrap();
            let types: Vec<_> = shown.iter().map(|one| one["eventType"].as_str().unwrap()).collect();
            assert_eq!(types, expected, "{query}");
            assert_eq!(answer["meta"]["pagination"]["total"], expected.len(), "{query}");
        }
    }
}
