//! Cancels pending deliveries that a subscription may not receive.

use storage::subscriptions::SubscriptionId;
use storage::{StorageError, Write};

use crate::node::Node;

/// Deliveries that one transaction cancels.
const CANCELLED_AT_ONCE_MAX: i64 = 1_000;

/// Cancels at most so many pending deliveries, at this time in Unix milliseconds. Returns how many.
pub(crate) type CancelPart =
    fn(&mut Write<'_>, SubscriptionId, i64, i64) -> Result<u64, StorageError>;

/// Cancels pending deliveries that the subscription may not receive, in short transactions. Returns their
/// number.
pub(crate) async fn cancel(
    node: &Node,
    subscription: SubscriptionId,
    now: i64,
    cancel_part: CancelPart,
) -> Result<u64, StorageError> {
    let mut total = 0;
    loop {
        let cancelling = node.context.storage.write_under_row_locks(move |write| {
            cancel_part(write, subscription, now, CANCELLED_AT_ONCE_MAX)
        });
        let cancelled: u64 = cancelling.await?;
        total += cancelled;
        if cancelled < CANCELLED_AT_ONCE_MAX.unsigned_abs() {
            return Ok(total);
        }
    }
}
