//! A holder's own subscriptions.

use storage::subscriptions::{self, StoredSubscription};
use storage::{Read, StorageError};

use uuid::Uuid;

use super::holder::ApiKeyHolder;
use crate::problem::Problem;

/// Finds a subscription of the key that the request carries. One of another key
/// does not exist for it.
pub fn find_own_subscription(
    read: &mut Read<'_>,
    holder: &ApiKeyHolder,
    reference: &str,
) -> Result<StoredSubscription, Problem> {
    let unknown = Problem::NotFound("There is no such subscription of this API key.");
    // What is no id is not asked for: PostgreSQL does not even take every text.
    if Uuid::parse_str(reference).is_err() {
        return Err(unknown);
    }
    let found = subscriptions::find_subscription(read, holder.id(), reference)?;
    found.ok_or(unknown)
}

/// As [`find_own_subscription`], for what only an active one can do.
pub fn find_active_subscription(
    read: &mut Read<'_>,
    holder: &ApiKeyHolder,
    reference: &str,
) -> Result<StoredSubscription, Problem> {
    let found = find_own_subscription(read, holder, reference)?;
    if found.is_active {
        return Ok(found);
    }
    Err(Problem::Conflict(
        "The subscription is disabled. Enable it first.",
    ))
}

/// Reads a subscription again that this transaction changed.
pub fn reread(
    read: &mut Read<'_>,
    holder: &ApiKeyHolder,
    reference: &str,
) -> Result<StoredSubscription, StorageError> {
    let found = subscriptions::find_subscription(read, holder.id(), reference)?;
    found.ok_or_else(|| StorageError::Corrupt("a subscription vanished".to_owned()))
}
