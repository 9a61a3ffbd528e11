//! The parts that the routes of webhook management share.

pub mod holder;
pub mod openapi;
pub mod owned;
pub mod parameters;
pub mod replaying;
pub mod running_replays;
pub mod simulation;
pub mod waiting;
pub mod watching;

use std::sync::Arc;

use delivery::wake::Wake;
use observe::clock::Clock;
use outbound::client::OutboundClient;
use storage::Storage;
use tokens::rate_limit::RateLimits;

use self::running_replays::RunningReplays;

/// The parts that webhook management uses.
#[derive(Debug)]
pub struct WebhookManagement {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// Checks callback addresses.
    pub outbound: OutboundClient,
    /// Wakes the delivery of events.
    pub wake: Arc<Wake>,
    /// The replays that run on this node.
    pub replays: RunningReplays,
    /// Requests of each API key, counted; `None`: there is no limit.
    pub rate_limits: Option<Arc<RateLimits>>,
    /// Simulations of each participant, counted (S-65); `None`: there is no limit.
    pub simulations: Option<RateLimits>,
    /// Active subscriptions of one participant (S-65).
    pub subscriptions_max: i64,
    /// How long finished deliveries and their events are kept.
    pub delivery_retention_days: u32,
    /// Whether an event about a property with a current listing can be simulated (S-33).
    pub simulate_known_properties: bool,
}
