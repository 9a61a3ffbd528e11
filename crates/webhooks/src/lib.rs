//! Webhook management: subscriptions, watches, delivery log, replay and simulated events.

mod callback_member;
pub mod described_events;
pub mod holder;
pub mod limits;
mod openapi;
mod owned;
pub mod paced;
mod parameters;
mod replaying;
pub mod routes;
pub mod running;
mod simulation;
mod waiting;
mod watch_changes;
mod watching;
mod wire;

use std::sync::Arc;

use axum::Json;
use delivery::wake::Wake;
use observe::clock::Clock;
use outbound::client::OutboundClient;
use storage::Storage;
use storage::subscriptions::StoredSubscription;
use tokens::context::TokenContext;
use tokens::rate_limit::RateLimits;

use self::paced::Paced;
use self::running::Running;
use self::wire::SubscriptionAnswer;

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
    pub replays: Running,
    /// The changes of watches that run on this node.
    pub changing: Running,
    /// Runs the parts of replays and changes of watches.
    pub paced: Paced,
    /// Proves access tokens (S-74).
    pub tokens: Arc<TokenContext>,
    /// Requests of each API key, counted; `None`: there is no limit.
    pub rate_limits: Option<Arc<RateLimits>>,
    /// Simulations of each participant, counted (S-65); `None`: there is no limit.
    pub simulations: Option<RateLimits>,
    /// UPRNs that each participant adds to its watches or removes, counted; `None`: there is no limit.
    pub watch_changes: Option<RateLimits>,
    /// The quotas of each participant (S-65).
    pub quotas: WebhookQuotas,
    /// How long finished deliveries and their events are kept.
    pub delivery_retention_days: u32,
    /// Whether an event about a property with a current listing can be simulated (S-33).
    pub simulate_known_properties: bool,
}

impl WebhookManagement {
    /// The answer that shows a subscription now.
    fn show(&self, found: StoredSubscription) -> Json<SubscriptionAnswer> {
        Json(SubscriptionAnswer::of(found, self.clock.now_milliseconds()))
    }
}

/// The quotas of a participant (S-65).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookQuotas {
    /// Subscriptions, disabled ones included.
    pub subscriptions: i64,
    /// UPRNs that all subscriptions watch.
    pub watched_uprns: i64,
    /// Deliveries that are replayed in a day; `None`: any number.
    pub replays_per_day: Option<i64>,
}
