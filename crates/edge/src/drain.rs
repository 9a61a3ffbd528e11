//! Draining: how far this node is on its way to stop, so that clients move to other nodes first. A node
//! that cannot do its work sends them away too.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The stages of draining. A node never goes back a stage.
#[derive(Debug, Default)]
pub struct Drain {
    stage: AtomicU8,
    has_faults: AtomicBool,
}

const NOT_READY: u8 = 1;
const CLOSING: u8 = 2;

impl Drain {
    /// From now on this node reports that it is not ready, and answers as before.
    pub fn begin(&self) {
        self.stage.fetch_max(NOT_READY, Ordering::SeqCst);
    }

    /// From now on each answer closes its connection, so that clients reconnect through the load
    /// balancer to another node.
    pub fn close_connections(&self) {
        self.stage.fetch_max(CLOSING, Ordering::SeqCst);
    }

    /// Notes whether something keeps this node from being ready.
    pub fn note_faults(&self, are_there: bool) {
        self.has_faults.store(are_there, Ordering::SeqCst);
    }

    /// Whether this node reports that it is not ready because it is about to stop.
    pub fn has_begun(&self) -> bool {
        self.stage.load(Ordering::SeqCst) >= NOT_READY
    }

    /// Whether answers close their connections.
    pub fn is_closing(&self) -> bool {
        self.stage.load(Ordering::SeqCst) >= CLOSING || self.has_faults.load(Ordering::SeqCst)
    }
}
