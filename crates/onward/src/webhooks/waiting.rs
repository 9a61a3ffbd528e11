//! What waits for a subscription, changed in short transactions: lanes go on between them.

use chain::event::EventType;
use storage::subscriptions::SubscriptionId;
use storage::{StorageError, Write, waiting};

use crate::app::App;
use crate::limits::WAITING_CHANGED_MAX;

/// Lets everything go out at once. What a crash leaves out goes out when it is due.
pub async fn hasten(app: &App, id: SubscriptionId) -> Result<(), StorageError> {
    let now = app.clock.now_milliseconds();
    in_parts(app, move |write| {
        waiting::hasten_waiting(write, id, now, WAITING_CHANGED_MAX)
    })
    .await
}

/// Cancels what waits of the types that are not among `events`.
pub async fn cancel_unheard(
    app: &App,
    id: SubscriptionId,
    events: &[EventType],
) -> Result<(), StorageError> {
    let part = (app.clock.now_milliseconds(), WAITING_CHANGED_MAX);
    for unheard in EventType::ALL {
        if !events.contains(&unheard) {
            in_parts(app, move |write| {
                waiting::cancel_waiting(write, id, unheard, part)
            })
            .await?;
        }
    }
    Ok(())
}

async fn in_parts(
    app: &App,
    change: impl Fn(&mut Write<'_>) -> Result<u64, StorageError> + Clone + Send + 'static,
) -> Result<(), StorageError> {
    loop {
        let changed = app.storage.write_under_row_locks(change.clone()).await?;
        if i64::try_from(changed).is_ok_and(|changed| changed < WAITING_CHANGED_MAX) {
            return Ok(());
        }
    }
}
