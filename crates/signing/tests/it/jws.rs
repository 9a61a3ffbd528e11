//! Compact JWS: one strict form is read and written, and no bit of it may change.

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm::{self, EdDsa, Es256};
use signing::base64url;
use signing::canonical::CanonicalError;
use signing::jwk::{PublicKey, VerifyError};
use signing::jws::{JwsError, Unverified, sign_compact};
use signing::key::SigningKey;

use crate::fixture::key;

const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// A token of each algorithm, all with the same claims.
static TOKENS: LazyLock<[String; 4]> = LazyLock::new(|| {
    Algorithm::ALL.map(|one| sign_compact("JWT", key(one, 0), &claims()).unwrap())
});

fn claims() -> Value {
    json!({"iss": "https://example.com", "exp": 1_700_000_000, "jti": "é"})
}

fn keys_and_tokens() -> impl Iterator<Item = (&'static SigningKey, &'static String)> {
    let keys = Algorithm::ALL.map(|algorithm| key(algorithm, 0));
    keys.into_iter().zip(TOKENS.iter())
}

/// A token with this header and payload, and a signature that verifies under no key.
fn token(header: &str, payload: &str) -> String {
    let [header, payload] = [header, payload].map(|part| base64url::encode(part.as_bytes()));
    format!("{header}.{payload}.AAAA")
}

/// RFC 8037 appendix A.4.
#[test]
fn the_ed25519_example_of_rfc_8037_verifies() {
    let token = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
    let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": x});
    let key = PublicKey::from_jwk(&jwk).unwrap();
    let token = Unverified::parse(token).unwrap();
    let payload = token.verified_payload(&key).unwrap();
    assert_eq!(payload, b"Example of Ed25519 signing");
    let refusal = token.verify(&key).unwrap_err();
    assert!(matches!(refusal, JwsError::Json { part, .. } if part == "payload"));
}

#[test]
fn a_token_is_read_as_it_was_signed_and_verifies_under_its_own_key_only() {
    for (key, text) in keys_and_tokens() {
        let header = base64url::decode_strict(text.split('.').next().unwrap()).unwrap();
        let (alg, kid) = (key.algorithm(), key.kid());
        let expected = format!(r#"{{"alg":"{alg}","kid":"{kid}","typ":"JWT"}}"#);
        assert_eq!(String::from_utf8(header).unwrap(), expected);
        let token = Unverified::parse(text).unwrap();
        assert_eq!(token.algorithm(), alg);
        assert_eq!((token.kid(), token.typ()), (Some(kid), Some("JWT")));
        assert_eq!(Value::Object(token.unverified_claims().unwrap()), claims());
        for (other, _) in keys_and_tokens() {
            match token.verify(other.public_key()) {
                Ok(verified) => {
                    assert_eq!(other.kid(), kid);
                    assert_eq!(Value::Object(verified.claims().clone()), claims());
                }
                Err(refusal) => {
                    assert_ne!(other.kid(), kid);
                    let expected = JwsError::Signature(VerifyError::AlgorithmNotAllowed);
                    assert_eq!(refusal, expected);
                }
            }
        }
        let other = crate::fixture::key(alg, 1);
        let refusal = token.verify(other.public_key()).unwrap_err();
        assert_eq!(refusal, JwsError::Signature(VerifyError::BadSignature));
    }
}

#[track_caller]
fn check_header(header: &str, expected: Option<&JwsError>) {
    let refusal = Unverified::parse(&token(header, "{}")).err();
    assert_eq!(refusal.as_ref(), expected, "{header}");
}

/// RFC 7515 sections 4.1.2 to 4.1.6 and 4.1.11, RFC 7797, RFC 8725 sections 3.1 and 3.10.
#[test]
fn headers_that_choose_keys_or_rules_are_refused() {
    check_header(r#"{"alg":"RS256"}"#, None);
    let more = r#"{"alg":"EdDSA","kid":"k","typ":"JWT","cty":"x","x5t":"y"}"#;
    check_header(more, None);
    for name in ["crit", "b64", "jwk", "jku", "x5u", "x5c"] {
        for value in ["null", "[]", "true", "\"x\"", "{}"] {
            let header = format!(r#"{{"alg":"RS256","{name}":{value}}}"#);
            check_header(&header, Some(&JwsError::RefusedHeader(name)));
        }
    }
    check_header("{}", Some(&JwsError::Algorithm));
    for algorithm in r#""none" "None" "HS256" "RS384" "" null 1"#.split(' ') {
        let header = format!("{{\"alg\":{algorithm}}}");
        check_header(&header, Some(&JwsError::Algorithm));
    }
    for (name, value) in [("kid", "1"), ("kid", "null"), ("typ", "[\"JWT\"]")] {
        let header = format!(r#"{{"alg":"RS256","{name}":{value}}}"#);
        check_header(&header, Some(&JwsError::HeaderType(name)));
    }
    for other in ["[]", "null", "\"RS256\""] {
        check_header(other, Some(&JwsError::NotAnObject("header")));
    }
}

/// The header and the claims are objects without duplicate members (RFC 7515 section 4).
#[test]
fn the_parts_are_json_objects() {
    let claims_of = |payload: &str| {
        Unverified::parse(&token(r#"{"alg":"RS256"}"#, payload))
            .and_then(|token| token.unverified_claims())
    };
    assert!(claims_of(r#"{"a":1}"#).is_ok());
    assert_eq!(claims_of("[]"), Err(JwsError::NotAnObject("payload")));
    for broken in ["", "{", "{}{}", r#"{"alg":"none","alg":"RS256"}"#] {
        for refusal in [
            Unverified::parse(&token(broken, "{}")).unwrap_err(),
            claims_of(broken).unwrap_err(),
        ] {
            let JwsError::Json { reason, .. } = refusal else {
                panic!("{broken}: {refusal:?}");
            };
            assert!(matches!(reason, CanonicalError::Syntax(_)), "{reason:?}");
        }
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(64), "]".repeat(64));
    let (part, reason) = ("payload", CanonicalError::TooDeep);
    assert_eq!(claims_of(&deep), Err(JwsError::Json { part, reason }));
}

#[test]
fn only_the_strict_compact_form_is_read() {
    let good = TOKENS[0].as_str();
    let (header, rest) = good.split_once('.').unwrap();
    let (payload, signature) = rest.split_once('.').unwrap();
    let in_header = JwsError::Encoding("header");
    let in_payload = JwsError::Encoding("payload");
    let in_signature = JwsError::Encoding("signature");
    let padded = format!("{header}=.{payload}.{signature}");
    let five_parts = format!("{good}.{signature}.{signature}");
    for (text, expected) in [
        (String::new(), JwsError::NotThreeParts),
        (header.to_owned(), JwsError::NotThreeParts),
        (format!("{header}.{payload}"), JwsError::NotThreeParts),
        (format!("{good}."), JwsError::NotThreeParts),
        (five_parts, JwsError::NotThreeParts),
        (padded, in_header.clone()),
        (format!(" {good}"), in_header),
        (format!("{header}.{payload}=.{signature}"), in_payload),
        (format!("{good}=="), in_signature.clone()),
        (format!("{good}\n"), in_signature.clone()),
        (format!("{header}.{payload}.{signature}A+/"), in_signature),
        ("a".repeat(MAX_TOKEN_BYTES + 1), JwsError::TooLong),
    ] {
        assert_eq!(Unverified::parse(&text).unwrap_err(), expected, "{text}");
    }
    let unsigned = Unverified::parse(&format!("{header}.{payload}.")).unwrap();
    let verified = unsigned.verify(key(Algorithm::Rs256, 0).public_key());
    let expected = JwsError::Signature(VerifyError::BadSignature);
    assert_eq!(verified.unwrap_err(), expected);
}

#[test]
fn nothing_is_signed_that_would_be_refused() {
    let key = key(EdDsa, 0);
    for claims in [json!([]), json!("text"), json!(null)] {
        let refusal = sign_compact("JWT", key, &claims);
        assert_eq!(refusal, Err(JwsError::NotAnObject("payload")));
    }
    let long = json!({"a": "x".repeat(MAX_TOKEN_BYTES)});
    assert_eq!(sign_compact("JWT", key, &long), Err(JwsError::TooLong));
}

#[test]
fn debug_output_shows_no_claims() {
    let shown = format!("{:?}", Unverified::parse(&TOKENS[2]).unwrap());
    let is_safe = shown.contains("ES256") && !shown.contains("example.com");
    assert!(is_safe, "{shown}");
}

/// Whether the bytes are a token that verifies under the key.
fn verifies(bytes: &[u8], key: &SigningKey) -> bool {
    let text = std::str::from_utf8(bytes).ok();
    let token = text.and_then(|text| Unverified::parse(text).ok());
    token.is_some_and(|token| token.verify(key.public_key()).is_ok())
}

#[test]
fn no_bit_of_a_token_may_change() {
    for (key, text) in keys_and_tokens() {
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
    fn no_text_makes_the_parser_panic(
        text in "\\PC{0,120}",
        dotted in "[A-Za-z0-9_.=-]{0,120}",
        header in "[{}\\[\\]\":,algcritRS256 0-9]{0,60}",
        payload in any::<String>(),
    ) {
        for text in [text, dotted, token(&header, &payload)] {
            if let Ok(token) = Unverified::parse(&text) {
                let _ = token.unverified_claims();
            }
        }
    }

    #[test]
    fn no_mutated_token_verifies(
        which in 0..4_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<u8>()), 1..4),
    ) {
        let (key, text) = keys_and_tokens().nth(which).unwrap();
        let mut bytes = text.clone().into_bytes();
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
        prop_assert_eq!(verifies(&bytes, key), bytes == text.as_bytes());
    }

    #[test]
    fn any_claims_and_type_are_read_back(
        members in prop::collection::btree_map(any::<String>(), any::<i64>(), 0..8),
        typ in any::<String>(),
    ) {
        let key = key(Es256, 0);
        let token = sign_compact(&typ, key, &members).unwrap();
        let token = Unverified::parse(&token).unwrap();
        prop_assert_eq!(token.typ(), Some(typ.as_str()));
        let verified = token.verify(key.public_key()).unwrap();
        prop_assert_eq!(Value::Object(verified.claims().clone()), json!(members));
    }
}
