//! Ends the pauses of lanes for their subscribers.

use crate::subscription_id::SubscriptionId;
use crate::{Result, Write};

/// The value of `open_until` with which a call ends the pause of a lane. It differs from the value before, so
/// that an attempt under way does not store the pause again.
macro_rules! no_pause {
    () => {
        "case when open_until < 0 then open_until - 1 else -1 end"
    };
}

/// Clears the recent failures. This must come first, because a transaction that stores results locks
/// the lane's row first.
pub(crate) fn reset_health(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        concat!(
            "update lane set failures = 0, failing_since = null, open_until = ",
            no_pause!(),
            " where subscription_id = $1"
        ),
        &[id.into()],
    )?;
    Ok(())
}

/// Ends a pause and keeps the recent failures, so that one more failure begins the next pause. This
/// must come first too. The lane goes on, and stores the results of attempts that are under way.
pub fn end_pause(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        concat!(
            "update lane set open_until = ",
            no_pause!(),
            " where subscription_id = $1 and (failures > 0 or open_until > 0)"
        ),
        &[id.into()],
    )?;
    Ok(())
}
