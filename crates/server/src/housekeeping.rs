//! Removes old rows, on every node once a minute, and begins the daily pass over all chains.

use std::sync::Arc;
use std::time::Duration;

use listing_management::forecasts::pass::{self, DailyPass};
use observe::clock::{Clock, Stopwatch};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use storage::Storage;
use storage::quotas::SLOT_SECONDS;
use storage::retention::OldRows;
use storage::{StorageError, branch_changes, history, waiting};
use tokens::registry::Registry;
use tokio::sync::watch;

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
    /// How long sealed versions of chains are kept after others replaced them (S-63).
    pub sealed_retention_days: u32,
    /// Shows the rows that are there for longer than their retention.
    pub(crate) overdue: Overdue,
}

/// How long the oldest row of each kind is there after its retention, in seconds.
#[derive(Debug, Clone)]
pub(crate) struct Overdue(pub(crate) Family<RowLabels, Gauge>);

/// Labels of a kind of row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RowLabels {
    kind: &'static str,
}

impl Default for Overdue {
    fn default() -> Self {
        let overdue = Self(Family::default());
        for rows in OldRows::ALL {
            overdue.note(rows, 0);
        }
        overdue
    }
}

impl Overdue {
    fn note(&self, rows: OldRows, seconds: i64) {
        let kind = rows.as_str();
        self.0.get_or_create(&RowLabels { kind }).set(seconds);
    }
}

impl Housekeeping {
    /// Rows of this kind from before this time go. Unix seconds.
    fn end_of_retention(&self, rows: OldRows, now: i64) -> i64 {
        let days = |days: u32| now - i64::from(days) * web::limits::DAY_SECONDS;
        match rows {
            // Another node's clock may be behind this one's.
            OldRows::Assertions | OldRows::RevokedTokens => {
                now - tokens::limits::REVOKED_KEPT_SECONDS
            }
            OldRows::KeptAnswers | OldRows::Proposals | OldRows::Sessions => now,
            OldRows::Totals => now - web::limits::DAY_SECONDS - SLOT_SECONDS,
            OldRows::Deliveries | OldRows::Events => days(self.delivery_retention_days),
            OldRows::Accesses => days(self.access_log_days),
            OldRows::Sealed => days(self.sealed_retention_days),
            OldRows::PeopleAccesses => now - limits::PEOPLE_ACCESS_DAYS * web::limits::DAY_SECONDS,
        }
    }

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
            clean_store(&housekeeping, &stop).await?;
            delete_leftovers(&housekeeping, &stop).await?;
            delete_old_changes(&housekeeping, &stop).await
        };
        if let Err(error) = cleaning.await {
            tracing::warn!(%error, "expired rows could not be removed");
        }
        if let Err(error) = pass::make_if_due(&housekeeping.daily_pass(), &stop).await {
            tracing::warn!(%error, "the durations of past sales could not be counted");
        }
    }
}

/// Removes all rows that are older than their retention, in transactions of bounded size, and withdraws
/// old keys (S-28). It stops early when `stop` turns true.
pub async fn clean_store(
    housekeeping: &Housekeeping,
    stop: &watch::Receiver<bool>,
) -> Result<(), StorageError> {
    let now = housekeeping.clock.now_seconds();
    let keys_before = now - i64::from(housekeeping.key_retention_days) * web::limits::DAY_SECONDS;
    housekeeping
        .storage
        .write(move |write| storage::keys::revoke_retired_keys(write, keys_before, now))
        .await?;
    for rows in OldRows::ALL {
        let before = housekeeping.end_of_retention(rows, now);
        let finding = housekeeping
            .storage
            .read(move |read| rows.find_oldest(read, before));
        let oldest: Option<i64> = finding.await?;
        housekeeping
            .overdue
            .note(rows, oldest.map_or(0, |oldest| before - oldest));
        if oldest.is_some() {
            delete_old(housekeeping, rows, before, stop).await?;
        }
    }
    Ok(())
}

async fn delete_old(
    housekeeping: &Housekeeping,
    rows: OldRows,
    before: i64,
    stop: &watch::Receiver<bool>,
) -> Result<(), StorageError> {
    let limit = limits::OLD_ROWS_DELETED_MAX;
    let mut refusals = 0;
    while !*stop.borrow() {
        let deleting = housekeeping
            .storage
            .write_at_length(move |write| rows.delete(write, before, limit));
        let deleted: u64 = match deleting.await {
            // Recordings conflicted with this part all the time.
            Err(StorageError::Busy) if refusals < limits::OLD_ROWS_TRIES_MAX => {
                refusals += 1;
                continue;
            }
            ended => ended?,
        };
        if deleted < limit.unsigned_abs() {
            break;
        }
    }
    Ok(())
}

/// Disables subscriptions of accounts without a valid API key, cancels their pending deliveries, and removes all deliveries of deleted
/// subscriptions. It stops early when `stop` turns true; the next round goes on.
pub async fn delete_leftovers(
    housekeeping: &Housekeeping,
    stop: &watch::Receiver<bool>,
) -> Result<(), StorageError> {
    let limit = limits::LEFTOVERS_CHANGED_MAX;
    let now = housekeeping.clock.now_milliseconds();
    let disabling = housekeeping
        .storage
        .write_under_row_locks(move |write| waiting::disable_of_ended_accounts(write, now));
    let _disabled: u64 = disabling.await?;
    while !*stop.borrow() {
        let working = Stopwatch::start();
        let now = housekeeping.clock.now_milliseconds();
        let cancelling = housekeeping.storage.write_under_row_locks(move |write| {
            waiting::cancel_of_ended_accounts(write, now, limit)
        });
        let cancelled: u64 = cancelling.await?;
        let deleting = housekeeping
            .storage
            .write_at_length(move |write| waiting::delete_removed(write, limit));
        let deleted: u64 = deleting.await?;
        if cancelled + deleted == 0 {
            break;
        }
        // The rows of one subscription lie far apart, so their removal takes the disk for long.
        tokio::time::sleep(working.elapsed()).await;
    }
    Ok(())
}

/// Removes lines from the lists of changes after their time (S-93). The history keeps them. It stops early when
/// `stop` turns true; the next round goes on.
pub async fn delete_old_changes(
    housekeeping: &Housekeeping,
    stop: &watch::Receiver<bool>,
) -> Result<(), StorageError> {
    let since = housekeeping.clock.now_seconds() - limits::CHANGES_KEPT_SECONDS;
    let finding = housekeeping
        .storage
        .read(move |read| history::find_first_since(read, since));
    let before: i64 = finding.await?;
    let limit = limits::LEFTOVERS_CHANGED_MAX;
    while !*stop.borrow() {
        let deleting = housekeeping
            .storage
            .write_under_row_locks(move |write| branch_changes::delete_old(write, before, limit));
        let deleted: u64 = deleting.await?;
        if deleted == 0 {
            break;
        }
    }
    Ok(())
}
