//! Tests of client assertions and of the cached token.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use signing::algorithm::Algorithm;
use signing::jws::Unverified;
use signing::key::SigningKey;

use super::{CachedToken, Credentials, IssuedToken, parse_assertion_key, sign_assertion};
use crate::fake_server::NOW;

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
fn an_assertion_names_only_the_issuer_and_has_its_own_id() {
    for (algorithm, kid) in Algorithm::ALL.map(|algorithm| (algorithm, Some("key-1"))) {
        let credentials = credentials(algorithm, kid);
        let sign = || sign_assertion(&credentials, ISSUER, at(NOW)).unwrap();
        let token = Unverified::parse(&sign()).unwrap();
        assert_eq!(token.kid(), kid);
        assert_eq!(token.algorithm(), algorithm);
        let verified = token
            .verify(credentials.assertion_key.public_key())
            .unwrap();
        let claims = verified.claims();
        assert_eq!(claims["iss"], credentials.client_id.as_str());
        assert_eq!(claims["sub"], claims["iss"]);
        assert_eq!(claims["aud"], ISSUER);
        assert_eq!(claims["iat"], NOW);
        assert_eq!(claims["exp"], NOW + 120);
        assert!(claims["jti"].as_str().unwrap().len() >= 32);
        let another = Unverified::parse(&sign()).unwrap();
        assert_ne!(another.unverified_claims().unwrap()["jti"], claims["jti"]);
    }
    let unnamed = sign_assertion(&credentials(Algorithm::Es256, None), ISSUER, at(NOW)).unwrap();
    assert_eq!(Unverified::parse(&unnamed).unwrap().kid(), None);
}

#[test]
fn a_key_of_another_algorithm_is_refused_with_advice() {
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let pem = key.to_pkcs8_pem().unwrap();
    assert!(parse_assertion_key(pem.as_bytes(), "ES256").is_ok());
    for (pem, algorithm, expected) in [
        (pem.as_bytes(), "PS256", "not one for PS256"),
        (pem.as_bytes(), "none", "the algorithm `none` is unknown"),
        (b"\xff", "ES256", "BEGIN PRIVATE KEY"),
    ] {
        let error = parse_assertion_key(pem, algorithm).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_debug_form_shows_no_key() {
    let shown = format!("{:?}", credentials(Algorithm::Es256, None));
    let expected = r#"Credentials { client_id: "https://directory.example/client/1", .. }"#;
    assert_eq!(shown, expected);
}

fn cache(expires_in: u64) -> CachedToken {
    let answer = serde_json::json!({
        "access_token": "token", "token_type": "Bearer", "expires_in": expires_in
    });
    let issued: IssuedToken = serde_json::from_value(answer).unwrap();
    let mut cached = CachedToken::default();
    cached.replace(&issued, at(NOW));
    cached
}

#[test]
fn a_refused_token_is_forgotten_and_its_successor_is_not() {
    let mut cached = cache(600);
    cached.forget("another");
    assert_eq!(cached.usable_at(at(NOW + 1)).as_deref(), Some("token"));
    cached.forget("token");
    assert_eq!(cached.usable_at(at(NOW + 1)), None);
}

proptest! {
    /// A token is usable while more than 30 s of its lifetime, or of a day, remain.
    #[test]
    fn a_token_is_used_until_30_seconds_before_its_expiry(
        expires_in in prop_oneof![0_u64..200, Just(86_400), any::<u64>()],
        age in prop_oneof![0_u64..200, 86_000_u64..87_000],
    ) {
        let is_usable = u128::from(age) + 30 < u128::from(expires_in.min(86_400));
        let token = cache(expires_in).usable_at(at(NOW + age));
        prop_assert_eq!(token.is_some(), is_usable);
    }
}
