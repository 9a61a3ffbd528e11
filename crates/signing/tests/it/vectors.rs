//! Known answers: the files of the author of JCS, and of Wycheproof.
//!
//! The files are beside the workspace. Without them the tests say so and pass.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use signing::algorithm::Algorithm::Rs256;
use signing::canonical;
use signing::jwk::{JwkError, JwkSet, PublicKey};
use signing::jws::Unverified;
use signing::key::SigningKey;

#[test]
fn canonical_form_agrees_with_the_author_of_jcs() {
    for name in "arrays french structures unicode values weird".split(' ') {
        let [input, output] =
            ["input", "output"].map(|one| read(&format!("jcs/{one}/{name}.json")));
        let (Some(input), Some(output)) = (input, output) else {
            return;
        };
        let value = canonical::parse(&input).unwrap();
        let ours = canonical::canonicalize(&value).unwrap();
        assert_eq!(String::from_utf8(ours), String::from_utf8(output), "{name}");
    }
}

/// Valid tokens that we refuse, because their algorithm is not one of the four of S-21.
///
/// 264 to 267 RS384, 268 to 271 RS512, 320 to 323 PS384, 325 to 328 PS512, 346 and 350 PS384 under
/// a key with the `alg` PS256, 347 and 351 ES512, 348 and 352 HMAC with the keys of RFC 7520.
const REFUSED_ALGORITHMS: [std::ops::RangeInclusive<u64>; 5] =
    [264..=271, 320..=323, 325..=328, 346..=348, 350..=352];

#[test]
fn tokens_agree_with_wycheproof() {
    let (mut accepted, mut refused, mut hmac) = (0, 0, 0);
    let Some(cases) = cases("json_web_signature_test") else {
        return;
    };
    for (group, case) in &cases {
        // The groups without a public key are for HMAC.
        let jwk = group.get("public").unwrap_or(&group["private"]);
        let key = PublicKey::from_jwk(jwk);
        let token = Unverified::parse(text(case, "jws"));
        if group.get("public").is_none() {
            assert_eq!(key.as_ref().unwrap_err(), &JwkError::PrivateMember("k"));
            assert!(token.is_err());
            hmac += 1;
        }
        let ours = match (key, token) {
            (Ok(key), Ok(token)) => token.verified_payload(&key).is_ok(),
            (Err(_), _) | (_, Err(_)) => false,
        };
        let id = case["tcId"].as_u64().unwrap();
        let deviates =
            jwk["kty"] == "oct" || REFUSED_ALGORITHMS.iter().any(|ids| ids.contains(&id));
        let theirs = case["result"] == "valid";
        assert_eq!(ours, theirs && !deviates, "tcId {id}: {}", case["comment"]);
        accepted += usize::from(ours);
        refused += usize::from(!ours);
    }
    assert_eq!((accepted, refused, hmac), (16, 385, 40));
}

#[test]
fn key_sets_agree_with_wycheproof() {
    for (group, case) in &cases("json_web_key_test").unwrap_or_default() {
        let set = group.get("public").unwrap_or(&group["private"]);
        let set = JwkSet::parse(set.to_string().as_bytes());
        let id = case["tcId"].as_u64().unwrap();
        let ours = match (&set, Unverified::parse(text(case, "jws"))) {
            (Ok(set), Ok(token)) => {
                let key = token.kid().and_then(|kid| set.find(kid));
                key.is_some_and(|key| token.verified_payload(key).is_ok())
            }
            (Err(_), _) | (_, Err(_)) => false,
        };
        // 2, 13, 14 and 15 are valid HMAC tokens, which we never accept.
        let expected = case["result"] == "valid" && !matches!(id, 2 | 13..=15);
        assert_eq!(ours, expected, "tcId {id}: {}", case["comment"]);
        check_key_refusal(id, set.as_ref().err());
    }
}

/// Checks the reason where the key itself must be refused.
fn check_key_refusal(id: u64, refusal: Option<&JwkError>) {
    let in_set = |reason| JwkError::InSet {
        position: 1,
        reason: Box::new(reason),
    };
    let expected = match id {
        6 | 21 => JwkError::KeyCount, // the only key is for encryption
        7 => in_set(JwkError::RsaRoca),
        8 => in_set(JwkError::RsaSize),
        9 => in_set(JwkError::RsaExponent),
        19 | 20 => in_set(JwkError::UnsupportedAlgorithm),
        22 => in_set(JwkError::Point),
        23 => in_set(JwkError::UnsupportedKeyType),
        24 => in_set(JwkError::Member("n")),
        _ => return,
    };
    assert_eq!(refusal, Some(&expected), "tcId {id}");
}

#[test]
fn rs256_verification_agrees_with_wycheproof() {
    let Some(cases) = cases("rsa_signature_2048_sha256_test") else {
        return;
    };
    for (group, case) in &cases {
        let key = PublicKey::from_jwk(&group["keyJwk"]).unwrap();
        let verified = key.verify(Rs256, &hex(case, "msg"), &hex(case, "sig"));
        // RFC 8017 section 8.2.2 compares the encoded message, so a signature without the NULL in
        // the digest information, which the file calls acceptable, is wrong.
        let is_valid = case["result"] == "valid";
        assert_eq!(verified.is_ok(), is_valid, "tcId {}", case["tcId"]);
    }
    assert_eq!(cases.len(), 259);
}

#[test]
fn rs256_signatures_are_the_known_ones() {
    let Some(mut cases) = cases("rsa_pkcs1_2048_sig_gen_test") else {
        return;
    };
    cases.retain(|(group, _)| group["sha"] == "SHA-256");
    for (group, case) in &cases {
        let der = STANDARD.encode(hex(group, "privateKeyPkcs8"));
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----\n");
        let key = SigningKey::from_pkcs8_pem(&pem, Rs256).unwrap();
        let message = hex(case, "msg");
        let signature = key.sign(&message).unwrap();
        assert_eq!(signature, hex(case, "sig"), "tcId {}", case["tcId"]);
        let verified = key.public_key().verify(Rs256, &message, &signature);
        assert_eq!(verified, Ok(()));
    }
    assert_eq!(cases.len(), 10);
}

/// The test cases of a Wycheproof file, each with its group.
fn cases(file: &str) -> Option<Vec<(Value, Value)>> {
    let file = read(&format!("wycheproof/{file}.json"))?;
    let file: Value = serde_json::from_slice(&file).unwrap();
    let mut cases = Vec::new();
    for group in file["testGroups"].as_array().unwrap() {
        let mut group = group.clone();
        let tests = group["tests"].take();
        let tests = tests.as_array().unwrap().iter();
        cases.extend(tests.map(|case| (group.clone(), case.clone())));
    }
    Some(cases)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    let digits = text(value, name);
    let starts = (0..digits.len()).step_by(2);
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    starts.map(byte).collect()
}

fn read(name: &str) -> Option<Vec<u8>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../../../shared/data/vectors").join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            println!("skipped: test vectors {name} are absent: {error}");
            None
        }
    }
}
