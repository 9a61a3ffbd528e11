//! Whether this node works.

pub(crate) mod live;
pub(crate) mod ready;

use std::sync::Arc;

use edge::drain::Drain;
use observe::clock::Clock;
use storage::Storage;
use tokens::registry::Registry;

use crate::metrics::Metrics;

/// The parts that health and metrics use.
#[derive(Debug)]
pub(crate) struct Operations {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// The registry: reading it shows whether the store answers.
    pub registry: Arc<Registry>,
    /// Whether this node is about to stop.
    pub drain: Arc<Drain>,
    /// All counters.
    pub metrics: Arc<Metrics>,
}
