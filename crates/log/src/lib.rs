//! An append-only log in C2SP's form (S-61): the tree, its proofs, and the texts that are signed.
//!
//! This crate knows nothing about I/O, clocks, JSON, chains or stores. Hashes and tiles come from
//! callbacks, and the time is an argument. The formats are those of <https://c2sp.org>:
//!
//! | Format | Module | Bytes |
//! |---|---|---|
//! | Merkle tree (RFC 6962 section 2.1) | [`tree`], [`proof`] | leaf `SHA-256(00 ‖ entry)`, node `SHA-256(01 ‖ left ‖ right)` |
//! | tlog-tiles | [`tile`] | a tile is 1 to 256 hashes of 32 bytes; an entry is a 16-bit big-endian length and its bytes |
//! | signed-note | [`note`] | text, an empty line, lines `— NAME BASE64(key id ‖ signature)` |
//! | tlog-checkpoint | [`checkpoint`] | three lines: origin, decimal size, base64 root |
//! | tlog-cosignature v1 | [`note`] | big-endian `u64` time and an Ed25519 signature over `cosignature/v1`, `time T` and the checkpoint |
//! | tlog-witness | [`witness`] | `old N`, hashes, an empty line, the signed checkpoint |
//! | tlog-policy | [`policy`] | lines `log`, `witness`, `group`, `quorum` |
//! | tlog-proof v1 | [`tlog_proof`] | header, `extra`, `index N`, hashes, an empty line, the signed checkpoint |
//!
//! Each parser accepts one spelling of a value: decimals without leading zeros, base64 with padding
//! and zero unused bits, no carriage returns. So a text that was parsed is written back identically.
//! Checkpoints with extension lines are refused, because no auditor can check such lines.

pub mod checkpoint;
pub mod frontier;
pub mod note;
pub mod policy;
pub mod proof;
mod text;
pub mod tile;
pub mod tlog_proof;
pub mod tree;
pub mod witness;

pub use self::text::Malformed;
pub use self::tree::{Hash, Node, TreeHead};
