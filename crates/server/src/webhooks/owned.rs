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
    // No engine is asked for a text that cannot be stored.
    let reference: Uuid = reference.parse().map_err(|_error| unknown_subscription())?;
    let found = subscriptions::find_subscription(read, holder.id(), &reference.to_string())?;
    found.ok_or_else(unknown_subscription)
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
    Err(disabled())
}

/// A subscription that the key does not have.
pub fn unknown_subscription() -> Problem {
    Problem::NotFound("There is no such subscription of this API key.")
}

/// A subscription that was disabled.
pub fn disabled() -> Problem {
    Problem::Conflict("The subscription is disabled. Enable it first.")
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
