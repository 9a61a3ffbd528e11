//! Readers find the keys at `published_jwks_url`: none signs before that address shows it (S-76).

use serde_json::{Value, json};
use signing::base64url;
use signing::jwk::JwkSet;
use signing::keyring::Purpose;
use tokens::key_error::KeyError;
use tokens::keys::{self, Rotated, Rotation};

use crate::imported_keys::{import, verify_with_openssl};
use crate::query::rows::Rows;
use crate::story;
use crate::test_server::{Answer, At, Client, Shown, TestServer, http_client, send};

/// Seconds after which a comparison is due.
const HOUR: i64 = 3600;
/// The same while a key that should sign was never shown.
const MINUTE: i64 = 60;

/// Rotates the key of answers as the command does.
async fn rotate(server: &TestServer, address: &str, is_forced: bool) -> Result<Rotated, KeyError> {
    let (storage, now, address) = (server.storage.clone(), server.now(), address.to_owned());
    let registry = server.node.foundation.registry.clone();
    let rotating = tokio::task::spawn_blocking(move || {
        let rotation = Rotation {
            size: None,
            is_forced,
            now,
        };
        let purposes = [Purpose::Provenance];
        keys::rotate_shown(&storage, registry.safe(), &purposes, &rotation, &address)
    });
    Ok(rotating.await.unwrap()?.remove(0))
}

/// The count of a fault in the metrics.
async fn count(server: &TestServer, fault: &str) -> String {
    let request = http_client(server, None).get(server.url(At::Ops, "/metrics"));
    let text = String::from_utf8(send(request).await.body).unwrap();
    let start = format!("onward_published_key_faults{{fault=\"{fault}\"}} ");
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(&start));
    value
        .unwrap_or_else(|| panic!("{fault}: {text}"))
        .to_owned()
}

async fn wait_for_count(server: &TestServer, fault: &str, wanted: &str) {
    let wait = format!("{fault} is {wanted}");
    server
        .wait_until(&wait, async || count(server, fault).await == wanted)
        .await;
}

/// The answer to a new lender, because tokens end while hours pass.
async fn ask(server: &TestServer) -> Answer {
    lender(server).await.ask_uprns(&[1]).await
}

async fn lender(server: &TestServer) -> Client {
    let name = uuid::Uuid::new_v4().to_string();
    server.client(&name, &["transaction-status"], &[]).await
}

async fn wait_until_it_signs(server: &TestServer) -> Answer {
    server
        .wait_until("it signs", async || ask(server).await.status == 200)
        .await;
    ask(server).await
}

/// The answer verifies with what the key store shows; the id of its key.
fn verify(answer: &Answer, keys: &[Value]) -> String {
    let body = answer.json();
    let kid = body["provenance"]["kid"].as_str().unwrap().to_owned();
    let jwk = keys.iter().find(|key| key["kid"] == *kid).unwrap();
    let signed = serde_json_canonicalizer::to_vec(&body["data"]).unwrap();
    let signature = body["provenance"]["signature"].as_str().unwrap();
    let signature = base64url::decode_strict(signature).unwrap();
    verify_with_openssl(jwk, &signed, &signature);
    kid
}

/// A key with another public key and the id of this one.
async fn with_other_numbers(server: &TestServer, key: &Value) -> Value {
    let mut other = server.own_keys().await;
    let at = other
        .iter()
        .position(|one| one["kid"] != key["kid"])
        .unwrap();
    let mut other = other.swap_remove(at);
    other["kid"] = key["kid"].clone();
    other
}

story! {
    async fn no_key_signs_before_the_address_shows_it(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let keys = server.own_keys().await;
        let (moved, store) = server.with_key_store(Shown::Keys(Vec::new())).await;
        server = moved;
        let (receiver, api_key, subscription) = server.subscriber().await;
        wait_for_count(&server, "current_missing", "2").await;
        wait_for_count(&server, "next_missing", "2").await;
        let refused = ask(&server).await;
        let said = "503 key-not-published: The key that signs answers is not in the published key set yet, \
            so that nobody could verify them. Try again later.";
        assert_eq!((refused.problem().as_str(), refused.header("retry-after")), (said, "60"));
        server.simulate(&api_key, "fallthrough", 5).await;
        server.wait_until("an event could not be signed", async || {
            let listed = server.deliveries(&api_key, &subscription).await;
            listed[0]["attempts"].as_array().is_some_and(|made| !made.is_empty())
        }).await;
        assert_eq!(receiver.received().len(), 0);
        // Everything else goes on, and the service publishes the same keys itself.
        let agent = server.agent("north").await;
        agent.list(7).await;
        assert_eq!(server.own_keys().await, keys);

        // The ids with other public keys are not the keys.
        let mut swapped = Vec::new();
        for key in &keys {
            swapped.push(with_other_numbers(&server, key).await);
        }
        store.show(Shown::Keys(swapped));
        store.wait_for_comparison(&server, MINUTE).await;
        wait_for_count(&server, "differs", "4").await;
        assert_eq!(ask(&server).await.status, 503);

        store.show(Shown::Keys(keys.clone()));
        store.wait_for_call(&server, MINUTE).await;
        verify(&wait_until_it_signs(&server).await, &keys);
        wait_for_count(&server, "differs", "0").await;
        wait_for_count(&server, "current_missing", "0").await;
        server.wait_until("the event arrives", async || {
            server.clock.advance(60);
            !receiver.received().is_empty()
        }).await;
        let set = json!({"keys": keys}).to_string();
        receiver.received()[0].verify(&JwkSet::parse(set.as_bytes()).unwrap());
    }
}

story! {
    async fn what_was_shown_once_counts_while_the_address_is_down(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let keys = server.own_keys().await;
        let (moved, store) = server.with_key_store(Shown::Keys(keys.clone())).await;
        server = moved;
        wait_until_it_signs(&server).await;
        store.show(Shown::Status(500));
        server = server.reconfigure(store.settings()).await;
        verify(&ask(&server).await, &keys);
        wait_for_count(&server, "unreadable", "1").await;
        let other = server.start_node().await;
        let lender = lender(&server).await.on_node(&server, other);
        assert_eq!(lender.ask_uprns(&[1]).await.status, 200);
        // Another address has shown nothing.
        let settings = store.settings();
        server.stop_newest_node().await;
        server = server.reconfigure(|config| {
            settings(config);
            config.published_jwks_url.push_str("?another");
        }).await;
        assert_eq!(ask(&server).await.status, 503);
        store.show(Shown::Keys(keys));
        store.wait_for_call(&server, MINUTE).await;
        wait_until_it_signs(&server).await;
    }
}

story! {
    async fn a_rotation_waits_until_the_address_shows_the_next_key(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let keys = server.own_keys().await;
        let (moved, store) = server.with_key_store(Shown::Keys(keys.clone())).await;
        server = moved;
        let old = verify(&wait_until_it_signs(&server).await, &keys);
        let mut jwk = import(&server, Purpose::Provenance, "portal/1").await;
        jwk["kid"] = "portal/1".into();
        store.wait_for_comparison(&server, HOUR).await;
        wait_for_count(&server, "next_missing", "1").await;
        for is_forced in [false, true] {
            let refused = rotate(&server, &store.url, is_forced).await.unwrap_err();
            assert!(matches!(refused, KeyError::NotShown(ref kid) if kid == "portal/1"), "{refused}");
        }
        // Twice the same id: a reader may take either.
        let mut shown = keys.clone();
        shown.extend([jwk.clone(), with_other_numbers(&server, &jwk).await]);
        store.show(Shown::Keys(shown));
        store.wait_for_comparison(&server, HOUR).await;
        wait_for_count(&server, "differs", "1").await;
        assert!(matches!(rotate(&server, &store.url, true).await, Err(KeyError::NotShown(_))));
        assert_eq!(verify(&ask(&server).await, &keys), old);

        let mut shown = keys.clone();
        shown.push(jwk.clone());
        store.show(Shown::Keys(shown.clone()));
        store.wait_for_call(&server, HOUR).await;
        wait_for_count(&server, "differs", "0").await;
        // Six minutes after the address showed it, and not after it was imported.
        let early = rotate(&server, &store.url, false).await;
        assert!(matches!(early, Err(KeyError::TooEarly(_))), "{early:?}");
        server.clock.advance(360);
        let rotated = rotate(&server, &store.url, false).await.unwrap();
        assert_eq!(rotated.current, "portal/1");
        assert_eq!(verify(&ask(&server).await, &shown), "portal/1");
    }
}

story! {
    async fn a_key_that_follows_a_revoked_one_waits_as_well(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let keys = server.own_keys().await;
        let old = ask(&server).await.json()["provenance"]["kid"].as_str().unwrap().to_owned();
        let shown: Vec<_> = keys.iter().filter(|key| key["kid"] == *old).cloned().collect();
        let events: Vec<_> = keys.iter().filter(|key| key["kid"] != *old).cloned().collect();
        let (moved, store) = server.with_key_store(Shown::Keys(shown.clone())).await;
        server = moved;
        wait_until_it_signs(&server).await;
        let (storage, kid, now) = (server.storage.clone(), old.clone(), server.now());
        let registry = server.node.foundation.registry.clone();
        let revoking = tokio::task::spawn_blocking(move || {
            keys::revoke(&storage, registry.safe(), &kid, now)
        });
        revoking.await.unwrap().unwrap();
        assert!(ask(&server).await.problem().starts_with("503 key-not-published: "));
        store.wait_for_comparison(&server, MINUTE).await;
        wait_for_count(&server, "revoked_shown", "1").await;
        store.show(Shown::Keys(events.clone()));
        store.wait_for_call(&server, MINUTE).await;
        verify(&wait_until_it_signs(&server).await, &events);
        wait_for_count(&server, "revoked_shown", "0").await;
    }
}

story! {
    async fn an_answer_that_is_no_key_set_shows_no_key(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let keys = server.own_keys().await;
        let good = json!({"keys": keys}).to_string();
        let repeated = format!("{{\"keys\": [], {}", good.strip_prefix('{').unwrap());
        let (moved, store) = server.with_key_store(Shown::Status(404)).await;
        server = moved;
        let huge = format!("{}{good}", " ".repeat(300 * 1024));
        for shown in [
            Shown::Redirect(keys.clone()),
            Shown::Body(huge.into_bytes()),
            Shown::Body(repeated.into_bytes()),
            Shown::Body(b"{\"keys\": {}}".to_vec()),
            Shown::Body(b"<html>".to_vec()),
        ] {
            store.show(shown);
            store.wait_for_comparison(&server, MINUTE).await;
            wait_for_count(&server, "unreadable", "1").await;
            assert_eq!(ask(&server).await.status, 503);
        }
        assert!(store.calls().iter().all(|path| path == "/organisation/application.jwks"));
        // One that never ends is given up.
        store.hold(true);
        store.wait_for_comparison(&server, MINUTE).await;
        assert_eq!(ask(&server).await.status, 503);
        store.show(Shown::Body(good.into_bytes()));
        store.hold(false);
        server.wait_until("the keys are shown", async || {
            server.clock.advance(MINUTE);
            ask(&server).await.status == 200
        }).await;
        wait_for_count(&server, "unreadable", "0").await;
        wait_until_it_signs(&server).await;
    }
}

story! {
    async fn documents_and_metadata_name_the_address(server) {
        let keys = server.own_keys().await;
        let (moved, store) = server.with_key_store(Shown::Keys(keys)).await;
        server = moved;
        server.make_operator("Onward").await;
        let http = http_client(&server, None);
        let get = async |at, path: &str| send(http.get(server.url(at, path))).await.json();
        let named = get(At::Auth, "/.well-known/oauth-authorization-server").await;
        assert_eq!(named["jwks_uri"], store.url);
        let named = get(At::Base, "/.well-known/oauth-protected-resource").await;
        assert_eq!(named["jwks_uri"], store.url);
        let named = get(At::Directory, "/participants").await.to_string();
        assert!(named.contains(&store.url), "{named}");
        assert!(!named.contains("/jwks\""), "{named}");
    }
}
