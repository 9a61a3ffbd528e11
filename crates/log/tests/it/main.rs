//! The tree, its proofs and the signed texts, against other implementations and public vectors.
#![cfg(test)]

mod fixture;
mod note;
mod oracle;
mod policy;
mod proof;
mod tile;
mod tlog_proof;
mod vectors;
mod witness;
