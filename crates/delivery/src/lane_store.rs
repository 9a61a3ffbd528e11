//! Reads and changes the lease of a lane, and stores the results of its attempts.

use std::sync::Arc;

use outbound::callback::CallbackUrl;
use storage::StorageError;
use storage::attempts::{self, AttemptResult, HealthChange};
use storage::lanes::{self, Health, LEASE_MILLISECONDS, Lane};
use storage::subscriptions::{self, Receives, SubscriptionId};
use tokio::task::JoinHandle;

use crate::attempt::FinishedAttempt;
use crate::node::Node;
use crate::policy::Disabling;

/// Results that are being stored while other deliveries are sent.
pub(crate) struct Storing {
    /// The attempts.
    pub(crate) batch: Vec<FinishedAttempt>,
    /// The health after these results.
    pub(crate) health: Health,
    /// The lane as the store has it afterwards. `None` if the subscription is disabled or the lease is lost.
    pub(crate) task: JoinHandle<Result<Option<Lane>, StorageError>>,
}

/// Waits for the results that are being stored; for ever if there are none.
pub(crate) async fn end_of(storing: &mut Option<Storing>) -> Result<Option<Lane>, StorageError> {
    match storing {
        Some(storing) => (&mut storing.task)
            .await
            .unwrap_or(Err(StorageError::Stopped)),
        None => std::future::pending().await,
    }
}

/// Stores results, and disables the subscription if the results ask for that. Returns the lane as the store has it
/// afterwards. `None` if the subscription is disabled, or if another node has the lease.
pub(crate) async fn record(
    node: Arc<Node>,
    lane: Lane,
    health: HealthChange,
    results: Vec<AttemptResult>,
    disabling: Option<Disabling>,
) -> Result<Option<Lane>, StorageError> {
    let now = node.context.clock.now_seconds();
    let recording = node.context.storage.write_under_row_locks(move |write| {
        if !attempts::store_attempts(write, &lane, &results, &health)? {
            return Ok(None);
        }
        let found = lanes::find_lane(write, &lane)?;
        // A call that has changed the health asks for another try, maybe at another URL.
        let is_own_health = found
            .as_ref()
            .is_some_and(|found| found.health == health.after);
        let Some(disabling) = disabling.filter(|_| is_own_health) else {
            return Ok(found);
        };
        let reason = disabling.as_str();
        subscriptions::disable_subscription(write, lane.subscription, reason, now)?;
        Ok(None)
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

/// The URL of the receiver. `None` if the stored text is no callback URL.
pub(crate) fn parse_callback(receives: &Receives) -> Option<Arc<CallbackUrl>> {
    match CallbackUrl::parse_stored(&receives.callback_url) {
        Ok(callback) => Some(Arc::new(callback)),
        Err(error) => {
            tracing::error!(%error, "a stored callback URL cannot be read");
            None
        }
    }
}
