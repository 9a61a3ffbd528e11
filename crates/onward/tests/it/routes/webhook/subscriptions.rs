//! `/api/v1/webhook/subscriptions` and `…/{id}` (S-37).

mod deliveries;
mod enable;
mod replay;

use serde_json::json;

use crate::story;
use crate::world::Reply;

story! {
    async fn the_caller_s_own_are_listed_oldest_first_and_shown_one_by_one(world) {
        let (key, other) = (world.api_key("One Ltd").await, world.api_key("Other Ltd").await);
        let none = world.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!((none.status, none.json()), (200, json!({"data": []})));
        let mut made = Vec::new();
        for (owner, name) in [(&key, "a"), (&other, "b"), (&key, "c")] {
            let body = json!({"participantName": name, "events": "fallthrough",
                "callbackUrl": format!("https://{name}.example.invalid/")});
            let answer = world.post_webhook(owner, "/subscribe", body).await;
            assert_eq!(answer.status, 201);
            made.push(answer.json());
            world.clock.advance(1);
        }
        let listed = world.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!(listed.header("content-type"), "application/json");
        assert_eq!(listed.json(), json!({"data": [made[0], made[2]]}));
        let id = made[2]["subscriptionId"].as_str().unwrap();
        assert_eq!(world.subscription(&key, id).await, made[2]);
        // A key of the same participant is another key.
        let second = world.api_key("One Ltd").await;
        let listed = world.webhook(&second, ("GET", "/subscriptions"), None).await;
        assert_eq!(listed.json(), json!({"data": []}));
    }
}

story! {
    async fn one_is_deleted_with_what_it_was_owed(world) {
        let (receiver, kept) = (world.receiver().await, world.receiver().await);
        receiver.answer_always(Reply::status(500));
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let other = world.subscribe(&key, &kept).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        world.post_webhook(&key, "/simulate", body.clone()).await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        let path = format!("/subscriptions/{subscription}");
        let deleted = world.webhook(&key, ("DELETE", &path), None).await;
        assert_eq!((deleted.status, deleted.body.len()), (204, 0));
        let said = "404 not-found: There is no such subscription of this API key.";
        for (method, after) in [
            ("GET", ""), ("DELETE", ""), ("GET", "/deliveries"), ("POST", "/enable"),
            ("POST", "/deliveries/1/redeliver"),
        ] {
            let answer = world.webhook(&key, (method, &format!("{path}{after}")), None).await;
            assert_eq!(answer.problem(), said, "{method} {after}");
        }
        world.clock.advance(7);
        world.post_webhook(&key, "/simulate", body).await;
        kept.wait_for(2).await;
        world.wait_for_state(&key, &other, "delivered").await;
        assert_eq!(receiver.received().len(), 1);
        // The same URL is a new subscription that is owed nothing.
        let again = world.subscribe(&key, &receiver).await;
        assert_ne!(again, subscription);
        assert_eq!(world.deliveries(&key, &again).await.len(), 0);
    }
}

story! {
    async fn they_need_a_key_and_are_nobody_else_s(world) {
        world.assert_key_is_needed("/subscriptions", "GET").await;
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        world.assert_key_is_needed(&format!("/subscriptions/{subscription}"), "GET,DELETE").await;
        assert_eq!(world.status_of(&key, &subscription).await, "active");
        world.assert_only_own("GET", "", None).await;
        world.assert_only_own("DELETE", "", None).await;
    }
}

story! {
    async fn other_addresses_do_not_exist(world) {
        let key = world.api_key("Example Lender").await;
        for path in [
            "", "/", "/subscribe/", "/subscriptions/", "/Subscriptions", "/subscription",
            "/subscriptions/1/deliveries/1", "/subscriptions/1/disable", "/subscriptions/1/enable/",
        ] {
            for method in ["GET", "POST"] {
                let answer = world.webhook(&key, (method, path), None).await;
                let said = "404 no-such-path: There is nothing at this path.";
                assert_eq!(answer.problem(), said, "{method} {path}");
            }
        }
    }
}

story! {
    async fn no_answer_may_be_kept_by_a_cache(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let one = format!("/subscriptions/{subscription}");
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let simulated = world.post_webhook(&key, "/simulate", body).await;
        let delivery = simulated.json()["deliveries"][0]["deliveryId"].clone();
        world.wait_for_state(&key, &subscription, "delivered").await;
        let wish = json!({"participantName": "a", "callbackUrl": receiver.url, "events": ["fallthrough"]});
        let mut answers = vec![simulated, world.post_webhook(&key, "/subscribe", wish).await];
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        answers.push(world.post_webhook(&key, &format!("{one}/replay"), since).await);
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
            answers.push(world.webhook(&key, (method, &path), None).await);
        }
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [202, 200, 202, 200, 200, 200, 200, 202, 200, 204, 404]);
        for answer in answers {
            assert_eq!(answer.header("cache-control"), "no-store", "{}", answer.status);
        }
    }
}
