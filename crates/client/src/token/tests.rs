//! Tests of client assertions and of how long a token is kept.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use signing::algorithm::Algorithm;
use signing::jws::Unverified;
use signing::key::SigningKey;

use super::{
    ASSERTION_LIFETIME_SECONDS, Credentials, IssuedToken, KeptToken, parse_assertion_key,
    sign_assertion,
};

const ISSUER: &str = "https://auth.example";

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn credentials(algorithm: Algorithm, kid: Option<&str>) -> Credentials {
    Credentials {
        client_id: "https://directory.example/client/1".to_owned(),
        certificate_pem: b"certificate".to_vec(),
        key_pem: b"secret-key".to_vec(),
        assertion_key: SigningKey::generate(algorithm).unwrap(),
        assertion_kid: kid.map(str::to_owned),
    }
}

#[test]
fn an_assertion_names_the_issuer_alone_and_lives_two_minutes() {
    for algorithm in Algorithm::ALL {
        let credentials = credentials(algorithm, Some("key-1"));
        let assertion = sign_assertion(&credentials, ISSUER, at(1_800_000_000)).unwrap();
        let token = Unverified::parse(&assertion).unwrap();
        assert_eq!(token.kid(), Some("key-1"));
        assert_eq!(token.algorithm(), algorithm);
        let verified = token
            .verify(credentials.assertion_key.public_key())
            .unwrap();
        let claims = verified.claims();
        assert_eq!(claims["iss"], credentials.client_id.as_str());
        assert_eq!(claims["sub"], claims["iss"]);
        assert_eq!(claims["aud"], ISSUER);
        assert_eq!(claims["iat"], 1_800_000_000);
        assert_eq!(claims["exp"], 1_800_000_000 + ASSERTION_LIFETIME_SECONDS);
        assert!(claims["jti"].as_str().unwrap().len() >= 32);
    }
}

#[test]
fn every_assertion_has_its_own_jti_and_a_kid_only_if_there_is_one() {
    let credentials = credentials(Algorithm::Es256, None);
    let sign = || {
        let assertion = sign_assertion(&credentials, ISSUER, at(1)).unwrap();
        let token = Unverified::parse(&assertion).unwrap();
        assert_eq!(token.kid(), None);
        token.unverified_claims().unwrap()["jti"].clone()
    };
    assert_ne!(sign(), sign());
}

#[test]
fn a_key_that_does_not_fit_is_refused_with_what_to_do() {
    let pem = SigningKey::generate(Algorithm::Es256)
        .unwrap()
        .to_pkcs8_pem()
        .unwrap();
    assert!(parse_assertion_key(pem.as_bytes(), "ES256").is_ok());
    let check = |pem: &[u8], algorithm: &str, expected: &str| {
        let error = parse_assertion_key(pem, algorithm).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(pem.as_bytes(), "PS256", "not one for PS256");
    check(pem.as_bytes(), "none", "the algorithm `none` is unknown");
    check(b"\xff", "ES256", "BEGIN PRIVATE KEY");
}

#[test]
fn the_debug_form_shows_no_key() {
    let shown = format!("{:?}", credentials(Algorithm::Es256, None));
    assert_eq!(
        shown,
        r#"Credentials { client_id: "https://directory.example/client/1", .. }"#
    );
}

#[test]
fn a_refused_token_is_forgotten_and_its_successor_is_not() {
    let mut kept = KeptToken::empty();
    kept.keep(&issued(600), at(0));
    kept.forget("another");
    assert_eq!(kept.at(at(1)).as_deref(), Some("token"));
    kept.forget("token");
    assert_eq!(kept.at(at(1)), None);
}

fn issued(expires_in: u64) -> IssuedToken {
    serde_json::from_value(serde_json::json!({
        "access_token": "token", "token_type": "Bearer", "expires_in": expires_in
    }))
    .unwrap()
}

proptest! {
    /// The model: usable while more than 30 s, and less than a day, remain.
    #[test]
    fn a_token_is_kept_until_30_seconds_before_its_expiry(
        expires_in in prop_oneof![0_u64..200, Just(86_400), any::<u64>()],
        age in prop_oneof![0_u64..200, 86_000_u64..87_000],
    ) {
        let mut kept = KeptToken::empty();
        kept.keep(&issued(expires_in), at(1_000));
        let is_usable = u128::from(age) + 30 < u128::from(expires_in.min(86_400));
        prop_assert_eq!(kept.at(at(1_000 + age)).is_some(), is_usable);
    }
}
