//! Form, algorithm, key and signature (T15 to T20), and the order of the checks.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::assertion::Profile;
use signing::key::SigningKey;

use crate::fixture::{ABSENT, KEYS, claims, encode, outcome, sign, sign_raw};

#[test]
fn the_assertion_is_a_strict_jws() {
    let good = sign(&claims(json!({})));
    both("T15 not a JWT", "not a JWT", "Malformed");
    both("T15 empty", "", "Malformed");
    both("T15 four parts", &format!("{good}.x"), "Malformed");
    both(
        "T15 two parts",
        good.rsplit_once('.').unwrap().0,
        "Malformed",
    );
    both("T15 padded base64url", &format!("{good}=="), "Malformed");
    both("T15 64 KiB", &"A".repeat(1 << 16), "Malformed");
    let array = sign_raw(&json!({"alg": "ES256"}), &json!([1]), &KEYS.es256);
    both("T15 claims in an array", &array, "Malformed");
}

#[test]
fn the_signature_is_that_of_a_registered_key() {
    let keys = &*KEYS;
    let good = sign(&claims(json!({})));
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let other = encode(&claims(json!({"jti": "jti-2"})));
    let flipped = flip_first(signature);
    both("T17 no signature", &format!("{signed}."), "BadSignature");
    both(
        "T17 bad signature",
        &format!("{signed}.{flipped}"),
        "BadSignature",
    );
    both(
        "T17 payload swapped",
        &format!("{header}.{other}.{signature}"),
        "BadSignature",
    );

    let (known, unknown) = (keys.es256.kid(), keys.unregistered.kid());
    forged(
        "T18",
        &json!({"alg": "ES256", "kid": known}),
        &keys.unregistered,
        "BadSignature",
    );
    forged(
        "T18",
        &json!({"alg": "ES256"}),
        &keys.unregistered,
        "BadSignature",
    );
    forged(
        "T18",
        &json!({"alg": "ES256", "kid": unknown}),
        &keys.unregistered,
        "UnknownKey",
    );
}

#[test]
fn the_header_is_held_to_the_rules() {
    let key = &KEYS.es256;
    let kid = key.kid();
    let jwk = key.public_key().to_jwk();
    let other = KEYS.eddsa.kid();
    let unsigned = format!(
        "{}.{}.",
        encode(&json!({"alg": "none"})),
        encode(&claims(json!({})))
    );
    both("T16 none", &unsigned, "Malformed");
    forged(
        "T16 none",
        &json!({"alg": "none", "kid": kid}),
        key,
        "Malformed",
    );
    forged(
        "T16 HS256",
        &json!({"alg": "HS256", "kid": kid}),
        key,
        "Malformed",
    );
    forged("T16 no alg", &json!({"kid": kid}), key, "Malformed");
    forged(
        "T18 other kid",
        &json!({"alg": "ES256", "kid": other}),
        key,
        "BadSignature",
    );
    forged(
        "T18 other alg",
        &json!({"alg": "PS256", "kid": kid}),
        key,
        "BadSignature",
    );
    forged(
        "T19 unknown kid",
        &json!({"alg": "ES256", "kid": "?"}),
        key,
        "UnknownKey",
    );
    forged(
        "T19 empty kid",
        &json!({"alg": "ES256", "kid": ""}),
        key,
        "UnknownKey",
    );
    forged(
        "T19 kid a number",
        &json!({"alg": "ES256", "kid": 1}),
        key,
        "Malformed",
    );
    forged(
        "T20 jwk",
        &json!({"alg": "ES256", "kid": kid, "jwk": jwk}),
        key,
        "Malformed",
    );
    forged(
        "T20 crit",
        &json!({"alg": "ES256", "crit": ["x"], "x": 1}),
        key,
        "Malformed",
    );
}

#[test]
fn a_typ_is_optional() {
    // draft-ietf-oauth-rfc7523bis wants one of clients, and of servers that
    // they go on without it.
    let key = &KEYS.es256;
    for typ in ["client-authentication+jwt", "JWT"] {
        forged(
            typ,
            &json!({"alg": "ES256", "kid": key.kid(), "typ": typ}),
            key,
            "ok",
        );
    }
}

#[test]
fn an_hmac_with_the_public_key_is_refused() {
    // T16: the public key is no secret, so anybody could make this one.
    use aws_lc_rs::hmac;
    let public = KEYS.rs256.public_key().to_jwk().to_string();
    let secret = hmac::Key::new(hmac::HMAC_SHA256, public.as_bytes());
    let header = json!({"alg": "HS256", "kid": KEYS.rs256.kid()});
    let signed = format!("{}.{}", encode(&header), encode(&claims(json!({}))));
    let tag = hmac::sign(&secret, signed.as_bytes());
    let assertion = format!("{signed}.{}", signing::base64url::encode(tag.as_ref()));
    both("T16 HS256 with the public key", &assertion, "Malformed");
}

#[test]
fn the_profile_and_the_pin_decide_the_algorithm() {
    use Algorithm::{EdDsa, Es256, Ps256, Rs256};
    let keys = &*KEYS;
    check(&keys.es256, None, ["ok", "ok"]);
    check(&keys.eddsa, None, ["ok", "ok"]);
    check(&keys.ps256, None, ["ok", "ok"]);
    check(&keys.rs256, None, ["ok", "AlgorithmNotAllowed"]);
    check(&keys.rs256, Some(Rs256), ["ok", "AlgorithmNotAllowed"]);
    check(&keys.ps256, Some(Ps256), ["ok", "ok"]);
    check(
        &keys.ps256,
        Some(Rs256),
        ["AlgorithmNotPinned", "AlgorithmNotPinned"],
    );
    check(
        &keys.es256,
        Some(Ps256),
        ["AlgorithmNotPinned", "AlgorithmNotPinned"],
    );
    check(&keys.es256, Some(Es256), ["ok", "ok"]);
    check(
        &keys.es256,
        Some(EdDsa),
        ["AlgorithmNotPinned", "AlgorithmNotPinned"],
    );
    check(&keys.eddsa, Some(EdDsa), ["ok", "ok"]);
}

#[test]
fn the_checks_come_in_order() {
    let key = &KEYS.unregistered;
    let bad_claims = claims(json!({"exp": 0, "aud": "x", "jti": ABSENT}));
    let sector = |assertion: &str, pinned| outcome(assertion, Profile::Sector, pinned);
    let all_wrong = sign_raw(&json!({"alg": "ES256", "kid": "?"}), &bad_claims, key);
    assert_eq!(
        sector(&all_wrong, Some(Algorithm::Ps256)),
        "AlgorithmNotPinned"
    );
    assert_eq!(sector(&all_wrong, None), "UnknownKey");
    let unsigned = sign_raw(&json!({"alg": "ES256"}), &bad_claims, key);
    assert_eq!(sector(&unsigned, None), "BadSignature");
    assert_eq!(sector(&sign(&bad_claims), None), "WrongAudience");
    assert_eq!(
        sector(&sign(&claims(json!({"exp": 0, "jti": 1}))), None),
        "Expired"
    );
}

/// Good claims by `key`, with its kid and without.
fn check(key: &SigningKey, pinned: Option<Algorithm>, [sector, fapi2]: [&str; 2]) {
    let alg = key.algorithm().as_str();
    for header in [json!({"alg": alg}), json!({"alg": alg, "kid": key.kid()})] {
        let assertion = sign_raw(&header, &claims(json!({})), key);
        let case = format!("{header} pinned {pinned:?}");
        assert_eq!(
            outcome(&assertion, Profile::Sector, pinned),
            sector,
            "{case}"
        );
        assert_eq!(outcome(&assertion, Profile::Fapi2, pinned), fapi2, "{case}");
    }
}

/// Good claims under any header, signed by `key`.
fn forged(row: &str, header: &Value, key: &SigningKey, expected: &str) {
    both(row, &sign_raw(header, &claims(json!({})), key), expected);
}

fn both(row: &str, assertion: &str, expected: &str) {
    for profile in [Profile::Sector, Profile::Fapi2] {
        assert_eq!(
            outcome(assertion, profile, None),
            expected,
            "{row}, {profile:?}"
        );
    }
}

fn flip_first(text: &str) -> String {
    let first = if text.starts_with('A') { 'B' } else { 'A' };
    format!("{first}{}", &text[1..])
}
