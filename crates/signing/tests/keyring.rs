//! The keyring: one current key a purpose, and nothing private or revoked published.

#![expect(
    clippy::unwrap_used,
    reason = "a test whose case cannot be set up must fail"
)]

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::key::SigningKey;
use signing::keyring::{KeyState, Keyring, KeyringError, Purpose, RingKey};

/// Six RS256 keys, which are slow to make, shared by all tests.
static RSA: LazyLock<Vec<Arc<SigningKey>>> =
    LazyLock::new(|| (0..6).map(|_| generate(Algorithm::Rs256)).collect());

#[test]
fn the_current_key_of_each_purpose_signs() {
    let keys = full();
    let ring = Keyring::new(keys.clone()).unwrap();
    for purpose in Purpose::ALL {
        let expected = keys
            .iter()
            .find(|key| key.purpose == purpose && key.state == KeyState::Current)
            .unwrap();
        assert_eq!(ring.current(purpose).kid(), expected.key.kid());
    }
}

#[test]
fn a_ring_needs_exactly_one_current_key_a_purpose() {
    assert_eq!(
        Keyring::new(vec![]).unwrap_err(),
        KeyringError::NoCurrent(Purpose::Provenance)
    );
    for purpose in Purpose::ALL {
        for state in [KeyState::Next, KeyState::Retired, KeyState::Revoked] {
            let mut keys = full();
            current_of(&mut keys, purpose).state = state;
            assert_eq!(
                Keyring::new(keys).unwrap_err(),
                KeyringError::NoCurrent(purpose)
            );
        }
        let mut keys = full();
        let state = KeyState::Current;
        let key = match purpose {
            Purpose::Provenance | Purpose::Event => Arc::clone(&RSA[5]),
            Purpose::Token => generate(Algorithm::EdDsa),
        };
        keys.push(RingKey {
            purpose,
            state,
            key,
        });
        assert_eq!(
            Keyring::new(keys).unwrap_err(),
            KeyringError::SeveralCurrent(purpose)
        );
    }
}

#[test]
fn no_key_serves_twice() {
    for (purpose, state) in [
        (Purpose::Provenance, KeyState::Retired),
        (Purpose::Token, KeyState::Next),
        (Purpose::Event, KeyState::Revoked),
    ] {
        let mut keys = full();
        let key = Arc::clone(&current_of(&mut keys, Purpose::Provenance).key);
        let kid = key.kid().to_owned();
        keys.push(RingKey {
            purpose,
            state,
            key,
        });
        assert_eq!(
            Keyring::new(keys).unwrap_err(),
            KeyringError::DuplicateKid(kid)
        );
    }
}

#[test]
fn provenance_and_event_keys_are_rs256() {
    for purpose in [Purpose::Provenance, Purpose::Event] {
        let mut keys = full();
        let key = generate(Algorithm::Es256);
        let kid = key.kid().to_owned();
        current_of(&mut keys, purpose).key = key;
        assert_eq!(
            Keyring::new(keys).unwrap_err(),
            KeyringError::WrongAlgorithm { kid, purpose }
        );
    }
}

#[test]
fn the_published_set_has_no_private_member_and_no_revoked_key() {
    let keys = full();
    let ring = Keyring::new(keys.clone()).unwrap();
    let published = ring.published_jwks(&Purpose::ALL);
    for key in published_keys(&published) {
        let kid = key["kid"].as_str().unwrap();
        let ring_key = keys
            .iter()
            .find(|ring_key| ring_key.key.kid() == kid)
            .unwrap();
        assert_ne!(ring_key.state, KeyState::Revoked);
        assert_eq!(key["alg"], ring_key.key.algorithm().as_str());
        assert_eq!(key["use"], "sig");
        let names: Vec<&str> = key
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let expected: &[&str] = match key["kty"].as_str().unwrap() {
            "RSA" => &["alg", "e", "kid", "kty", "n", "use"],
            "EC" => &["alg", "crv", "kid", "kty", "use", "x", "y"],
            other => panic!("unexpected kty {other}"),
        };
        assert_eq!(names, expected);
    }
    let expected: Vec<&str> = keys
        .iter()
        .filter(|key| key.state != KeyState::Revoked)
        .map(|key| key.key.kid())
        .collect();
    assert_eq!(published_kids(&published), expected);
}

#[test]
fn only_the_purposes_asked_for_are_published() {
    let keys = full();
    let ring = Keyring::new(keys.clone()).unwrap();
    for purpose in Purpose::ALL {
        let expected: Vec<&str> = keys
            .iter()
            .filter(|key| key.purpose == purpose && key.state != KeyState::Revoked)
            .map(|key| key.key.kid())
            .collect();
        assert_eq!(published_kids(&ring.published_jwks(&[purpose])), expected);
        assert_eq!(
            published_kids(&ring.published_jwks(&[purpose, purpose])),
            expected
        );
    }
    assert_eq!(ring.published_jwks(&[]), r#"{"keys":[]}"#);
}

#[test]
fn the_published_set_verifies_what_the_ring_signs() {
    let ring = Keyring::new(full()).unwrap();
    let set = JwkSet::parse(ring.published_jwks(&Purpose::ALL).as_bytes()).unwrap();
    for purpose in Purpose::ALL {
        let key = ring.current(purpose);
        let signature = key.sign(b"message").unwrap();
        let public = set.find(key.kid()).unwrap();
        assert!(
            public
                .verify(key.algorithm(), b"message", &signature)
                .is_ok()
        );
    }
}

#[test]
fn tokens_are_verified_by_trusted_token_keys_only() {
    let keys = full();
    let ring = Keyring::new(keys.clone()).unwrap();
    for key in &keys {
        let trusted = key.purpose == Purpose::Token && key.state != KeyState::Revoked;
        let found = ring.find_token_key(key.key.kid());
        assert_eq!(
            found.is_some(),
            trusted,
            "{:?} {:?}",
            key.purpose,
            key.state
        );
    }
    assert!(ring.find_token_key("?").is_none());
}

#[test]
fn words_are_read_as_they_are_written() {
    for (purpose, word) in Purpose::ALL
        .into_iter()
        .zip(["provenance", "event", "token"])
    {
        assert_eq!(purpose.as_str(), word);
        assert_eq!(Purpose::parse(word), Some(purpose));
    }
    let states = [
        KeyState::Next,
        KeyState::Current,
        KeyState::Retired,
        KeyState::Revoked,
    ];
    for (state, word) in states
        .into_iter()
        .zip(["next", "current", "retired", "revoked"])
    {
        assert_eq!(state.as_str(), word);
        assert_eq!(KeyState::parse(word), Some(state));
    }
    for other in ["", "Token", "NEXT", "current "] {
        assert_eq!(Purpose::parse(other), None);
        assert_eq!(KeyState::parse(other), None);
    }
}

#[test]
fn debug_shows_no_private_key() {
    let ring = Keyring::new(full()).unwrap();
    let shown = format!("{ring:?}");
    assert!(shown.contains(ring.current(Purpose::Event).kid()));
    assert!(!shown.contains("PRIVATE KEY"));
    assert!(shown.len() < 3000, "ids and algorithms only: {shown}");
}

/// A ring with a key in each state for provenance and tokens, and one event key.
fn full() -> Vec<RingKey> {
    static TOKEN: LazyLock<Vec<Arc<SigningKey>>> =
        LazyLock::new(|| (0..4).map(|_| generate(Algorithm::Es256)).collect());
    let states = [
        KeyState::Next,
        KeyState::Current,
        KeyState::Retired,
        KeyState::Revoked,
    ];
    let mut keys = vec![RingKey {
        purpose: Purpose::Event,
        state: KeyState::Current,
        key: Arc::clone(&RSA[4]),
    }];
    for (purpose, all) in [(Purpose::Provenance, &*RSA), (Purpose::Token, &*TOKEN)] {
        for (state, key) in states.into_iter().zip(all) {
            keys.push(RingKey {
                purpose,
                state,
                key: Arc::clone(key),
            });
        }
    }
    keys
}

fn current_of(keys: &mut [RingKey], purpose: Purpose) -> &mut RingKey {
    keys.iter_mut()
        .find(|key| key.purpose == purpose && key.state == KeyState::Current)
        .unwrap()
}

fn published_keys(jwks: &str) -> Vec<Value> {
    let set: Value = serde_json::from_str(jwks).unwrap();
    assert_eq!(set.as_object().unwrap().len(), 1, "a JWK set has keys only");
    set["keys"].as_array().unwrap().clone()
}

fn published_kids(jwks: &str) -> Vec<String> {
    published_keys(jwks)
        .iter()
        .map(|key| key["kid"].as_str().unwrap().to_owned())
        .collect()
}

fn generate(algorithm: Algorithm) -> Arc<SigningKey> {
    Arc::new(SigningKey::generate(algorithm).unwrap())
}
