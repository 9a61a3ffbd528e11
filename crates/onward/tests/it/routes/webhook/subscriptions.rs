//! `/api/v1/webhook/subscriptions` and `…/{id}` (S-37).

mod deliveries;
mod enable;
mod replay;

use serde_json::json;

use crate::routes::webhook::subscriber;
use crate::world::Reply;
use crate::{sqlite_story, story};

story! {
    async fn the_caller_s_own_are_listed_oldest_first_and_shown_one_by_one(world) {
        let (key, other) = (world.api_key("One Ltd").await, world.api_key("Other Ltd").await);
        let none = world.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!((none.status, none.json()), (200, json!({"data": []})));
        let mut made = Vec::new();
        for (owner, name) in [(&key, "a"), (&other, "b"), (&key, "c")] {
            let body = json!({"participantName": name, "events": "fallthrough",
                "callbackUrl": format!("https://localhost/{name}")});
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
    async fn one_is_deleted_with_its_pending_deliveries(world) {
        let (receiver, key, subscription) = subscriber(&world).await;
        let kept = world.receiver().await;
        receiver.answer_always(Reply::status(500));
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
        // The same URL is a new subscription without deliveries.
        let again = world.subscribe(&key, &receiver).await;
        assert_ne!(again, subscription);
        assert_eq!(world.deliveries(&key, &again).await.len(), 0);
    }
}

sqlite_story! {
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

sqlite_story! {
    async fn no_answer_may_be_kept_by_a_cache(world) {
        let (receiver, key, subscription) = subscriber(&world).await;
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
