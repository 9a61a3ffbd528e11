//! The hashes of a Merkle tree (RFC 6962 section 2.1) and the places of its nodes.

use aws_lc_rs::digest::{Context, SHA256};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// The largest size of a tree, which is also the largest number in any text: 2^63 - 1. It fits a
/// signed integer of a database.
pub const MAX_SIZE: u64 = i64::MAX as u64;

/// The longest proof in a tree of at most [`MAX_SIZE`] leaves (tlog-witness).
pub const MAX_PROOF_HASHES: usize = 63;

/// The size of a tree and its root: the part of a checkpoint that proofs are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeHead {
    /// The number of leaves.
    pub size: u64,
    /// The root of the tree with these leaves.
    pub root: Hash,
}

impl TreeHead {
    /// The head of the tree without leaves.
    pub fn empty() -> Self {
        Self {
            size: 0,
            root: digest(&[]),
        }
    }
}

/// A complete subtree: `2^level` leaves from the leaf `index * 2^level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// The height of the subtree. A leaf has level 0.
    pub level: u8,
    /// The number of subtrees of the same height to the left.
    pub index: u64,
}

/// The hash of a leaf: `SHA-256(00 ‖ entry)`.
pub fn hash_leaf(entry: &[u8]) -> Hash {
    digest(&[&[0], entry])
}

/// The hash of an inner node: `SHA-256(01 ‖ left ‖ right)`.
pub fn hash_node(left: &Hash, right: &Hash) -> Hash {
    digest(&[&[1], left, right])
}

/// The root of the complete tree over `hashes`; `None` unless their number is a power of two.
pub(crate) fn hash_complete(hashes: &[Hash]) -> Option<Hash> {
    if !hashes.len().is_power_of_two() {
        return None;
    }
    let mut row = hashes.to_vec();
    while row.len() > 1 {
        let pairs = row.as_chunks::<2>().0;
        row = pairs
            .iter()
            .map(|[left, right]| hash_node(left, right))
            .collect();
    }
    row.first().copied()
}

pub(crate) fn digest(parts: &[&[u8]]) -> Hash {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(part);
    }
    let mut hash = [0; 32];
    hash.copy_from_slice(context.finish().as_ref());
    hash
}
