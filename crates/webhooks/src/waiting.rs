//! Changes pending deliveries of a subscription in short transactions, between which lanes go on.
//! Callers refuse a request before, because a refusal must change nothing.

use storage::subscriptions::SubscriptionId;
use storage::{StorageError, Write, waiting};
use web::problem::Problem;

use crate::WebhookManagement;
use crate::limits::WAITING_CHANGED_MAX;

/// Makes all pending deliveries due now. Those that a crash leaves out keep their time.
pub(crate) async fn make_due_now(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
) -> Result<(), Problem> {
    let now = webhooks.clock.now_milliseconds();
    in_parts(webhooks, move |write| {
        waiting::make_waiting_due(write, id, now, WAITING_CHANGED_MAX)
    })
    .await
}

/// Cancels the pending deliveries of event types that the subscription no longer has.
pub(crate) async fn cancel_unsubscribed(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
) -> Result<(), Problem> {
    // Most calls give up no type, and looking at all pending deliveries takes long.
    let looking = webhooks
        .storage
        .read_by_index(move |read| waiting::has_unsubscribed(read, id));
    if !webhooks.paced.run(looking).await.map_err(incomplete)? {
        return Ok(());
    }
    let now = webhooks.clock.now_milliseconds();
    in_parts(webhooks, move |write| {
        waiting::cancel_unsubscribed(write, id, now, WAITING_CHANGED_MAX)
    })
    .await
}

/// Cancels the pending deliveries that need the right to see chains, if the participant lacks it and the watch
/// reaches chains. Call it before the watch changes: afterwards nobody knows which deliveries the watch of
/// chains has queued.
pub(crate) async fn cancel_without_right(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
) -> Result<(), Problem> {
    let looking = webhooks
        .storage
        .read_by_index(move |read| waiting::lacks_right_of_watch(read, id));
    if !looking.await.map_err(incomplete)? {
        return Ok(());
    }
    let now = webhooks.clock.now_milliseconds();
    in_parts(webhooks, move |write| {
        waiting::cancel_without_right(write, id, now, WAITING_CHANGED_MAX)
    })
    .await
}

async fn in_parts(
    webhooks: &WebhookManagement,
    change: impl Fn(&mut Write<'_>) -> Result<u64, StorageError> + Clone + Send + 'static,
) -> Result<(), Problem> {
    loop {
        let changing = webhooks.storage.write_under_row_locks(change.clone());
        let changed = changing.await.map_err(incomplete)?;
        if i64::try_from(changed).is_ok_and(|changed| changed < WAITING_CHANGED_MAX) {
            return Ok(());
        }
    }
}

/// The answer when the store fails after a part of a change. A repetition makes the rest.
#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
pub(crate) fn incomplete(error: StorageError) -> Problem {
    Problem::Unconfirmed(error.to_string())
}

/// The answer when a changed subscription cannot be read again: the change stands, so no answer may say
/// that nothing was changed.
pub(crate) fn unread(problem: Problem) -> Problem {
    if let Problem::Unavailable(_, text) | Problem::Internal(text) = problem {
        return Problem::Unconfirmed(text);
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_look_at_a_changed_subscription_denies_no_change() {
        let failed = [StorageError::Unavailable, StorageError::Statement]
            .map(|error| unread(error("the disk failed".to_owned()).into()));
        for problem in failed {
            assert!(matches!(problem, Problem::Unconfirmed(_)), "{problem:?}");
        }
        let gone = unread(Problem::NotFound("It was removed."));
        assert!(matches!(gone, Problem::NotFound(_)), "{gone:?}");
    }
}
