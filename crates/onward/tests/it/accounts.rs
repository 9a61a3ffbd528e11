//! Keys of an account, and what belongs to the account (S-92).

use serde_json::json;
use storage::api_keys;
use web::secret::NewSecret;
use webhooks::holder::to_key;

use crate::story;
use crate::test_server::{Reply, TestServer};

/// Adds a key to the account of `key`, which stays valid for so many seconds.
async fn rotate(server: &TestServer, key: &str, overlap: i64) -> String {
    let (id, now) = (id_of(key), server.now());
    let secret = NewSecret::draw().unwrap();
    let digest = secret.digest.clone();
    let added = server.storage.write(move |write| {
        let old = api_keys::find_api_key(write, id)?.unwrap();
        api_keys::rotate_api_key(write, &old, &digest, now, now + overlap)
    });
    to_key(&secret, added.await.unwrap())
}

fn id_of(key: &str) -> i64 {
    key.split('_').nth(1).unwrap().parse().unwrap()
}

story! {
    async fn a_rotated_key_leaves_its_subscriptions(server) {
        let (receiver, old, subscription) = server.subscriber().await;
        let new = rotate(&server, &old, 100).await;
        for key in [&old, &new] {
            assert_eq!(server.status_of(key, &subscription).await, "active");
        }
        server.clock.advance(100);
        let ended = server.webhook(&old, ("GET", "/subscriptions"), None).await;
        assert!(ended.problem().starts_with("401 api-key-invalid: "), "{}", ended.problem());
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        receiver.wait_for(1).await;
        assert_eq!(server.status_of(&new, &subscription).await, "active");
        // A key of the same participant with an account of its own sees nothing.
        let other = server.api_key("Example Lender").await;
        let list = server.webhook(&other, ("GET", "/subscriptions"), None).await;
        assert_eq!(list.json(), json!({"data": []}));
    }
}

story! {
    async fn a_revoked_key_disables_what_it_made_moved_or_enabled(server) {
        let [made, moved, enabled, kept] = [
            server.receiver().await, server.receiver().await, server.receiver().await, server.receiver().await,
        ];
        let old = server.api_key("Example Lender").await;
        let by_old = [
            server.subscribe(&old, &moved).await,
            server.subscribe(&old, &enabled).await,
            server.subscribe(&old, &kept).await,
        ];
        let new = rotate(&server, &old, 1_000).await;
        let by_new = server.subscribe(&new, &made).await;
        let elsewhere = json!({"callbackUrl": server.receiver().await.url});
        let path = format!("/subscriptions/{}", by_old[0]);
        assert_eq!(server.webhook(&new, ("PATCH", &path), Some(&elsewhere)).await.status, 200);
        enabled.answer_always(Reply::status(410));
        server.simulate(&old, "fallthrough", 2).await;
        server.wait_until_disabled(&old, &by_old[1]).await;
        enabled.answer_always(Reply::status(200));
        let path = format!("/subscriptions/{}/enable", by_old[1]);
        assert_eq!(server.webhook(&new, ("POST", &path), None).await.status, 200);
        server.revoke_api_key(&new).await;
        for subscription in [&by_new, &by_old[0], &by_old[1]] {
            let shown = server.subscription(&old, subscription).await;
            assert_eq!(shown["disabledReason"], "key_revoked", "{shown}");
        }
        assert_eq!(server.status_of(&old, &by_old[2]).await, "active");
        // The other key of the account enables them again.
        let path = format!("/subscriptions/{by_new}/enable");
        assert_eq!(server.webhook(&old, ("POST", &path), None).await.status, 200);
    }
}

story! {
    async fn a_revoked_key_leaves_what_another_key_took_over(server) {
        let [moved, enabled, again, back, kept] = [
            server.receiver().await, server.receiver().await, server.receiver().await, server.receiver().await,
            server.receiver().await,
        ];
        let old = server.api_key("Example Lender").await;
        let mut by_old = Vec::new();
        for receiver in [&moved, &enabled, &again, &back, &kept] {
            by_old.push(server.subscribe(&old, receiver).await);
        }
        let new = rotate(&server, &old, 1_000).await;
        let move_by = async |key: &str, subscription: &str| {
            let body = json!({"callbackUrl": server.receiver().await.url});
            let path = format!("/subscriptions/{subscription}");
            assert_eq!(server.webhook(key, ("PATCH", &path), Some(&body)).await.status, 200);
        };
        move_by(&new, &by_old[0]).await;
        enabled.answer_always(Reply::status(410));
        server.simulate(&old, "fallthrough", 2).await;
        server.wait_until_disabled(&old, &by_old[1]).await;
        enabled.answer_always(Reply::status(200));
        let path = format!("/subscriptions/{}/enable", by_old[1]);
        assert_eq!(server.webhook(&new, ("POST", &path), None).await.status, 200);
        assert_eq!(server.subscribe(&new, &again).await, by_old[2]);
        // The old key is the last one that moved this one.
        move_by(&new, &by_old[3]).await;
        move_by(&old, &by_old[3]).await;
        server.clock.advance(1_000);
        server.revoke_api_key(&old).await;
        for taken_over in &by_old[..3] {
            assert_eq!(server.status_of(&new, taken_over).await, "active");
        }
        for still_of_old in &by_old[3..] {
            assert_eq!(server.status_of(&new, still_of_old).await, "disabled key_revoked");
        }
    }
}

story! {
    async fn the_next_event_after_a_move_goes_to_the_new_url(server) {
        let (old, key, subscription) = server.subscriber().await;
        let new = server.receiver().await;
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        old.wait_for(1).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        // The lane is leased and waits for the next event.
        let path = format!("/subscriptions/{subscription}");
        let body = json!({"callbackUrl": new.url});
        let moved = server.webhook(&key, ("PATCH", &path), Some(&body)).await;
        assert_eq!(moved.status, 200, "{}", moved.json());
        agent.record(listing, "sstc", "2026-11-21").await;
        new.wait_for(1).await;
        assert_eq!(old.received().len(), 1);
    }
}

story! {
    async fn a_late_410_of_the_former_url_disables_nothing(server) {
        let (old, key, subscription) = server.subscriber().await;
        let new = server.receiver().await;
        old.hold(true);
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        old.wait_for(1).await;
        let path = format!("/subscriptions/{subscription}");
        let body = json!({"callbackUrl": new.url});
        let moved = server.webhook(&key, ("PATCH", &path), Some(&body)).await;
        assert_eq!(moved.status, 200, "{}", moved.json());
        old.answer([Reply::status(410)]);
        old.hold(false);
        server.wait_for_attempts(&key, &subscription, 1).await;
        server.clock.advance(10);
        new.wait_for(1).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        assert_eq!(server.status_of(&key, &subscription).await, "active");
        assert_eq!(old.received().len(), 1);
    }
}

story! {
    async fn a_moved_subscription_keeps_what_waits_and_what_it_watches(server) {
        let (first, second) = (server.receiver().await, server.receiver().await);
        let key = server.api_key("Example Lender").await;
        let subscription = server.subscribe(&key, &first).await;
        let path = format!("/subscriptions/{subscription}");
        let watch = json!({"uprns": [1, 2, 3], "reach": "property"});
        let set = server.webhook(&key, ("PUT", &format!("{path}/watch")), Some(&watch)).await;
        assert_eq!(set.status, 200);
        first.answer_always(Reply::status(500));
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        let moved = json!({"callbackUrl": second.url});
        let answer = server.webhook(&key, ("PATCH", &path), Some(&moved)).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        assert_eq!(answer.json()["subscriptionId"], subscription.as_str());
        assert_eq!(answer.json()["watch"], json!({"reach": "property", "uprnCount": 3}));
        second.wait_for(1).await;
        // Moving it to where it is already changes nothing.
        assert_eq!(server.webhook(&key, ("PATCH", &path), Some(&moved)).await.status, 200);
        let other = server.subscribe(&key, &first).await;
        let answer = server.webhook(&key, ("PATCH", &format!("/subscriptions/{other}")), Some(&moved)).await;
        assert!(answer.problem().starts_with("409 conflict: Another subscription"), "{}", answer.problem());
        let plain = json!({"callbackUrl": "http://hooks.example/"});
        let answer = server.webhook(&key, ("PATCH", &path), Some(&plain)).await;
        assert_eq!(answer.status, 422, "{}", answer.json());
        let stranger = server.api_key("Other Ltd").await;
        let answer = server.webhook(&stranger, ("PATCH", &path), Some(&moved)).await;
        assert_eq!(answer.status, 404);
    }
}

story! {
    async fn a_watch_is_read_in_pages(server) {
        let (_receiver, key, subscription) = server.subscriber().await;
        let path = format!("/subscriptions/{subscription}/watch");
        let answer = server.webhook(&key, ("GET", &path), None).await;
        assert!(answer.problem().starts_with("409 conflict: The subscription has no watch"));
        let watch = json!({"uprns": [5, 1, 4, 2, 3], "reach": "chain"});
        let watch = if server.webhook(&key, ("PUT", &path), Some(&watch)).await.status == 200 {
            "chain"
        } else {
            let watch = json!({"uprns": [5, 1, 4, 2, 3], "reach": "property"});
            assert_eq!(server.webhook(&key, ("PUT", &path), Some(&watch)).await.status, 200);
            "property"
        };
        let mut seen = Vec::new();
        let mut after = Some(0);
        while let Some(last) = after {
            let page = format!("{path}?after={last}&per_page=2");
            let page = server.webhook(&key, ("GET", &page), None).await.json();
            assert_eq!((&page["reach"], &page["uprnCount"]), (&json!(watch), &json!(5)));
            let uprns = page["uprns"].as_array().unwrap();
            seen.extend(uprns.iter().map(|uprn| uprn.as_i64().unwrap()));
            after = page["next"].as_i64();
        }
        assert_eq!(seen, [1, 2, 3, 4, 5]);
        for wrong in ["per_page=0", "per_page=4001", "after=-1", "after=x"] {
            let answer = server.webhook(&key, ("GET", &format!("{path}?{wrong}")), None).await;
            assert_eq!(answer.status, 422, "{wrong}");
        }
    }
}

story! {
    async fn a_key_takes_a_subscription_over_without_a_change(server) {
        for action in ["PATCH", "POST"] {
            let receiver = server.receiver().await;
            let old = server.api_key("Example Lender").await;
            let subscription = server.subscribe(&old, &receiver).await;
            let new = rotate(&server, &old, 1_000).await;
            let (path, body) = match action {
                "PATCH" => (format!("/subscriptions/{subscription}"), Some(json!({"callbackUrl": receiver.url}))),
                _ => (format!("/subscriptions/{subscription}/enable"), None),
            };
            assert_eq!(server.webhook(&new, (action, &path), body.as_ref()).await.status, 200);
            server.revoke_api_key(&old).await;
            assert_eq!(server.status_of(&new, &subscription).await, "active", "{action}");
        }
    }
}
