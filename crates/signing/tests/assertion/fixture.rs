//! A client, its keys, and the checks as the token endpoint makes them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test whose case cannot be set up must fail"
)]

use std::sync::LazyLock;

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::assertion::{
    self, AssertionRefusal, AssertionRules, CheckedAssertion, Profile, read_client_id,
};
use signing::base64url;
use signing::jwk::JwkSet;
use signing::jws::Unverified;
use signing::key::SigningKey;

pub(crate) const NOW: i64 = 1_790_000_000;
pub(crate) const CLIENT: &str = "https://rp.directory.example/openid_relying_party/1";
pub(crate) const ISSUER: &str = "https://auth.example";
pub(crate) const TOKEN_ENDPOINT: &str = "https://auth.example/token";
pub(crate) const OTHER: &str = "https://other.example";

/// In a change of the claims, takes the claim away.
pub(crate) const ABSENT: &str = "<absent>";

pub(crate) struct Keys {
    pub(crate) es256: SigningKey,
    pub(crate) eddsa: SigningKey,
    pub(crate) ps256: SigningKey,
    pub(crate) rs256: SigningKey,
    pub(crate) unregistered: SigningKey,
    pub(crate) registered: JwkSet,
}

pub(crate) static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let generate = |algorithm| SigningKey::generate(algorithm).unwrap();
    let es256 = generate(Algorithm::Es256);
    let eddsa = generate(Algorithm::EdDsa);
    let ps256 = generate(Algorithm::Ps256);
    let rs256 = generate(Algorithm::Rs256);
    let jwks: Vec<Value> = [&es256, &eddsa, &ps256, &rs256]
        .into_iter()
        .map(|key| {
            let mut jwk = key.public_key().to_jwk();
            jwk["kid"] = json!(key.kid());
            jwk
        })
        .collect();
    let registered = JwkSet::parse(json!({ "keys": jwks }).to_string().as_bytes()).unwrap();
    Keys {
        es256,
        eddsa,
        ps256,
        rs256,
        unregistered: generate(Algorithm::Es256),
        registered,
    }
});

/// The checks as the token endpoint makes them, for the client [`CLIENT`].
pub(crate) fn check(
    assertion: &str,
    profile: Profile,
    pinned: Option<Algorithm>,
) -> Result<CheckedAssertion, AssertionRefusal> {
    let unverified = Unverified::parse(assertion)?;
    read_client_id(&unverified)?;
    let rules = AssertionRules {
        profile,
        issuer: ISSUER,
        token_endpoint: TOKEN_ENDPOINT,
        pinned,
    };
    assertion::check(&unverified, &KEYS.registered, &rules, CLIENT, NOW)
}

/// `ok`, or the name of the refusal.
pub(crate) fn outcome(assertion: &str, profile: Profile, pinned: Option<Algorithm>) -> String {
    match check(assertion, profile, pinned) {
        Ok(_) => "ok".to_owned(),
        Err(refusal) => {
            let shown = format!("{refusal:?}");
            let end = shown.find(|c: char| !c.is_alphanumeric());
            shown[..end.unwrap_or(shown.len())].to_owned()
        }
    }
}

/// The claims of a good assertion, with the members of `change` put in their
/// place.
pub(crate) fn claims(change: Value) -> Value {
    let mut claims = json!({
        "iss": CLIENT, "sub": CLIENT, "aud": ISSUER,
        "exp": NOW + 60, "iat": NOW, "nbf": NOW, "jti": "jti-1",
    });
    let Value::Object(change) = change else {
        panic!("a change is an object");
    };
    for (name, value) in change {
        if value == ABSENT {
            claims.as_object_mut().unwrap().remove(&name);
        } else {
            claims[name] = value;
        }
    }
    claims
}

pub(crate) fn sign(claims: &Value) -> String {
    let key = &KEYS.es256;
    sign_raw(&json!({"alg": "ES256", "kid": key.kid()}), claims, key)
}

/// A JWS with any header at all, whether or not it is true of the key.
pub(crate) fn sign_raw(header: &Value, claims: &Value, key: &SigningKey) -> String {
    let signed = format!("{}.{}", encode(header), encode(claims));
    let signature = key.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", base64url::encode(&signature))
}

pub(crate) fn encode(value: &Value) -> String {
    base64url::encode(value.to_string().as_bytes())
}
