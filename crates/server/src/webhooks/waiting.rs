//! Changes pending deliveries of a subscription in short transactions, between which lanes go on.

use chain::event::EventType;
use storage::subscriptions::SubscriptionId;
use storage::{StorageError, Write, waiting};

use crate::limits::WAITING_CHANGED_MAX;
use crate::webhooks::WebhookManagement;

/// Makes all pending deliveries due now. Those that a crash leaves out keep their time.
pub async fn make_due_now(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
) -> Result<(), StorageError> {
    let now = webhooks.clock.now_milliseconds();
    in_parts(webhooks, move |write| {
        waiting::make_waiting_due(write, id, now, WAITING_CHANGED_MAX)
    })
    .await
}

/// Cancels pending deliveries of the types that are not in `events`.
pub async fn cancel_unsubscribed(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
    events: &[EventType],
) -> Result<(), StorageError> {
    let now = webhooks.clock.now_milliseconds();
    for other in EventType::ALL {
        if !events.contains(&other) {
            in_parts(webhooks, move |write| {
                waiting::cancel_waiting(write, id, other, now, WAITING_CHANGED_MAX)
            })
            .await?;
        }
    }
    Ok(())
}

async fn in_parts(
    webhooks: &WebhookManagement,
    change: impl Fn(&mut Write<'_>) -> Result<u64, StorageError> + Clone + Send + 'static,
) -> Result<(), StorageError> {
    loop {
        let changed = webhooks
            .storage
            .write_under_row_locks(change.clone())
            .await?;
        if i64::try_from(changed).is_ok_and(|changed| changed < WAITING_CHANGED_MAX) {
            return Ok(());
        }
    }
}
