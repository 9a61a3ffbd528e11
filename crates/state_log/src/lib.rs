//! The log of this service's states (S-61): what enters it, who appends to it, and who can read it.
//!
//! The tree and its tiles are in the store, and one node at a time appends to it. A checkpoint is signed
//! after its tree is on disk, written into a file outside the store, and only then shown. A store that is
//! behind this file went back in time. So its log is closed, and the next one begins with another key. Witnesses
//! cosign checkpoints, and a node that takes the log over compares the store with their last one, too.

pub mod audit;
pub mod checkpoint_file;
mod entries;
pub mod erasure;
pub mod erasures_file;
pub mod fault;
pub mod key;
mod limits;
pub mod packs;
pub mod policy;
pub mod program;
mod publication;
pub mod routes;
pub mod sequencer;
mod standing;
mod thread;
mod tree;
pub mod witnesses;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use observe::clock::Clock;
use storage::Storage;
use storage::sealing::SealedDocument;
use tokens::registry::Registry;
use tokio::sync::watch;

use self::fault::Fault;
use self::witnesses::{Witnesses, asking};

pub use self::limits::WITNESS_TIMEOUT;

/// Opens a sealed document: its canonical bytes, or a text for the log.
pub type Open = fn(&SealedDocument) -> Result<Vec<u8>, String>;

/// Seals the canonical bytes of a document again, without a part of it, or says why not.
pub type Reseal = fn(&[u8]) -> Result<SealedDocument, String>;

/// The parts that the log uses.
#[derive(Debug)]
pub struct StateLog {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// Has the keys that seal the keys of logs.
    pub registry: Arc<Registry>,
    /// Opens sealed documents.
    pub open: Open,
    /// The address at which the log is served, without a slash at its end.
    pub url: String,
    /// The file outside the store with the last checkpoint. `None`: nobody named one, and nothing is logged.
    pub file: Option<PathBuf>,
    /// The name of this node among running nodes.
    pub node: String,
    /// The witnesses of its checkpoints. `None`: there are none.
    pub witnesses: Option<Arc<Witnesses>>,
}

/// Appends, signs and asks witnesses until `stop` turns true, and then leaves the log to another node.
pub async fn run(log: Arc<StateLog>, stop: watch::Receiver<bool>) {
    let asking = asking::run(Arc::clone(&log), stop.clone());
    tokio::join!(sequencer::run(log, stop), asking);
}

impl StateLog {
    fn file(&self) -> Result<&Path, Fault> {
        self.file.as_deref().ok_or(Fault::NoFile)
    }

    /// The address of a log by its number.
    fn url_of(&self, number: i64) -> String {
        url_of(&self.url, number)
    }

    /// The origin of a log: its address without the scheme (C2SP tlog-checkpoint).
    fn origin_of(&self, number: i64) -> String {
        let url = self.url_of(number);
        let origin = url.split_once("://").map(|(_scheme, rest)| rest.to_owned());
        origin.unwrap_or(url)
    }

    /// The number of a log of this address by its origin. 0: it is of another address.
    fn number_of(&self, origin: &str) -> i64 {
        let first = self.origin_of(1);
        if origin == first {
            return 1;
        }
        let rest = origin.strip_prefix(&first);
        let number = rest.and_then(|rest| rest.strip_prefix("/log/")?.parse().ok());
        number.unwrap_or(0)
    }
}

/// The address of a log by its number, and by the address of the first one.
fn url_of(first: &str, number: i64) -> String {
    if number == 1 {
        first.to_owned()
    } else {
        format!("{first}/log/{number}")
    }
}
