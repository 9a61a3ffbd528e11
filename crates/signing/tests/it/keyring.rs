//! The keyring: one current key for each purpose, and no private or revoked key published.

use std::sync::Arc;

use serde_json::Value;
use signing::algorithm::Algorithm::{EdDsa, Es256, Rs256};
use signing::jwk::JwkSet;
use signing::key::SigningKey;
use signing::keyring::KeyState::{Current, Next, Retired, Revoked};
use signing::keyring::Purpose::{Event, Provenance, Token};
use signing::keyring::{KeyState, Keyring, KeyringError, Purpose, RingKey};

use crate::fixture::{names, shared_key as key};

const STATES: [KeyState; 4] = [Next, Current, Retired, Revoked];

fn ring_key(purpose: Purpose, state: KeyState, key: &Arc<SigningKey>) -> RingKey {
    let key = Arc::clone(key);
    RingKey {
        purpose,
        state,
        key,
    }
}

/// A key in each state for provenance and tokens, and one event key.
fn all_keys() -> Vec<RingKey> {
    let mut keys = vec![ring_key(Event, Current, key(Rs256, 4))];
    for (purpose, algorithm) in [(Provenance, Rs256), (Token, Es256)] {
        let states = STATES.into_iter().enumerate();
        keys.extend(states.map(|(at, state)| ring_key(purpose, state, key(algorithm, at))));
    }
    keys
}

fn current_of(keys: &mut [RingKey], purpose: Purpose) -> &mut RingKey {
    let mut keys = keys.iter_mut();
    let current = keys.find(|key| key.purpose == purpose && key.state == Current);
    current.unwrap()
}

#[test]
fn the_current_key_of_each_purpose_signs_and_is_published() {
    let mut keys = all_keys();
    let ring = Keyring::new(keys.clone()).unwrap();
    let set = JwkSet::parse(ring.published_jwks(&Purpose::ALL).as_bytes()).unwrap();
    for purpose in Purpose::ALL {
        let current = ring.current(purpose).unwrap();
        assert_eq!(current.kid(), current_of(&mut keys, purpose).key.kid());
        let signature = current.sign(b"message").unwrap();
        let public = set.find(current.kid()).unwrap();
        let verified = public.verify(current.algorithm(), b"message", &signature);
        assert_eq!(verified, Ok(()));
    }
}

#[track_caller]
fn check_refused(keys: Vec<RingKey>, expected: &KeyringError) {
    assert_eq!(&Keyring::new(keys).unwrap_err(), expected);
}

#[test]
fn a_ring_needs_exactly_one_current_key_for_each_purpose() {
    check_refused(vec![], &KeyringError::NoCurrent(Provenance));
    for purpose in Purpose::ALL {
        for state in [Next, Retired, Revoked] {
            let mut keys = all_keys();
            current_of(&mut keys, purpose).state = state;
            check_refused(keys, &KeyringError::NoCurrent(purpose));
        }
        let second = if purpose == Token {
            key(EdDsa, 0)
        } else {
            key(Rs256, 5)
        };
        let mut keys = all_keys();
        keys.push(ring_key(purpose, Current, second));
        check_refused(keys, &KeyringError::SeveralCurrent(purpose));
    }
}

/// S-22 for the purposes; document 1 prescribes RS256.
#[test]
fn no_key_serves_twice_and_provenance_and_event_keys_are_rs256() {
    let duplicate = key(Rs256, 1);
    for (purpose, state) in [(Provenance, Retired), (Token, Next), (Event, Revoked)] {
        let mut keys = all_keys();
        keys.push(ring_key(purpose, state, duplicate));
        let kid = duplicate.kid().to_owned();
        check_refused(keys, &KeyringError::DuplicateKid(kid));
    }
    for purpose in [Provenance, Event] {
        let mut keys = all_keys();
        current_of(&mut keys, purpose).key = Arc::clone(key(EdDsa, 0));
        let kid = key(EdDsa, 0).kid().to_owned();
        check_refused(keys, &KeyringError::WrongAlgorithm { kid, purpose });
    }
}

/// S-28 for the revoked keys.
#[test]
fn the_published_set_has_the_purposes_asked_for_and_public_members_only() {
    let keys = all_keys();
    let ring = Keyring::new(keys.clone()).unwrap();
    let mut asked: Vec<Vec<Purpose>> = Purpose::ALL.map(|one| vec![one, one]).to_vec();
    asked.extend([Purpose::ALL.to_vec(), vec![Token]]);
    for purposes in asked {
        let published: Value = serde_json::from_str(&ring.published_jwks(&purposes)).unwrap();
        assert_eq!(published.as_object().unwrap().len(), 1);
        let mut expected = keys.clone();
        expected.retain(|key| purposes.contains(&key.purpose) && key.state != Revoked);
        let published = published["keys"].as_array().unwrap();
        assert_eq!(published.len(), expected.len());
        for (jwk, RingKey { key, .. }) in published.iter().zip(&expected) {
            assert_eq!(jwk["kid"], key.kid());
            assert_eq!(jwk["alg"], key.algorithm().as_str());
            assert_eq!(jwk["use"], "sig");
            let expected = match jwk["kty"].as_str().unwrap() {
                "RSA" => "alg e kid kty n use",
                _ => "alg crv kid kty use x y",
            };
            assert_eq!(names(jwk), expected);
        }
    }
    assert_eq!(ring.published_jwks(&[]), r#"{"keys":[]}"#);
}

#[test]
fn tokens_are_verified_by_trusted_token_keys_only() {
    let ring = Keyring::new(all_keys()).unwrap();
    for one in all_keys() {
        let found = ring.find_token_key(one.key.kid()).is_some();
        let is_trusted = one.purpose == Token && one.state != Revoked;
        assert_eq!(found, is_trusted, "{:?} {:?}", one.purpose, one.state);
    }
    assert!(ring.find_token_key("?").is_none());
}

#[test]
fn words_are_read_as_they_are_written() {
    let purposes = Purpose::ALL.map(Purpose::as_str);
    assert_eq!(purposes, ["provenance", "event", "token"]);
    let states = STATES.map(KeyState::as_str);
    assert_eq!(states, ["next", "current", "retired", "revoked"]);
    for purpose in Purpose::ALL {
        assert_eq!(Purpose::parse(purpose.as_str()), Some(purpose));
    }
    for state in STATES {
        assert_eq!(KeyState::parse(state.as_str()), Some(state));
    }
    for other in ["", "Token", "NEXT", "current "] {
        assert_eq!(Purpose::parse(other), None);
        assert_eq!(KeyState::parse(other), None);
    }
}

#[test]
fn debug_shows_no_private_key() {
    let ring = Keyring::new(all_keys()).unwrap();
    let shown = format!("{ring:?}");
    assert!(shown.contains(ring.current(Event).unwrap().kid()));
    assert!(!shown.contains("PRIVATE KEY"));
    assert!(shown.len() < 3000, "ids and algorithms only: {shown}");
}
