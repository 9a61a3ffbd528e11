//! Every proof of every tree to 300 leaves, and proofs with one changed bit.

use std::convert::Infallible;

use log::frontier::Frontier;
use log::proof::{ProofError, prove_consistency, prove_inclusion};
use log::proof::{verify_consistency, verify_inclusion};
use log::tree::{hash_leaf, hash_node};
use log::{Hash, TreeHead};
use proptest::prelude::*;

use crate::fixture::{entry, flip, grow};

const SIZE: u64 = 300;

/// RFC 6962 section 2.1, word for word.
fn merkle_tree_hash(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => TreeHead::empty().root,
        [leaf] => *leaf,
        leaves => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            hash_node(&merkle_tree_hash(left), &merkle_tree_hash(right))
        }
    }
}

#[test]
fn each_root_is_the_one_of_rfc_6962() {
    let leaves: Vec<_> = (0..SIZE).map(|index| hash_leaf(&entry(index))).collect();
    let grown = grow(SIZE);
    for (size, head) in grown.heads.iter().enumerate() {
        assert_eq!(head.root, merkle_tree_hash(&leaves[..size]), "size {size}");
        assert_eq!(head.size, size as u64);
    }
}

#[test]
fn each_inclusion_proof_verifies_for_its_leaf_alone() {
    let grown = grow(SIZE);
    for head in &grown.heads[1..] {
        for index in 0..head.size {
            let proof = grown.inclusion(index, head.size);
            let leaf = hash_leaf(&entry(index));
            assert_eq!(verify_inclusion(index, &leaf, &proof, head), Ok(()));
            let next = (index + 1) % head.size;
            let other_place = verify_inclusion(next, &leaf, &proof, head);
            assert_eq!(other_place.is_ok(), head.size == 1, "{index} of {head:?}");
            let longer = [proof.as_slice(), &[leaf]].concat();
            assert!(verify_inclusion(index, &leaf, &longer, head).is_err());
            if let [_, shorter @ ..] = proof.as_slice() {
                assert!(verify_inclusion(index, &leaf, shorter, head).is_err());
                // Nor does a leaf stand for the root of a larger tree.
                let root = TreeHead {
                    root: leaf,
                    ..*head
                };
                assert!(verify_inclusion(index, &leaf, &[], &root).is_err());
            }
        }
    }
}

#[test]
fn each_consistency_proof_verifies_for_its_two_trees_alone() {
    let grown = grow(SIZE);
    for new in &grown.heads[1..] {
        for old in &grown.heads[1..=usize::try_from(new.size).unwrap()] {
            let proof = grown.consistency(old.size, new.size);
            assert_eq!(verify_consistency(old, new, &proof), Ok(()));
            let fork = TreeHead {
                root: hash_leaf(&old.root),
                ..*old
            };
            assert!(verify_consistency(&fork, new, &proof).is_err());
            let longer = [proof.as_slice(), &[new.root]].concat();
            assert!(verify_consistency(old, new, &longer).is_err());
            if let [_, shorter @ ..] = proof.as_slice() {
                assert!(verify_consistency(old, new, shorter).is_err());
            }
            if old.size < new.size {
                assert!(verify_consistency(new, old, &proof).is_err());
            }
        }
    }
    assert!(verify_consistency(&grown.heads[0], &grown.heads[5], &[]).is_err());
}

#[test]
fn proofs_that_no_tree_has_are_not_made() {
    let mut never = |_| -> Result<Hash, Infallible> { panic!("nothing is to be read") };
    for (asked, size) in [(0, 0), (5, 5), (6, 5), (0, u64::MAX)] {
        let refused = Err(ProofError::OutOfRange { asked, size });
        assert_eq!(prove_inclusion(asked, size, &mut never), refused);
    }
    for (asked, size) in [(0, 5), (6, 5), (1, u64::MAX)] {
        let refused = Err(ProofError::OutOfRange { asked, size });
        assert_eq!(prove_consistency(asked, size, &mut never), refused);
    }
    let unreadable = prove_inclusion(0, 2, &mut |_| Err("disk"));
    assert_eq!(unreadable, Err(ProofError::Read("disk")));
}

#[test]
fn a_frontier_goes_on_from_its_bytes() {
    let mut stored = Frontier::new().to_bytes();
    for head in &grow(SIZE).heads {
        let mut frontier = Frontier::from_bytes(&stored).unwrap();
        assert_eq!(frontier.head(), *head);
        assert!(Frontier::from_bytes(&stored[1..]).is_err());
        assert!(Frontier::from_bytes(&[stored.as_slice(), &[0; 32]].concat()).is_err());
        let leaf = hash_leaf(&entry(frontier.size()));
        frontier.append(leaf, |_, _| ()).unwrap();
        stored = frontier.to_bytes();
    }
    let too_large = [[0xff; 8].as_slice(), &[0; 64 * 32]].concat();
    assert!(Frontier::from_bytes(&too_large).is_err());
    let full = [u64::to_be_bytes(u64::MAX >> 1).as_slice(), &[0; 63 * 32]].concat();
    let mut full = Frontier::from_bytes(&full).unwrap();
    assert!(full.append([0; 32], |_, _| ()).is_err());
}

proptest! {
    #[test]
    fn one_changed_bit_of_an_inclusion_proof_refuses(
        size in 1..=SIZE, place in any::<prop::sample::Index>(), bit in any::<prop::sample::Index>(),
    ) {
        let grown = grow(size);
        let index = place.index(usize::try_from(size).unwrap()) as u64;
        let head = grown.heads[usize::try_from(size).unwrap()];
        let bytes = [[hash_leaf(&entry(index)), head.root].as_slice(), &grown.inclusion(index, size)].concat().concat();
        let bytes = flip(&bytes, bit.index(bytes.len() * 8));
        let (hashes, _) = bytes.as_chunks::<32>();
        let head = TreeHead { root: hashes[1], ..head };
        prop_assert!(verify_inclusion(index, &hashes[0], &hashes[2..], &head).is_err());
    }

    #[test]
    fn one_changed_bit_of_a_consistency_proof_refuses(
        size in 1..=SIZE, place in any::<prop::sample::Index>(), bit in any::<prop::sample::Index>(),
    ) {
        let grown = grow(size);
        let old = 1 + place.index(usize::try_from(size).unwrap());
        let (old, new) = (grown.heads[old], grown.heads[usize::try_from(size).unwrap()]);
        let bytes = [[old.root, new.root].as_slice(), &grown.consistency(old.size, size)].concat().concat();
        let bytes = flip(&bytes, bit.index(bytes.len() * 8));
        let (hashes, _) = bytes.as_chunks::<32>();
        let old = TreeHead { root: hashes[0], ..old };
        let new = TreeHead { root: hashes[1], ..new };
        prop_assert!(verify_consistency(&old, &new, &hashes[2..]).is_err());
    }
}
