//! Tests that only signed data is accepted.

use serde_json::{Value, json};
use signing::jwk::JwkSet;
use signing::key::SigningKey;
use signing::{base64url, canonical};

use super::verify_answer;
use crate::ClientError;
use crate::fake_server::{KEYS, publish};

/// The answer in which the holder of `key` signs `data`.
pub(crate) fn sign_answer(key: &SigningKey, data: &Value) -> Value {
    let bytes = canonical::canonicalize(data).unwrap();
    json!({
        "data": data,
        "provenance": {
            "alg": "RS256",
            "kid": key.kid(),
            "payloadHash": {"alg": "SHA-256", "value": digest(data)},
            "signature": base64url::encode(&key.sign(&bytes).unwrap()),
            "signedAt": "2026-03-01T10:00:00Z"
        }
    })
}

fn digest(data: &Value) -> String {
    base64url::encode(&canonical::digest(&canonical::canonicalize(data).unwrap()))
}

/// A page without chains.
pub(crate) fn empty_page() -> Value {
    json!({"data": [], "pagination": {"total": 0, "perPage": 15, "currentPage": 1, "lastPage": 1}})
}

fn check(data: &Value, change: fn(&mut Value)) -> Result<(), ClientError> {
    let keys = JwkSet::parse(publish(&[&KEYS[0]]).to_string().as_bytes()).unwrap();
    let mut answer = sign_answer(&KEYS[0], data);
    change(&mut answer);
    let body = answer.to_string().into_bytes();
    let verified = verify_answer(body.clone(), &keys)?;
    assert_eq!(verified.body(), body);
    assert_eq!(verified.kid(), KEYS[0].kid());
    assert_eq!(verified.signed_at(), "2026-03-01T10:00:00Z");
    Ok(())
}

#[test]
fn an_unchanged_answer_verifies() {
    check(&empty_page(), |_| {}).unwrap();
}

#[test]
fn a_changed_answer_does_not_verify() {
    let changes: [fn(&mut Value); 4] = [
        |answer| answer["data"]["pagination"]["total"] = json!(7),
        |answer| {
            answer["data"]["pagination"]["total"] = json!(7);
            answer["provenance"]["payloadHash"]["value"] = json!(digest(&answer["data"]));
        },
        |answer| answer["provenance"]["kid"] = json!("other"),
        |answer| answer["provenance"] = json!(null),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let error = check(&empty_page(), change).unwrap_err();
        let is_provenance = matches!(error, ClientError::NotGenuine(_));
        let says_so = error.to_string().contains("does NOT verify");
        assert!(is_provenance && says_so, "change {index}: {error}");
    }
}

#[test]
fn signed_data_of_another_shape_is_refused() {
    let error = check(&json!({"chains": []}), |_| {}).unwrap_err();
    assert!(matches!(error, ClientError::Shape(_)), "{error}");
}
