//! Draining: how far this node is on its way to stop, so that clients move to other nodes first.

use std::sync::atomic::{AtomicU8, Ordering};

/// The stages of draining. A node never goes back a stage.
#[derive(Debug, Default)]
pub struct Drain(AtomicU8);

const NOT_READY: u8 = 1;
const CLOSING: u8 = 2;

impl Drain {
    /// From now on this node reports that it is not ready, and answers as before.
    pub fn begin(&self) {
        self.0.fetch_max(NOT_READY, Ordering::SeqCst);
    }

    /// From now on each answer over HTTP/1.1 closes its connection, so that clients reconnect
    /// through the load balancer to another node.
    pub fn close_connections(&self) {
        self.0.fetch_max(CLOSING, Ordering::SeqCst);
    }

    /// Whether this node reports that it is not ready.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= NOT_READY
    }

    /// Whether answers close their connections.
    pub fn is_closing(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= CLOSING
    }
}
