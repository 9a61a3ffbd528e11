//! Changes and removes pending deliveries in parts. No transaction grows with the number of pending
//! deliveries, so lanes and recordings run between the parts.
//!
//! Times are in milliseconds.

use crate::subscription_id::SubscriptionId;
use crate::{Read, Result, Write};

/// Makes at most `limit` pending deliveries due now. Returns how many.
pub fn make_waiting_due(
    write: &mut Write<'_>,
    id: SubscriptionId,
    now: i64,
    limit: i64,
) -> Result<u64> {
    lock_lane(write, id)?;
    write.execute(
        // One that was recorded meanwhile, or by a node with another clock, is due already. An earlier time
        // than its own would make it look like one that somebody asked for again.
        "update delivery set not_before = $1 where id in (select d.id from delivery d \
         where d.subscription_id + 0 = $2 and d.state = 'waiting' and d.not_before >= 0 \
         and d.not_before > $3 and d.created_at <= $4 limit $5)",
        &[now.into(), id.into(), now.into(), now.into(), limit.into()],
    )
}

/// A condition on deliveries `d`, events `e` and subscriptions `s`: the subscription no longer has the type,
/// and nobody asked for the delivery again.
macro_rules! unsubscribed {
    () => {
        "(d.attempts > 0 or d.not_before = d.created_at) and not exists (select 1 \
         from subscribed_type t where t.subscription_id = s.id and t.event_type = e.event_type)"
    };
}

/// Whether a subscription has pending deliveries of event types that it no longer has.
pub fn has_unsubscribed(read: &mut Read<'_>, id: SubscriptionId) -> Result<bool> {
    read.exists(
        concat!(
            "select 1 from delivery d join event e on e.id = d.event_row \
             join subscription s on s.id = d.subscription_id \
             where d.subscription_id + 0 = $1 and d.state = 'waiting' and d.not_before >= 0 and ",
            unsubscribed!(),
            " limit 1"
        ),
        &[id.into()],
    )
}

/// Cancels at most `limit` pending deliveries of event types that a subscription no longer has. Returns how
/// many.
pub fn cancel_unsubscribed(
    write: &mut Write<'_>,
    id: SubscriptionId,
    now: i64,
    limit: i64,
) -> Result<u64> {
    lock_lane(write, id)?;
    write.execute(
        concat!(
            "update delivery set state = 'cancelled', not_before = 0, ended_at = $1 \
             where id in (select d.id from delivery d join event e on e.id = d.event_row \
             join subscription s on s.id = d.subscription_id \
             where d.subscription_id + 0 = $2 and d.state = 'waiting' and d.not_before >= 0 and ",
            unsubscribed!(),
            " limit $3)"
        ),
        &[now.into(), id.into(), limit.into()],
    )
}

/// A condition on events `e` and subscriptions `s`: the event needs the right to see chains, and the
/// subscription lacks it (S-39).
macro_rules! lacks_right {
    () => {
        concat!(
            "((e.event_type in ",
            $crate::subscribed_types::types_of_chains!(),
            " or (s.watch_reach = 'chain' and not exists \
             (select 1 from watched w where w.uprn = e.uprn and w.subscription_id = s.id))) \
             and not ",
            $crate::subscriptions::has_chain_client!("s.api_key_id"),
            ")"
        )
    };
}
pub(crate) use lacks_right;

/// Whether the watch of a subscription reaches chains, and its participant lacks the right to see them (S-39).
pub fn lacks_right_of_watch(read: &mut Read<'_>, id: SubscriptionId) -> Result<bool> {
    read.exists(
        concat!(
            "select 1 from subscription s where s.id = $1 and s.watch_reach = 'chain' and not ",
            crate::subscriptions::has_chain_client!("s.api_key_id"),
        ),
        &[id.into()],
    )
}

/// Cancels at most `limit` pending deliveries for which a subscription lacks the right to see chains
/// (S-39). Returns how many.
pub fn cancel_without_right(
    write: &mut Write<'_>,
    id: SubscriptionId,
    now: i64,
    limit: i64,
) -> Result<u64> {
    lock_lane(write, id)?;
    write.execute(
        concat!(
            "update delivery set state = 'cancelled', not_before = 0, ended_at = $1 \
             where id in (select d.id from delivery d join event e on e.id = d.event_row \
             join subscription s on s.id = d.subscription_id \
             where d.subscription_id + 0 = $2 and d.state = 'waiting' and d.not_before >= 0 and ",
            lacks_right!(),
            " limit $3)"
        ),
        &[now.into(), id.into(), limit.into()],
    )
}

/// Disables active subscriptions whose account has no valid key any more: its last key ended by itself. `now` is in
/// milliseconds. Returns how many.
pub fn disable_of_ended_accounts(write: &mut Write<'_>, now: i64) -> Result<u64> {
    let now = now / 1000;
    write.execute(
        concat!(
            "update subscription set status = 'disabled', disabled_reason = 'key_revoked', \
             disabled_at = $1, updated_at = $2 where status = 'active' and not ",
            crate::api_keys::has_valid_key!("subscription.api_key_id", "$3"),
        ),
        &[now.into(), now.into(), now.into()],
    )
}

/// Cancels at most `limit` pending deliveries of disabled subscriptions whose account has no valid key.
/// Nobody can enable such a subscription again. `now` is in milliseconds. Returns how many.
pub fn cancel_of_ended_accounts(write: &mut Write<'_>, now: i64, limit: i64) -> Result<u64> {
    let found = write.query_one(
        concat!(
            "select s.id from subscription s where s.status = 'disabled' and not ",
            crate::api_keys::has_valid_key!("s.api_key_id", "$1"),
            " and (select d.id from delivery d where d.subscription_id + 0 = s.id + 0 \
             and d.state = 'waiting' and d.not_before >= 0 limit 1) is not null limit 1"
        ),
        &[(now / 1000).into()],
        |row| row.integer(0),
    )?;
    let Some(id) = found else {
        return Ok(0);
    };
    lock_lane(write, SubscriptionId(id))?;
    write.execute(
        "update delivery set state = 'cancelled', not_before = 0, ended_at = $1 \
         where id in (select d.id from delivery d where d.subscription_id + 0 = $2 \
         and d.state = 'waiting' and d.not_before >= 0 limit $3)",
        &[now.into(), id.into(), limit.into()],
    )
}

/// Deletes at most `limit` deliveries of a removed subscription with their attempts, then as many watched
/// UPRNs, and at last the subscription. Returns how many rows it deleted, without attempts; 0 when nothing
/// is left.
pub fn delete_removed(write: &mut Write<'_>, limit: i64) -> Result<u64> {
    let Some(id) = find_removed(write)? else {
        return Ok(0);
    };
    write.execute(
        "delete from attempt where delivery_id in \
         (select id from delivery where subscription_id = $1 order by id limit $2)",
        &[id.into(), limit.into()],
    )?;
    let deleted = write.execute(
        "delete from delivery where id in \
         (select id from delivery where subscription_id = $1 order by id limit $2)",
        &[id.into(), limit.into()],
    )?;
    if deleted > 0 {
        return Ok(deleted);
    }
    let deleted = write.execute(
        "delete from watched where subscription_id = $1 and uprn in \
         (select uprn from watched where subscription_id = $2 order by uprn limit $3)",
        &[id.into(), id.into(), limit.into()],
    )?;
    if deleted > 0 {
        return Ok(deleted);
    }
    write.execute("delete from subscription where id = $1", &[id.into()])
}

fn find_removed(read: &mut Read<'_>) -> Result<Option<i64>> {
    read.query_one(
        "select id from subscription where status = 'removed' limit 1",
        &[],
        |row| row.integer(0),
    )
}

/// Locks the lane's row. A transaction that stores results locks it first too, so the two cannot
/// deadlock.
fn lock_lane(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        "update lane set epoch = epoch where subscription_id = $1",
        &[id.into()],
    )?;
    Ok(())
}
