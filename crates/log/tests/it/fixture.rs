//! A log in memory with its keys.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Write as _;

use log::checkpoint::SignedCheckpoint;
use log::frontier::Frontier;
use log::note::{LogKey, WitnessKey};
use log::policy::Policy;
use log::proof::{prove_consistency, prove_inclusion};
use log::tlog_proof::TlogProof;
use log::tree::hash_leaf;
use log::{Hash, Node, TreeHead};

pub(crate) const ORIGIN: &str = "log.example/onward";

/// Every complete subtree of a tree, and the head at each size from 0.
#[derive(Default)]
pub(crate) struct Grown {
    pub(crate) nodes: HashMap<Node, Hash>,
    pub(crate) heads: Vec<TreeHead>,
}

pub(crate) fn entry(index: u64) -> Vec<u8> {
    format!("entry {index}").into_bytes()
}

pub(crate) fn grow(size: u64) -> Grown {
    let mut grown = Grown::default();
    let mut frontier = Frontier::new();
    grown.heads.push(frontier.head());
    for index in 0..size {
        let nodes = &mut grown.nodes;
        let leaf = hash_leaf(&entry(index));
        let kept = frontier.append(leaf, |node, hash| {
            nodes.insert(node, hash);
        });
        kept.unwrap();
        grown.heads.push(frontier.head());
    }
    grown
}

impl Grown {
    pub(crate) fn inclusion(&self, index: u64, size: u64) -> Vec<Hash> {
        let mut read = |node: Node| Ok::<_, Infallible>(self.nodes[&node]);
        prove_inclusion(index, size, &mut read).unwrap()
    }

    pub(crate) fn consistency(&self, old: u64, size: u64) -> Vec<Hash> {
        let mut read = |node: Node| Ok::<_, Infallible>(self.nodes[&node]);
        prove_consistency(old, size, &mut read).unwrap()
    }
}

pub(crate) fn log_key() -> LogKey {
    LogKey::from_seed(ORIGIN, &[7; 32]).unwrap()
}

pub(crate) fn witness_key(number: u8) -> WitnessKey {
    WitnessKey::from_seed(&format!("witness.example/w{number}"), &[number; 32]).unwrap()
}

/// A policy that needs `threshold` of the witnesses 1 to `count`.
pub(crate) fn policy(threshold: usize, count: u8) -> Policy {
    let mut text = format!("log {}\n", log_key().verifier());
    let mut names = String::new();
    for number in 1..=count {
        let key = witness_key(number);
        writeln!(text, "witness w{number} {}", key.verifier()).unwrap();
        write!(names, " w{number}").unwrap();
    }
    writeln!(text, "group enough {threshold}{names}\nquorum enough").unwrap();
    Policy::parse(&text).unwrap()
}

/// A checkpoint of this head with cosignatures of the witnesses 1 to `count`, at 1001 and later.
pub(crate) fn cosigned(head: TreeHead, count: u8) -> SignedCheckpoint {
    let mut signed = SignedCheckpoint::sign(head, &log_key()).unwrap();
    for number in 1..=count {
        let line = signed.cosign(&witness_key(number), 1000 + u64::from(number));
        signed.add(line.unwrap());
    }
    signed
}

/// A proof of entry `index` in the tree of `size` leaves, with two witnesses.
pub(crate) fn tlog_proof(index: u64, size: u64) -> TlogProof {
    let grown = grow(size);
    TlogProof {
        extra: None,
        index,
        hashes: grown.inclusion(index, size),
        checkpoint: cosigned(grown.heads[usize::try_from(size).unwrap()], 2),
    }
}

/// `bytes` with one bit changed.
pub(crate) fn flip(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}
