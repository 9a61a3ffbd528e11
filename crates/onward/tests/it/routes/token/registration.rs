//! Keys that are refused when a client is registered (S-21).

use onward::commands::client::check_jwks;
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
    let outcome = match check_jwks(jwks.as_bytes()) {
        Ok(stored) => {
            assert_eq!(stored, jwks, "{label}");
            String::new()
        }
        Err(reason) => reason,
    };
    if expected.is_empty() {
        assert_eq!(outcome, "", "{label}");
    } else {
        assert!(outcome.contains(expected), "{label}: {outcome}");
    }
}

#[test]
fn weak_keys_are_refused() {
    let rsa = SigningKey::generate(Algorithm::Ps256)
        .unwrap()
        .public_key()
        .to_jwk();
    let ec = SigningKey::generate(Algorithm::Es256)
        .unwrap()
        .public_key()
        .to_jwk();
    let okp = SigningKey::generate(Algorithm::EdDsa)
        .unwrap()
        .public_key()
        .to_jwk();
    let modulus = base64url::decode_strict(rsa["n"].as_str().unwrap()).unwrap();
    let mut even = modulus.clone();
    even[255] &= 0xfe;
    let mut short = modulus[..128].to_vec();
    short[127] |= 1;
    let number = |bytes: &[u8]| json!({"n": base64url::encode(bytes)});
    for (label, jwk, changes, expected) in [
        ("RSA of 2,048 bits", &rsa, json!({}), ""),
        (
            "RSA of 1,024 bits",
            &rsa,
            number(&short),
            "from 2048 to 8192 bits",
        ),
        ("ROCA", &rsa, number(&roca_modulus()), "ROCA"),
        ("even modulus", &rsa, number(&even), "not the product"),
        ("exponent 1", &rsa, json!({"e": "AQ"}), "exponent"),
        ("P-384", &ec, json!({"crv": "P-384"}), "unsupported"),
        (
            "no point of the curve",
            &ec,
            json!({"x": ec["y"], "y": ec["x"]}),
            "point",
        ),
        (
            "Ed25519 of small order",
            &okp,
            json!({"x": base64url::encode(&[0; 32])}),
            "point",
        ),
        ("X25519", &okp, json!({"crv": "X25519"}), "unsupported"),
        ("private RSA key", &rsa, json!({"d": "AQAB"}), "secret"),
        ("private EC key", &ec, json!({"d": "AQAB"}), "secret"),
        (
            "HMAC secret",
            &json!({"kty": "oct"}),
            json!({"k": "c2VjcmV0"}),
            "secret",
        ),
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

/// 65537 to the 128th: it has the structure of the faulty generator of
/// CVE-2017-15361 modulo every number.
fn roca_modulus() -> Vec<u8> {
    // Least significant byte first; times 65537 is a shift by two bytes and a sum.
    let mut number = vec![1_u8];
    for _power in 0..128 {
        let shifted = [&[0, 0], number.as_slice()].concat();
        let mut carry = 0;
        number = shifted
            .iter()
            .enumerate()
            .map(|(at, byte)| {
                let sum =
                    u16::from(*byte) + u16::from(number.get(at).copied().unwrap_or(0)) + carry;
                carry = sum >> 8;
                sum.to_le_bytes()[0]
            })
            .collect();
        assert_eq!(carry, 0);
    }
    number.reverse();
    number
}
