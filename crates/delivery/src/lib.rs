//! Delivery of events to subscribers: one lane for each subscription (S-34 to S-36).
//!
//! `dispatcher` leases lanes with something due. `lane` delivers on one lane, from what
//! `read_ahead` holds. `attempt` makes one attempt with the token of `event_jwt`, and `policy`
//! decides what follows. This crate knows nothing about HTTP servers and their routes.

mod attempt;
mod cancelling;
pub mod dispatcher;
pub mod event_claims;
mod event_jwt;
mod lane;
mod lane_store;
mod limits;
pub mod metrics;
mod node;
mod places;
pub mod policy;
mod read_ahead;
pub mod wake;

use std::sync::Arc;

use observe::clock::Clock;
use outbound::client::OutboundClient;
use storage::Storage;
use tokens::registry::Registry;
use tokens::signers::Signers;

pub use self::attempt::NOT_SIGNED;
use self::metrics::Metrics;
use self::wake::Wake;

/// The parts that the delivery of events uses.
#[derive(Debug)]
pub struct DeliveryContext {
    /// Time.
    pub clock: Clock,
    /// The store with outbox and lanes.
    pub storage: Storage,
    /// The keys that sign events.
    pub registry: Arc<Registry>,
    /// The threads that sign.
    pub signers: Arc<Signers>,
    /// Calls the subscribers.
    pub outbound: OutboundClient,
    /// Wakes the lanes of this node.
    pub wake: Arc<Wake>,
    /// Counters of deliveries.
    pub metrics: Arc<Metrics>,
    /// `iss` of events.
    pub issuer: String,
    /// Attempts that may be under way to one subscription at once (S-36).
    pub concurrency: usize,
}
