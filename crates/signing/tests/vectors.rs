//! Known answers: the JCS author's files and the Wycheproof files.
//!
//! They lie beside the workspace. Where they are absent the tests say so and
//! pass.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test whose case cannot be set up must fail; a skipped one says so"
)]

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use signing::algorithm::Algorithm;
use signing::canonical;
use signing::jwk::{JwkError, JwkSet, PublicKey};
use signing::jws::Unverified;
use signing::key::SigningKey;

#[test]
fn canonical_form_is_the_one_of_the_jcs_author() {
    for name in [
        "arrays",
        "french",
        "structures",
        "unicode",
        "values",
        "weird",
    ] {
        let (Some(input), Some(output)) = (
            read(&format!("jcs/input/{name}.json")),
            read(&format!("jcs/output/{name}.json")),
        ) else {
            return;
        };
        let value = canonical::parse(&input).unwrap();
        let ours = canonical::canonicalize(&value).unwrap();
        assert_eq!(
            String::from_utf8(ours).unwrap(),
            String::from_utf8(output).unwrap(),
            "{name}"
        );
    }
}

/// Valid tokens that we refuse on purpose, by the algorithm in their header:
/// SHA-384, SHA-512 and P-521 are not among the four algorithms of S-21.
///
/// 264 to 267 RS384, 268 to 271 RS512, 320 to 323 PS384, 325 to 328 PS512,
/// 346 and 350 PS384 under a key whose own `alg` says PS256, 347 and 351 ES512.
const REFUSED_ALGORITHMS: [std::ops::RangeInclusive<u64>; 7] = [
    264..=271,
    320..=323,
    325..=328,
    346..=347,
    350..=351,
    // HMAC with the keys of RFC 7520.
    348..=348,
    352..=352,
];

#[test]
fn tokens_agree_with_wycheproof() {
    let Some(file) = read_json("wycheproof/json_web_signature_test.json") else {
        return;
    };
    let (mut accepted, mut refused) = (0, 0);
    for group in groups(&file) {
        // Groups without a public key are the HMAC ones.
        let jwk = group.get("public").unwrap_or(&group["private"]);
        let hmac = jwk["kty"] == "oct";
        for case in cases(group) {
            let id = case["tcId"].as_u64().unwrap();
            let ours = accepts(&PublicKey::from_jwk(jwk), text(case, "jws"));
            let deviates = hmac || REFUSED_ALGORITHMS.iter().any(|ids| ids.contains(&id));
            let theirs = case["result"] == "valid";
            assert_eq!(ours, theirs && !deviates, "tcId {id}: {}", case["comment"]);
            accepted += usize::from(ours);
            refused += usize::from(!ours);
        }
    }
    assert_eq!((accepted, refused), (16, 385));
}

#[test]
fn no_hmac_key_is_a_public_key() {
    let Some(file) = read_json("wycheproof/json_web_signature_test.json") else {
        return;
    };
    let mut seen = 0;
    for group in groups(&file) {
        if group.get("public").is_some() {
            continue;
        }
        let refusal = PublicKey::from_jwk(&group["private"]).unwrap_err();
        assert_eq!(refusal, JwkError::PrivateMember("k"));
        for case in cases(group) {
            assert!(Unverified::parse(text(case, "jws")).is_err());
            seen += 1;
        }
    }
    assert_eq!(seen, 40);
}

#[test]
fn key_sets_agree_with_wycheproof() {
    let Some(file) = read_json("wycheproof/json_web_key_test.json") else {
        return;
    };
    for group in groups(&file) {
        let set = group.get("public").unwrap_or(&group["private"]);
        let set = JwkSet::parse(set.to_string().as_bytes());
        for case in cases(group) {
            let id = case["tcId"].as_u64().unwrap();
            let token = Unverified::parse(text(case, "jws"));
            let ours = match (&set, token) {
                (Ok(set), Ok(token)) => token
                    .kid()
                    .and_then(|kid| set.find(kid))
                    .is_some_and(|key| token.verified_payload(key).is_ok()),
                (Err(_), _) | (_, Err(_)) => false,
            };
            // 2, 13, 14 and 15 are valid HMAC tokens, which we never accept.
            let deviates = matches!(id, 2 | 13..=15);
            assert_eq!(
                ours,
                case["result"] == "valid" && !deviates,
                "tcId {id}: {}",
                case["comment"]
            );
            check_key_refusal(id, set.as_ref().err());
        }
    }
}

/// The keys that must be refused for their own sake, each for its reason.
fn check_key_refusal(id: u64, refusal: Option<&JwkError>) {
    let expected = match id {
        6 | 21 => JwkError::KeyCount, // its only key is for encryption
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
    let Some(file) = read_json("wycheproof/rsa_signature_2048_sha256_test.json") else {
        return;
    };
    let mut seen = 0;
    for group in groups(&file) {
        let Some(jwk) = group.get("keyJwk") else {
            panic!("a group without keyJwk");
        };
        let key = PublicKey::from_jwk(jwk).unwrap();
        for case in cases(group) {
            let verified = key.verify(Algorithm::Rs256, &hex(case, "msg"), &hex(case, "sig"));
            // What the file calls acceptable (a missing NULL in the digest
            // information) is no correct encoding: RFC 8017 section 8.2.2
            // compares the whole encoded message.
            let valid = case["result"] == "valid";
            assert_eq!(verified.is_ok(), valid, "tcId {}", case["tcId"]);
            seen += 1;
        }
    }
    assert_eq!(seen, 259);
}

#[test]
fn rs256_signatures_are_the_known_ones() {
    let Some(file) = read_json("wycheproof/rsa_pkcs1_2048_sig_gen_test.json") else {
        return;
    };
    let mut seen = 0;
    for group in groups(&file) {
        if group["sha"] != "SHA-256" {
            continue;
        }
        let pem = pem(&hex(group, "privateKeyPkcs8"));
        let key = SigningKey::from_pkcs8_pem(&pem, Algorithm::Rs256).unwrap();
        for case in cases(group) {
            let message = hex(case, "msg");
            let signature = key.sign(&message).unwrap();
            assert_eq!(signature, hex(case, "sig"), "tcId {}", case["tcId"]);
            key.public_key()
                .verify(Algorithm::Rs256, &message, &signature)
                .unwrap();
            seen += 1;
        }
    }
    assert_eq!(seen, 10);
}

fn accepts(key: &Result<PublicKey, JwkError>, token: &str) -> bool {
    key.as_ref().is_ok_and(|key| {
        Unverified::parse(token).is_ok_and(|token| token.verified_payload(key).is_ok())
    })
}

fn in_set(reason: JwkError) -> JwkError {
    JwkError::InSet {
        position: 1,
        reason: Box::new(reason),
    }
}

fn groups(file: &Value) -> &[Value] {
    file["testGroups"].as_array().unwrap()
}

fn cases(group: &Value) -> &[Value] {
    group["tests"].as_array().unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    let digits = text(value, name);
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

fn pem(der: &[u8]) -> String {
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        STANDARD.encode(der)
    )
}

fn read_json(name: &str) -> Option<Value> {
    read(name).map(|bytes| serde_json::from_slice(&bytes).unwrap())
}

fn read(name: &str) -> Option<Vec<u8>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/vectors")
        .join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            println!("skipped: test vectors {name} are absent: {error}");
            None
        }
    }
}
