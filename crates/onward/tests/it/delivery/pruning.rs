//! Housekeeping removes old deliveries and events, but no event that is still to be delivered (S-37).

use serde_json::{Value, json};
use server::housekeeping::{clean_store, delete_leftovers};
use storage::StorageError;

use crate::story;
use crate::test_server::{Receiver, Reply, TestServer};

const DAY: i64 = 86_400;

async fn clean(server: &TestServer) {
    let (_stop, stopping) = tokio::sync::watch::channel(false);
    clean_store(&server.node.foundation.housekeeping(), &stopping)
        .await
        .unwrap();
    delete_leftovers(&server.node.foundation.housekeeping(), &stopping)
        .await
        .unwrap();
}

/// The dates of the events that the store holds.
async fn events(server: &TestServer) -> Vec<String> {
    let listed = server
        .storage
        .read(|read| storage::events::list_events(read, 0, 100));
    let listed = listed.await.unwrap();
    listed.iter().map(|event| event.date.to_string()).collect()
}

/// How many attempts the store holds, whosever they are.
async fn attempts(server: &TestServer) -> i64 {
    let counted = server.storage.read(|read| {
        read.query_exactly_one("select count(*) from attempt", &[], |row| row.integer(0))
    });
    counted.await.unwrap()
}

async fn replay_all(server: &TestServer, key: &str, subscription: &str) -> Value {
    let path = format!("/subscriptions/{subscription}/replay");
    let body = json!({"since": "1970-01-01T00:00:00Z"});
    let answer = server.post_webhook(key, &path, body).await;
    assert_eq!(answer.status, 202, "{}", answer.json());
    answer.json()["deliveries"].clone()
}

/// A second receiver that is gone with its first event, which then waits for it.
async fn subscribe_one_that_is_gone(server: &TestServer, key: &str) -> (Receiver, String) {
    let receiver = server.receiver().await;
    receiver.answer([Reply::status(410)]);
    let subscription = server.subscribe(key, &receiver).await;
    (receiver, subscription)
}

story! {
    async fn old_deliveries_go_with_their_attempts_and_events(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-01").await;
        receiver.wait_for(1).await;
        let old = server.wait_for_state(&key, &subscription, "delivered").await;
        let (gone, of_gone) = subscribe_one_that_is_gone(&server, &key).await;
        agent.record(listing, "sstc", "2026-11-02").await;
        server.wait_until_disabled(&key, &of_gone).await;
        receiver.wait_for(2).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        // A month is kept to its last second.
        server.clock.advance(29 * DAY);
        let agent = agent.renewed(&server).await;
        agent.record(listing, "sstc", "2026-11-03").await;
        receiver.wait_for(3).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        server.clock.advance(DAY - 60);
        clean(&server).await;
        assert_eq!(server.deliveries(&key, &subscription).await.len(), 3);
        assert_eq!((events(&server).await.len(), attempts(&server).await), (3, 4));
        server.clock.advance(120);
        clean(&server).await;
        // What waits is kept with its event and its attempts, however old it is.
        assert_eq!(events(&server).await, ["2026-11-02", "2026-11-03"]);
        assert_eq!(attempts(&server).await, 2);
        let kept = server.deliveries(&key, &subscription).await;
        assert_eq!(kept.len(), 1);
        let waiting = server.deliveries(&key, &of_gone).await.remove(0);
        assert_eq!(waiting["status"], "waiting");
        assert_eq!(waiting["attempts"][0]["status"], 410);
        // What is removed is not there for a redelivery, nor is what is older for a replay.
        let id = old["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        let answer = server.webhook(&key, ("POST", &path), None).await;
        assert_eq!(answer.problem(), "404 not-found: The subscription has no such delivery.");
        assert_eq!(replay_all(&server, &key, &subscription).await, 1);
        receiver.wait_for(4).await;
        // And what waited goes out, after all that time.
        let path = format!("/subscriptions/{of_gone}/enable");
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 200);
        let late = gone.wait_for(2).await.remove(1);
        assert_eq!(late.claims()["data"]["milestone"]["date"], "2026-11-02");
        server.wait_for_state(&key, &of_gone, "delivered").await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        // It counts from its end on, not from its event.
        clean(&server).await;
        assert_eq!(server.deliveries(&key, &of_gone).await.len(), 1);
        server.clock.advance(31 * DAY);
        clean(&server).await;
        assert_eq!(server.deliveries(&key, &of_gone).await, Vec::<Value>::new());
        assert_eq!((events(&server).await, attempts(&server).await), (Vec::new(), 0));
        assert_eq!(replay_all(&server, &key, &subscription).await, 0);
    }
}

story! {
    async fn the_settings_say_what_is_old(server) {
        server = server.reconfigure(|config| config.delivery_retention_days = 2).await;
        let (receiver, key, subscription) = server.subscriber().await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        for (days, left) in [(1, 1), (2, 0)] {
            server.clock.advance(days * DAY);
            clean(&server).await;
            assert_eq!(server.deliveries(&key, &subscription).await.len(), left, "{days}");
        }
        // Cancelled ones as well.
        receiver.answer([Reply::status(500)]);
        let body = json!({"eventType": "milestone.updated", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        receiver.subscribe_to(&server, &key, &["fallthrough"]).await;
        assert_eq!(server.deliveries(&key, &subscription).await[0]["status"], "cancelled");
        server.clock.advance(3 * DAY);
        clean(&server).await;
        assert_eq!(server.deliveries(&key, &subscription).await.len(), 0);
        assert_eq!(attempts(&server).await, 0);
    }
}

story! {
    /// The log of a removed subscription, and what waits for a revoked key.
    async fn what_nobody_can_ask_for_is_ended(server) {
        let (receiver, other) = (server.receiver().await, server.receiver().await);
        receiver.answer_always(Reply::status(500));
        other.answer_always(Reply::status(500));
        let (key, revoked) = (server.api_key("One Ltd").await, server.api_key("One Ltd").await);
        let removed = server.subscribe(&key, &receiver).await;
        let left = server.subscribe(&revoked, &other).await;
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-01").await;
        server.wait_for_attempts(&key, &removed, 1).await;
        server.wait_for_attempts(&revoked, &left, 1).await;
        let path = format!("/subscriptions/{removed}");
        assert_eq!(server.webhook(&key, ("DELETE", &path), None).await.status, 204);
        server.revoke_api_key(&revoked).await;
        clean(&server).await;
        let states = server.storage.read(|read| {
            read.query("select state from delivery", &[], |row| row.text(0))
        });
        let states: Vec<String> = states.await.unwrap_or_else(|error: StorageError| panic!("{error}"));
        assert_eq!(states, ["cancelled"], "of the key that was revoked");
        assert_eq!(attempts(&server).await, 1);
        // After its time that goes as well.
        server.clock.advance(31 * DAY);
        clean(&server).await;
        assert_eq!((attempts(&server).await, events(&server).await.len()), (0, 0));
    }
}

story! {
    async fn a_subscription_ends_with_the_last_key_of_its_account(server) {
        let (_receiver, key, subscription) = server.subscriber().await;
        let ends_at = server.now() + 60;
        let ending = server.storage.write(move |write| {
            write.execute("update api_key set ends_at = $1", &[ends_at.into()])
        });
        ending.await.unwrap();
        clean(&server).await;
        assert_eq!(server.status_of(&key, &subscription).await, "active");
        server.clock.advance(61);
        clean(&server).await;
        let found = server.storage.read(|read| {
            read.query_exactly_one("select status, disabled_reason from subscription", &[], |row| {
                Ok((row.text(0)?, row.text(1)?))
            })
        });
        let found: (String, String) = found.await.unwrap_or_else(|error: StorageError| panic!("{error}"));
        assert_eq!(found, ("disabled".to_owned(), "key_revoked".to_owned()));
    }
}
