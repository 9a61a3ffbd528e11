//! `/api/v1/webhook/subscriptions` and `…/{id}` (S-37).

mod deliveries;
mod enable;
mod replay;
mod retry;
mod watch;

use serde_json::json;

use crate::test_server::Reply;
use crate::{sqlite_story, story};

story! {
    async fn the_caller_s_own_are_listed_oldest_first_and_shown_one_by_one(server) {
        let (key, other) = (server.api_key("One Ltd").await, server.api_key("Other Ltd").await);
        let none = server.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!((none.status, none.json()), (200, json!({"data": []})));
        let mut made = Vec::new();
        for (owner, name) in [(&key, "a"), (&other, "b"), (&key, "c")] {
            let body = json!({"participantName": name, "events": "fallthrough",
                "callbackUrl": format!("https://localhost/{name}")});
            let answer = server.post_webhook(owner, "/subscribe", body).await;
            assert_eq!(answer.status, 201);
            made.push(answer.json());
            server.clock.advance(1);
        }
        let listed = server.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!(listed.header("content-type"), "application/json");
        assert_eq!(listed.json(), json!({"data": [made[0], made[2]]}));
        let id = made[2]["subscriptionId"].as_str().unwrap();
        assert_eq!(server.subscription(&key, id).await, made[2]);
        // A key of the same participant is another key.
        let second = server.api_key("One Ltd").await;
        let listed = server.webhook(&second, ("GET", "/subscriptions"), None).await;
        assert_eq!(listed.json(), json!({"data": []}));
    }
}

story! {
    async fn one_is_deleted_with_its_pending_deliveries(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let kept = server.receiver().await;
        receiver.answer_always(Reply::status(500));
        let other = server.subscribe(&key, &kept).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body.clone()).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        let path = format!("/subscriptions/{subscription}");
        let deleted = server.webhook(&key, ("DELETE", &path), None).await;
        assert_eq!((deleted.status, deleted.body.len()), (204, 0));
        let said = "404 not-found: There is no such subscription of yours.";
        for (method, after) in [
            ("GET", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/enable"), ("POST", "/retry"),
            ("POST", "/deliveries/1/redeliver"),
        ] {
            let answer = server.webhook(&key, (method, &format!("{path}{after}")), None).await;
            assert_eq!(answer.problem(), said, "{method} {after}");
        }
        server.clock.advance(7);
        server.post_webhook(&key, "/simulate", body).await;
        kept.wait_for(2).await;
        server.wait_for_state(&key, &other, "delivered").await;
        assert_eq!(receiver.received().len(), 1);
        // The same URL is a new subscription without deliveries.
        let again = server.subscribe(&key, &receiver).await;
        assert_ne!(again, subscription);
        assert_eq!(server.deliveries(&key, &again).await.len(), 0);
    }
}

sqlite_story! {
    async fn other_addresses_do_not_exist(server) {
        let key = server.api_key("Example Lender").await;
        for path in [
            "", "/", "/subscribe/", "/subscriptions/", "/Subscriptions", "/subscription",
            "/subscriptions/1/deliveries/1", "/subscriptions/1/disable", "/subscriptions/1/enable/",
        ] {
            for method in ["GET", "POST"] {
                let answer = server.webhook(&key, (method, path), None).await;
                let said = "404 no-such-path: There is nothing at this path.";
                assert_eq!(answer.problem(), said, "{method} {path}");
            }
        }
    }
}

sqlite_story! {
    async fn no_answer_may_be_kept_by_a_cache(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let one = format!("/subscriptions/{subscription}");
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let simulated = server.post_webhook(&key, "/simulate", body).await;
        let delivery = simulated.json()["deliveries"][0]["deliveryId"].clone();
        server.wait_for_state(&key, &subscription, "delivered").await;
        let wish = json!({"participantName": "a", "callbackUrl": receiver.url, "events": ["fallthrough"]});
        let mut answers = vec![simulated, server.post_webhook(&key, "/subscribe", wish).await];
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        answers.push(server.post_webhook(&key, &format!("{one}/replay"), since).await);
        let delivery = delivery.as_str().unwrap();
        for (method, path) in [
            ("GET", "/subscriptions".to_owned()),
            ("GET", one.clone()),
            ("HEAD", one.clone()),
            ("GET", format!("{one}/deliveries")),
            ("POST", format!("{one}/deliveries/{delivery}/redeliver")),
            ("POST", format!("{one}/enable")),
            ("DELETE", one.clone()),
            ("GET", one.clone()),
        ] {
            answers.push(server.webhook(&key, (method, &path), None).await);
        }
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [202, 200, 202, 200, 200, 200, 200, 202, 200, 204, 404]);
        for answer in answers {
            assert_eq!(answer.header("cache-control"), "no-store", "{}", answer.status);
        }
    }
}
