//! Clients that publish their keys themselves, at `jwks_uri` (S-21).

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::key::SigningKey;
use tokio::task::JoinSet;

use super::check_plain;
use crate::sqlite_story;
use crate::test_server::{Answer, Receiver, Registration, Reply, TestServer, token_form};

const OK: &str = "200 -";
const REFUSED: &str = "401 invalid_client";

/// A client that publishes its keys at the receiver.
async fn register(server: &TestServer, receiver: &Receiver) -> Registration {
    let url = receiver.url.clone();
    let change = |client: &mut storage::clients::StoredClient| {
        client.jwks.clear();
        client.jwks_uri = Some(url);
    };
    let scopes = ["transaction-status"];
    server.register_as("lender", &scopes, change).await
}

/// A client who publishes its one key.
async fn begin(server: &TestServer) -> (Receiver, Registration) {
    let receiver = server.receiver().await;
    let client = register(server, &receiver).await;
    publish(&receiver, &[&client.key]);
    (receiver, client)
}

fn set_of(keys: &[&SigningKey]) -> String {
    let keys: Vec<Value> = keys.iter().map(|key| key.public_key().to_jwk()).collect();
    json!({ "keys": keys }).to_string()
}

fn publish(receiver: &Receiver, keys: &[&SigningKey]) {
    receiver.answer_always(Reply::with_body(&set_of(keys)));
}

/// A token request with an assertion of this key.
async fn request(server: &TestServer, client: &Registration, key: &SigningKey) -> Answer {
    let now = server.node.foundation.clock.now_seconds();
    let assertion = client
        .assertion()
        .member("kid", json!(key.kid()))
        .claim("iat", json!(now))
        .claim("exp", json!(now + 120))
        .sign(key);
    server.request_token(client, &assertion, None).await
}

fn new_key() -> SigningKey {
    SigningKey::generate(Algorithm::Es256).unwrap()
}

sqlite_story! {
    async fn they_are_fetched_once_for_many_requests(server) {
        let (receiver, client) = begin(&server).await;
        let mut requests = JoinSet::new();
        for _ in 0..8 {
            let assertion = client.assertion().sign(&client.key);
            let url = server.url(crate::test_server::At::Auth, "/token");
            let http = client.http.clone();
            requests.spawn(async move {
                let request = http.post(url).form(&token_form(&assertion));
                request.send().await.unwrap().status().as_u16()
            });
        }
        assert_eq!(requests.join_all().await, [200; 8]);
        server.clock.advance(299);
        check_plain("kept", &request(&server, &client, &client.key).await, OK);
        assert_eq!(receiver.received().len(), 1);
        server.clock.advance(1);
        check_plain("asked again", &request(&server, &client, &client.key).await, OK);
        assert_eq!(receiver.received().len(), 2);
    }
}

sqlite_story! {
    async fn a_new_key_is_found_when_it_is_first_used(server) {
        let (receiver, client) = begin(&server).await;
        let next = new_key();
        check_plain("old", &request(&server, &client, &client.key).await, OK);
        publish(&receiver, &[&client.key, &next]);
        server.clock.advance(29);
        check_plain("within the pause", &request(&server, &client, &next).await, REFUSED);
        server.clock.advance(1);
        check_plain("new", &request(&server, &client, &next).await, OK);
        check_plain("old still", &request(&server, &client, &client.key).await, OK);
        assert_eq!(receiver.received().len(), 2);
        // A key that is taken away counts no more once the set is read again.
        publish(&receiver, &[&next]);
        server.clock.advance(300);
        check_plain("taken away", &request(&server, &client, &client.key).await, REFUSED);
        check_plain("new still", &request(&server, &client, &next).await, OK);
        assert_eq!(receiver.received().len(), 3);
    }
}

sqlite_story! {
    async fn made_up_key_ids_cause_few_requests(server) {
        let (receiver, client) = begin(&server).await;
        for _ in 0..20 {
            check_plain("made up", &request(&server, &client, &new_key()).await, REFUSED);
        }
        check_plain("right", &request(&server, &client, &client.key).await, OK);
        assert_eq!(receiver.received().len(), 1);
        server.clock.advance(30);
        for _ in 0..20 {
            check_plain("made up", &request(&server, &client, &new_key()).await, REFUSED);
        }
        assert_eq!(receiver.received().len(), 2);
    }
}

sqlite_story! {
    async fn while_they_cannot_be_fetched_the_last_ones_count_for_an_hour(server) {
        let (receiver, client) = begin(&server).await;
        check_plain("first", &request(&server, &client, &client.key).await, OK);
        receiver.answer_always(Reply::status(503));
        server.clock.advance(3599);
        check_plain("an hour", &request(&server, &client, &client.key).await, OK);
        server.clock.advance(1);
        check_plain("no more", &request(&server, &client, &client.key).await, REFUSED);
        publish(&receiver, &[&client.key]);
        server.clock.advance(30);
        check_plain("there again", &request(&server, &client, &client.key).await, OK);
    }
}

sqlite_story! {
    async fn a_set_without_keys_counts_at_once(server) {
        let (receiver, client) = begin(&server).await;
        let mut encryption = client.key.public_key().to_jwk();
        encryption["use"] = json!("enc");
        let only_encryption = json!({"keys": [encryption]}).to_string();
        for empty in ["{\"keys\":[]}", &only_encryption] {
            publish(&receiver, &[&client.key]);
            server.clock.advance(300);
            check_plain("published", &request(&server, &client, &client.key).await, OK);
            receiver.answer_always(Reply::with_body(empty));
            server.clock.advance(300);
            check_plain("withdrawn", &request(&server, &client, &client.key).await, REFUSED);
            // Nor does a failure that follows bring the old ones back.
            receiver.answer_always(Reply::status(503));
            for seconds in [1, 30, 300] {
                server.clock.advance(seconds);
                check_plain("failure", &request(&server, &client, &client.key).await, REFUSED);
            }
        }
    }
}

sqlite_story! {
    async fn no_hostile_set_is_used(server) {
        let (receiver, client) = begin(&server).await;
        let good = set_of(&[&client.key]);
        let mut modulus = [0xa5_u8; 128];
        modulus[127] = 0x0b;
        let short = base64url::encode(&modulus);
        let weak = json!({"kty": "RSA", "kid": "w", "n": short, "e": "AQAB"});
        let with_weak = json!({"keys": [client.key.public_key().to_jwk(), weak]}).to_string();
        let large = format!("{}{good}", " ".repeat(64 * 1024));
        let there = server.receiver().await;
        publish(&there, &[&client.key]);
        for (label, reply) in [
            ("not found", Reply { status: 404, ..Reply::with_body(&good) }),
            ("created", Reply { status: 201, ..Reply::with_body(&good) }),
            ("elsewhere", Reply::status(302).with("location", &there.url)),
            ("no JSON", Reply::with_body("<html>")),
            ("no list of keys", Reply::with_body("{\"keys\":{}}")),
            ("a weak key among them", Reply::with_body(&with_weak)),
            ("too large", Reply::with_body(&large)),
        ] {
            receiver.answer_always(reply);
            let answer = request(&server, &client, &client.key).await;
            check_plain(label, &answer, REFUSED);
            let said = answer.json()["error_description"].to_string();
            assert!(said.contains("jwks_uri"), "{label}: {said}");
            server.clock.advance(30);
        }
        assert_eq!(there.received().len(), 0, "no redirect is followed");
        publish(&receiver, &[&client.key]);
        check_plain("good at last", &request(&server, &client, &client.key).await, OK);
    }
}

sqlite_story! {
    async fn a_slow_address_delays_no_request_for_long(server) {
        let (receiver, client) = begin(&server).await;
        receiver.hold(true);
        let slow = request(&server, &client, &client.key);
        let ended = tokio::time::timeout(std::time::Duration::from_secs(15), slow).await;
        check_plain("given up", &ended.unwrap(), REFUSED);
        // Within the pause no request waits for it again.
        let at_once = request(&server, &client, &client.key);
        let ended = tokio::time::timeout(std::time::Duration::from_secs(3), at_once).await;
        check_plain("at once", &ended.unwrap(), REFUSED);
        assert_eq!(receiver.received().len(), 1);
    }
}

sqlite_story! {
    async fn a_private_address_is_not_asked(server) {
        server = server.reconfigure(|config| config.callback_allowed_networks.clear()).await;
        let (receiver, client) = begin(&server).await;
        check_plain("by name", &request(&server, &client, &client.key).await, REFUSED);
        let url = receiver.url.replace("localhost", "127.0.0.1");
        let literal = |stored: &mut storage::clients::StoredClient| {
            stored.jwks.clear();
            stored.jwks_uri = Some(url);
        };
        let literal = server.register_as("literal", &["transaction-status"], literal).await;
        check_plain("by number", &request(&server, &literal, &literal.key).await, REFUSED);
        assert_eq!(receiver.received().len(), 0);
    }
}
