//! Replay: enqueues the events of a range again for one subscription (S-37).

use crate::subscribed_types::types_of_chains;
use crate::subscription_id::SubscriptionId;
use crate::subscriptions::has_chain_client;
use crate::{Read, Result, Write};

/// A range of events in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRange {
    /// The range begins after this row.
    pub after: i64,
    /// The range ends with this row.
    pub last: i64,
    /// Events recorded earlier are not in the range. Unix seconds.
    pub since: i64,
}

/// A condition on events `e`: the subscription receives them. Four placeholders: the subscription each
/// time. A watch with reach `chain` matches the chain that the event's listing is in now (S-39).
macro_rules! received {
    ($types:literal, $all:literal, $own:literal, $chain:literal) => {
        concat!(
            "e.listing_id is not null and e.event_type in (select t.event_type from subscribed_type t \
             join subscription s on s.id = t.subscription_id where s.id = ",
            $types,
            " and (t.event_type not in ",
            types_of_chains!(),
            " or ",
            has_chain_client!("s.api_key_id"),
            ")) and ((select s.watch_reach from subscription s where s.id = ",
            $all,
            ") is null or exists (select 1 from watched w where w.uprn = e.uprn \
             and w.subscription_id = ",
            $own,
            ") or exists (select 1 from subscription s join listing o on o.id = e.listing_id \
             join listing l on l.chain_id = o.chain_id and l.deleted_at is null \
             join property p on p.id = l.property_id and p.current_listing_id = l.id \
             join watched w on w.uprn = p.uprn and w.subscription_id = s.id \
             where s.watch_reach = 'chain' and s.id = ",
            $chain,
            " and ",
            has_chain_client!("s.api_key_id"),
            "))"
        )
    };
}

/// The events recorded since a time in Unix seconds. `None` if there are none.
pub fn find_event_range(read: &mut Read<'_>, since: i64) -> Result<Option<EventRange>> {
    let ends = read.query_exactly_one(
        // No index has the sums, so the engine walks the index of ages instead of all ids.
        "select min(id + 0), max(id + 0) from event where recorded_at >= $1",
        &[since.into()],
        |row| Ok((row.optional_integer(0)?, row.optional_integer(1)?)),
    )?;
    let (Some(first), Some(last)) = ends else {
        return Ok(None);
    };
    let after = first - 1;
    Ok(Some(EventRange { after, last, since }))
}

/// The first part of a range, with at most `limit` events, and whether [`replay`] would insert a
/// delivery for it. `None` at the end of the range.
pub fn find_part(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    range: EventRange,
    limit: i64,
) -> Result<Option<(EventRange, bool)>> {
    let last = read.query_exactly_one(
        "select max(part.id) from (select id from event where id > $1 and id <= $2 \
         order by id limit $3) as part",
        &[range.after.into(), range.last.into(), limit.into()],
        |row| row.optional_integer(0),
    )?;
    let Some(last) = last else {
        return Ok(None);
    };
    let part = EventRange { last, ..range };
    Ok(Some((part, needs_replay(read, subscription, part)?)))
}

fn needs_replay(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    part: EventRange,
) -> Result<bool> {
    let id = subscription.into();
    read.exists(
        concat!(
            "select 1 from event e where e.id > $1 and e.id <= $2 and e.recorded_at >= $3 and ",
            received!("$4", "$5", "$6", "$7"),
            " and (select d.id from delivery d where d.event_row = e.id and d.subscription_id = $8 \
             and d.state = 'waiting' limit 1) is null limit 1"
        ),
        &[
            part.after.into(),
            part.last.into(),
            part.since.into(),
            id,
            id,
            id,
            id,
            id,
        ],
    )
}

/// Inserts a delivery for each recorded event of a range that the subscription receives and that is
/// not pending for it already. Simulated events are left out. Returns the number of deliveries.
pub fn replay(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    part: EventRange,
    now: i64,
) -> Result<u64> {
    let id = subscription.into();
    write.execute(
        concat!(
            "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
             not_before, created_at) \
             select $1, e.id, e.property_id, 'waiting', 0, $2, $3 from event e \
             where e.id > $4 and e.id <= $5 and e.recorded_at >= $6 and ",
            received!("$7", "$8", "$9", "$10"),
            " and (select d.id from delivery d where d.event_row = e.id and d.subscription_id = $11 \
             and d.state = 'waiting' limit 1) is null order by e.id"
        ),
        &[
            id,
            now.into(),
            now.into(),
            part.after.into(),
            part.last.into(),
            part.since.into(),
            id,
            id,
            id,
            id,
            id,
        ],
    )
}

/// The Unix seconds of the first event in a range that the subscription receives. `None` if there is
/// none.
pub fn find_first_time(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    range: EventRange,
) -> Result<Option<i64>> {
    let id = subscription.into();
    read.query_exactly_one(
        concat!(
            "select min(e.recorded_at) from event e where e.id > $1 and e.id <= $2 \
             and e.recorded_at >= $3 and ",
            received!("$4", "$5", "$6", "$7")
        ),
        &[
            range.after.into(),
            range.last.into(),
            range.since.into(),
            id,
            id,
            id,
            id,
        ],
        |row| row.optional_integer(0),
    )
}
