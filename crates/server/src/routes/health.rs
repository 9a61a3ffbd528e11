//! Health checks of this node, and the context of the ops listener.

pub(crate) mod live;
pub(crate) mod ready;

use std::sync::Arc;

use edge::drain::Drain;
use observe::clock::Clock;
use observe::outage::Outage;
use storage::Storage;
use tokens::framework::Framework;

use crate::metrics::Metrics;
use crate::readiness::Readiness;

/// The context of the health checks and metrics.
#[derive(Debug)]
pub(crate) struct Operations {
    /// The clock that dates the figures of lanes.
    pub clock: Clock,
    /// The store that holds the lanes.
    pub storage: Storage,
    /// Shows whether this node can do its work.
    pub readiness: Arc<Readiness>,
    /// Shows whether this node drains.
    pub drain: Arc<Drain>,
    /// All metrics of this node.
    pub metrics: Arc<Metrics>,
    /// The framework, whose calls the metrics count; `None`: there is none.
    pub framework: Option<Arc<Framework>>,
    /// Whether the subscriptions cannot be read for the metrics.
    pub overviews_outage: Outage,
}
