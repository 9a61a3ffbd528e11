//! The rules of the client assertion (S-21), each broken once under both profiles.
//!
//! T-numbers are the rows of the table of token requests that the tests of `/token` share.

mod claims;
mod properties;
mod refusal;
mod signature;

use std::sync::LazyLock;

use serde_json::{Value, json};
use signing::algorithm::Algorithm::{self, EdDsa, Es256, Ps256, Rs256};
use signing::assertion::{self, AssertionRefusal, AssertionRules, CheckedAssertion, Profile};
use signing::jwk::JwkSet;
use signing::jws::Unverified;

use crate::fixture::{ISSUER, NOW, changed, key, key_set, sign_raw};

const CLIENT: &str = "https://rp.directory.example/openid_relying_party/1";
const TOKEN_ENDPOINT: &str = "https://auth.example/token";
const OTHER: &str = "https://other.example";

/// The keys that the client registered: the first one for each algorithm.
static REGISTERED: LazyLock<JwkSet> =
    LazyLock::new(|| key_set(&[Es256, EdDsa, Ps256, Rs256].map(|one| key(one, 0))));

/// Checks an assertion like the token endpoint, for the client [`CLIENT`].
fn check(
    assertion: &str,
    profile: Profile,
    pinned: Option<Algorithm>,
) -> Result<CheckedAssertion, AssertionRefusal> {
    let unverified = Unverified::parse(assertion)?;
    assertion::read_client_id(&unverified)?;
    let rules = AssertionRules {
        profile,
        issuer: ISSUER,
        token_endpoint: TOKEN_ENDPOINT,
        called_endpoint: TOKEN_ENDPOINT,
        pinned,
    };
    assertion::check(&unverified, &REGISTERED, &rules, CLIENT, NOW)
}

/// `ok`, or the name of the refusal.
fn outcome(assertion: &str, profile: Profile, pinned: Option<Algorithm>) -> String {
    match check(assertion, profile, pinned) {
        Ok(_) => "ok".to_owned(),
        Err(refusal) => {
            let shown = format!("{refusal:?}");
            let mut words = shown.split(|character: char| !character.is_alphanumeric());
            words.next().unwrap().to_owned()
        }
    }
}

/// Compares the outcomes under the profiles `sector` and `fapi2`.
#[track_caller]
fn expect(assertion: &str, expected: [&str; 2], case: &str) {
    let profiles = [Profile::Sector, Profile::Fapi2];
    let found = profiles.map(|profile| outcome(assertion, profile, None));
    assert_eq!(found, expected, "{case}");
}

/// The claims of a good assertion with the members of `change` in their place.
fn claims(change: &Value) -> Value {
    let claims = json!({
        "iss": CLIENT, "sub": CLIENT, "aud": ISSUER,
        "exp": NOW + 60, "iat": NOW, "nbf": NOW, "jti": "jti-1",
    });
    changed(claims, change)
}

fn sign(claims: &Value) -> String {
    let key = key(Es256, 0);
    sign_raw(&json!({"alg": "ES256", "kid": key.kid()}), claims, key)
}
