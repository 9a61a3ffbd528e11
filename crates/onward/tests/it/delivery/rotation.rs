//! Events while the service's keys change (S-28).

mod under_load;

use signing::keyring::Purpose;
use storage::Storage;
use tokens::key_error::KeyError;
use tokens::key_source::{KeySafe, KeySource};
use tokens::keys::{self, Rotated, Rotation};

use crate::story;
use crate::test_server::{Received, Receiver, TestServer};

/// Does something with the store's keys and the key that seals them, at the time of the test.
async fn with_keys<T: Send + 'static>(
    server: &TestServer,
    act: impl FnOnce(&Storage, &KeySafe, i64) -> Result<T, KeyError> + Send + 'static,
) -> Result<T, KeyError> {
    let (storage, now) = (server.storage.clone(), server.now());
    let file = server.config.key_encryption_key_file.clone();
    let acting = tokio::task::spawn_blocking(move || {
        act(&storage, &KeySource::File(&file).read()?.into(), now)
    });
    acting.await.unwrap()
}

async fn rotate(server: &TestServer, is_forced: bool) -> Result<Rotated, KeyError> {
    let rotate = move |storage: &Storage, sealing: &KeySafe, now| {
        let rotation = Rotation {
            size: None,
            is_forced,
            now,
        };
        keys::rotate(storage, sealing, &[Purpose::Event], &rotation)
    };
    with_keys(server, rotate)
        .await
        .map(|mut rotated| rotated.remove(0))
}

async fn revoke(server: &TestServer, kid: &str) -> Result<String, KeyError> {
    let kid = kid.to_owned();
    let revoke =
        move |storage: &Storage, sealing: &KeySafe, now| keys::revoke(storage, sealing, &kid, now);
    with_keys(server, revoke).await
}

async fn simulate(server: &TestServer, key: &str, receiver: &Receiver) -> Received {
    let before = receiver.received().len();
    server.simulate(key, "fallthrough", 5).await;
    receiver.wait_for(before + 1).await.remove(before)
}

async fn published(server: &TestServer) -> Vec<String> {
    let keys = server.key_set().await;
    keys.keys()
        .iter()
        .map(|key| key.kid().unwrap().to_owned())
        .collect()
}

story! {
    async fn who_keeps_the_key_set_for_its_time_verifies_every_event(server) {
        let (receiver, key, _subscription) = server.subscriber().await;
        let kept = server.key_set().await;
        let first = simulate(&server, &key, &receiver).await;
        let (_claims, old) = first.verify(&kept);
        // A set is kept for 300 s; a minute is for what lies between.
        server.clock.advance(359);
        let refused = rotate(&server, false).await.unwrap_err();
        assert!(matches!(refused, KeyError::TooEarly(ref when) if when == "2026-11-21T10:06:00Z"), "{refused}");
        server.clock.advance(1);
        let kept_later = server.key_set().await;
        let rotated = rotate(&server, false).await.unwrap();
        assert_eq!(rotated.retired, old);
        let mut kids = Vec::new();
        for _event in 0..3 {
            let event = simulate(&server, &key, &receiver).await;
            // With a set from before the rotation as well as with a new one.
            kids.push(event.verify(&kept_later).1);
            event.verify(&kept);
            event.verify(&server.key_set().await);
        }
        assert!(kids.contains(&rotated.current), "{kids:?}");
        server.wait_until("the new key signs", async || {
            simulate(&server, &key, &receiver).await.verify(&kept).1 == rotated.current
        }).await;
        // The old event verifies with the new set.
        let now = server.key_set().await;
        first.verify(&now);
        let published = published(&server).await;
        for kid in [&old, &rotated.current, &rotated.next] {
            assert!(published.contains(kid), "{kid}");
        }
        // The one that was just made has to be known first.
        assert!(matches!(rotate(&server, false).await, Err(KeyError::TooEarly(_))));
        let forced = rotate(&server, true).await.unwrap();
        assert_eq!(forced.current, rotated.next);
    }
}

story! {
    async fn a_revoked_key_is_withdrawn_at_once_and_signs_nothing_more(server) {
        let (receiver, key, _subscription) = server.subscriber().await;
        let first = simulate(&server, &key, &receiver).await;
        let (_claims, old) = first.verify(&server.key_set().await);
        let current = revoke(&server, &old).await.unwrap();
        assert_ne!(current, old);
        assert!(!published(&server).await.contains(&old));
        let event = simulate(&server, &key, &receiver).await;
        let (_claims, kid) = event.verify(&server.key_set().await);
        assert_eq!(kid, current);
        assert!(matches!(revoke(&server, "unknown").await, Err(KeyError::Unknown(_))));
    }
}
