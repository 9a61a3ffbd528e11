//! The four verification rules of document 1: any change of the answer is noticed.

use proptest::prelude::*;
use serde_json::{Value, json};
use signing::algorithm::Algorithm::{Es256, Rs256};
use signing::key::SigningKey;
use signing::provenance::ProvenanceError::{
    self, BadSignature, NoData, NotCanonical, NotJson, UnknownKey, WrongAlgorithm, WrongHash,
    WrongHashAlgorithm, WrongSignedAt,
};
use signing::provenance::{self, PayloadHash, Provenance, VerifiedEnvelope};
use signing::{base64url, canonical};

use crate::fixture::{as_ps256, key, key_set, names};

fn signer() -> &'static SigningKey {
    key(Rs256, 0)
}

fn other() -> &'static SigningKey {
    key(Rs256, 1)
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

fn hash(data: &Value) -> String {
    base64url::encode(&canonical::digest(&canonical::canonicalize(data).unwrap()))
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

fn signed_by(key: &SigningKey) -> Value {
    json!({"data": sample(), "provenance": sign(&sample(), key)})
}

/// Verifies with the published keys [`signer`] and [`other`].
fn verify_bytes(body: &[u8]) -> Result<VerifiedEnvelope, ProvenanceError> {
    provenance::verify_envelope(body, &key_set(&[signer(), other()]))
}

fn verify(envelope: &Value) -> Result<VerifiedEnvelope, ProvenanceError> {
    verify_bytes(envelope.to_string().as_bytes())
}

#[test]
fn a_signed_answer_verifies_in_any_layout_and_with_unsigned_members() {
    let mut envelope = signed_by(signer());
    envelope["links"] = json!({"self": "…"});
    let pretty = serde_json::to_vec_pretty(&envelope).unwrap();
    for verified in [verify(&envelope), verify_bytes(&pretty)] {
        let verified = verified.unwrap();
        assert_eq!(verified.kid(), signer().kid());
        assert_eq!(verified.signed_at(), "2026-01-31T09:30:00Z");
        assert_eq!(verified.data(), &sample());
    }
}

#[test]
fn the_block_is_written_in_canonical_order_with_the_names_of_document_1() {
    let block = sign(&sample(), signer());
    let written = serde_json::to_vec(&block).unwrap();
    let value = serde_json::to_value(&block).unwrap();
    assert_eq!(written, canonical::canonicalize(&value).unwrap());
    assert_eq!(names(&value), "alg kid payloadHash signature signedAt");
    let read: Provenance = serde_json::from_slice(&written).unwrap();
    assert_eq!(read, block);
}

/// Puts each value at `pointer` and compares the refusal.
#[track_caller]
fn check(pointer: &str, expected: &ProvenanceError, values: impl IntoIterator<Item = Value>) {
    for value in values {
        let mut envelope = signed_by(signer());
        let case = format!("{pointer} = {value}");
        *envelope.pointer_mut(pointer).unwrap() = value;
        assert_eq!(&verify(&envelope).unwrap_err(), expected, "{case}");
    }
}

#[test]
fn any_changed_member_of_the_block_fails() {
    let Provenance { signature, .. } = sign(&sample(), signer());
    let algorithms = ["PS256", "none", "rs256"].map(Value::from);
    check("/provenance/alg", &WrongAlgorithm, algorithms);
    check("/provenance/kid", &UnknownKey("?".to_owned()), [json!("?")]);
    check("/provenance/kid", &BadSignature, [json!(other().kid())]);
    let pointer = "/provenance/payloadHash/alg";
    check(pointer, &WrongHashAlgorithm, [json!("SHA-512")]);
    let padded = hash(&sample()) + "=";
    let hashes = [String::new(), hash(&json!({})), padded].map(Value::from);
    check("/provenance/payloadHash/value", &WrongHash, hashes);
    let signatures = [
        String::new(),
        sign(&sample(), other()).signature,
        format!("{signature}="),
        format!(" {signature}"),
    ];
    let signatures = signatures.map(Value::from);
    check("/provenance/signature", &BadSignature, signatures);
    let times = "yesterday 2026-01-31T09:30:00 2026-01-31T09:30:00+01:00 2026-01-31T09:30:00.Z \
        2026-01-31Z 2026-01-31T09:30:00,5Z";
    let times = times.split(' ').map(Value::from);
    check("/provenance/signedAt", &WrongSignedAt, times);
}

#[test]
fn any_changed_member_of_data_fails() {
    check("/data", &NoData, [json!([]), json!(null)]);
    check("/data", &WrongHash, [json!({})]);
    check("/data/data", &WrongHash, [json!([])]);
    let pointer = "/data/data/0/uprn";
    check(pointer, &NotCanonical, [json!(9_007_199_254_740_992_u64)]);
    let uprns = [json!("100023336956"), json!(100_023_336_957_u64)];
    check(pointer, &WrongHash, uprns);
    check("/data/data/0/chainId", &WrongHash, [json!(null)]);
    let label = json!("Memorandum of Sale issued ");
    check("/data/data/0/milestones/0", &WrongHash, [label]);
    check("/data/pagination/total", &WrongHash, [json!(2)]);
}

#[test]
fn any_missing_or_mistyped_member_fails() {
    let good = signed_by(signer());
    for parent in ",/provenance,/provenance/payloadHash,/data,/data/pagination".split(',') {
        for name in good.pointer(parent).unwrap().as_object().unwrap().keys() {
            let mut envelope = good.clone();
            envelope.pointer_mut(parent).unwrap()[name] = json!(7);
            assert!(verify(&envelope).is_err(), "a number for {parent}/{name}");
            let members = envelope.pointer_mut(parent).unwrap();
            members.as_object_mut().unwrap().remove(name);
            assert!(verify(&envelope).is_err(), "without {parent}/{name}");
        }
    }
}

/// RFC 8725 section 3.1 for the other algorithms.
#[test]
fn a_matching_hash_another_algorithm_or_a_withdrawn_key_does_not_pass() {
    let mut forged = signed_by(signer());
    forged["data"]["data"][0]["uprn"] = json!(1);
    forged["provenance"]["payloadHash"]["value"] = json!(hash(&forged["data"]));
    assert_eq!(verify(&forged).unwrap_err(), BadSignature);
    for key in [&as_ps256(signer()), key(Es256, 0)] {
        let body = signed_by(key).to_string();
        let refused = provenance::verify_envelope(body.as_bytes(), &key_set(&[key]));
        assert_eq!(refused.unwrap_err(), BadSignature);
    }
    let body = signed_by(signer()).to_string();
    let refused = provenance::verify_envelope(body.as_bytes(), &key_set(&[other()]));
    assert_eq!(refused.unwrap_err(), UnknownKey(signer().kid().to_owned()));
}

/// RFC 8785 section 3.1.
#[test]
fn a_body_that_two_readers_may_read_differently_is_refused() {
    let body = signed_by(signer()).to_string();
    for body in [
        String::new(),
        "[]".repeat(2),
        body.replacen('{', r#"{"data":{},"#, 1),
        format!("{{\"data\":{}1{}}}", "[".repeat(1000), "]".repeat(1000)),
        format!("{body} x"),
        " ".repeat(provenance::MAX_ENVELOPE_BYTES + 1),
    ] {
        assert_eq!(verify_bytes(body.as_bytes()).unwrap_err(), NotJson);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn signed_data_verifies_and_one_changed_byte_of_it_does_not(
        text in "\\PC{0,40}",
        number in 0_u64..=9_007_199_254_740_991,
        fraction in -1e300_f64..1e300,
        position: prop::sample::Index,
        byte: u8,
    ) {
        let data = json!({"text": text, "data": [{"number": number, "fraction": fraction}]});
        let envelope = json!({"data": data, "provenance": sign(&data, signer())});
        let canonical = |data: &Value| canonical::canonicalize(data).unwrap();
        prop_assert_eq!(canonical(verify(&envelope).unwrap().data()), canonical(&data));

        let mut changed = envelope.to_string().into_bytes();
        let position = position.index(changed.len());
        changed[position] = byte;
        // A change that passes was in the layout or in the unsigned time.
        if let Ok(verified) = verify_bytes(&changed) {
            prop_assert_eq!(canonical(verified.data()), canonical(&data));
        }
    }
}
