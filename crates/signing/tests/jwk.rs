//! JWKs and JWK sets: what is accepted, and what is refused and why.

#![expect(
    clippy::unwrap_used,
    reason = "a test whose case cannot be set up must fail"
)]

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::jwk::{JwkError, JwkSet, MAX_SET_BYTES, PublicKey};
use signing::key::SigningKey;

/// RFC 7638 section 3.1.
const RSA_N: &str = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
/// RFC 8037 appendix A.
const ED25519_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

fn rsa_jwk() -> Value {
    json!({"kty": "RSA", "n": RSA_N, "e": "AQAB", "kid": "k", "use": "sig", "alg": "RS256"})
}

/// Changes the members of `jwk` to those of `changes` (null takes one away)
/// and compares the outcome.
#[track_caller]
fn check(mut jwk: Value, changes: &Value, expected: &Result<(), JwkError>) {
    for (name, value) in changes.as_object().unwrap() {
        if value.is_null() {
            jwk.as_object_mut().unwrap().remove(name);
        } else {
            jwk[name] = value.clone();
        }
    }
    assert_eq!(
        &PublicKey::from_jwk(&jwk).map(|_| ()),
        expected,
        "{changes}"
    );
}

#[test]
fn thumbprints_are_those_of_the_rfcs() {
    for (jwk, thumbprint) in [
        // RFC 7638 section 3.1; only the required members count.
        (rsa_jwk(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
        // RFC 8037 appendix A.3.
        (
            json!({"kty": "OKP", "crv": "Ed25519", "x": ED25519_X}),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        ),
    ] {
        assert_eq!(PublicKey::from_jwk(&jwk).unwrap().thumbprint(), thumbprint);
    }
}

#[test]
fn purpose_and_algorithm_of_a_jwk_are_held_to() {
    for (changes, expected) in [
        (json!({}), Ok(())),
        (json!({"use": null, "alg": null, "kid": null}), Ok(())),
        (
            json!({"alg": "PS256", "x5u": "https://example.com", "note": 1}),
            Ok(()),
        ),
        (json!({"key_ops": ["verify"]}), Ok(())),
        (json!({"key_ops": ["sign", "verify"]}), Ok(())),
        (json!({"key_ops": ["sign"]}), Err(JwkError::KeyOperations)),
        (json!({"key_ops": []}), Err(JwkError::KeyOperations)),
        (json!({"key_ops": "verify"}), Err(JwkError::KeyOperations)),
        (
            json!({"key_ops": ["verify", 1]}),
            Err(JwkError::KeyOperations),
        ),
        (
            json!({"key_ops": ["verify", "verify"]}),
            Err(JwkError::KeyOperations),
        ),
        (json!({"use": "enc"}), Err(JwkError::NotForSignatures)),
        (json!({"use": ""}), Err(JwkError::NotForSignatures)),
        (json!({"use": ["sig"]}), Err(JwkError::Member("use"))),
        (json!({"alg": "ES256"}), Err(JwkError::UnsupportedAlgorithm)),
        (json!({"alg": "RS384"}), Err(JwkError::UnsupportedAlgorithm)),
        (json!({"alg": "none"}), Err(JwkError::UnsupportedAlgorithm)),
        (json!({"alg": "HS256"}), Err(JwkError::UnsupportedAlgorithm)),
        (json!({"alg": "rs256"}), Err(JwkError::UnsupportedAlgorithm)),
        (json!({"alg": 1}), Err(JwkError::Member("alg"))),
        (json!({"kid": ""}), Err(JwkError::Member("kid"))),
        (json!({"kid": 7}), Err(JwkError::Member("kid"))),
        (json!({"kid": "é".repeat(256)}), Ok(())),
        (
            json!({"kid": "k".repeat(257)}),
            Err(JwkError::Member("kid")),
        ),
        (json!({"kty": null}), Err(JwkError::Member("kty"))),
        (json!({"kty": "rsa"}), Err(JwkError::UnsupportedKeyType)),
        (json!({"kty": "oct"}), Err(JwkError::UnsupportedKeyType)),
    ] {
        check(rsa_jwk(), &changes, &expected);
    }
    assert_eq!(
        PublicKey::from_jwk(&json!([])).unwrap_err(),
        JwkError::NotAnObject
    );
}

#[test]
fn private_members_are_refused_before_all_else() {
    for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
        let expected = Err(JwkError::PrivateMember(name));
        check(rsa_jwk(), &json!({name: "AQAB"}), &expected);
        check(
            rsa_jwk(),
            &json!({name: 1, "use": "enc", "kty": "oct"}),
            &expected,
        );
    }
}

#[test]
fn weak_or_malformed_rsa_numbers_are_refused() {
    let modulus = base64url::decode_strict(RSA_N).unwrap();
    let number = |bytes: &[u8]| base64url::encode(bytes);
    let with_first = |first: u8| number(&[&[first], &modulus[1..]].concat());
    for (changes, expected) in [
        (json!({"e": "Aw"}), Ok(())),
        (json!({"e": number(&[1, 0, 0, 0, 1])}), Ok(())),
        (
            json!({"e": number(&[2, 0, 0, 0, 1])}),
            Err(JwkError::RsaExponent),
        ),
        (json!({"e": number(&[1; 6])}), Err(JwkError::RsaExponent)),
        (json!({"e": number(&[1; 64])}), Err(JwkError::RsaExponent)),
        (json!({"e": "AQ"}), Err(JwkError::RsaExponent)),
        (json!({"e": "Ag"}), Err(JwkError::RsaExponent)),
        (json!({"e": number(&[1, 0, 0])}), Err(JwkError::RsaExponent)),
        (json!({"e": "AA"}), Err(JwkError::Member("e"))),
        (json!({"e": "AAEAAQ"}), Err(JwkError::Member("e"))),
        (json!({"e": ""}), Err(JwkError::Member("e"))),
        (json!({"e": 65537}), Err(JwkError::Member("e"))),
        (json!({"e": null}), Err(JwkError::Member("e"))),
        (json!({"e": "AQAB="}), Err(JwkError::Member("e"))),
        (json!({"n": null}), Err(JwkError::Member("n"))),
        (json!({"n": ""}), Err(JwkError::Member("n"))),
        (
            json!({"n": number(&[&[0], &modulus[..]].concat())}),
            Err(JwkError::Member("n")),
        ),
        // 2,047 bits are too few, 2,048 enough.
        (json!({"n": with_first(0x7f)}), Err(JwkError::RsaSize)),
        (json!({"n": with_first(0x80)}), Ok(())),
        (
            json!({"n": number(&modulus[..255])}),
            Err(JwkError::RsaSize),
        ),
        (json!({"n": number(&[0xff; 1025])}), Err(JwkError::RsaSize)),
        (json!({"n": number(&modulus.repeat(4))}), Ok(())),
        (
            json!({"n": number(&[&modulus[..255], &[0x82]].concat())}),
            Err(JwkError::RsaModulus),
        ),
    ] {
        check(rsa_jwk(), &changes, &expected);
    }
}

/// `65537^exponent`, big-endian.
fn power_of_65537(exponent: usize) -> Vec<u8> {
    let mut number = vec![1_u8];
    for _ in 0..exponent {
        // Times 2^16, plus the number itself.
        let mut product = number.clone();
        product.extend([0, 0]);
        let mut carry = 0_u16;
        let shift = product.len() - number.len();
        for at in (0..product.len()).rev() {
            let own = at.checked_sub(shift).map_or(0, |at| number[at]);
            let sum = u16::from(product[at]) + u16::from(own) + carry;
            product[at] = u8::try_from(sum & 0xff).unwrap();
            carry = sum >> 8;
        }
        if carry > 0 {
            product.insert(0, 1);
        }
        number = product;
    }
    number
}

#[test]
fn moduli_with_the_roca_structure_are_refused() {
    // A plain power of 65537 has the structure of the faulty generator, modulo
    // every number there is.
    for exponent in [128, 129, 200, 256] {
        let mut modulus = power_of_65537(exponent);
        let jwk = |modulus: &[u8]| json!({"n": base64url::encode(modulus)});
        check(rsa_jwk(), &jwk(&modulus), &Err(JwkError::RsaRoca));
        *modulus.last_mut().unwrap() ^= 2;
        check(rsa_jwk(), &jwk(&modulus), &Ok(()));
    }
    // A power of 65537 modulo each small prime, but of no common exponent; and
    // one modulo each but 11. The generator can have made neither.
    for (zeros, tail) in [
        (303, "QZbXDTBk7mHLkqBmwRGnqghengk1FB3vS99FKw"),
        (303, "RXfnoXp3qlhRSXG3zvKvTnogQFiby-q7U67_fw"),
    ] {
        let near = format!("g{}{tail}", "A".repeat(zeros));
        check(rsa_jwk(), &json!({"n": near}), &Ok(()));
    }
}

#[test]
fn points_off_the_curve_are_refused() {
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let p256 = key.public_key().to_jwk();
    let x = base64url::decode_strict(p256["x"].as_str().unwrap()).unwrap();
    let y = base64url::decode_strict(p256["y"].as_str().unwrap()).unwrap();
    let mut moved = y.clone();
    moved[31] ^= 1;
    let number = |bytes: &[u8]| base64url::encode(bytes);
    for (changes, expected) in [
        (json!({}), Ok(())),
        (json!({"y": number(&moved)}), Err(JwkError::Point)),
        (
            json!({"x": number(&y), "y": number(&x)}),
            Err(JwkError::Point),
        ),
        (
            json!({"x": number(&[0; 32]), "y": number(&[0; 32])}),
            Err(JwkError::Point),
        ),
        (json!({"x": number(&[0xff; 32])}), Err(JwkError::Point)),
        (json!({"x": number(&x[..31])}), Err(JwkError::Point)),
        (
            json!({"x": number(&[&[0], &x[..]].concat())}),
            Err(JwkError::Point),
        ),
        (json!({"y": null}), Err(JwkError::Member("y"))),
        (json!({"crv": "P-384"}), Err(JwkError::UnsupportedKeyType)),
        (json!({"crv": "Ed25519"}), Err(JwkError::UnsupportedKeyType)),
        (json!({"crv": null}), Err(JwkError::Member("crv"))),
        (json!({"kty": "OKP"}), Err(JwkError::UnsupportedKeyType)),
        (json!({"alg": "EdDSA"}), Err(JwkError::UnsupportedAlgorithm)),
    ] {
        check(p256.clone(), &changes, &expected);
    }
}

#[test]
fn ed25519_points_of_small_order_are_refused() {
    let top = |mut bytes: [u8; 32]| {
        bytes[31] |= 0x80;
        bytes
    };
    let little = |low: u8, rest: u8, high: u8| {
        let mut bytes = [rest; 32];
        (bytes[0], bytes[31]) = (low, high);
        bytes
    };
    let zero = little(0, 0, 0);
    let one = little(1, 0, 0);
    let minus_one = little(0xec, 0xff, 0x7f);
    let prime = little(0xed, 0xff, 0x7f);
    let above = little(0xee, 0xff, 0x7f);
    let order_8 = base64url::decode_strict("JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU").unwrap();
    let also_8 = base64url::decode_strict("xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o").unwrap();
    let okp = json!({"kty": "OKP", "crv": "Ed25519", "x": ED25519_X, "alg": "EdDSA"});
    let number = |bytes: &[u8]| json!({"x": base64url::encode(bytes)});
    check(okp.clone(), &json!({}), &Ok(()));
    for bytes in [zero, one, minus_one, prime, above] {
        check(okp.clone(), &number(&bytes), &Err(JwkError::Point));
        check(okp.clone(), &number(&top(bytes)), &Err(JwkError::Point));
    }
    for bytes in [order_8, also_8] {
        check(okp.clone(), &number(&bytes), &Err(JwkError::Point));
        check(
            okp.clone(),
            &number(&top(bytes.try_into().unwrap())),
            &Err(JwkError::Point),
        );
    }
    for bytes in [&[][..], &[7; 31], &[7; 33]] {
        check(okp.clone(), &number(bytes), &Err(JwkError::Point));
    }
    check(
        okp,
        &json!({"crv": "X25519"}),
        &Err(JwkError::UnsupportedKeyType),
    );
}

fn key(kid: &str) -> Value {
    let mut jwk = rsa_jwk();
    jwk["kid"] = kid.into();
    jwk
}

/// What somebody publishes may hold keys that are not for us (RFC 7517 section 5), and even none
/// that is: then there is none to find.
#[test]
fn a_published_key_set_may_hold_keys_for_others() {
    let published = |text: &str| JwkSet::parse_published(text.as_bytes());
    for none in ["{\"keys\":[]}", "{\"keys\":[{\"use\":\"enc\"}]}"] {
        assert_eq!(published(none).unwrap().keys().len(), 0);
    }
    for (member, value) in [
        ("kty", json!("AKP")),
        ("kty", json!("EC")),
        ("alg", json!("PS512")),
        ("key_ops", json!(["encrypt"])),
    ] {
        let mut other = key("o");
        other[member] = value;
        other["crv"] = "P-384".into();
        let both = json!({"keys": [other, key("a")]}).to_string();
        assert_eq!(published(&both).unwrap().keys().len(), 1, "{both}");
        assert!(JwkSet::parse(both.as_bytes()).is_err(), "{both}");
    }
    for member in ["n", "d"] {
        let mut wrong = key("w");
        wrong[member] = "AQAB".into();
        let both = json!({"keys": [wrong, key("a")]}).to_string();
        assert!(published(&both).is_err(), "{both}");
    }
    assert_eq!(published("{}").unwrap_err(), JwkError::NotASet);
}

#[test]
fn a_key_set_is_read_strictly() {
    let numbered = |count: usize| (0..count).map(|n| key(&n.to_string())).collect::<Vec<_>>();
    let set = |keys: &[Value]| JwkSet::parse(json!({"keys": keys}).to_string().as_bytes());
    assert_eq!(set(&numbered(1)).unwrap().keys().len(), 1);
    assert_eq!(set(&numbered(20)).unwrap().keys().len(), 20);
    assert_eq!(set(&numbered(101)).unwrap_err(), JwkError::KeyCount);
    assert_eq!(set(&[]).unwrap_err(), JwkError::KeyCount);
    assert_eq!(
        set(&[key("a"), key("b"), key("a")]).unwrap_err(),
        JwkError::DuplicateKid("a".to_owned())
    );
    let found = set(&[key("a"), key("b")]).unwrap();
    assert_eq!(found.find("b").and_then(PublicKey::kid), Some("b"));
    assert!(found.find("c").is_none());

    // An encryption key is passed over, but not alone, and not with secrets.
    let mut encryption = key("e");
    encryption["use"] = "enc".into();
    let mixed = set(&[encryption.clone(), key("a")]).unwrap();
    assert_eq!(mixed.keys().len(), 1);
    assert!(mixed.find("e").is_none());
    assert_eq!(set(&[encryption.clone()]).unwrap_err(), JwkError::KeyCount);
    encryption["d"] = "AQAB".into();
    assert_eq!(
        set(&[key("a"), encryption]).unwrap_err(),
        JwkError::InSet {
            position: 2,
            reason: Box::new(JwkError::PrivateMember("d"))
        }
    );

    for other in ["[]", "{}", "{\"keys\":{}}", "null"] {
        assert_eq!(
            JwkSet::parse(other.as_bytes()).unwrap_err(),
            JwkError::NotASet
        );
    }
    let twice = format!("{{\"keys\":[{0}],\"keys\":[{0}]}}", key("a"));
    assert!(matches!(
        JwkSet::parse(twice.as_bytes()),
        Err(JwkError::Json(_))
    ));
    let long = vec![b' '; MAX_SET_BYTES + 1];
    assert_eq!(JwkSet::parse(&long).unwrap_err(), JwkError::TooLong);
}

proptest! {
    #[test]
    fn no_bytes_make_the_set_parse_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        x in prop::collection::vec(any::<u8>(), 0..70),
        y in prop::collection::vec(any::<u8>(), 0..70),
    ) {
        let _ = JwkSet::parse(&bytes);
        let (x, y) = (base64url::encode(&x), base64url::encode(&y));
        for kty in ["EC", "OKP", "RSA"] {
            for crv in ["P-256", "Ed25519"] {
                let jwk = json!({"kty": kty, "crv": crv, "x": x, "y": y, "n": x, "e": y});
                let _ = PublicKey::from_jwk(&jwk);
            }
        }
    }

    #[test]
    fn a_random_modulus_is_no_roca_modulus(mut modulus in prop::collection::vec(any::<u8>(), 256)) {
        modulus[0] |= 0x80;
        modulus[255] |= 1;
        check(rsa_jwk(), &json!({"n": base64url::encode(&modulus)}), &Ok(()));
    }
}
