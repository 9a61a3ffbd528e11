//! How far this node is on its way out, so that its callers are at other nodes when it stops.

use std::sync::atomic::{AtomicU8, Ordering};

/// The way out. It has no way back.
#[derive(Debug, Default)]
pub struct Leaving(AtomicU8);

const BEGUN: u8 = 1;
const PARTING: u8 = 2;

impl Leaving {
    /// From now on this node says that it is not ready, and answers as before.
    pub fn begin(&self) {
        self.0.fetch_max(BEGUN, Ordering::SeqCst);
    }

    /// From now on it asks callers to come back on another connection, by when the balancer
    /// leads it to another node.
    pub fn part(&self) {
        self.0.fetch_max(PARTING, Ordering::SeqCst);
    }

    /// Whether it is not ready.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= BEGUN
    }

    /// Whether it asks callers to come back on another connection.
    pub fn is_parting(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= PARTING
    }
}
