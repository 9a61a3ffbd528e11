//! `add-checkpoint`: the body, and each answer of a witness.

use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use log::note::LogKey;
use log::witness::{AddCheckpoint, Refusal};

use crate::fixture::{Grown, cosigned, grow, log_key};

fn body(grown: &Grown, old_size: u64, size: usize) -> AddCheckpoint {
    let proof = match old_size {
        0 => vec![],
        old => grown.consistency(old, size as u64),
    };
    AddCheckpoint {
        old_size,
        proof,
        checkpoint: cosigned(grown.heads[size], 0),
    }
}

#[test]
fn a_body_is_written_back_identically() {
    let grown = grow(20);
    for old in 0..=20 {
        let text = body(&grown, old, 20).to_string();
        assert_eq!(AddCheckpoint::parse(&text).unwrap().to_string(), text);
    }
}

#[test]
fn a_body_has_one_spelling() {
    let text = body(&grow(20), 13, 20).to_string();
    let hash = text.lines().nth(1).unwrap();
    for (from, to) in [
        ("old 13\n", ""),
        ("old 13", "old 013"),
        ("old 13", "old  13"),
        ("old 13", "Old 13"),
        ("old 13", "old -1"),
        ("old 13\n", "old 13\r\n"),
        (hash, &hash[1..]),
        (hash, "AAAA"),
        (hash, &format!("{hash} ")),
        (hash, &format!("{hash}\n").repeat(64)),
        ("\n\n", "\n"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert!(AddCheckpoint::parse(&changed).is_err(), "{changed}");
    }
    let long = text.replacen(hash, &format!("{hash}\n").repeat(2000), 1);
    assert!(AddCheckpoint::parse(&long).is_err());
}

#[test]
fn a_witness_follows_one_history() {
    let grown = grow(20);
    let keys = [log_key().verifier().clone()];
    let mut latest = TreeHead::empty();
    for size in [0, 1, 1, 7, 8, 20] {
        let call = body(&grown, latest.size, size);
        assert_eq!(call.check(&keys, &latest), Ok(()), "{size}");
        latest = call.checkpoint.checkpoint().head;
    }
}

#[test]
fn a_witness_refuses_everything_else() {
    let grown = grow(20);
    let keys = [log_key().verifier().clone()];
    let latest = grown.heads[7];
    let good = body(&grown, 7, 20);
    assert_eq!(good.check(&keys, &latest), Ok(()));

    let unknown = Refusal::UnknownOrigin("log.example/onward".to_owned());
    assert_eq!(good.check(&[], &latest), Err(unknown));
    let stranger = LogKey::from_seed("log.example/onward", &[8; 32]).unwrap();
    let strangers = [stranger.verifier().clone()];
    assert_eq!(good.check(&strangers, &latest), Err(Refusal::NotSigned));
    // A rotated key: one of the known keys is enough.
    let both = [stranger.verifier().clone(), keys[0].clone()];
    assert_eq!(good.check(&both, &latest), Ok(()));
    let mut forged = good.clone();
    forged
        .checkpoint
        .add(cosigned(grown.heads[19], 0).lines()[0].clone());
    assert_eq!(forged.check(&keys, &latest), Err(Refusal::NotSigned));

    let mut above = good.clone();
    above.old_size = 21;
    assert_eq!(above.check(&keys, &latest), Err(Refusal::OldSizeAbove));
    let behind = body(&grown, 6, 20);
    assert_eq!(behind.check(&keys, &latest), Err(Refusal::Conflict(7)));
    let first = body(&grown, 0, 20);
    assert_eq!(first.check(&keys, &latest), Err(Refusal::Conflict(7)));

    let mut unproved = good.clone();
    unproved.proof.pop();
    assert_eq!(unproved.check(&keys, &latest), Err(Refusal::NotConsistent));
    let mut too_much = body(&grown, 0, 20);
    too_much.proof.push([0; 32]);
    assert_eq!(
        too_much.check(&keys, &TreeHead::empty()),
        Err(Refusal::NotConsistent)
    );
    // The empty tree has one root.
    let impossible = TreeHead {
        root: [1; 32],
        ..TreeHead::empty()
    };
    let mut call = body(&grown, 0, 0);
    call.checkpoint = cosigned(impossible, 0);
    let call = AddCheckpoint::parse(&call.to_string()).unwrap();
    let decided = call.check(&keys, &TreeHead::empty());
    assert_eq!(decided, Err(Refusal::NotConsistent));
    assert!(SignedCheckpoint::parse(&call.checkpoint.to_string()).is_err());
    // A fork: the same size with another root, and a longer tree from another root.
    let fork = TreeHead {
        root: [1; 32],
        ..latest
    };
    assert_eq!(good.check(&keys, &fork), Err(Refusal::NotConsistent));
    assert_eq!(
        body(&grown, 7, 7).check(&keys, &fork),
        Err(Refusal::NotConsistent)
    );
}
