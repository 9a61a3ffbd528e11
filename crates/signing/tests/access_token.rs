//! Access tokens (RFC 9068): what is issued verifies, and nothing else does.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test whose case cannot be set up must fail"
)]

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::access_token::TokenRefusal::{
    self, BadSignature, Expired, Malformed, NotYet, UnknownKey, WrongAudience, WrongIssuer,
};
use signing::access_token::{self, AccessTokenClaims, is_bound_to};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::certificate::Thumbprint;
use signing::key::SigningKey;

const NOW: i64 = 1_790_000_000;
const ISSUER: &str = "https://auth.example";
const AUDIENCE: &str = "https://api.example";

/// In a change of the claims, takes the claim away.
const ABSENT: &str = "<absent>";

static KEY: LazyLock<Arc<SigningKey>> = LazyLock::new(|| generate(Algorithm::Es256));
static OTHER_KEY: LazyLock<Arc<SigningKey>> = LazyLock::new(|| generate(Algorithm::Es256));

#[test]
fn what_is_issued_verifies() {
    for algorithm in [
        Algorithm::Es256,
        Algorithm::EdDsa,
        Algorithm::Ps256,
        Algorithm::Rs256,
    ] {
        let key = generate(algorithm);
        for certificate in [None, Some(Thumbprint::of_der(b"der").to_base64url())] {
            let claims = AccessTokenClaims {
                certificate,
                generation: 7,
                ..granted()
            };
            let token = access_token::issue(&claims, &key).unwrap();
            let find_key = |kid: &str| (kid == key.kid()).then(|| Arc::clone(&key));
            let verified = access_token::verify(&token, find_key, ISSUER, AUDIENCE, NOW);
            assert_eq!(verified, Ok(claims));
        }
    }
}

#[test]
fn the_issued_form_is_that_of_rfc_9068() {
    let claims = AccessTokenClaims {
        certificate: Some("thumb".to_owned()),
        ..granted()
    };
    let token = access_token::issue(&claims, &KEY).unwrap();
    let part = |index: usize| -> Value {
        let encoded = token.split('.').nth(index).unwrap();
        serde_json::from_slice(&base64url::decode_strict(encoded).unwrap()).unwrap()
    };
    assert_eq!(
        part(0),
        json!({"alg": "ES256", "kid": KEY.kid(), "typ": "at+jwt"})
    );
    assert_eq!(
        part(1),
        json!({
            "iss": ISSUER, "sub": "client", "client_id": "client", "aud": AUDIENCE,
            "scope": "transaction-status", "iat": NOW, "exp": NOW + 600, "jti": "jti-1",
            "cnf": {"x5t#S256": "thumb"},
        })
    );
}

#[test]
fn issuer_audience_and_times_are_held_to_the_rules() {
    check_claims(json!({}), None);
    check_claims(json!({"scope": ""}), None);
    check_claims(json!({"extra": [1]}), None);
    check_claims(json!({"iss": "https://other.example"}), Some(WrongIssuer));
    check_claims(json!({"iss": format!("{ISSUER}/")}), Some(WrongIssuer));
    check_claims(json!({"aud": "https://other.example"}), Some(WrongAudience));
    check_claims(json!({"exp": NOW}), Some(Expired));
    check_claims(json!({"exp": NOW + 1}), None);
    check_claims(json!({"exp": i64::MIN}), Some(Expired));
    check_claims(json!({"iat": NOW + 60}), None);
    check_claims(json!({"iat": NOW + 61}), Some(NotYet));
    check_claims(json!({"iat": i64::MAX}), Some(NotYet));
}

#[test]
fn every_claim_is_required_and_typed() {
    for claim in [
        "iss",
        "sub",
        "client_id",
        "aud",
        "scope",
        "iat",
        "exp",
        "jti",
    ] {
        for value in [
            json!(ABSENT),
            json!(null),
            json!({"a": 1}),
            json!(1.5),
            json!(true),
        ] {
            check_claims(json!({claim: value}), Some(Malformed));
        }
    }
    check_claims(json!({"aud": [AUDIENCE]}), Some(Malformed));
    check_claims(json!({"exp": (NOW + 60).to_string()}), Some(Malformed));
    check_claims(json!({"exp": u64::MAX}), Some(Malformed));
    // Ours alone, and left out of the first generation.
    check_claims(json!({"generation": 3}), None);
    check_claims(json!({"generation": "3"}), Some(Malformed));
    check_claims(json!({"generation": null}), Some(Malformed));
}

#[test]
fn a_confirmation_that_cannot_be_read_is_not_an_unbound_token() {
    check_claims(json!({"cnf": {"x5t#S256": "x"}}), None);
    check_claims(json!({"cnf": null}), Some(Malformed));
    check_claims(json!({"cnf": "x"}), Some(Malformed));
    check_claims(json!({"cnf": {}}), Some(Malformed));
    check_claims(json!({"cnf": {"jkt": "x"}}), Some(Malformed));
    check_claims(json!({"cnf": {"x5t#S256": 1}}), Some(Malformed));
    check_claims(json!({"cnf": {"x5t#S256": null}}), Some(Malformed));
}

#[test]
fn the_header_is_held_to_the_rules() {
    check_header(json!({"typ": "AT+JWT"}), None);
    check_header(json!({"typ": "application/at+jwt"}), None);
    check_header(json!({"typ": "Application/AT+JWT"}), None);
    check_header(json!({"typ": ABSENT}), Some(Malformed));
    check_header(json!({"typ": "JWT"}), Some(Malformed));
    check_header(json!({"typ": "client-authentication+jwt"}), Some(Malformed));
    check_header(json!({"typ": "at+jwt;x"}), Some(Malformed));
    check_header(json!({"kid": ABSENT}), Some(Malformed));
    check_header(json!({"kid": "?"}), Some(UnknownKey));
    check_header(json!({"kid": OTHER_KEY.kid()}), Some(BadSignature));
    check_header(json!({"alg": "EdDSA"}), Some(BadSignature));
    check_header(json!({"alg": "RS256"}), Some(BadSignature));
    check_header(json!({"alg": "none"}), Some(Malformed));
    check_header(json!({"alg": "HS256"}), Some(Malformed));
    check_header(json!({"jwk": KEY.public_key().to_jwk()}), Some(Malformed));
    check_header(json!({"crit": ["x"], "x": 1}), Some(Malformed));
}

#[test]
fn a_forged_or_garbled_token_is_refused() {
    let good = access_token::issue(&granted(), &KEY).unwrap();
    let [header_part, payload, signature]: [&str; 3] =
        good.split('.').collect::<Vec<_>>().try_into().unwrap();
    let more = base64url::encode(claims(json!({"scope": "listing"})).to_string().as_bytes());
    let rows = [
        ("empty", String::new(), Malformed),
        ("garbage", "garbage".to_owned(), Malformed),
        ("not ASCII", "é.é.é".to_owned(), Malformed),
        ("huge", "A".repeat(1 << 20), Malformed),
        (
            "unsigned",
            format!("{header_part}.{payload}."),
            BadSignature,
        ),
        (
            "altered scope",
            format!("{header_part}.{more}.{signature}"),
            BadSignature,
        ),
        (
            "signed by an attacker",
            sign_raw(&header(json!({})), &claims(json!({})), &OTHER_KEY),
            BadSignature,
        ),
    ];
    for (row, token, expected) in rows {
        assert_eq!(verify(&token), Err(expected), "{row}");
    }
}

#[test]
fn an_rs256_signature_by_a_ps256_key_is_refused() {
    let signer = SigningKey::generate(Algorithm::Rs256).unwrap();
    let pem = signer.to_pkcs8_pem().unwrap();
    let key = Arc::new(SigningKey::from_pkcs8_pem(&pem, Algorithm::Ps256).unwrap());
    let token = access_token::issue(&granted(), &signer).unwrap();
    let verified = access_token::verify(&token, |_| Some(Arc::clone(&key)), ISSUER, AUDIENCE, NOW);
    assert_eq!(verified, Err(BadSignature));
}

#[test]
fn binding_holds_for_the_one_certificate_only() {
    let thumbprint = Thumbprint::of_der(b"certificate");
    let bound = |certificate: Option<String>| AccessTokenClaims {
        certificate,
        ..granted()
    };
    let own = thumbprint.to_base64url();
    assert!(is_bound_to(&bound(Some(own.clone())), &thumbprint));
    assert!(!is_bound_to(
        &bound(Some(own.clone())),
        &Thumbprint::of_der(b"renewed")
    ));
    assert!(!is_bound_to(&bound(Some(format!("{own}="))), &thumbprint));
    assert!(!is_bound_to(&bound(Some(own[1..].to_owned())), &thumbprint));
    assert!(!is_bound_to(&bound(Some(String::new())), &thumbprint));
    assert!(
        !is_bound_to(&bound(None), &thumbprint),
        "an unbound token is bound to nothing"
    );
}

proptest! {
    #[test]
    fn no_single_changed_character_passes(position: prop::sample::Index, replacement in "[A-Za-z0-9._=-]") {
        let good = access_token::issue(&granted(), &KEY).unwrap();
        let position = position.index(good.len());
        let mut changed = good.clone();
        changed.replace_range(position..=position, &replacement);
        prop_assume!(changed != good);
        prop_assert!(verify(&changed).is_err());
    }

    #[test]
    fn times_agree_with_the_model(
        iat in prop_oneof![NOW - 700..NOW + 700, any::<i64>()],
        exp in prop_oneof![NOW - 700..NOW + 700, any::<i64>()],
    ) {
        let token = access_token::issue(&AccessTokenClaims { iat, exp, ..granted() }, &KEY).unwrap();
        prop_assert_eq!(verify(&token).is_ok(), exp > NOW && iat <= NOW + 60);
    }
}

fn check_claims(change: Value, expected: Option<TokenRefusal>) {
    let case = change.to_string();
    let token = sign_raw(&header(json!({})), &claims(change), &KEY);
    assert_eq!(verify(&token).err(), expected, "{case}");
}

fn check_header(change: Value, expected: Option<TokenRefusal>) {
    let case = change.to_string();
    let token = sign_raw(&header(change), &claims(json!({})), &KEY);
    assert_eq!(verify(&token).err(), expected, "{case}");
}

fn verify(token: &str) -> Result<AccessTokenClaims, TokenRefusal> {
    let find_key = |kid: &str| {
        [&*KEY, &*OTHER_KEY]
            .into_iter()
            .find(|key| key.kid() == kid)
            .cloned()
    };
    access_token::verify(token, find_key, ISSUER, AUDIENCE, NOW)
}

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

fn claims(change: Value) -> Value {
    let claims = json!({
        "iss": ISSUER, "sub": "client", "client_id": "client", "aud": AUDIENCE,
        "scope": "transaction-status", "iat": NOW, "exp": NOW + 600, "jti": "jti-1",
    });
    apply(claims, change)
}

fn header(change: Value) -> Value {
    apply(
        json!({"alg": "ES256", "kid": KEY.kid(), "typ": "at+jwt"}),
        change,
    )
}

fn apply(mut object: Value, change: Value) -> Value {
    let Value::Object(change) = change else {
        panic!("a change is an object");
    };
    for (name, value) in change {
        if value == ABSENT {
            object.as_object_mut().unwrap().remove(&name);
        } else {
            object[name] = value;
        }
    }
    object
}

/// A JWS with any header at all, whether or not it is true of the key.
fn sign_raw(header: &Value, claims: &Value, key: &SigningKey) -> String {
    let encode = |value: &Value| base64url::encode(value.to_string().as_bytes());
    let signed = format!("{}.{}", encode(header), encode(claims));
    let signature = key.sign(signed.as_bytes()).unwrap();
    format!("{signed}.{}", base64url::encode(&signature))
}

fn generate(algorithm: Algorithm) -> Arc<SigningKey> {
    Arc::new(SigningKey::generate(algorithm).unwrap())
}
