//! Keys, tokens and changed JSON objects that the tests share.

use std::sync::{Arc, LazyLock};

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::jwk::JwkSet;
use signing::key::SigningKey;

/// Unix seconds.
pub(crate) const NOW: i64 = 1_790_000_000;
pub(crate) const ISSUER: &str = "https://auth.example";

/// In a change of an object, removes the member.
pub(crate) const ABSENT: &str = "<absent>";

/// RSA keys are slow to make, so the tests share all keys.
static KEYS: LazyLock<[Vec<Arc<SigningKey>>; 4]> = LazyLock::new(|| {
    Algorithm::ALL.map(|algorithm| {
        let count = match algorithm {
            Algorithm::Rs256 => 6,
            Algorithm::Es256 => 4,
            Algorithm::Ps256 | Algorithm::EdDsa => 2,
        };
        let keys = (0..count).map(|_| SigningKey::generate(algorithm).unwrap());
        keys.map(Arc::new).collect()
    })
});

/// A key for an algorithm. There are 6 for RS256, 4 for ES256, and 2 for PS256 and `EdDSA`.
pub(crate) fn key(algorithm: Algorithm, index: usize) -> &'static SigningKey {
    shared_key(algorithm, index)
}

pub(crate) fn shared_key(algorithm: Algorithm, index: usize) -> &'static Arc<SigningKey> {
    &KEYS[algorithm as usize][index]
}

/// The RSA key `key` for PS256.
pub(crate) fn as_ps256(key: &SigningKey) -> SigningKey {
    SigningKey::from_pkcs8_pem(&key.to_pkcs8_pem().unwrap(), Algorithm::Ps256).unwrap()
}

pub(crate) fn key_set(keys: &[&SigningKey]) -> JwkSet {
    let jwks: Vec<Value> = keys.iter().map(|key| key.public_key().to_jwk()).collect();
    JwkSet::parse(json!({ "keys": jwks }).to_string().as_bytes()).unwrap()
}

/// The object with the members of `change` in their place.
pub(crate) fn changed(mut object: Value, change: &Value) -> Value {
    for (name, value) in change.as_object().unwrap() {
        if value == ABSENT {
            object.as_object_mut().unwrap().remove(name);
        } else {
            object[name] = value.clone();
        }
    }
    object
}

/// A change for each value of a JSON array, which gives that value to the member `name`.
pub(crate) fn with_values(name: &str, values: Value) -> Vec<Value> {
    let values: Vec<Value> = serde_json::from_value(values).unwrap();
    let changes = values.into_iter().map(|value| json!({name: value}));
    changes.collect()
}

/// The names of the members, in order.
pub(crate) fn names(object: &Value) -> String {
    let names: Vec<_> = object.as_object().unwrap().keys().cloned().collect();
    names.join(" ")
}

pub(crate) fn encode(value: &Value) -> String {
    base64url::encode(value.to_string().as_bytes())
}

/// A JWS with any header, whether or not it fits the key.
pub(crate) fn sign_raw(header: &Value, claims: &Value, key: &SigningKey) -> String {
    let signed = format!("{}.{}", encode(header), encode(claims));
    let signature = key.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", base64url::encode(&signature))
}
