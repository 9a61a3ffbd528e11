//! A log with a fork, and witnesses in directories of their own.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::Path;

use log::checkpoint::SignedCheckpoint;
use log::frontier::Frontier;
use log::note::{LogKey, VerifierKey};
use log::proof::prove_consistency;
use log::tree::hash_leaf;
use log::witness::AddCheckpoint;
use log::{Hash, Node, TreeHead};
use witness::{Answer, Directory, Fault, Witness};

pub(crate) const ORIGIN: &str = "log.example/onward";
pub(crate) const NAME: &str = "witness.example/w1";
/// A time, in Unix seconds.
pub(crate) const NOW: u64 = 1_795_000_000;

/// Every complete subtree of a tree, and the head at each size from 0.
pub(crate) struct Grown {
    nodes: HashMap<Node, Hash>,
    pub(crate) heads: Vec<TreeHead>,
}

/// A log of 20 entries. From the entry `fork` on they are others.
pub(crate) fn grow(fork: usize) -> Grown {
    let mut nodes = HashMap::new();
    let mut frontier = Frontier::new();
    let mut heads = vec![frontier.head()];
    for index in 0..20 {
        let leaf = hash_leaf(format!("entry {index} {}", index >= fork).as_bytes());
        let kept = frontier.append(leaf, |node, hash| {
            nodes.insert(node, hash);
        });
        kept.unwrap();
        heads.push(frontier.head());
    }
    Grown { nodes, heads }
}

impl Grown {
    /// The call with the checkpoint of `size` and the proof from `old`, as far as there is one.
    pub(crate) fn call(&self, old: u64, size: usize) -> AddCheckpoint {
        let mut read = |node: Node| Ok::<_, Infallible>(self.nodes[&node]);
        let new = self.heads[size];
        let proof = if old == 0 || old > new.size {
            vec![]
        } else {
            prove_consistency(old, new.size, &mut read).unwrap()
        };
        AddCheckpoint {
            old_size: old,
            proof,
            checkpoint: SignedCheckpoint::sign(new, &log_key()).unwrap(),
        }
    }
}

pub(crate) fn log_key() -> LogKey {
    LogKey::from_seed(ORIGIN, &[7; 32]).unwrap()
}

pub(crate) fn open_with(path: &Path, logs: &[VerifierKey]) -> Result<Witness, Fault> {
    let directory = Directory::hold(path)?;
    let key = directory.key(NAME)?;
    Witness::open(directory, key, logs.to_vec())
}

pub(crate) fn open(path: &Path) -> Witness {
    open_with(path, &[log_key().verifier().clone()]).unwrap()
}

pub(crate) fn send(witness: &Witness, call: &AddCheckpoint) -> Answer {
    let answer = witness.add_checkpoint(call.to_string().as_bytes(), NOW);
    answer.unwrap()
}

/// The status of the answer.
pub(crate) fn status(witness: &Witness, call: &AddCheckpoint) -> u16 {
    send(witness, call).status.as_u16()
}

/// The SHA-256 of `ORIGIN`, from `sha256sum`.
pub(crate) const ORIGIN_HASH: &str =
    "10dd743965873e92dad412918ab8ae155250fff4379f5d405a86b897d94c9729";
