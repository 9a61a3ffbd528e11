//! Tests that only what was signed is handed over.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::key::SigningKey;
use signing::{base64url, canonical};

use super::verify_answer;
use crate::ClientError;

/// The answer that a holder of `key` would give for this `data`.
pub(crate) fn sign_answer(key: &SigningKey, data: &Value) -> Value {
    let bytes = canonical::canonicalize(data).unwrap();
    json!({
        "data": data,
        "provenance": {
            "alg": "RS256",
            "kid": key.kid(),
            "payloadHash": {
                "alg": "SHA-256",
                "value": base64url::encode(&canonical::digest(&bytes))
            },
            "signature": base64url::encode(&key.sign(&bytes).unwrap()),
            "signedAt": "2026-03-01T10:00:00Z"
        }
    })
}

/// The published key set with these keys.
pub(crate) fn publish(keys: &[&SigningKey]) -> Value {
    let jwks: Vec<Value> = keys.iter().map(|key| key.public_key().to_jwk()).collect();
    json!({"keys": jwks})
}

/// A page without chains.
pub(crate) fn empty_page() -> Value {
    json!({"data": [], "pagination": {"total": 0, "perPage": 15, "currentPage": 1, "lastPage": 1}})
}

fn check(change: impl FnOnce(&mut Value)) -> Result<String, ClientError> {
    let key = SigningKey::generate(Algorithm::Rs256).unwrap();
    let keys = JwkSet::parse(publish(&[&key]).to_string().as_bytes()).unwrap();
    let mut answer = sign_answer(&key, &empty_page());
    change(&mut answer);
    let body = answer.to_string().into_bytes();
    let verified = verify_answer(body.clone(), &keys)?;
    assert_eq!(verified.body(), body);
    assert_eq!(verified.kid(), key.kid());
    Ok(verified.signed_at().to_owned())
}

#[test]
fn an_answer_as_signed_verifies() {
    assert_eq!(check(|_| {}).unwrap(), "2026-03-01T10:00:00Z");
}

#[test]
fn a_changed_answer_does_not() {
    type Change<'a> = &'a dyn Fn(&mut Value);
    let rehash = |answer: &mut Value| {
        answer["data"]["pagination"]["total"] = json!(7);
        let bytes = canonical::canonicalize(&answer["data"]).unwrap();
        let digest = base64url::encode(&canonical::digest(&bytes));
        answer["provenance"]["payloadHash"]["value"] = json!(digest);
    };
    let changes: [(&str, Change<'_>); 4] = [
        ("a changed value", &|answer| {
            answer["data"]["pagination"]["total"] = json!(7);
        }),
        ("a changed value with a new hash", &rehash),
        ("another key id", &|answer| {
            answer["provenance"]["kid"] = json!("other");
        }),
        ("no provenance", &|answer| {
            answer["provenance"] = json!(null);
        }),
    ];
    for (name, change) in changes {
        let error = check(change).unwrap_err();
        assert!(
            matches!(error, ClientError::Provenance(_)),
            "{name}: {error}"
        );
        assert!(
            error.to_string().contains("does NOT verify"),
            "{name}: {error}"
        );
    }
}

#[test]
fn signed_data_of_another_shape_is_told_apart() {
    let key = SigningKey::generate(Algorithm::Rs256).unwrap();
    let keys = JwkSet::parse(publish(&[&key]).to_string().as_bytes()).unwrap();
    let body = sign_answer(&key, &json!({"chains": []}))
        .to_string()
        .into_bytes();
    let error = verify_answer(body, &keys).unwrap_err();
    assert!(matches!(error, ClientError::Shape(_)), "{error}");
}
