//! What waits for a subscription, changed or removed in parts: no transaction grows with what is
//! owed, so that lanes and recordings go on between the parts.
//!
//! Times are in milliseconds.

use chain::event::EventType;

use crate::subscriptions::SubscriptionId;
use crate::{Read, Result, Write};

/// Lets what is only due later go out at once; how many that were, at most `limit`. The lane's row
/// is locked first, as by whoever stores results.
pub fn hasten_waiting(
    write: &mut Write<'_>,
    id: SubscriptionId,
    now: i64,
    limit: i64,
) -> Result<u64> {
    lock_lane(write, id)?;
    write.execute(
        "update delivery set not_before = $1 where id in (select d.id from delivery d \
         where d.subscription_id + 0 = $2 and d.state = 'waiting' and d.not_before >= 0 \
         and d.not_before > $3 limit $4)",
        &[now.into(), id.into(), now.into(), limit.into()],
    )
}

/// Ends what waits of a type of event that the subscription gives up; how many that were, at most
/// `limit`. The lane's row is locked first.
pub fn cancel_waiting(
    write: &mut Write<'_>,
    id: SubscriptionId,
    event_type: EventType,
    (now, limit): (i64, i64),
) -> Result<u64> {
    lock_lane(write, id)?;
    write.execute(
        "update delivery set state = 'cancelled', not_before = 0, ended_at = $1 \
         where id in (select d.id from delivery d where d.subscription_id + 0 = $2 \
         and d.state = 'waiting' and d.not_before >= 0 and exists (select 1 from event e \
         where e.id = d.event_row and e.event_type = $3) limit $4)",
        &[
            now.into(),
            id.into(),
            event_type.as_str().into(),
            limit.into(),
        ],
    )
}

/// Ends what waits for subscriptions whose key was revoked, which nobody can enable again; how
/// many that were, at most `limit`.
pub fn cancel_ownerless(write: &mut Write<'_>, now: i64, limit: i64) -> Result<u64> {
    let found = write.query_one(
        "select s.id from subscription s join api_key k on k.id = s.api_key_id \
         where k.revoked_at is not null and (select d.id from delivery d where d.subscription_id + 0 = s.id + 0 \
         and d.state = 'waiting' and d.not_before >= 0 limit 1) is not null limit 1",
        &[],
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

/// Removes what a removed subscription was owed, with its log, and at last the subscription; how
/// many deliveries or subscriptions that were, at most `limit`, and 0 when nothing is left.
pub fn delete_remains(write: &mut Write<'_>, limit: i64) -> Result<u64> {
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
    write.execute("delete from subscription where id = $1", &[id.into()])
}

fn find_removed(read: &mut Read<'_>) -> Result<Option<i64>> {
    read.query_one(
        "select id from subscription where status = 'removed' limit 1",
        &[],
        |row| row.integer(0),
    )
}

fn lock_lane(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        "update lane set epoch = epoch where subscription_id = $1",
        &[id.into()],
    )?;
    Ok(())
}
