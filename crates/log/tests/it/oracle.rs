//! The same trees and proofs from `ct-merkle` and `tlog_tiles`.

use std::collections::HashMap;

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use log::{Hash, TreeHead};
use sha2::Sha256;
use tlog_tiles::tlog;

use crate::fixture::{Grown, entry, grow};

const SIZE: u64 = 300;

/// Subtrees under the numbers of `tlog_tiles`.
struct Stored(HashMap<u64, tlog::Hash>);

impl tlog::HashReader for Stored {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog::Hash>, tlog::Error> {
        Ok(indexes.iter().map(|index| self.0[index]).collect())
    }
}

impl Stored {
    fn of(grown: &Grown) -> Self {
        let nodes = grown.nodes.iter().map(|(node, hash)| {
            let index = tlog::stored_hash_index(node.level, node.index);
            (index, tlog::Hash(*hash))
        });
        Self(nodes.collect())
    }
}

fn bytes(hashes: &[tlog::Hash]) -> Vec<Hash> {
    hashes.iter().map(|hash| hash.0).collect()
}

#[test]
fn ct_merkle_has_the_same_roots_and_proofs() {
    let grown = grow(SIZE);
    let mut tree = MemoryBackedTree::<Sha256, Vec<u8>>::new();
    for head in &grown.heads[1..] {
        let TreeHead { size, root } = *head;
        tree.push(entry(size - 1));
        assert_eq!(tree.root().as_bytes().as_slice(), root);
        for index in (0..size).step_by(7) {
            let proof = tree.prove_inclusion(usize::try_from(index).unwrap());
            assert_eq!(proof.as_bytes(), grown.inclusion(index, size).concat());
            let proof = tree.prove_consistency(usize::try_from(size - 1 - index).unwrap());
            assert_eq!(
                proof.as_bytes(),
                grown.consistency(index + 1, size).concat()
            );
        }
    }
}

#[test]
fn tlog_tiles_has_the_same_roots_and_proofs() {
    let grown = grow(SIZE);
    let stored = Stored::of(&grown);
    for head in &grown.heads[1..] {
        let TreeHead { size, root } = *head;
        assert_eq!(tlog::tree_hash(size, &stored).unwrap().0, root);
        for index in (0..size).step_by(7) {
            let proof = tlog::prove_record(size, index, &stored).unwrap();
            assert_eq!(bytes(&proof), grown.inclusion(index, size));
            let proof = tlog::prove_tree(size, index + 1, &stored).unwrap();
            assert_eq!(bytes(&proof), grown.consistency(index + 1, size));
        }
    }
}
