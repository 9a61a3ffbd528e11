//! JWKs and JWK sets: what is accepted, and each refusal.

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm::Es256;
use signing::base64url;
use signing::jwk::JwkError::{
    self, KeyOperations, NotForSignatures, Point, RsaExponent, RsaModulus,
};
use signing::jwk::JwkError::{RsaRoca, RsaSize, UnsupportedAlgorithm, UnsupportedKeyType};
use signing::jwk::{JwkSet, PublicKey};

use crate::fixture::{ABSENT, changed, key, with_values};

/// RFC 7638 section 3.1.
const RSA_N: &str = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
/// RFC 8037 appendix A.
const ED25519_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

fn rsa_jwk() -> Value {
    json!({"kty": "RSA", "n": RSA_N, "e": "AQAB", "kid": "k", "use": "sig", "alg": "RS256"})
}

fn ed25519_jwk() -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "x": ED25519_X, "alg": "EdDSA"})
}

/// Reads `jwk` with each change and compares the refusal.
#[track_caller]
fn check(jwk: &Value, expected: Option<&JwkError>, changes: impl IntoIterator<Item = Value>) {
    for change in changes {
        let refusal = PublicKey::from_jwk(&changed(jwk.clone(), &change)).err();
        assert_eq!(refusal.as_ref(), expected, "{change}");
    }
}

fn number(bytes: &[u8]) -> String {
    base64url::encode(bytes)
}

#[test]
fn thumbprints_are_those_of_the_rfcs() {
    for (jwk, thumbprint) in [
        // RFC 7638 section 3.1.
        (rsa_jwk(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"),
        // RFC 8037 appendix A.3.
        (ed25519_jwk(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
    ] {
        assert_eq!(PublicKey::from_jwk(&jwk).unwrap().thumbprint(), thumbprint);
    }
}

/// RFC 7517 section 4.
#[test]
fn purpose_algorithm_and_id_are_checked() {
    let rsa = &rsa_jwk();
    let accepted = [
        json!({}),
        json!({"use": ABSENT, "alg": ABSENT, "kid": ABSENT}),
        json!({"alg": "PS256", "x5u": "https://example.com", "note": 1}),
        json!({"key_ops": ["verify"]}),
        json!({"key_ops": ["sign", "verify"]}),
        json!({"kid": "é".repeat(256)}),
    ];
    check(rsa, None, accepted);
    let operations = json!([["sign"], [], "verify", ["verify", 1], ["verify", "verify"]]);
    let operations = with_values("key_ops", operations);
    check(rsa, Some(&KeyOperations), operations);
    let purposes = with_values("use", json!(["enc", ""]));
    check(rsa, Some(&NotForSignatures), purposes);
    // RFC 8725 section 3.1.
    let algorithms = json!(["ES256", "RS384", "none", "HS256", "rs256"]);
    let algorithms = with_values("alg", algorithms);
    check(rsa, Some(&UnsupportedAlgorithm), algorithms);
    let types = with_values("kty", json!(["rsa", "oct"]));
    check(rsa, Some(&UnsupportedKeyType), types);
    for (name, value) in [
        ("use", json!(["sig"])),
        ("alg", json!(1)),
        ("kid", json!("")),
        ("kid", json!(7)),
        ("kid", json!("k".repeat(257))),
        ("kty", json!(ABSENT)),
    ] {
        check(rsa, Some(&JwkError::Member(name)), [json!({name: value})]);
    }
    let refusal = PublicKey::from_jwk(&json!([])).unwrap_err();
    assert_eq!(refusal, JwkError::NotAnObject);
}

/// RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1, RFC 8037 section 2.
#[test]
fn private_members_are_refused_before_all_else() {
    for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
        let alone = json!({name: "AQAB"});
        let with_more = json!({name: 1, "use": "enc", "kty": "oct"});
        let expected = JwkError::PrivateMember(name);
        check(&rsa_jwk(), Some(&expected), [alone, with_more]);
    }
}

/// RFC 7518 section 6.3.1, RFC 8017 section 3.1.
#[test]
fn weak_or_malformed_rsa_numbers_are_refused() {
    let (rsa, modulus) = (&rsa_jwk(), base64url::decode_strict(RSA_N).unwrap());
    let n = |bytes: &[u8]| json!({"n": number(bytes)});
    let e = |bytes: &[u8]| json!({"e": number(bytes)});
    let with_first = |first: u8| n(&[&[first], &modulus[1..]].concat());
    check(rsa, None, [e(&[3]), e(&[1, 0, 0, 0, 1])]);
    let exponents: [&[u8]; 6] = [&[1], &[2], &[1, 0, 0], &[2, 0, 0, 0, 1], &[1; 6], &[1; 64]];
    check(rsa, Some(&RsaExponent), exponents.map(e));
    let malformed = ["", "AA", "AAEAAQ", "AQAB=", ABSENT].map(|value| json!({"e": value}));
    check(rsa, Some(&JwkError::Member("e")), malformed);
    check(rsa, Some(&JwkError::Member("e")), [json!({"e": 65537})]);
    let zero_first = n(&[&[0], &modulus[..]].concat());
    let malformed = [json!({"n": ABSENT}), n(&[]), zero_first];
    check(rsa, Some(&JwkError::Member("n")), malformed);
    // RFC 7518 section 3.3: 2,047 bits are too few, 2,048 enough.
    check(rsa, None, [with_first(0x80), n(&modulus.repeat(4))]);
    let sizes = [with_first(0x7f), n(&modulus[..255]), n(&[0xff; 1025])];
    check(rsa, Some(&RsaSize), sizes);
    let even = n(&[&modulus[..255], &[0x82]].concat());
    check(rsa, Some(&RsaModulus), [even]);
}

/// `65537^exponent`, big-endian.
fn power_of_65537(exponent: usize) -> Vec<u8> {
    let mut number = vec![1_u8];
    for _ in 0..exponent {
        // The number times 2^16, plus the number itself.
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

/// CVE-2017-15361.
#[test]
fn moduli_with_the_roca_structure_are_refused() {
    // A power of 65537 has the structure of the faulty generator.
    for exponent in [128, 129, 200, 256] {
        let mut modulus = power_of_65537(exponent);
        check(&rsa_jwk(), Some(&RsaRoca), [json!({"n": number(&modulus)})]);
        *modulus.last_mut().unwrap() ^= 2;
        check(&rsa_jwk(), None, [json!({"n": number(&modulus)})]);
    }
    // The first modulus is a power of 65537 modulo each small prime, but the powers have no common
    // exponent. The second is a power modulo each small prime but 11.
    for tail in [
        "QZbXDTBk7mHLkqBmwRGnqghengk1FB3vS99FKw",
        "RXfnoXp3qlhRSXG3zvKvTnogQFiby-q7U67_fw",
    ] {
        let near = format!("g{}{tail}", "A".repeat(303));
        check(&rsa_jwk(), None, [json!({"n": near})]);
    }
}

/// RFC 7518 section 6.2.1.
#[test]
fn points_off_the_curve_are_refused() {
    let p256 = &key(Es256, 0).public_key().to_jwk();
    let [x, y] = ["x", "y"].map(|name| base64url::decode_strict(p256[name].as_str().unwrap()));
    let (x, y) = (x.unwrap(), y.unwrap());
    let mut moved = y.clone();
    moved[31] ^= 1;
    let zero = number(&[0; 32]);
    let points = [
        json!({"y": number(&moved)}),
        json!({"x": number(&y), "y": number(&x)}),
        json!({"x": zero, "y": zero}),
        json!({"x": number(&[0xff; 32])}),
        json!({"x": number(&x[..31])}),
        json!({"x": number(&[&[0], &x[..]].concat())}),
    ];
    check(p256, None, [json!({})]);
    check(p256, Some(&Point), points);
    let curves = with_values("crv", json!(["P-384", "Ed25519"]));
    check(p256, Some(&UnsupportedKeyType), curves);
    check(p256, Some(&UnsupportedKeyType), [json!({"kty": "OKP"})]);
    check(p256, Some(&UnsupportedAlgorithm), [json!({"alg": "EdDSA"})]);
    for name in ["y", "crv"] {
        let absent = [json!({name: ABSENT})];
        check(p256, Some(&JwkError::Member(name)), absent);
    }
}

/// RFC 8032 section 5.1.3.
#[test]
fn ed25519_points_of_small_order_or_another_form_are_refused() {
    let okp = &ed25519_jwk();
    let little = |low: u8, rest: u8, high: u8| {
        let mut bytes = vec![rest; 32];
        (bytes[0], bytes[31]) = (low, high);
        bytes
    };
    let order_8 = [
        "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
        "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
    ];
    let [first, second] = order_8.map(|text| base64url::decode_strict(text).unwrap());
    let (zero, one) = (little(0, 0, 0), little(1, 0, 0));
    // -1, the prime, and the prime + 1.
    let [minus_one, prime, above] = [0xec, 0xed, 0xee].map(|low| little(low, 0xff, 0x7f));
    for mut bytes in [zero, one, minus_one, prime, above, first, second] {
        let without_sign = json!({"x": number(&bytes)});
        bytes[31] |= 0x80;
        let with_sign = json!({"x": number(&bytes)});
        check(okp, Some(&Point), [without_sign, with_sign]);
    }
    let lengths = [0, 31, 33].map(|length| json!({"x": number(&vec![7; length])}));
    check(okp, Some(&Point), lengths);
    check(okp, None, [json!({})]);
    check(okp, Some(&UnsupportedKeyType), [json!({"crv": "X25519"})]);
}

/// An RSA key with this id and the members of `change`.
fn named(kid: &str, change: &Value) -> Value {
    changed(changed(rsa_jwk(), &json!({"kid": kid})), change)
}

fn set_text(keys: &[Value]) -> String {
    json!({ "keys": keys }).to_string()
}

/// RFC 7517 section 5: a published set may hold keys for other readers, and no key for us.
#[test]
fn a_published_key_set_may_hold_keys_for_others() {
    let published = |text: &str| JwkSet::parse_published(text.as_bytes());
    for none in ["{\"keys\":[]}", "{\"keys\":[{\"use\":\"enc\"}]}"] {
        assert_eq!(published(none).unwrap().keys().len(), 0);
    }
    for change in [
        json!({"kty": "AKP"}),
        json!({"kty": "EC", "crv": "P-384"}),
        json!({"alg": "PS512"}),
        json!({"key_ops": ["encrypt"]}),
    ] {
        let both = set_text(&[named("o", &change), named("a", &json!({}))]);
        assert_eq!(published(&both).unwrap().keys().len(), 1, "{both}");
        assert!(JwkSet::parse(both.as_bytes()).is_err(), "{both}");
    }
    for member in ["n", "d"] {
        let both = set_text(&[named("w", &json!({member: "AQAB"})), named("a", &json!({}))]);
        assert!(published(&both).is_err(), "{both}");
    }
    assert_eq!(published("{}").unwrap_err(), JwkError::NotASet);
}

#[test]
fn a_key_set_is_read_strictly() {
    let set = |keys: &[Value]| JwkSet::parse(set_text(keys).as_bytes());
    let numbered = |count: usize| (0..count).map(|at| named(&at.to_string(), &json!({})));
    for count in [1, 100] {
        let keys: Vec<Value> = numbered(count).collect();
        assert_eq!(set(&keys).unwrap().keys().len(), count);
    }
    let [a, b] = ["a", "b"].map(|kid| named(kid, &json!({})));
    let found = set(&[a.clone(), b.clone()]).unwrap();
    assert_eq!(found.find("b").and_then(PublicKey::kid), Some("b"));
    assert!(found.find("c").is_none());
    // An encryption key is left out, but not alone, and not with private members.
    let encryption = named("e", &json!({"use": "enc"}));
    let mixed = set(&[encryption.clone(), a.clone()]).unwrap();
    assert_eq!(mixed.keys().len(), 1);
    assert!(mixed.find("e").is_none());
    let private = JwkError::InSet {
        position: 2,
        reason: Box::new(JwkError::PrivateMember("d")),
    };
    let with_secret = changed(encryption.clone(), &json!({"d": "AQAB"}));
    let twice = vec![a.clone(), b, a.clone()];
    let duplicate = JwkError::DuplicateKid("a".to_owned());
    for (keys, expected) in [
        (numbered(101).collect(), JwkError::KeyCount),
        (vec![], JwkError::KeyCount),
        (vec![encryption], JwkError::KeyCount),
        (twice, duplicate),
        (vec![a.clone(), with_secret], private),
    ] {
        assert_eq!(set(&keys).unwrap_err(), expected);
    }
    for other in ["[]", "{}", "{\"keys\":{}}", "null"] {
        let refusal = JwkSet::parse(other.as_bytes()).unwrap_err();
        assert_eq!(refusal, JwkError::NotASet, "{other}");
    }
    let twice = format!("{{\"keys\":[{a}],\"keys\":[{a}]}}");
    let refusal = JwkSet::parse(twice.as_bytes()).unwrap_err();
    assert!(matches!(refusal, JwkError::Json(_)), "{refusal}");
    let long = vec![b' '; 256 * 1024 + 1];
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
        let (x, y) = (number(&x), number(&y));
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
        check(&rsa_jwk(), None, [json!({"n": number(&modulus)})]);
    }
}
