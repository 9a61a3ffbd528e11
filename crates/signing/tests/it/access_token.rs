//! Access tokens (RFC 9068): what is issued verifies, and nothing else does.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::access_token::TokenRefusal::{
    self, BadSignature, Expired, Malformed, NotYet, UnknownKey, WrongAudience, WrongIssuer,
};
use signing::access_token::{self, AccessTokenClaims, is_bound_to};
use signing::algorithm::Algorithm::{self, Es256, Rs256};
use signing::base64url;
use signing::certificate::Thumbprint;
use signing::key::SigningKey;

use crate::fixture::shared_key as key;
use crate::fixture::{ABSENT, ISSUER, NOW, as_ps256, changed, encode, sign_raw, with_values};

const AUDIENCE: &str = "https://api.example";

fn granted() -> AccessTokenClaims {
    AccessTokenClaims {
        iss: ISSUER.to_owned(),
        sub: "client".to_owned(),
        client_id: "client".to_owned(),
        aud: AUDIENCE.to_owned(),
        scope: "transaction-status".to_owned(),
        iat: NOW,
        exp: NOW + 600,
        jti: "jti-1".to_owned(),
        certificate: None,
        generation: 0,
    }
}

/// The claims of [`granted`] as they are written.
fn claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "client", "client_id": "client", "aud": AUDIENCE,
        "scope": "transaction-status", "iat": NOW, "exp": NOW + 600, "jti": "jti-1",
    })
}

fn header() -> Value {
    json!({"alg": "ES256", "kid": key(Es256, 0).kid(), "typ": "at+jwt"})
}

fn verify_with(token: &str, key: &Arc<SigningKey>) -> Result<AccessTokenClaims, TokenRefusal> {
    let find_key = |kid: &str| (kid == key.kid()).then(|| Arc::clone(key));
    access_token::verify(token, find_key, ISSUER, AUDIENCE, NOW)
}

fn verify(token: &str) -> Result<AccessTokenClaims, TokenRefusal> {
    verify_with(token, key(Es256, 0))
}

#[test]
fn an_issued_token_has_the_form_of_rfc_9068_and_verifies() {
    for algorithm in Algorithm::ALL {
        let key = key(algorithm, 0);
        for certificate in [None, Some("thumb".to_owned())] {
            let mut expected = changed(claims(), &json!({"generation": 7}));
            if let Some(certificate) = &certificate {
                expected["cnf"] = json!({"x5t#S256": certificate});
            }
            let claims = AccessTokenClaims {
                certificate,
                generation: 7,
                ..granted()
            };
            let token = access_token::issue(&claims, key).unwrap();
            let part = |index: usize| -> Value {
                let encoded = token.split('.').nth(index).unwrap();
                serde_json::from_slice(&base64url::decode_strict(encoded).unwrap()).unwrap()
            };
            let header = json!({"alg": algorithm.as_str(), "kid": key.kid(), "typ": "at+jwt"});
            assert_eq!((part(0), part(1)), (header, expected));
            assert_eq!(verify_with(&token, key), Ok(claims));
        }
    }
    let first_generation = access_token::issue(&granted(), key(Es256, 0)).unwrap();
    let payload = first_generation.split('.').nth(1).unwrap();
    let payload = base64url::decode_strict(payload).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&payload).unwrap(), claims());
}

fn check_claims(expected: Option<TokenRefusal>, changes: impl IntoIterator<Item = Value>) {
    for change in changes {
        let token = sign_raw(&header(), &changed(claims(), &change), key(Es256, 0));
        assert_eq!(verify(&token).err(), expected, "{change}");
    }
}

/// RFC 9068 section 4, RFC 7519 section 4.1.4.
#[test]
fn issuer_audience_and_times_are_checked() {
    check_claims(None, [json!({}), json!({"scope": ""})]);
    check_claims(None, [json!({"extra": [1]})]);
    check_claims(None, [json!({"exp": NOW + 1}), json!({"iat": NOW + 60})]);
    let issuers = ["https://other.example", "https://auth.example/"];
    check_claims(Some(WrongIssuer), issuers.map(|iss| json!({"iss": iss})));
    let audience = json!({"aud": "https://other.example"});
    check_claims(Some(WrongAudience), [audience]);
    let past = with_values("exp", json!([NOW, i64::MIN]));
    check_claims(Some(Expired), past);
    let future = with_values("iat", json!([NOW + 61, i64::MAX]));
    check_claims(Some(NotYet), future);
}

/// RFC 9068 section 2.2. The claim `generation` is our own.
#[test]
fn every_claim_is_required_and_typed() {
    for name in "iss sub client_id aud scope iat exp jti".split(' ') {
        let values = json!([ABSENT, null, {"a": 1}, 1.5, true]);
        check_claims(Some(Malformed), with_values(name, values));
    }
    let audiences = json!({"aud": [AUDIENCE]});
    check_claims(Some(Malformed), [audiences]);
    let times = [json!((NOW + 60).to_string()), json!(u64::MAX)];
    check_claims(Some(Malformed), times.map(|exp| json!({"exp": exp})));
    check_claims(None, [json!({"generation": 3})]);
    let generations = with_values("generation", json!(["3", null]));
    check_claims(Some(Malformed), generations);
}

/// RFC 7800 section 3.1.
#[test]
fn a_confirmation_that_cannot_be_read_is_not_an_unbound_token() {
    check_claims(None, [json!({"cnf": {"x5t#S256": "x"}})]);
    let confirmations = json!([null, "x", {}, {"jkt": "x"}, {"x5t#S256": 1}, {"x5t#S256": null}]);
    check_claims(Some(Malformed), with_values("cnf", confirmations));
}

/// RFC 9068 section 4, RFC 8725 sections 3.1 and 3.11.
#[test]
fn the_header_is_checked() {
    let check = |expected: Option<TokenRefusal>, change: Value| {
        let token = sign_raw(&changed(header(), &change), &claims(), key(Es256, 0));
        let both = [key(Es256, 0), key(Es256, 1)];
        let find_key = |kid: &str| both.into_iter().find(|key| key.kid() == kid).cloned();
        let verified = access_token::verify(&token, find_key, ISSUER, AUDIENCE, NOW);
        assert_eq!(verified.err(), expected, "{change}");
    };
    for typ in ["AT+JWT", "application/at+jwt", "Application/AT+JWT"] {
        check(None, json!({"typ": typ}));
    }
    for typ in [ABSENT, "JWT", "client-authentication+jwt", "at+jwt;x"] {
        check(Some(Malformed), json!({"typ": typ}));
    }
    check(Some(Malformed), json!({"kid": ABSENT}));
    check(Some(UnknownKey), json!({"kid": "?"}));
    check(Some(BadSignature), json!({"kid": key(Es256, 1).kid()}));
    for (alg, expected) in [
        ("EdDSA", BadSignature),
        ("RS256", BadSignature),
        ("none", Malformed),
        ("HS256", Malformed),
    ] {
        check(Some(expected), json!({"alg": alg}));
    }
    let jwk = key(Es256, 0).public_key().to_jwk();
    check(Some(Malformed), json!({"jwk": jwk}));
    check(Some(Malformed), json!({"crit": ["x"], "x": 1}));
}

#[test]
fn a_forged_or_garbled_token_is_refused() {
    let good = access_token::issue(&granted(), key(Es256, 0)).unwrap();
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let (header_part, _) = signed.split_once('.').unwrap();
    let other_scope = encode(&changed(claims(), &json!({"scope": "listing"})));
    let other_claims = format!("{header_part}.{other_scope}.{signature}");
    for (token, expected) in [
        (String::new(), Malformed),
        ("garbage".to_owned(), Malformed),
        ("é.é.é".to_owned(), Malformed),
        ("A".repeat(1 << 20), Malformed),
        (format!("{signed}."), BadSignature),
        (other_claims, BadSignature),
        (sign_raw(&header(), &claims(), key(Es256, 1)), BadSignature),
    ] {
        let start: String = token.chars().take(60).collect();
        assert_eq!(verify(&token), Err(expected), "{start}");
    }
    // RFC 8725 section 3.1: an RS256 signature by the RSA key that serves PS256.
    let rs256 = access_token::issue(&granted(), key(Rs256, 0)).unwrap();
    let ps256 = Arc::new(as_ps256(key(Rs256, 0)));
    assert_eq!(verify_with(&rs256, &ps256), Err(BadSignature));
}

/// RFC 8705 section 3.
#[test]
fn a_token_is_bound_to_one_certificate_only() {
    let thumbprint = Thumbprint::of_der(b"certificate");
    let own = thumbprint.to_base64url();
    let renewed = Thumbprint::of_der(b"renewed").to_base64url();
    for (certificate, expected) in [
        (Some(own.clone()), true),
        (Some(renewed), false),
        (Some(format!("{own}=")), false),
        (Some(own[1..].to_owned()), false),
        (Some(String::new()), false),
        (None, false),
    ] {
        let claims = AccessTokenClaims {
            certificate,
            ..granted()
        };
        assert_eq!(is_bound_to(&claims, &thumbprint), expected, "{claims:?}");
    }
}

proptest! {
    #[test]
    fn times_agree_with_the_model(
        iat in prop_oneof![NOW - 700..NOW + 700, any::<i64>()],
        exp in prop_oneof![NOW - 700..NOW + 700, any::<i64>()],
    ) {
        let claims = AccessTokenClaims { iat, exp, ..granted() };
        let token = access_token::issue(&claims, key(Es256, 0)).unwrap();
        prop_assert_eq!(verify(&token).is_ok(), exp > NOW && iat <= NOW + 60);
    }
}
