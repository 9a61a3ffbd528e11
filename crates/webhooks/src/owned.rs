//! Finds the subscriptions of a holder.

use storage::subscriptions::{self, StoredSubscription};
use storage::{Read, StorageError};
use uuid::Uuid;
use web::problem::Problem;

use super::holder::Holder;

/// Finds a subscription of this holder. Subscriptions of other holders are unknown to it (S-74).
pub(crate) fn find_own_subscription(
    read: &mut Read<'_>,
    holder: &Holder,
    reference: &str,
) -> Result<StoredSubscription, Problem> {
    // The store is asked only for valid ids, because an engine may refuse other texts.
    let reference: Uuid = reference.parse().map_err(|_error| unknown_subscription())?;
    let found = subscriptions::find_subscription(read, holder.account(), &reference.to_string())?;
    found.ok_or_else(unknown_subscription)
}

/// Like [`find_own_subscription`], but refuses a disabled subscription.
pub(crate) fn find_active_subscription(
    read: &mut Read<'_>,
    holder: &Holder,
    reference: &str,
) -> Result<StoredSubscription, Problem> {
    let found = find_own_subscription(read, holder, reference)?;
    if found.is_active {
        return Ok(found);
    }
    Err(disabled())
}

/// Refuses one more active subscription of the key's participant, if it has so many active ones. A
/// participant may have more disabled ones from before the quota counted them.
pub(crate) fn check_one_more_active(
    read: &mut Read<'_>,
    holder: &Holder,
    most: i64,
) -> Result<(), Problem> {
    if subscriptions::count_active_subscriptions(read, holder.account())? < most {
        return Ok(());
    }
    Err(too_many(most))
}

/// Refuses one more subscription of the key's participant, if it has so many (S-65).
pub(crate) fn check_one_more(
    read: &mut Read<'_>,
    holder: &Holder,
    most: i64,
) -> Result<(), Problem> {
    if subscriptions::count_subscriptions(read, holder.account())? < most {
        return Ok(());
    }
    Err(too_many(most))
}

/// Refuses events about chains to a participant that may not query chains (S-39).
pub(crate) fn check_chain_right(read: &mut Read<'_>, holder: &Holder) -> Result<(), Problem> {
    if subscriptions::may_see_chains(read, holder.account())? {
        return Ok(());
    }
    Err(no_chain_client())
}

/// The refusal of a callback URL that another subscription of the account has (S-92).
pub(crate) fn callback_taken() -> Problem {
    Problem::Conflict(
        "Another subscription of this account has this callback URL. Change that one, or delete it first.",
    )
}

/// The refusal of a subscription above the quota.
pub(crate) fn too_many(most: i64) -> Problem {
    let detail = format!(
        "A participant has at most {most} subscriptions, disabled ones included. Delete one first."
    );
    Problem::QuotaUsedUp(None, detail)
}

/// The refusal of events about chains for a participant that may not query chains (S-39).
pub(crate) fn no_chain_client() -> Problem {
    Problem::NotAllowed(
        "Events of the type `chain.changed`, and watches that reach chains, need an active client of \
         your organisation with the scope `transaction-status`. Ask the operator to register one.",
    )
}

/// The refusal of an unknown subscription.
pub(crate) fn unknown_subscription() -> Problem {
    Problem::NotFound("There is no such subscription of yours.")
}

/// The refusal for a disabled subscription.
pub(crate) fn disabled() -> Problem {
    Problem::Conflict("The subscription is disabled. Enable it first.")
}

/// The refusal of a delivery id that the subscription does not have.
pub(crate) fn unknown_delivery() -> Problem {
    Problem::NotFound("The subscription has no such delivery.")
}

/// The refusal to cancel a delivery that has ended.
pub(crate) fn delivery_ended() -> Problem {
    Problem::Conflict("The delivery has ended already. Only a pending delivery can be cancelled.")
}

/// Reads a subscription that this transaction has changed.
pub(crate) fn reread(
    read: &mut Read<'_>,
    holder: &Holder,
    reference: &str,
) -> Result<StoredSubscription, StorageError> {
    let found = subscriptions::find_subscription(read, holder.account(), reference)?;
    found.ok_or_else(|| StorageError::Corrupt("a subscription vanished".to_owned()))
}
