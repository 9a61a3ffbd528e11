//! The signal that wakes lanes and other nodes after a commit.

use tokio::sync::watch;

/// Wakes the dispatcher and the lanes of this node.
#[derive(Debug)]
pub struct Wake {
    changes: watch::Sender<u64>,
    /// Commits of this node that other nodes must be notified of.
    own: watch::Sender<u64>,
}

impl Default for Wake {
    fn default() -> Self {
        Self {
            changes: watch::channel(0).0,
            own: watch::channel(0).0,
        }
    }
}

impl Wake {
    /// Signals a commit of this node that may have made something due. Call it after the commit.
    pub fn wake(&self) {
        self.wake_here();
        self.own.send_modify(|count| *count += 1);
    }

    /// Signals a commit of another node.
    pub fn wake_here(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Changes each time that something may be due.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Changes each time that a commit of this node may have made something due.
    pub fn watch_own(&self) -> watch::Receiver<u64> {
        self.own.subscribe()
    }
}
