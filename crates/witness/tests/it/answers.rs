//! Each answer of tlog-witness.

use log::checkpoint::SignedCheckpoint;
use log::note::{LogKey, SignatureLine, WitnessKey};
use log::policy::{Policy, Quorum};
use log::{Hash, TreeHead};
use signed_note::{Note, StandardVerifier, VerifierList};

use crate::fixture::{
    NAME, NOW, ORIGIN, ORIGIN_HASH, grow, log_key, open, open_with, send, status,
};

/// A policy that needs this witness.
fn policy(witness: &witness::Witness) -> Policy {
    let (log, key) = (log_key(), witness.verifier());
    let text = format!("log {}\nwitness w {key}\nquorum w\n", log.verifier());
    Policy::parse(&text).unwrap()
}

#[test]
fn a_cosignature_verifies_with_a_policy_and_with_another_implementation() {
    let folder = tempfile::tempdir().unwrap();
    let witness = open(folder.path());
    let grown = grow(20);
    let call = grown.call(0, 9);
    let answer = send(&witness, &call);
    assert_eq!(answer.status.as_u16(), 200);
    let mut signed = call.checkpoint.clone();
    for line in SignatureLine::parse_all(&answer.body).unwrap() {
        signed.add(line);
    }
    let seen = policy(&witness).check(&signed).unwrap();
    assert_eq!(seen.quorum, Quorum::By(NOW));
    // tlog-witness: the client may put the answer under the checkpoint.
    let put = format!("{}{}", call.checkpoint, answer.body);
    let note = Note::from_bytes(put.as_bytes()).unwrap();
    let log = StandardVerifier::new(&log_key().verifier().to_string()).unwrap();
    let verified = note.verify(&VerifierList::new(vec![Box::new(log)]));
    let (known, unknown) = verified.unwrap();
    assert_eq!((known.len(), unknown.len()), (1, 1));
}

#[test]
fn each_refusal_has_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let witness = open(folder.path());
    let (grown, fork) = (grow(20), grow(5));
    assert_eq!(status(&witness, &grown.call(0, 7)), 200);

    let unknown = LogKey::from_seed("other.example", &[7; 32]).unwrap();
    let stranger = LogKey::from_seed(ORIGIN, &[8; 32]).unwrap();
    let by = |key: &LogKey| {
        let mut call = grown.call(7, 9);
        call.checkpoint = SignedCheckpoint::sign(grown.heads[9], key).unwrap();
        call
    };
    let mut unproved = grown.call(7, 9);
    unproved.proof.pop();
    let mut of_one_size = grown.call(7, 7);
    of_one_size.checkpoint = fork.call(0, 7).checkpoint;
    let cases = [
        (by(&unknown), 404),
        (by(&stranger), 403),
        (grown.call(8, 7), 400),
        (grown.call(6, 9), 409),
        (grown.call(0, 9), 409),
        // A rollback, also one with a proof to the past.
        (grown.call(0, 6), 409),
        (grown.call(5, 6), 409),
        (unproved, 422),
        (fork.call(7, 9), 422),
        (of_one_size, 422),
    ];
    for (call, expected) in cases {
        let answer = send(&witness, &call);
        assert_eq!(answer.status.as_u16(), expected, "{}", answer.body);
        let (content_type, body) = match expected {
            409 => ("text/x.tlog.size", "7\n"),
            _ => ("text/plain; charset=utf-8", answer.body.as_str()),
        };
        assert_eq!(
            (answer.content_type, answer.body.as_str()),
            (content_type, body)
        );
    }
    for body in [&b""[..], b"old 7\n", b"\xff\xfe"] {
        let answer = witness.add_checkpoint(body, NOW).unwrap();
        assert_eq!(answer.status.as_u16(), 400);
    }
    // Nothing of this moved the witness.
    assert_eq!(status(&witness, &grown.call(7, 9)), 200);
}

#[test]
fn a_tree_of_no_entries_has_one_root_and_needs_no_proof() {
    let folder = tempfile::tempdir().unwrap();
    let witness = open(folder.path());
    let grown = grow(20);
    let root: Hash = [1; 32];
    let mut call = grown.call(0, 0);
    call.checkpoint = SignedCheckpoint::sign(TreeHead { size: 0, root }, &log_key()).unwrap();
    assert_eq!(status(&witness, &call), 422);
    let mut proved = grown.call(0, 3);
    proved.proof.push(root);
    assert_eq!(status(&witness, &proved), 422);
    for size in [0, 0, 3] {
        assert_eq!(status(&witness, &grown.call(0, size)), 200);
    }
}

#[test]
fn monitors_see_the_last_checkpoint_with_known_signatures_only() {
    let folder = tempfile::tempdir().unwrap();
    let witness = open(folder.path());
    assert_eq!(witness.checkpoint(ORIGIN_HASH), None);
    let mut call = grow(20).call(0, 9);
    // Lines that anybody adds: of another witness, and one that claims to be of this one.
    let other = WitnessKey::from_seed("other.example", &[9; 32]).unwrap();
    call.checkpoint
        .add(call.checkpoint.cosign(&other, NOW).unwrap());
    let elsewhere = tempfile::tempdir().unwrap();
    let key = |folder: &tempfile::TempDir| folder.path().join("witness.key");
    std::fs::copy(key(&folder), key(&elsewhere)).unwrap();
    let forged = send(&open(elsewhere.path()), &grow(20).call(0, 8)).body;
    call.checkpoint
        .add(SignatureLine::parse_all(&forged).unwrap().remove(0));
    assert!(call.checkpoint.verify(witness.verifier()).is_err());
    // The order of the lines means nothing.
    let mut lines: Vec<_> = call
        .checkpoint
        .lines()
        .iter()
        .map(ToString::to_string)
        .collect();
    lines.reverse();
    let text = format!("{}\n{}", call.checkpoint.checkpoint(), lines.concat());
    call.checkpoint = SignedCheckpoint::parse(&text).unwrap();
    assert_eq!(status(&witness, &call), 200);
    let shown = witness.checkpoint(ORIGIN_HASH).unwrap();
    let shown = SignedCheckpoint::parse(&shown).unwrap();
    assert_eq!(shown.lines().len(), 2);
    let seen = policy(&witness).check(&shown).unwrap();
    assert_eq!(seen.quorum, Quorum::By(NOW));
    assert_eq!(witness.checkpoint("witness.key"), None);
}

#[test]
fn logs_are_apart_and_a_log_may_have_two_keys() {
    let folder = tempfile::tempdir().unwrap();
    let next = LogKey::from_seed(ORIGIN, &[8; 32]).unwrap();
    let other = LogKey::from_seed("other.example", &[9; 32]).unwrap();
    let keys = [&log_key(), &next, &other].map(|key| key.verifier().clone());
    let witness = open_with(folder.path(), &keys).unwrap();
    let grown = grow(20);
    assert_eq!(status(&witness, &grown.call(0, 7)), 200);
    let mut call = grown.call(7, 9);
    call.checkpoint = SignedCheckpoint::sign(grown.heads[9], &next).unwrap();
    assert_eq!(status(&witness, &call), 200);
    let mut call = grown.call(0, 3);
    call.checkpoint = SignedCheckpoint::sign(grown.heads[3], &other).unwrap();
    assert_eq!(status(&witness, &call), 200);
    assert_eq!(send(&witness, &grown.call(7, 9)).body, "9\n");
    assert_eq!(witness.verifier().name(), NAME);
}
