//! Offline proofs: their one spelling, and every changed bit.

use log::policy::Quorum;
use log::tlog_proof::TlogProof;
use log::tree::hash_leaf;

use crate::fixture::{entry, flip, policy, tlog_proof};

/// The time by which both witnesses saw the entry, if the proof and the quorum hold.
fn proved(text: &str, index: u64) -> Option<u64> {
    let proof = TlogProof::parse(text).ok()?;
    assert_eq!(proof.to_string(), text);
    let leaf = hash_leaf(&entry(index));
    match proof.verify(&leaf, &policy(2, 2)).ok()?.quorum {
        Quorum::By(time) => Some(time),
        Quorum::NotNeeded | Quorum::Missing => None,
    }
}

#[test]
fn one_changed_bit_anywhere_refuses() {
    let text = tlog_proof(11, 21).to_string();
    assert_eq!(proved(&text, 11), Some(1002));
    assert_eq!(proved(&text, 12), None);
    for bit in 0..text.len() * 8 {
        let changed = flip(text.as_bytes(), bit);
        let is_proved = std::str::from_utf8(&changed).is_ok_and(|text| proved(text, 11).is_some());
        assert!(!is_proved, "bit {bit}");
    }
}

#[test]
fn a_proof_has_one_spelling() {
    let text = tlog_proof(11, 21).to_string();
    let header = "c2sp.org/tlog-proof@v1\n";
    let hash = text.lines().nth(2).unwrap();
    for (from, to) in [
        (header, "c2sp.org/tlog-proof@v2\n"),
        (header, ""),
        ("index 11", "index 011"),
        ("index 11", "index  11"),
        ("index 11", "Index 11"),
        ("index 11\n", "index 11\nextra AAAA\n"),
        ("index 11", "extra \nindex 11"),
        ("index 11", "extra AA\nindex 11"),
        ("index 11", "extra AAAA\nextra AAAA\nindex 11"),
        (hash, &format!("{hash}\n").repeat(64)),
        (hash, ""),
        ("\n\n", "\n\n\n"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert!(TlogProof::parse(&changed).is_err(), "{changed}");
    }
    let extra = text.replacen("index", "extra AAAA\nindex", 1);
    let parsed = TlogProof::parse(&extra).unwrap();
    assert_eq!(
        (parsed.extra.as_deref(), parsed.to_string()),
        (Some(&[0; 3][..]), extra)
    );
    assert!(TlogProof::parse(&"x".repeat(200_000)).is_err());
}
