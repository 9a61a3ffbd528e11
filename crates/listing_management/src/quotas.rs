//! Bounds the rows that a branch adds in a day, what its changes seal, and the answers kept for a client
//! (S-65).

use std::sync::Arc;

use chain::ids::{BranchId, ChainId};
use storage::quotas::{self, Used};
use storage::{Storage, StorageError, Write, sealing};
use tokens::rate_limit::RateLimits;
use web::problem::Problem;

use super::ListingManagement;

/// Old additions and old answers leave the count one after the other.
const RETRY_SECONDS: u64 = 600;

/// Current listings of which a branch is told in a day (S-91).
pub const TOLD_LISTINGS_PER_DAY: i64 = 200;

/// The quotas of listing and chain management.
#[derive(Debug)]
pub struct Quotas {
    /// Listings that a branch may add in a day; `None`: any number.
    pub listings_per_day: Option<i64>,
    /// Properties that a branch may add in a day; `None`: any number.
    pub properties_per_day: Option<i64>,
    /// Current listings of which a branch is told in a day (S-91); `None`: any number.
    pub told_listings_per_day: Option<i64>,
    /// Bytes of the answers that are kept for one client.
    pub kept_answer_bytes: i64,
    /// Bytes of the versions of chains that the changes of one client or person seal in a day, on this
    /// node; `None`: any number.
    pub sealed_bytes: Option<Arc<RateLimits>>,
}

impl Quotas {
    /// Refuses a change while the earlier changes of the same caller have sealed too many bytes.
    pub(crate) fn refuse_change(&self, caller: &str) -> Option<Problem> {
        let wait = self.sealed_bytes.as_ref()?.pay(caller)?;
        Some(sealed_used_up(wait.max(1)))
    }
}

/// Charges a caller for the bytes that the changes of these chains sealed, before its next change. A store
/// that fails right after a commit charges nothing.
pub(crate) async fn charge_sealed(
    sealed_bytes: &RateLimits,
    storage: &Storage,
    caller: &str,
    changed: Vec<ChainId>,
) {
    let counting = storage.lookup(move |read| sealing::sum_replaced(read, &changed));
    match counting.await {
        Ok(bytes) => sealed_bytes.owe(caller, u32::try_from(bytes).unwrap_or(u32::MAX)),
        Err(error) => tracing::debug!(%error, "the sealed bytes of a change were not counted"),
    }
}

/// The rows that a branch may still add. They were counted before the transaction, so branches that
/// add many at once may exceed a quota by as many as run at once.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    branch: BranchId,
    /// Unix seconds of the count.
    now: i64,
    listings: Option<Part>,
    properties: Option<Part>,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    limit: i64,
    is_used_up: bool,
}

impl Allowance {
    /// Counts the rows that a branch added within the last day.
    pub async fn count(management: &ListingManagement, branch: BranchId) -> Result<Self, Problem> {
        let quotas = &management.quotas;
        let (listings, properties) = (quotas.listings_per_day, quotas.properties_per_day);
        let now = management.clock.now_seconds();
        let counting = management.storage.read(move |read| {
            let mut count = |limit: Option<i64>, used| {
                let Some(limit) = limit else {
                    return Ok(None);
                };
                let since = now - web::limits::DAY_SECONDS;
                let sum = quotas::sum_used(read, &branch.to_string(), used, since)?;
                let is_used_up = sum >= limit;
                Ok::<_, StorageError>(Some(Part { limit, is_used_up }))
            };
            Ok::<_, StorageError>(Self {
                branch,
                now,
                listings: count(listings, Used::Listings)?,
                properties: count(properties, Used::Properties)?,
            })
        });
        Ok(counting.await?)
    }

    /// Counts a new listing, or refuses it.
    pub fn add_listing(&self, write: &mut Write<'_>) -> Result<(), Problem> {
        self.add(write, self.listings, Used::Listings, "listings")
    }

    /// Counts a new property, or refuses it.
    pub(crate) fn add_property(&self, write: &mut Write<'_>) -> Result<(), Problem> {
        self.add(write, self.properties, Used::Properties, "new properties")
    }

    fn add(
        &self,
        write: &mut Write<'_>,
        part: Option<Part>,
        used: Used,
        name: &str,
    ) -> Result<(), Problem> {
        match part {
            None => Ok(()),
            Some(part) if part.is_used_up => Err(day_used_up(self.branch, part.limit, name)),
            Some(_) => {
                let branch = self.branch.to_string();
                Ok(quotas::add_used(write, &branch, used, 1, self.now)?)
            }
        }
    }
}

/// The refusal of a new `Idempotency-Key`, while too many answers are kept for its client.
pub(crate) async fn refuse_kept_answer(
    management: &ListingManagement,
    client_id: &str,
) -> Result<Option<Problem>, StorageError> {
    let id = client_id.to_owned();
    let now = management.clock.now_seconds();
    let counting = management
        .storage
        .lookup(move |read| quotas::sum_used(read, &id, Used::KeptBytes, now));
    let limit = management.quotas.kept_answer_bytes;
    if counting.await? < limit {
        return Ok(None);
    }
    Ok(Some(used_up(format!(
        "Answers of {limit} bytes are kept for this client's Idempotency-Keys, which is its quota. \
         Send this without a key, or later: each is kept for 24 h."
    ))))
}

/// The refusal of a listing or property above the quota of the day.
pub(crate) fn day_used_up(branch: BranchId, limit: i64, name: &str) -> Problem {
    used_up(format!(
        "Branch {branch} has added {limit} {name} within a day, which is its quota. Add more later, \
         or have the operator import them."
    ))
}

/// The refusal to tell a branch of one more current listing in a day (S-91).
pub(crate) fn told_used_up(branch: BranchId, limit: i64) -> Problem {
    used_up(format!(
        "Branch {branch} was told {limit} current listings within a day, which is its quota. Ask for \
         homes again later; postcodes are answered still."
    ))
}

/// The refusal of a change, while the caller's earlier ones sealed too much.
pub(crate) fn sealed_used_up(wait: u64) -> Problem {
    let detail = "Your changes of long chains have used your quota of a day up: Onward keeps each state \
                  of a chain. Send this change later.";
    Problem::QuotaUsedUp(Some(wait), detail.to_owned())
}

fn used_up(detail: String) -> Problem {
    Problem::QuotaUsedUp(Some(RETRY_SECONDS), detail)
}
