//! Inclusion and consistency proofs (RFC 6962 section 2.1, RFC 9162 section 2.1).

use std::ops::Range;

use thiserror::Error;

use crate::tree::{Hash, MAX_SIZE, Node, TreeHead, hash_node};

/// Why a proof cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ProofError<E> {
    /// The tree does not have the leaf or the earlier size.
    #[error("the tree of {size} leaves has no {asked}: ask again with a later checkpoint")]
    OutOfRange {
        /// The index or the earlier size.
        asked: u64,
        /// The size of the tree.
        size: u64,
    },
    /// The reader of hashes failed.
    #[error(transparent)]
    Read(#[from] E),
}

/// A proof does not prove the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the Merkle proof does not lead to the root")]
pub struct WrongProof;

/// Proves that the leaf `index` is in the tree of `size` leaves. The first hash is the leaf's sibling.
///
/// `read` returns the hash of a complete subtree of this tree, for example by [`crate::tile::read_node`].
///
/// # Errors
/// [`ProofError::OutOfRange`] unless `index < size`, and the errors of `read`.
pub fn prove_inclusion<E>(
    index: u64,
    size: u64,
    read: &mut impl FnMut(Node) -> Result<Hash, E>,
) -> Result<Vec<Hash>, ProofError<E>> {
    if index >= size || size > MAX_SIZE {
        return Err(ProofError::OutOfRange { asked: index, size });
    }
    let mut siblings = Vec::new();
    let mut subtree = 0..size;
    while subtree.end - subtree.start > 1 {
        let middle = middle(&subtree);
        if index < middle {
            siblings.push(middle..subtree.end);
            subtree.end = middle;
        } else {
            siblings.push(subtree.start..middle);
            subtree.start = middle;
        }
    }
    hash_upwards(siblings, read)
}

/// Proves that the tree of `old` leaves is the beginning of the tree of `size` leaves.
///
/// # Errors
/// [`ProofError::OutOfRange`] unless `0 < old <= size`, and the errors of `read`. Every tree begins
/// with the empty tree, so that needs no proof.
pub fn prove_consistency<E>(
    old: u64,
    size: u64,
    read: &mut impl FnMut(Node) -> Result<Hash, E>,
) -> Result<Vec<Hash>, ProofError<E>> {
    if old == 0 || old > size || size > MAX_SIZE {
        return Err(ProofError::OutOfRange { asked: old, size });
    }
    let mut parts = Vec::new();
    let mut subtree = 0..size;
    while old < subtree.end {
        let middle = middle(&subtree);
        if old <= middle {
            parts.push(middle..subtree.end);
            subtree.end = middle;
        } else {
            parts.push(subtree.start..middle);
            subtree.start = middle;
        }
    }
    // The verifier knows the old root, and needs no hash when the old tree is one subtree.
    if subtree.start > 0 {
        parts.push(subtree);
    }
    hash_upwards(parts, read)
}

/// Checks that `leaf` is the hash of leaf `index` in the tree of `head` (RFC 9162 section 2.1.3.2).
///
/// # Errors
/// [`WrongProof`] for a proof that is too short, too long or leads to another root.
pub fn verify_inclusion(
    index: u64,
    leaf: &Hash,
    proof: &[Hash],
    head: &TreeHead,
) -> Result<(), WrongProof> {
    if index >= head.size {
        return Err(WrongProof);
    }
    let (mut place, mut last, mut hash) = (index, head.size - 1, *leaf);
    for sibling in proof {
        if last == 0 {
            return Err(WrongProof);
        }
        if place % 2 == 1 || place == last {
            hash = hash_node(sibling, &hash);
            skip_missing_siblings(&mut place, &mut last);
        } else {
            hash = hash_node(&hash, sibling);
        }
        (place, last) = (place / 2, last / 2);
    }
    let is_proved = last == 0 && hash == head.root;
    is_proved.then_some(()).ok_or(WrongProof)
}

/// Checks that the tree of `old` is the beginning of the tree of `new` (RFC 9162 section 2.1.4.2).
///
/// # Errors
/// [`WrongProof`], also for an `old` without leaves: every tree begins with the empty tree.
pub fn verify_consistency(
    old: &TreeHead,
    new: &TreeHead,
    proof: &[Hash],
) -> Result<(), WrongProof> {
    if old.size == 0 || old.size > new.size {
        return Err(WrongProof);
    }
    if old.size == new.size {
        let is_same = proof.is_empty() && old.root == new.root;
        return is_same.then_some(()).ok_or(WrongProof);
    }
    let (first, rest) = if old.size.is_power_of_two() {
        (&old.root, proof)
    } else {
        proof.split_first().ok_or(WrongProof)?
    };
    let (mut place, mut last) = (old.size - 1, new.size - 1);
    while place % 2 == 1 {
        (place, last) = (place / 2, last / 2);
    }
    let (mut old_hash, mut new_hash) = (*first, *first);
    for sibling in rest {
        if last == 0 {
            return Err(WrongProof);
        }
        if place % 2 == 1 || place == last {
            old_hash = hash_node(sibling, &old_hash);
            new_hash = hash_node(sibling, &new_hash);
            skip_missing_siblings(&mut place, &mut last);
        } else {
            new_hash = hash_node(&new_hash, sibling);
        }
        (place, last) = (place / 2, last / 2);
    }
    let is_proved = last == 0 && old_hash == old.root && new_hash == new.root;
    is_proved.then_some(()).ok_or(WrongProof)
}

/// A node at the right edge goes up unchanged through levels where it has no sibling.
fn skip_missing_siblings(place: &mut u64, last: &mut u64) {
    while *place != 0 && place.is_multiple_of(2) {
        (*place, *last) = (*place / 2, *last / 2);
    }
}

/// Where the two children of a subtree with two or more leaves meet: at the largest power of two below
/// its number of leaves.
fn middle(subtree: &Range<u64>) -> u64 {
    let leaves = subtree.end - subtree.start;
    subtree.start + (1 << (leaves - 1).ilog2())
}

/// The hashes of subtrees that are given from the root to the leaf, in the opposite order.
fn hash_upwards<E>(
    subtrees: Vec<Range<u64>>,
    read: &mut impl FnMut(Node) -> Result<Hash, E>,
) -> Result<Vec<Hash>, ProofError<E>> {
    let upwards = subtrees.into_iter().rev();
    let hashes = upwards.map(|subtree| hash_subtree(subtree, read));
    hashes.collect::<Result<_, E>>().map_err(ProofError::Read)
}

/// The hash of a subtree that a split of the tree gives, from its complete parts.
fn hash_subtree<E>(
    subtree: Range<u64>,
    read: &mut impl FnMut(Node) -> Result<Hash, E>,
) -> Result<Hash, E> {
    let leaves = subtree.end - subtree.start;
    if leaves.is_power_of_two() {
        let level = leaves.ilog2();
        return read(Node {
            level: u8::try_from(level).unwrap_or(u8::MAX),
            index: subtree.start >> level,
        });
    }
    let middle = middle(&subtree);
    let left = hash_subtree(subtree.start..middle, read)?;
    let right = hash_subtree(middle..subtree.end, read)?;
    Ok(hash_node(&left, &right))
}
