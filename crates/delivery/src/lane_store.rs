//! What a lane reads and changes of its lease, its health and its results.

use std::sync::Arc;

use outbound::callback::CallbackUrl;
use storage::StorageError;
use storage::attempts::{self, AttemptResult, HealthChange};
use storage::lanes::{self, Health, LEASE_MILLISECONDS, Lane};
use storage::subscriptions::{self, Receives, SubscriptionId};

use crate::node::Node;
use crate::policy::Disabling;

/// What the store has after results.
pub(crate) struct Stored {
    /// The events that the subscription receives now.
    pub(crate) receives: Receives,
    /// The recent failures.
    pub(crate) health: Health,
    /// Whether somebody else changed the health meanwhile.
    pub(crate) is_other_health: bool,
}

/// Stores results, and reads what the subscription receives now. `None` if it is disabled or the lease is lost.
pub(crate) async fn record(
    node: Arc<Node>,
    lane: Lane,
    health: HealthChange,
    results: Vec<AttemptResult>,
    disabling: Option<Disabling>,
) -> Result<Option<Stored>, StorageError> {
    let now = node.context.clock.now_seconds();
    let recording = node.context.storage.write_under_row_locks(move |write| {
        let Some(stored) = attempts::store_attempts(write, &lane, &results, &health)? else {
            return Ok(None);
        };
        let is_other_health = stored != health.after;
        // A call that has changed the health asks for another try, maybe at another URL.
        if let Some(disabling) = disabling.filter(|_| !is_other_health) {
            let reason = disabling.as_str();
            subscriptions::disable_subscription(write, lane.subscription, reason, now)?;
        }
        let receives = subscriptions::find_receives(write, lane.subscription)?;
        Ok(receives.map(|receives| Stored {
            receives,
            health: stored,
            is_other_health,
        }))
    });
    recording.await
}

/// Leases a lane. `None` if it is leased or its subscription is not active.
pub(crate) async fn take(
    node: &Node,
    subscription: SubscriptionId,
) -> Result<Option<Lane>, StorageError> {
    let name = node.name.clone();
    let now = node.context.clock.now_milliseconds();
    node.context
        .storage
        .write_under_row_locks(move |write| {
            let until = now + LEASE_MILLISECONDS;
            lanes::take_lane(write, subscription, &name, now, until)
        })
        .await
}

/// Ends a lease.
pub(crate) async fn release(node: &Node, lane: Lane) {
    let released = node
        .context
        .storage
        .write_under_row_locks(move |write| lanes::release_lane(write, &lane));
    if let Err(error) = released.await {
        tracing::warn!(%error, "a lane could not be released; its lease ends by itself");
    }
}

/// Extends a lease. `false` if it is lost, or the subscription is not active any more.
pub(crate) async fn renew(node: &Node, lane: Lane) -> Result<bool, StorageError> {
    let until = node.context.clock.now_milliseconds() + LEASE_MILLISECONDS;
    let renewing = node
        .context
        .storage
        .write_under_row_locks(move |write| lanes::renew_lane(write, &lane, until));
    renewing.await
}

/// The URL of the receiver. `None` if what is stored cannot be read.
pub(crate) fn parse_callback(receives: &Receives) -> Option<Arc<CallbackUrl>> {
    match CallbackUrl::parse_stored(&receives.callback_url) {
        Ok(callback) => Some(Arc::new(callback)),
        Err(error) => {
            tracing::error!(%error, "a stored callback URL cannot be read");
            None
        }
    }
}
