//! Form, algorithm, key and signature (T15 to T20), and the order of the checks.

use aws_lc_rs::hmac;
use serde_json::{Value, json};
use signing::algorithm::Algorithm::{self, EdDsa, Es256, Ps256, Rs256};
use signing::assertion::{self, AssertionRules, Profile};
use signing::base64url;
use signing::jws::Unverified;
use signing::key::SigningKey;

use super::{CLIENT, TOKEN_ENDPOINT, claims, expect, outcome, sign};
use crate::fixture::{ABSENT, ISSUER, NOW, encode, key, key_set, sign_raw};

fn good_claims() -> Value {
    claims(&json!({}))
}

/// Compares the outcome, which is the same under both profiles.
#[track_caller]
fn both<const N: usize>(expected: &str, assertions: [&str; N]) {
    for assertion in assertions {
        expect(assertion, [expected, expected], assertion);
    }
}

/// Signs good claims under each header.
#[track_caller]
fn headers<const N: usize>(expected: &str, key: &SigningKey, headers: [Value; N]) {
    for header in headers {
        let assertion = sign_raw(&header, &good_claims(), key);
        expect(&assertion, [expected, expected], &header.to_string());
    }
}

/// T15: RFC 7515 section 7.1.
#[test]
fn the_assertion_is_a_strict_jws() {
    let good = sign(&good_claims());
    let (two_parts, _) = good.rsplit_once('.').unwrap();
    let (four_parts, padded) = (format!("{good}.x"), format!("{good}=="));
    let texts = ["not a JWT", "", two_parts, &four_parts, &padded];
    both("Malformed", texts);
    both("Malformed", [&"A".repeat(1 << 16)]);
    let array = sign_raw(&json!({"alg": "ES256"}), &json!([1]), key(Es256, 0));
    both("Malformed", [&array]);
}

/// T17 and T18: RFC 7523 section 3, item 9.
#[test]
fn the_signature_is_by_a_registered_key() {
    let good = sign(&good_claims());
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let other = encode(&claims(&json!({"jti": "jti-2"})));
    let first = if signature.starts_with('A') { 'B' } else { 'A' };
    let unsigned = format!("{signed}.");
    let flipped = format!("{signed}.{first}{}", &signature[1..]);
    let swapped = format!("{header}.{other}.{signature}");
    both("BadSignature", [&unsigned, &flipped, &swapped]);

    let (registered, unregistered) = (key(Es256, 0), key(Es256, 1));
    let named = json!({"alg": "ES256", "kid": registered.kid()});
    let unnamed = json!({"alg": "ES256"});
    headers("BadSignature", unregistered, [named, unnamed]);
    let unknown = json!({"alg": "ES256", "kid": unregistered.kid()});
    headers("UnknownKey", unregistered, [unknown]);
}

/// Each try costs a verification before the client is proven.
#[test]
fn without_a_kid_only_the_first_keys_are_tried() {
    let keys: Vec<_> = (0..17)
        .map(|_| SigningKey::generate(Es256).unwrap())
        .collect();
    let registered = key_set(&keys.iter().collect::<Vec<_>>());
    let rules = AssertionRules {
        profile: Profile::Sector,
        issuer: ISSUER,
        token_endpoint: TOKEN_ENDPOINT,
        called_endpoint: TOKEN_ENDPOINT,
        pinned: None,
    };
    let is_accepted = |header: &Value, key: &SigningKey| {
        let signed = sign_raw(header, &good_claims(), key);
        let unverified = Unverified::parse(&signed).unwrap();
        assertion::check(&unverified, &registered, &rules, CLIENT, NOW).is_ok()
    };
    let unnamed = json!({"alg": "ES256"});
    assert!(is_accepted(&unnamed, &keys[15]));
    assert!(!is_accepted(&unnamed, &keys[16]));
    let named = json!({"alg": "ES256", "kid": keys[16].kid()});
    assert!(is_accepted(&named, &keys[16]));
}

/// T16 and T18 to T20: RFC 7515 section 4.1, RFC 8725 sections 3.1 and 3.10.
#[test]
fn the_header_is_checked() {
    let key = key(Es256, 0);
    let kid = key.kid();
    let jwk = key.public_key().to_jwk();
    let malformed = [
        json!({"alg": "none", "kid": kid}),
        json!({"alg": "HS256", "kid": kid}),
        json!({"kid": kid}),
        json!({"alg": "ES256", "kid": 1}),
        json!({"alg": "ES256", "kid": kid, "jwk": jwk}),
        json!({"alg": "ES256", "crit": ["x"], "x": 1}),
    ];
    headers("Malformed", key, malformed);
    let other_key = json!({"alg": "ES256", "kid": crate::fixture::key(EdDsa, 0).kid()});
    let other_algorithm = json!({"alg": "PS256", "kid": kid});
    headers("BadSignature", key, [other_key, other_algorithm]);
    let unknown = ["?", ""].map(|kid| json!({"alg": "ES256", "kid": kid}));
    headers("UnknownKey", key, unknown);
    let header = encode(&json!({"alg": "none"}));
    let unsigned = format!("{header}.{}.", encode(&good_claims()));
    both("Malformed", [&unsigned]);
    // draft-ietf-oauth-rfc7523bis asks clients for a typ, and servers to accept its absence.
    let types = ["client-authentication+jwt", "JWT"];
    let named = types.map(|typ| json!({"alg": "ES256", "kid": kid, "typ": typ}));
    headers("ok", key, named);
}

/// T16: anybody knows the public key and could make this one (RFC 8725 section 2.1).
#[test]
fn an_hmac_with_the_public_key_is_refused() {
    let public = key(Rs256, 0).public_key().to_jwk().to_string();
    let secret = hmac::Key::new(hmac::HMAC_SHA256, public.as_bytes());
    let header = json!({"alg": "HS256", "kid": key(Rs256, 0).kid()});
    let signed = format!("{}.{}", encode(&header), encode(&good_claims()));
    let tag = hmac::sign(&secret, signed.as_bytes());
    let assertion = format!("{signed}.{}", base64url::encode(tag.as_ref()));
    both("Malformed", [&assertion]);
}

/// RFC 8725 section 3.1, FAPI 2.0 section 5.4.1.
#[test]
fn the_profile_and_the_pin_decide_the_algorithm() {
    let (allowed, not_pinned) = (["ok", "ok"], ["AlgorithmNotPinned", "AlgorithmNotPinned"]);
    let sector_only = ["ok", "AlgorithmNotAllowed"];
    let check = |algorithm: Algorithm, pinned: Option<Algorithm>, expected: [&str; 2]| {
        let key = key(algorithm, 0);
        let alg = algorithm.as_str();
        for header in [json!({"alg": alg}), json!({"alg": alg, "kid": key.kid()})] {
            let assertion = sign_raw(&header, &good_claims(), key);
            let found =
                [Profile::Sector, Profile::Fapi2].map(|one| outcome(&assertion, one, pinned));
            assert_eq!(found, expected, "{header} pinned {pinned:?}");
        }
    };
    for algorithm in [Es256, EdDsa, Ps256] {
        check(algorithm, None, allowed);
        check(algorithm, Some(algorithm), allowed);
    }
    check(Rs256, None, sector_only);
    check(Rs256, Some(Rs256), sector_only);
    for (algorithm, pinned) in [(Ps256, Rs256), (Es256, Ps256), (Es256, EdDsa)] {
        check(algorithm, Some(pinned), not_pinned);
    }
}

#[test]
fn the_checks_come_in_order() {
    let bad_claims = claims(&json!({"exp": 0, "aud": "x", "jti": ABSENT}));
    let unregistered = key(Es256, 1);
    let header = json!({"alg": "ES256", "kid": "?"});
    let all_wrong = sign_raw(&header, &bad_claims, unregistered);
    let unsigned = sign_raw(&json!({"alg": "ES256"}), &bad_claims, unregistered);
    let expired = sign(&claims(&json!({"exp": 0, "jti": 1})));
    for (assertion, pinned, expected) in [
        (&all_wrong, Some(Ps256), "AlgorithmNotPinned"),
        (&all_wrong, None, "UnknownKey"),
        (&unsigned, None, "BadSignature"),
        (&sign(&bad_claims), None, "WrongAudience"),
        (&expired, None, "Expired"),
    ] {
        assert_eq!(outcome(assertion, Profile::Sector, pinned), expected);
    }
}
