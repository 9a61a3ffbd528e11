//! Compact JWS: one strict form in, one form out, and no bit of it may change.

#![expect(
    clippy::unwrap_used,
    reason = "a test whose case cannot be set up must fail"
)]

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::canonical::CanonicalError;
use signing::jwk::{PublicKey, VerifyError};
use signing::jws::{JwsError, MAX_TOKEN_BYTES, Unverified, sign_compact};
use signing::key::SigningKey;

static KEYS: LazyLock<Vec<SigningKey>> = LazyLock::new(|| {
    Algorithm::ALL
        .into_iter()
        .map(|algorithm| SigningKey::generate(algorithm).unwrap())
        .collect()
});

/// One token of each key, all with the same claims.
static TOKENS: LazyLock<Vec<String>> = LazyLock::new(|| {
    KEYS.iter()
        .map(|key| sign_compact("JWT", key, &claims()).unwrap())
        .collect()
});

fn claims() -> Value {
    json!({"iss": "https://example.com", "exp": 1_700_000_000, "jti": "é"})
}

/// A token with this header and payload, and a signature of no worth.
fn token(header: &str, payload: &str) -> String {
    let encode = |text: &str| base64url::encode(text.as_bytes());
    format!("{}.{}.AAAA", encode(header), encode(payload))
}

#[track_caller]
fn check_header(header: &str, expected: &Result<(), JwsError>) {
    let parsed = Unverified::parse(&token(header, "{}"));
    assert_eq!(&parsed.map(|_| ()), expected, "{header}");
}

#[test]
fn the_ed25519_example_of_rfc_8037_verifies() {
    // Appendix A.4.
    let token = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    let key = PublicKey::from_jwk(&json!({
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    }))
    .unwrap();
    let token = Unverified::parse(token).unwrap();
    assert_eq!(
        token.verified_payload(&key).unwrap(),
        b"Example of Ed25519 signing"
    );
    // Its payload is no set of claims.
    assert!(matches!(
        token.verify(&key),
        Err(JwsError::Json {
            part: "payload",
            ..
        })
    ));
}

#[test]
fn what_is_signed_is_read_back() {
    for (key, text) in KEYS.iter().zip(TOKENS.iter()) {
        let header = base64url::decode_strict(text.split('.').next().unwrap()).unwrap();
        let expected = format!(
            "{{\"alg\":\"{}\",\"kid\":\"{}\",\"typ\":\"JWT\"}}",
            key.algorithm(),
            key.kid()
        );
        assert_eq!(String::from_utf8(header).unwrap(), expected);
        let token = Unverified::parse(text).unwrap();
        assert_eq!(token.algorithm(), key.algorithm());
        assert_eq!(token.kid(), Some(key.kid()));
        assert_eq!(token.typ(), Some("JWT"));
        let verified = token.verify(key.public_key()).unwrap();
        assert_eq!(Value::Object(verified.claims().clone()), claims());
        assert_eq!(Value::Object(token.unverified_claims().unwrap()), claims());
    }
}

#[test]
fn a_token_verifies_under_its_own_key_only() {
    for (at, text) in TOKENS.iter().enumerate() {
        let token = Unverified::parse(text).unwrap();
        for (other, key) in KEYS.iter().enumerate() {
            let refusal = token.verify(key.public_key()).err();
            let expected = VerifyError::AlgorithmNotAllowed;
            assert_eq!(
                refusal,
                (at != other).then_some(JwsError::Signature(expected))
            );
        }
        let stranger = SigningKey::generate(KEYS[at].algorithm()).unwrap();
        assert_eq!(
            token.verify(stranger.public_key()).err(),
            Some(JwsError::Signature(VerifyError::BadSignature))
        );
    }
}

#[test]
fn headers_that_choose_keys_or_rules_are_refused() {
    check_header(r#"{"alg":"RS256"}"#, &Ok(()));
    check_header(
        r#"{"alg":"EdDSA","kid":"k","typ":"JWT","cty":"x","x5t":"y"}"#,
        &Ok(()),
    );
    for name in ["crit", "b64", "jwk", "jku", "x5u", "x5c"] {
        for value in ["null", "[]", "true", "\"x\"", "{}"] {
            check_header(
                &format!("{{\"alg\":\"RS256\",\"{name}\":{value}}}"),
                &Err(JwsError::RefusedHeader(name)),
            );
        }
    }
    for algorithm in [
        "\"none\"",
        "\"None\"",
        "\"HS256\"",
        "\"RS384\"",
        "\"\"",
        "null",
        "1",
    ] {
        check_header(
            &format!("{{\"alg\":{algorithm}}}"),
            &Err(JwsError::Algorithm),
        );
    }
    check_header("{}", &Err(JwsError::Algorithm));
    check_header(
        r#"{"alg":"RS256","kid":1}"#,
        &Err(JwsError::HeaderType("kid")),
    );
    check_header(
        r#"{"alg":"RS256","kid":null}"#,
        &Err(JwsError::HeaderType("kid")),
    );
    check_header(
        r#"{"alg":"RS256","typ":["JWT"]}"#,
        &Err(JwsError::HeaderType("typ")),
    );
    for other in ["[]", "null", "\"RS256\""] {
        check_header(other, &Err(JwsError::NotAnObject("header")));
    }
    for broken in ["", "{", "{}{}", r#"{"alg":"none","alg":"RS256"}"#] {
        let refusal = Unverified::parse(&token(broken, "{}")).unwrap_err();
        assert!(
            matches!(
                &refusal,
                JwsError::Json {
                    part: "header",
                    reason: CanonicalError::Syntax(_)
                }
            ),
            "{refusal:?}"
        );
    }
}

#[test]
fn only_the_strict_compact_form_is_read() {
    let good = TOKENS[0].as_str();
    let (header, rest) = good.split_once('.').unwrap();
    let (payload, signature) = rest.split_once('.').unwrap();
    for (text, expected) in [
        (String::new(), JwsError::NotThreeParts),
        (header.to_owned(), JwsError::NotThreeParts),
        (format!("{header}.{payload}"), JwsError::NotThreeParts),
        (format!("{good}."), JwsError::NotThreeParts),
        (
            format!("{good}.{signature}.{signature}"),
            JwsError::NotThreeParts,
        ),
        (
            format!("{header}=.{payload}.{signature}"),
            JwsError::Encoding("header"),
        ),
        (
            format!("{header}.{payload}=.{signature}"),
            JwsError::Encoding("payload"),
        ),
        (format!("{good}=="), JwsError::Encoding("signature")),
        (format!(" {good}"), JwsError::Encoding("header")),
        (format!("{good}\n"), JwsError::Encoding("signature")),
        (
            format!("{header}.{payload}.{signature}A+/"),
            JwsError::Encoding("signature"),
        ),
        ("a".repeat(MAX_TOKEN_BYTES + 1), JwsError::TooLong),
    ] {
        assert_eq!(Unverified::parse(&text).unwrap_err(), expected, "{text}");
    }
    let unsigned = Unverified::parse(&format!("{header}.{payload}.")).unwrap();
    assert_eq!(
        unsigned.verify(KEYS[0].public_key()).err(),
        Some(JwsError::Signature(VerifyError::BadSignature))
    );
}

#[test]
fn claims_are_an_object_without_duplicates() {
    let header = r#"{"alg":"RS256"}"#;
    let claims_of = |payload: &str| {
        Unverified::parse(&token(header, payload)).and_then(|token| token.unverified_claims())
    };
    assert!(claims_of("{\"a\":1}").is_ok());
    assert_eq!(claims_of("[]"), Err(JwsError::NotAnObject("payload")));
    assert!(matches!(
        claims_of("{\"a\":1,\"a\":2}"),
        Err(JwsError::Json {
            part: "payload",
            ..
        })
    ));
    assert!(matches!(
        claims_of(""),
        Err(JwsError::Json {
            part: "payload",
            ..
        })
    ));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(64), "]".repeat(64));
    assert_eq!(
        claims_of(&deep),
        Err(JwsError::Json {
            part: "payload",
            reason: CanonicalError::TooDeep
        })
    );
}

#[test]
fn nothing_is_signed_that_would_be_refused() {
    let key = &KEYS[3];
    for claims in [json!([]), json!("text"), json!(null)] {
        assert_eq!(
            sign_compact("JWT", key, &claims),
            Err(JwsError::NotAnObject("payload"))
        );
    }
    let long = json!({"a": "x".repeat(MAX_TOKEN_BYTES)});
    assert_eq!(sign_compact("JWT", key, &long), Err(JwsError::TooLong));
    let odd = sign_compact("a\"b\\", key, &json!({})).unwrap();
    assert_eq!(Unverified::parse(&odd).unwrap().typ(), Some("a\"b\\"));
}

#[test]
fn debug_output_shows_no_claims() {
    let shown = format!("{:?}", Unverified::parse(&TOKENS[2]).unwrap());
    assert!(
        shown.contains("ES256") && !shown.contains("example.com"),
        "{shown}"
    );
}

/// Whether the bytes are a token that verifies under the key.
fn verifies(bytes: &[u8], key: &SigningKey) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        Unverified::parse(text).is_ok_and(|token| token.verify(key.public_key()).is_ok())
    })
}

#[test]
fn no_bit_of_a_token_may_change() {
    for (key, text) in KEYS.iter().zip(TOKENS.iter()) {
        assert!(verifies(text.as_bytes(), key));
        for bit in 0..text.len() * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!verifies(&bytes, key), "{} bit {bit}", key.algorithm());
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,120}", dotted in "[A-Za-z0-9_.=-]{0,120}") {
        let _ = Unverified::parse(&text);
        let _ = Unverified::parse(&dotted);
    }

    #[test]
    fn no_header_or_payload_makes_the_parser_panic(
        header in "[{}\\[\\]\":,algcritRS256 0-9]{0,60}",
        payload in any::<String>(),
    ) {
        if let Ok(token) = Unverified::parse(&token(&header, &payload)) {
            let _ = token.unverified_claims();
        }
    }

    #[test]
    fn no_mutated_token_verifies(
        which in 0..4_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..4),
    ) {
        let mut bytes = TOKENS[which].clone().into_bytes();
        for (at, edit, byte) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => {
                    bytes.remove(at);
                }
            }
        }
        let same = bytes == TOKENS[which].as_bytes();
        prop_assert_eq!(verifies(&bytes, &KEYS[which]), same);
    }

    #[test]
    fn any_claims_are_read_back(
        members in prop::collection::btree_map(any::<String>(), any::<i64>(), 0..8),
        typ in any::<String>(),
    ) {
        let token = sign_compact(&typ, &KEYS[2], &members).unwrap();
        let token = Unverified::parse(&token).unwrap();
        prop_assert_eq!(token.typ(), Some(typ.as_str()));
        let verified = token.verify(KEYS[2].public_key()).unwrap();
        prop_assert_eq!(Value::Object(verified.claims().clone()), json!(members));
    }
}
