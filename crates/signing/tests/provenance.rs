//! The four verification rules of document 1: any change of the answer is noticed.

#![expect(
    clippy::unwrap_used,
    reason = "a test whose case cannot be set up must fail"
)]

use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::key::SigningKey;
use signing::provenance::ProvenanceError as E;
use signing::provenance::{PayloadHash, Provenance, VerifiedEnvelope};
use signing::{base64url, canonical, provenance};

struct Keys {
    signer: SigningKey,
    other: SigningKey,
    published: JwkSet,
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let signer = SigningKey::generate(Algorithm::Rs256).unwrap();
    let other = SigningKey::generate(Algorithm::Rs256).unwrap();
    let published = publish(&[&signer, &other]);
    Keys {
        signer,
        other,
        published,
    }
});

#[test]
fn a_signed_answer_verifies() {
    let envelope = envelope(&sample());
    let verified = verify(&envelope).unwrap();
    assert_eq!(verified.kid(), KEYS.signer.kid());
    assert_eq!(verified.signed_at(), "2026-01-31T09:30:00Z");
    assert_eq!(verified.data(), &sample());
}

#[test]
fn layout_and_unsigned_members_do_not_matter() {
    let mut envelope = envelope(&sample());
    envelope["links"] = json!({"self": "…"});
    let pretty = serde_json::to_vec_pretty(&envelope).unwrap();
    assert!(provenance::verify_envelope(&pretty, &KEYS.published).is_ok());
}

#[test]
fn the_block_is_written_in_canonical_order_with_the_names_of_document_1() {
    let block = sign(&sample(), &KEYS.signer);
    let straight = serde_json::to_vec(&block).unwrap();
    let value = serde_json::to_value(&block).unwrap();
    assert_eq!(straight, canonical::canonicalize(&value).unwrap());
    let names: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["alg", "kid", "payloadHash", "signature", "signedAt"]
    );
    assert_eq!(
        serde_json::from_slice::<Provenance>(&straight).unwrap(),
        block
    );
}

#[test]
fn any_changed_member_of_the_block_fails() {
    let good = sign(&sample(), &KEYS.signer);
    let by_other = sign(&sample(), &KEYS.other).signature;
    let hash = good.payload_hash.value;
    check("/provenance/alg", json!("PS256"), &E::WrongAlgorithm);
    check("/provenance/alg", json!("none"), &E::WrongAlgorithm);
    check("/provenance/alg", json!("rs256"), &E::WrongAlgorithm);
    check(
        "/provenance/kid",
        json!("?"),
        &E::UnknownKey("?".to_owned()),
    );
    check("/provenance/kid", json!(KEYS.other.kid()), &E::BadSignature);
    check(
        "/provenance/payloadHash/alg",
        json!("SHA-512"),
        &E::WrongHashAlgorithm,
    );
    check("/provenance/payloadHash/value", json!(""), &E::WrongHash);
    check(
        "/provenance/payloadHash/value",
        json!(other_hash()),
        &E::WrongHash,
    );
    check(
        "/provenance/payloadHash/value",
        json!(format!("{hash}=")),
        &E::WrongHash,
    );
    check("/provenance/signature", json!(""), &E::BadSignature);
    check("/provenance/signature", json!(by_other), &E::BadSignature);
    check(
        "/provenance/signature",
        json!(format!("{}=", good.signature)),
        &E::BadSignature,
    );
    check(
        "/provenance/signature",
        json!(format!(" {}", good.signature)),
        &E::BadSignature,
    );
    check(
        "/provenance/signedAt",
        json!("yesterday"),
        &E::WrongSignedAt,
    );
    check(
        "/provenance/signedAt",
        json!("2026-01-31T09:30:00"),
        &E::WrongSignedAt,
    );
    check(
        "/provenance/signedAt",
        json!("2026-01-31T09:30:00+01:00"),
        &E::WrongSignedAt,
    );
    check(
        "/provenance/signedAt",
        json!("2026-01-31T09:30:00.Z"),
        &E::WrongSignedAt,
    );
}

#[test]
fn any_changed_member_of_data_fails() {
    check("/data", json!([]), &E::NoData);
    check("/data", json!(null), &E::NoData);
    check("/data", json!({}), &E::WrongHash);
    check("/data/data", json!([]), &E::WrongHash);
    check(
        "/data/data/0/uprn",
        json!(9_007_199_254_740_992_u64),
        &E::NotCanonical,
    );
    check("/data/data/0/uprn", json!("100023336956"), &E::WrongHash);
    check(
        "/data/data/0/uprn",
        json!(100_023_336_957_u64),
        &E::WrongHash,
    );
    check("/data/data/0/chainId", json!(null), &E::WrongHash);
    check(
        "/data/data/0/milestones/0",
        json!("Memorandum of Sale issued "),
        &E::WrongHash,
    );
    check("/data/pagination/total", json!(2), &E::WrongHash);
}

#[test]
fn any_missing_or_mistyped_member_fails() {
    for parent in [
        "",
        "/provenance",
        "/provenance/payloadHash",
        "/data",
        "/data/pagination",
    ] {
        let whole = envelope(&sample());
        for name in whole.pointer(parent).unwrap().as_object().unwrap().keys() {
            let mut missing = whole.clone();
            missing
                .pointer_mut(parent)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(name);
            assert!(verify(&missing).is_err(), "without {parent}/{name}");
            let mut mistyped = whole.clone();
            mistyped.pointer_mut(parent).unwrap()[name] = json!(7);
            assert!(verify(&mistyped).is_err(), "a number for {parent}/{name}");
        }
    }
}

#[test]
fn a_changed_answer_does_not_pass_with_a_matching_hash() {
    let mut forged = sample();
    forged["data"][0]["uprn"] = json!(1);
    let mut block = sign(&sample(), &KEYS.signer);
    block.payload_hash.value = hash(&forged);
    let envelope = json!({"data": forged, "provenance": block});
    assert_eq!(verify(&envelope).unwrap_err(), E::BadSignature);
}

#[test]
fn another_algorithm_of_a_published_key_does_not_pass() {
    let pem = KEYS.signer.to_pkcs8_pem().unwrap();
    let ps256 = SigningKey::from_pkcs8_pem(&pem, Algorithm::Ps256).unwrap();
    let es256 = SigningKey::generate(Algorithm::Es256).unwrap();
    for key in [&ps256, &es256] {
        let body = json!({"data": sample(), "provenance": sign(&sample(), key)}).to_string();
        let refused = provenance::verify_envelope(body.as_bytes(), &publish(&[key]));
        assert_eq!(refused.unwrap_err(), E::BadSignature);
    }
}

#[test]
fn a_withdrawn_key_verifies_nothing() {
    let body = envelope(&sample()).to_string();
    let refused = provenance::verify_envelope(body.as_bytes(), &publish(&[&KEYS.other]));
    let kid = KEYS.signer.kid().to_owned();
    assert_eq!(refused.unwrap_err(), E::UnknownKey(kid));
}

#[test]
fn a_body_that_two_readers_may_read_differently_is_refused() {
    let body = envelope(&sample()).to_string();
    let twice = body.replacen('{', r#"{"data":{},"#, 1);
    let deep = format!("{{\"data\":{}1{}}}", "[".repeat(1000), "]".repeat(1000));
    for body in [
        String::new(),
        "[]".repeat(2),
        twice,
        deep,
        format!("{body} x"),
    ] {
        let refused = provenance::verify_envelope(body.as_bytes(), &KEYS.published);
        assert_eq!(refused.unwrap_err(), E::NotJson);
    }
    let huge = vec![b' '; provenance::MAX_ENVELOPE_BYTES + 1];
    let refused = provenance::verify_envelope(&huge, &KEYS.published);
    assert_eq!(refused.unwrap_err(), E::NotJson);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_signed_verifies_and_one_changed_byte_of_data_does_not(
        text in "\\PC{0,40}",
        number in 0_u64..=9_007_199_254_740_991,
        fraction in -1e300_f64..1e300,
        position: prop::sample::Index,
        byte: u8,
    ) {
        let data = json!({"text": text, "data": [{"number": number, "fraction": fraction}]});
        let body = json!({"data": data, "provenance": sign(&data, &KEYS.signer)}).to_string();
        let verified = provenance::verify_envelope(body.as_bytes(), &KEYS.published).unwrap();
        prop_assert_eq!(
            canonical::canonicalize(verified.data()).unwrap(),
            canonical::canonicalize(&data).unwrap()
        );

        let mut changed = body.clone().into_bytes();
        let position = position.index(changed.len());
        changed[position] = byte;
        // A change that passes must leave the signed bytes as they were: it was
        // in the layout or in the unsigned time.
        if let Ok(verified) = provenance::verify_envelope(&changed, &KEYS.published) {
            prop_assert_eq!(
                canonical::canonicalize(verified.data()).unwrap(),
                canonical::canonicalize(&data).unwrap()
            );
        }
    }
}

fn check(pointer: &str, value: Value, expected: &E) {
    let mut envelope = envelope(&sample());
    let case = format!("{pointer} = {value}");
    *envelope.pointer_mut(pointer).unwrap() = value;
    assert_eq!(&verify(&envelope).unwrap_err(), expected, "{case}");
}

fn other_hash() -> String {
    base64url::encode(&canonical::digest(b"other"))
}

fn verify(envelope: &Value) -> Result<VerifiedEnvelope, E> {
    provenance::verify_envelope(envelope.to_string().as_bytes(), &KEYS.published)
}

fn sample() -> Value {
    json!({
        "data": [{
            "chainId": "0b9d1c1e-9f0e-4b5c-8a3a-5a0a3f1f8f11",
            "uprn": 100_023_336_956_u64,
            "milestones": ["Memorandum of Sale issued"],
        }],
        "pagination": {"total": 1, "perPage": 10, "currentPage": 1, "lastPage": 1},
    })
}

fn envelope(data: &Value) -> Value {
    json!({"data": data, "provenance": sign(data, &KEYS.signer)})
}

fn sign(data: &Value, key: &SigningKey) -> Provenance {
    let bytes = canonical::canonicalize(data).unwrap();
    Provenance {
        alg: "RS256".to_owned(),
        kid: key.kid().to_owned(),
        payload_hash: PayloadHash {
            alg: "SHA-256".to_owned(),
            value: hash(data),
        },
        signature: base64url::encode(&key.sign(&bytes).unwrap()),
        signed_at: "2026-01-31T09:30:00Z".to_owned(),
    }
}

fn hash(data: &Value) -> String {
    base64url::encode(&canonical::digest(&canonical::canonicalize(data).unwrap()))
}

fn publish(keys: &[&SigningKey]) -> JwkSet {
    let jwks: Vec<Value> = keys
        .iter()
        .map(|key| {
            let mut jwk = key.public_key().to_jwk();
            jwk["kid"] = json!(key.kid());
            jwk
        })
        .collect();
    JwkSet::parse(json!({ "keys": jwks }).to_string().as_bytes()).unwrap()
}
