//! Keys that registering a client refuses (S-21). Crate `signing` tests all rules for keys.

use onward::registration::check_jwks;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::key::SigningKey;

/// A key set of one key after some members were changed; null takes one away.
#[track_caller]
fn check(label: &str, jwk: &Value, changes: &Value, expected: &str) {
    let mut jwk = jwk.clone();
    for (name, value) in changes.as_object().unwrap() {
        jwk[name] = value.clone();
    }
    let jwks = json!({"keys": [jwk]}).to_string();
    match check_jwks(jwks.as_bytes()) {
        Ok(stored) => assert_eq!((stored, expected), (jwks, ""), "{label}"),
        Err(reason) => assert!(
            !expected.is_empty() && reason.contains(expected),
            "{label}: {reason}"
        ),
    }
}

#[test]
fn weak_keys_are_refused() {
    let jwk = |algorithm| {
        SigningKey::generate(algorithm)
            .unwrap()
            .public_key()
            .to_jwk()
    };
    let (rsa, ec) = (jwk(Algorithm::Ps256), jwk(Algorithm::Es256));
    let mut short = base64url::decode_strict(rsa["n"].as_str().unwrap()).unwrap()[..128].to_vec();
    short[127] |= 1;
    let short = json!({"n": base64url::encode(&short)});
    for (label, jwk, changes, expected) in [
        ("RSA of 2,048 bits", &rsa, json!({}), ""),
        ("RSA of 1,024 bits", &rsa, short, "from 2048 to 8192 bits"),
        ("exponent 1", &rsa, json!({"e": "AQ"}), "exponent"),
        ("P-384", &ec, json!({"crv": "P-384"}), "unsupported"),
        ("private key", &ec, json!({"d": "AQAB"}), "secret"),
        ("for encryption", &rsa, json!({"use": "enc"}), "signatures"),
        ("HS256 over RSA", &rsa, json!({"alg": "HS256"}), "alg"),
    ] {
        check(label, jwk, &changes, expected);
    }
    let two = json!({"keys": [ec, ec]}).to_string();
    assert!(check_jwks(two.as_bytes()).unwrap_err().contains("kid"));
    for text in ["", "[]", "{}", "{\"keys\":[]}", "{\"keys\":[{}]}"] {
        check_jwks(text.as_bytes()).unwrap_err();
    }
    check_jwks(&vec![b' '; 65 * 1024]).unwrap_err();
}
