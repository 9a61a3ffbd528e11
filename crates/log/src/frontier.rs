//! The right edge of a tree: enough to append to it and to give its root.

use crate::text::Malformed;
use crate::tree::{Hash, MAX_SIZE, Node, TreeHead, hash_node};

/// The roots of the complete subtrees of which a tree is made, the largest first.
///
/// As bytes it is the size as a big-endian `u64`, then the hashes: one for each set bit of the size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Hash>,
}

/// The tree has [`MAX_SIZE`] leaves already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log is full: begin a new one")]
pub struct Full;

impl Frontier {
    /// The frontier of the tree without leaves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the bytes that [`Self::to_bytes`] writes.
    ///
    /// # Errors
    /// [`Malformed`] when the number of hashes does not fit the size.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let malformed = Malformed {
            format: "frontier",
            reason: "it must be a size of 8 bytes and one hash for each set bit of the size",
        };
        let (size, rest) = bytes.split_first_chunk().ok_or(malformed)?;
        let size = u64::from_be_bytes(*size);
        let (peaks, rest) = rest.as_chunks::<32>();
        let has_all = peaks.len() == size.count_ones() as usize;
        if size > MAX_SIZE || !has_all || !rest.is_empty() {
            return Err(malformed);
        }
        Ok(Self {
            size,
            peaks: peaks.to_vec(),
        })
    }

    /// The frontier as bytes, 8 to 2,024 of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.size.to_be_bytes().to_vec();
        bytes.extend_from_slice(self.peaks.as_flattened());
        bytes
    }

    /// Appends a leaf by its hash. `keep` receives each subtree that the leaf completes with its
    /// hash, the leaf first. Callers that store tiles keep the nodes of levels 0, 8, 16 and so on.
    ///
    /// # Errors
    /// [`Full`] at 2^63 - 1 leaves.
    pub fn append(&mut self, leaf: Hash, mut keep: impl FnMut(Node, Hash)) -> Result<(), Full> {
        if self.size == MAX_SIZE {
            return Err(Full);
        }
        let mut node = Node {
            level: 0,
            index: self.size,
        };
        let mut hash = leaf;
        keep(node, hash);
        // A right child completes its parent, as a set bit carries in binary addition.
        while node.index % 2 == 1
            && let Some(left) = self.peaks.pop()
        {
            hash = hash_node(&left, &hash);
            node = Node {
                level: node.level + 1,
                index: node.index / 2,
            };
            keep(node, hash);
        }
        self.peaks.push(hash);
        self.size += 1;
        Ok(())
    }

    /// The number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The size and the root (RFC 6962 section 2.1).
    pub fn head(&self) -> TreeHead {
        let from_the_right = self.peaks.iter().rev().copied();
        let root = from_the_right.reduce(|right, left| hash_node(&left, &right));
        TreeHead {
            size: self.size,
            root: root.unwrap_or(TreeHead::empty().root),
        }
    }
}
