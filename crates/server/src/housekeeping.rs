//! Removes old rows, on every node once a minute, and begins the daily pass over all chains.

use std::sync::Arc;
use std::time::Duration;

use observe::clock::Clock;
use storage::Storage;
use storage::{StorageError, waiting};
use tokens::registry::Registry;
use tokio::sync::watch;

use crate::forecasts::pass::{self, DailyPass};
use crate::limits;

const INTERVAL: Duration = Duration::from_mins(1);

/// The parts that the removal of old rows uses.
#[derive(Debug, Clone)]
pub struct Housekeeping {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// The registry, which holds revoked tokens in memory.
    pub registry: Arc<Registry>,
    /// How long a retired signing key stays published (S-28).
    pub key_retention_days: u32,
    /// How long finished deliveries and their events are kept.
    pub delivery_retention_days: u32,
    /// How long the log of accesses is kept.
    pub access_log_days: u32,
}

impl Housekeeping {
    /// The parts of the daily pass over all chains.
    pub fn daily_pass(&self) -> DailyPass {
        DailyPass {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
        }
    }
}

/// Cleans once a minute until `stop` turns true.
pub async fn run(housekeeping: Housekeeping, mut stop: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
        let tokens_before = housekeeping.clock.now_seconds() - tokens::limits::REVOKED_KEPT_SECONDS;
        housekeeping
            .registry
            .known()
            .revoked
            .forget_expired(tokens_before);
        let cleaning = async {
            clean_store(&housekeeping).await?;
            delete_leftovers(&housekeeping, &stop).await
        };
        if let Err(error) = cleaning.await {
            tracing::warn!(%error, "expired rows could not be removed");
        }
        if let Err(error) = pass::make_if_due(&housekeeping.daily_pass(), &stop).await {
            tracing::warn!(%error, "the durations of past sales could not be counted");
        }
    }
}

/// Removes assertions, kept answers, deliveries, events and accesses that are older than their retention, and
/// withdraws old keys (S-28). A round is one transaction of bounded size.
pub async fn clean_store(housekeeping: &Housekeeping) -> Result<(), StorageError> {
    let now = housekeeping.clock.now_seconds();
    let keys_before = now - i64::from(housekeeping.key_retention_days) * limits::DAY_SECONDS;
    let ended_before = now - i64::from(housekeeping.delivery_retention_days) * limits::DAY_SECONDS;
    let accesses_before = now - i64::from(housekeeping.access_log_days) * limits::DAY_SECONDS;
    let people_before = now - limits::PEOPLE_ACCESS_DAYS * limits::DAY_SECONDS;
    housekeeping
        .storage
        .write_at_length(move |write| {
            // Another node's clock may be behind this one's.
            let tokens_before = now - tokens::limits::REVOKED_KEPT_SECONDS;
            storage::assertion::delete_expired_assertions(write, tokens_before)?;
            storage::revoked_tokens::delete_expired_tokens(write, tokens_before)?;
            storage::keys::revoke_retired_keys(write, keys_before, now)?;
            let limit = limits::DELIVERIES_PRUNED_MAX;
            storage::delivery_log::prune(write, ended_before * 1000, limit)?;
            let limit = limits::IDEMPOTENCY_DELETED_MAX;
            storage::idempotency::delete_expired_answers(write, now, limit)?;
            storage::proposals::delete_expired_proposals(write, now, limit)?;
            storage::quotas::delete_added(write, now - limits::DAY_SECONDS, limit)?;
            storage::sessions::delete_expired_sessions(write, now, limit)?;
            Ok::<_, StorageError>(())
        })
        .await?;
    let limit = limits::ACCESSES_PRUNED_MAX;
    loop {
        let pruning = housekeeping.storage.write_at_length(move |write| {
            storage::accesses::delete_accesses(write, accesses_before, people_before, limit)
        });
        let pruned: u64 = pruning.await?;
        if pruned < limit.unsigned_abs() {
            return Ok(());
        }
    }
}

/// Cancels pending deliveries of revoked API keys, and removes all deliveries of deleted
/// subscriptions. It stops early when `stop` turns true; the next round goes on.
pub async fn delete_leftovers(
    housekeeping: &Housekeeping,
    stop: &watch::Receiver<bool>,
) -> Result<(), StorageError> {
    let limit = limits::WAITING_CHANGED_MAX;
    while !*stop.borrow() {
        let now = housekeeping.clock.now_milliseconds();
        let cancelling = housekeeping
            .storage
            .write_under_row_locks(move |write| waiting::cancel_of_revoked_keys(write, now, limit));
        let cancelled: u64 = cancelling.await?;
        let deleting = housekeeping
            .storage
            .write_at_length(move |write| waiting::delete_removed(write, limit));
        let deleted: u64 = deleting.await?;
        if cancelled + deleted == 0 {
            break;
        }
    }
    Ok(())
}
