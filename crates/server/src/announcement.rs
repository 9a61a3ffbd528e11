//! Announces this node and its key-encryption keys in the store, so that nobody seals the signing keys with
//! a key that a running node lacks.

use std::time::Duration;

use observe::clock::Clock;
use storage::{Storage, StorageError, nodes};
use tokio::sync::watch;
use uuid::Uuid;

/// How often a node announces itself.
const INTERVAL: Duration = Duration::from_secs(10);
/// How long a stopping node tries to take its announcement back.
const LAST_TRY: Duration = Duration::from_secs(2);

/// A node as it announces itself.
#[derive(Debug, Clone)]
pub(crate) struct Announcement {
    clock: Clock,
    storage: Storage,
    /// The node's name, for as long as it runs.
    node: String,
    fingerprints: Vec<String>,
}

impl Announcement {
    pub(crate) fn new(clock: Clock, storage: Storage, fingerprints: Vec<String>) -> Self {
        Self {
            clock,
            storage,
            node: Uuid::new_v4().to_string(),
            fingerprints,
        }
    }

    /// Announces the node once. A store that takes nothing is the business of readiness.
    pub(crate) async fn renew(&self) -> Result<(), StorageError> {
        let (node, fingerprints) = (self.node.clone(), self.fingerprints.clone());
        let now = self.clock.now_seconds();
        self.storage
            .write_under_row_locks(move |write| nodes::announce(write, &node, &fingerprints, now))
            .await
    }

    async fn take_back(&self) {
        let node = self.node.clone();
        let forgetting = self
            .storage
            .write_under_row_locks(move |write| nodes::forget(write, &node));
        if let Ok(Err(error)) = tokio::time::timeout(LAST_TRY, forgetting).await {
            tracing::debug!(%error, "the announcement of this node stays for a minute");
        }
    }
}

/// Announces the node until `stop` turns true, and takes the announcement back then.
pub(crate) async fn run(announcement: Announcement, mut stop: watch::Receiver<bool>) {
    loop {
        if let Err(error) = announcement.renew().await {
            tracing::debug!(%error, "this node could not announce itself");
        }
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => break,
        }
    }
    announcement.take_back().await;
}
