//! What is old is removed, and nothing that somebody is still owed (S-37).

use serde_json::{Value, json};
use server::housekeeping::{clean_store, delete_leftovers};
use storage::StorageError;

use crate::story;
use crate::world::{Receiver, Reply, World};

const DAY: i64 = 86_400;

async fn clean(world: &World) {
    clean_store(&world.server.foundation.housekeeping())
        .await
        .unwrap();
    let (_stop, stopping) = tokio::sync::watch::channel(false);
    delete_leftovers(&world.server.foundation.housekeeping(), &stopping)
        .await
        .unwrap();
}

/// The dates of the events that the store holds.
async fn events(world: &World) -> Vec<String> {
    let listed = world
        .storage
        .read(|read| storage::events::list_events(read, 0, 100));
    let listed = listed.await.unwrap();
    listed.iter().map(|event| event.date.to_string()).collect()
}

/// How many attempts the store holds, whosever they are.
async fn attempts(world: &World) -> i64 {
    let counted = world.storage.read(|read| {
        read.query_exactly_one("select count(*) from attempt", &[], |row| row.integer(0))
    });
    counted.await.unwrap()
}

async fn replay_all(world: &World, key: &str, subscription: &str) -> Value {
    let path = format!("/subscriptions/{subscription}/replay");
    let body = json!({"since": "1970-01-01T00:00:00Z"});
    let answer = world.post_webhook(key, &path, body).await;
    assert_eq!(answer.status, 202, "{}", answer.json());
    answer.json()["deliveries"].clone()
}

/// A second receiver that is gone with its first event, which then waits for it.
async fn owe_one_that_is_gone(world: &World, key: &str) -> (Receiver, String) {
    let receiver = world.receiver().await;
    receiver.answer([Reply::status(410)]);
    let subscription = world.subscribe(key, &receiver).await;
    (receiver, subscription)
}

story! {
    async fn old_deliveries_go_with_their_attempts_and_events(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-01").await;
        receiver.wait_for(1).await;
        let old = world.wait_for_state(&key, &subscription, "delivered").await;
        let (gone, owed) = owe_one_that_is_gone(&world, &key).await;
        agent.record(listing, "sstc", "2026-11-02").await;
        world.wait_until("it is disabled", async || {
            world.status_of(&key, &owed).await == "disabled gone"
        }).await;
        receiver.wait_for(2).await;
        world.wait_for_state(&key, &subscription, "delivered").await;
        // A month is kept to its last second.
        world.clock.advance(29 * DAY);
        let agent = agent.renewed(&world).await;
        agent.record(listing, "sstc", "2026-11-03").await;
        receiver.wait_for(3).await;
        world.wait_for_state(&key, &subscription, "delivered").await;
        world.clock.advance(DAY - 60);
        clean(&world).await;
        assert_eq!(world.deliveries(&key, &subscription).await.len(), 3);
        assert_eq!((events(&world).await.len(), attempts(&world).await), (3, 4));
        world.clock.advance(120);
        clean(&world).await;
        // What waits is kept with its event and its attempts, however old it is.
        assert_eq!(events(&world).await, ["2026-11-02", "2026-11-03"]);
        assert_eq!(attempts(&world).await, 2);
        let kept = world.deliveries(&key, &subscription).await;
        assert_eq!(kept.len(), 1);
        let waiting = world.deliveries(&key, &owed).await.remove(0);
        assert_eq!(waiting["status"], "waiting");
        assert_eq!(waiting["attempts"][0]["status"], 410);
        // What is removed is not there for a redelivery, nor is what is older for a replay.
        let id = old["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        let answer = world.webhook(&key, ("POST", &path), None).await;
        assert_eq!(answer.problem(), "404 not-found: The subscription has no such delivery.");
        assert_eq!(replay_all(&world, &key, &subscription).await, 1);
        receiver.wait_for(4).await;
        // And what waited goes out, after all that time.
        let path = format!("/subscriptions/{owed}/enable");
        assert_eq!(world.webhook(&key, ("POST", &path), None).await.status, 200);
        let late = gone.wait_for(2).await.remove(1);
        assert_eq!(late.claims()["data"]["milestone"]["date"], "2026-11-02");
        world.wait_for_state(&key, &owed, "delivered").await;
        world.wait_for_state(&key, &subscription, "delivered").await;
        // It counts from its end on, not from its event.
        clean(&world).await;
        assert_eq!(world.deliveries(&key, &owed).await.len(), 1);
        world.clock.advance(31 * DAY);
        clean(&world).await;
        assert_eq!(world.deliveries(&key, &owed).await, Vec::<Value>::new());
        assert_eq!((events(&world).await, attempts(&world).await), (Vec::new(), 0));
        assert_eq!(replay_all(&world, &key, &subscription).await, 0);
    }
}

story! {
    async fn the_settings_say_what_is_old(world) {
        world = world.reconfigure(|config| config.delivery_retention_days = 2).await;
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        world.post_webhook(&key, "/simulate", body).await;
        world.wait_for_state(&key, &subscription, "delivered").await;
        for (days, left) in [(1, 1), (2, 0)] {
            world.clock.advance(days * DAY);
            clean(&world).await;
            assert_eq!(world.deliveries(&key, &subscription).await.len(), left, "{days}");
        }
        // Cancelled ones as well.
        receiver.answer([Reply::status(500)]);
        let body = json!({"eventType": "milestone.updated", "uprn": "5"});
        world.post_webhook(&key, "/simulate", body).await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        receiver.subscribe_to(&world, &key, &["fallthrough"]).await;
        assert_eq!(world.deliveries(&key, &subscription).await[0]["status"], "cancelled");
        world.clock.advance(3 * DAY);
        clean(&world).await;
        assert_eq!(world.deliveries(&key, &subscription).await.len(), 0);
        assert_eq!(attempts(&world).await, 0);
    }
}

story! {
    /// The log of a removed subscription, and what a revoked key is owed.
    async fn what_nobody_can_ask_for_is_ended(world) {
        let (receiver, other) = (world.receiver().await, world.receiver().await);
        receiver.answer_always(Reply::status(500));
        other.answer_always(Reply::status(500));
        let (key, revoked) = (world.api_key("One Ltd").await, world.api_key("One Ltd").await);
        let removed = world.subscribe(&key, &receiver).await;
        let left = world.subscribe(&revoked, &other).await;
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-01").await;
        world.wait_for_attempts(&key, &removed, 1).await;
        world.wait_for_attempts(&revoked, &left, 1).await;
        let path = format!("/subscriptions/{removed}");
        assert_eq!(world.webhook(&key, ("DELETE", &path), None).await.status, 204);
        world.revoke_api_key(&revoked).await;
        clean(&world).await;
        let states = world.storage.read(|read| {
            read.query("select state from delivery", &[], |row| row.text(0))
        });
        let states: Vec<String> = states.await.unwrap_or_else(|error: StorageError| panic!("{error}"));
        assert_eq!(states, ["cancelled"], "of the key that was revoked");
        assert_eq!(attempts(&world).await, 1);
        // After its time that goes as well.
        world.clock.advance(31 * DAY);
        clean(&world).await;
        assert_eq!((attempts(&world).await, events(&world).await.len()), (0, 0));
    }
}
