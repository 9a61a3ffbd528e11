//! Events while the service's keys change (S-28).

mod under_load;

use serde_json::json;
use signing::keyring::Purpose;
use tokens::keys::{self, KeyError, Rotated, Rotation};

use crate::story;
use crate::world::{Receiver, World};

async fn rotate(world: &World, is_forced: bool) -> Result<Rotated, KeyError> {
    let now = observe::clock::Clock::Manual(world.clock.clone()).now_seconds();
    let (storage, file) = (
        world.storage.clone(),
        world.config.key_encryption_key_file.clone(),
    );
    let rotating = tokio::task::spawn_blocking(move || {
        let sealing = keys::read_key_encryption_key(&file)?;
        let rotation = Rotation {
            size: None,
            is_forced,
            now,
        };
        keys::rotate(&storage, &sealing, &[Purpose::Event], &rotation)
    });
    let rotated = rotating.await.unwrap();
    rotated.map(|mut rotated| rotated.remove(0))
}

async fn revoke(world: &World, kid: &str) -> Result<String, KeyError> {
    let now = observe::clock::Clock::Manual(world.clock.clone()).now_seconds();
    let (storage, file) = (
        world.storage.clone(),
        world.config.key_encryption_key_file.clone(),
    );
    let kid = kid.to_owned();
    let revoking = tokio::task::spawn_blocking(move || {
        let sealing = keys::read_key_encryption_key(&file)?;
        keys::revoke(&storage, &sealing, &kid, now)
    });
    revoking.await.unwrap()
}

async fn simulate(world: &World, key: &str, receiver: &Receiver) -> crate::world::Received {
    let before = receiver.received().len();
    let body = json!({"eventType": "fallthrough", "uprn": "5"});
    assert_eq!(world.post_webhook(key, "/simulate", body).await.status, 202);
    receiver.wait_for(before + 1).await.remove(before)
}

async fn published(world: &World) -> Vec<String> {
    let keys = world.key_set().await;
    keys.keys()
        .iter()
        .map(|key| key.kid().unwrap().to_owned())
        .collect()
}

story! {
    async fn who_keeps_the_key_set_for_its_time_verifies_every_event(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        world.subscribe(&key, &receiver).await;
        let kept = world.key_set().await;
        let first = simulate(&world, &key, &receiver).await;
        let (_claims, old) = first.verify(&kept);
        // A set is kept for 300 s; a minute is for what lies between.
        world.clock.advance(359);
        let refused = rotate(&world, false).await.unwrap_err();
        assert!(matches!(refused, KeyError::TooEarly(ref when) if when == "2026-11-21T10:06:00Z"), "{refused}");
        world.clock.advance(1);
        let kept_later = world.key_set().await;
        let rotated = rotate(&world, false).await.unwrap();
        assert_eq!(rotated.retired, old);
        let mut kids = Vec::new();
        for _event in 0..3 {
            let event = simulate(&world, &key, &receiver).await;
            // With a set from before the rotation as well as with a new one.
            kids.push(event.verify(&kept_later).1);
            event.verify(&kept);
            event.verify(&world.key_set().await);
        }
        assert!(kids.contains(&rotated.current), "{kids:?}");
        world.wait_until("the new key signs", async || {
            simulate(&world, &key, &receiver).await.verify(&kept).1 == rotated.current
        }).await;
        // The old event verifies with the new set.
        let now = world.key_set().await;
        first.verify(&now);
        let published = published(&world).await;
        for kid in [&old, &rotated.current, &rotated.next] {
            assert!(published.contains(kid), "{kid}");
        }
        // The one that was just made has to be known first.
        assert!(matches!(rotate(&world, false).await, Err(KeyError::TooEarly(_))));
        let forced = rotate(&world, true).await.unwrap();
        assert_eq!(forced.current, rotated.next);
    }
}

story! {
    async fn a_revoked_key_is_withdrawn_at_once_and_signs_nothing_more(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        world.subscribe(&key, &receiver).await;
        let (_claims, old) = simulate(&world, &key, &receiver).await.verify(&world.key_set().await);
        let current = revoke(&world, &old).await.unwrap();
        assert_ne!(current, old);
        assert!(!published(&world).await.contains(&old));
        let event = simulate(&world, &key, &receiver).await;
        let (_claims, kid) = event.verify(&world.key_set().await);
        assert_eq!(kid, current);
        assert!(matches!(revoke(&world, "unknown").await, Err(KeyError::Unknown(_))));
    }
}
