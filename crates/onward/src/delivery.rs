//! Delivery of events: lanes, one for each subscription (S-34 to S-36).
//!
//! `dispatcher` finds lanes with something due and leases them, `lane` delivers
//! on one, `ahead` is what it read, `attempt` makes one attempt, `policy` decides what follows an attempt, `event_jwt` signs, `sender`
//! talks to the subscriber.

pub mod ahead;
pub mod attempt;
pub mod dispatcher;
pub mod event_jwt;
pub mod lane;
pub mod policy;

use tokio::sync::watch;

/// Wakes everything on this node that delivers.
#[derive(Debug)]
pub struct Deliveries {
    changes: watch::Sender<u64>,
    /// Those of this node alone, of which other nodes shall be told.
    own: watch::Sender<u64>,
}

impl Default for Deliveries {
    fn default() -> Self {
        Self {
            changes: watch::channel(0).0,
            own: watch::channel(0).0,
        }
    }
}

impl Deliveries {
    /// Says that there may be something to deliver: after a commit, never before.
    pub fn wake(&self) {
        self.wake_here();
        self.own.send_modify(|count| *count += 1);
    }

    /// The same after a commit of another node.
    pub fn wake_here(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Hears each time that something may be there.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Hears each time that this node itself may have brought something.
    pub fn watch_own(&self) -> watch::Receiver<u64> {
        self.own.subscribe()
    }
}
