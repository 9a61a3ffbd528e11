//! The log of deliveries that subscribers read, and what they ask for again (S-37).
//!
//! Times are in milliseconds, but for those that a comment calls seconds.

use crate::row::Row;
use crate::subscriptions::{StoredSubscription, SubscriptionId};
use crate::{Read, Result, Write};
use chain::event::EventType;

/// One delivery with its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// The delivery.
    pub id: i64,
    /// Its event's id for subscribers.
    pub event_id: String,
    /// Its event's type, as subscribers name it.
    pub event_type: String,
    /// The property's id, 0 if unknown.
    pub property: i64,
    /// `waiting`, `delivered`, `failed` or `cancelled`.
    pub state: String,
    /// When it was owed first.
    pub created_at: i64,
    /// When it is tried next, while it waits.
    pub not_before: i64,
    /// When it was delivered, given up or cancelled.
    pub ended_at: Option<i64>,
    /// Oldest first.
    pub attempts: Vec<LoggedAttempt>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// Counted from 1.
    pub number: i64,
    /// When it began.
    pub begun_at: i64,
    /// How long it took.
    pub duration: i64,
    /// HTTP status, where one came.
    pub status: Option<i64>,
    /// What went wrong, in one word.
    pub error: Option<String>,
}

/// The deliveries of a subscription, the newest first, and how many there are.
pub fn list_deliveries(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<LoggedDelivery>)> {
    let total = read.query_exactly_one(
        "select count(*) from delivery where subscription_id = $1",
        &[subscription.into()],
        |row| row.integer(0),
    )?;
    let mut found = read.query(
        // What lies before the page is counted in the index alone.
        "select d.id, e.event_id, e.event_type, e.property_id, d.state, d.created_at, \
         d.not_before, d.ended_at from (select id from delivery where subscription_id = $1 \
         order by id desc limit $2 offset $3) as page join delivery d on d.id = page.id \
         join event e on e.id = d.event_row order by d.id desc",
        &[subscription.into(), limit.into(), offset.into()],
        read_delivery,
    )?;
    for delivery in &mut found {
        delivery.attempts = read.query(
            "select number, begun_at, duration, status, error from attempt \
             where delivery_id = $1 order by id",
            &[delivery.id.into()],
            read_attempt,
        )?;
    }
    Ok((total, found))
}

/// Sends one delivery again, whatever became of it, beginning a new schedule;
/// `false` if the subscription has no such delivery.
pub fn redeliver(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    delivery: i64,
    now: i64,
) -> Result<bool> {
    let changed = write.execute(
        "update delivery set state = 'waiting', attempts = 0, not_before = $1, ended_at = null \
         where id = $2 and subscription_id = $3",
        &[now.into(), delivery.into(), subscription.into()],
    )?;
    Ok(changed > 0)
}

/// Events that are to be owed again, by their places in the outbox: after one
/// of them, up to another, and recorded since a time in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// It begins behind this place.
    pub after: i64,
    /// It ends with this one.
    pub last: i64,
    /// Unix seconds.
    pub since: i64,
}

/// All that was recorded since a time, in Unix seconds; none if nothing was.
pub fn find_stretch(read: &mut Read<'_>, since: i64) -> Result<Option<Stretch>> {
    let ends = read.query_exactly_one(
        // The sums stand in no index, so that the one of ages is walked, and not all ids.
        "select min(id + 0), max(id + 0) from event where recorded_at >= $1",
        &[since.into()],
        |row| Ok((row.optional_integer(0)?, row.optional_integer(1)?)),
    )?;
    let (Some(first), Some(last)) = ends else {
        return Ok(None);
    };
    let after = first - 1;
    Ok(Some(Stretch { after, last, since }))
}

/// The first part of a stretch, of at most `limit` events, and whether any of
/// them is to be owed again: a real one of the subscription's types that does
/// not wait for it already. None when the stretch is at its end.
pub fn find_part(
    read: &mut Read<'_>,
    subscription: &StoredSubscription,
    stretch: Stretch,
    limit: i64,
) -> Result<Option<(Stretch, bool)>> {
    let last = read.query_exactly_one(
        "select max(part.id) from (select id from event where id > $1 and id <= $2 \
         order by id limit $3) as part",
        &[stretch.after.into(), stretch.last.into(), limit.into()],
        |row| row.optional_integer(0),
    )?;
    let Some(last) = last else {
        return Ok(None);
    };
    let part = Stretch { last, ..stretch };
    let [milestones, fall_throughs] = words(subscription);
    let owing = read.query_one(
        "select 1 from event e where e.id > $1 and e.id <= $2 and e.recorded_at >= $3 \
         and e.listing_id is not null and e.event_type in ($4, $5) \
         and (select d.id from delivery d where d.event_row = e.id and d.subscription_id = $6 \
         and d.state = 'waiting' limit 1) is null limit 1",
        &[
            part.after.into(),
            part.last.into(),
            part.since.into(),
            milestones.into(),
            fall_throughs.into(),
            subscription.id.into(),
        ],
        |_row| Ok(()),
    )?;
    Ok(Some((part, owing.is_some())))
}

/// Owes a subscription again what a part holds for it; how many deliveries that
/// are.
pub fn replay(
    write: &mut Write<'_>,
    subscription: &StoredSubscription,
    part: Stretch,
    now: i64,
) -> Result<u64> {
    let [milestones, fall_throughs] = words(subscription);
    write.execute(
        "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
         not_before, created_at) \
         select $1, e.id, e.property_id, 'waiting', 0, $2, $3 from event e \
         where e.id > $4 and e.id <= $5 and e.recorded_at >= $6 \
         and e.listing_id is not null and e.event_type in ($7, $8) \
         and (select d.id from delivery d where d.event_row = e.id and d.subscription_id = $9 \
         and d.state = 'waiting' limit 1) is null order by e.id",
        &[
            subscription.id.into(),
            now.into(),
            now.into(),
            part.after.into(),
            part.last.into(),
            part.since.into(),
            milestones.into(),
            fall_throughs.into(),
            subscription.id.into(),
        ],
    )
}

/// Since when, in Unix seconds, a stretch holds events of the subscription's
/// types; none if it holds no such.
pub fn find_first_time(
    read: &mut Read<'_>,
    subscription: &StoredSubscription,
    stretch: Stretch,
) -> Result<Option<i64>> {
    let [milestones, fall_throughs] = words(subscription);
    read.query_exactly_one(
        "select min(recorded_at) from event where id > $1 and id <= $2 and recorded_at >= $3 \
         and listing_id is not null and event_type in ($4, $5)",
        &[
            stretch.after.into(),
            stretch.last.into(),
            stretch.since.into(),
            milestones.into(),
            fall_throughs.into(),
        ],
        |row| row.optional_integer(0),
    )
}

/// The names of the types that a subscription hears, empty for those that it
/// does not.
fn words(subscription: &StoredSubscription) -> [&'static str; 2] {
    [EventType::MilestoneUpdated, EventType::FallThrough].map(|wanted| {
        if subscription.events.contains(&wanted) {
            wanted.as_str()
        } else {
            ""
        }
    })
}

/// Removes deliveries that ended before `ended_before`, with their attempts,
/// and events older than that, in seconds, which nobody is owed any more. At
/// most `limit` of each, so that no transaction grows long.
pub fn prune(write: &mut Write<'_>, ended_before: i64, limit: i64) -> Result<u64> {
    write.execute(
        "delete from attempt where delivery_id in (select id from delivery \
         where ended_at < $1 order by ended_at, id limit $2)",
        &[ended_before.into(), limit.into()],
    )?;
    let removed = write.execute(
        "delete from delivery where id in (select id from delivery \
         where ended_at < $1 order by ended_at, id limit $2)",
        &[ended_before.into(), limit.into()],
    )?;
    write.execute(
        "delete from event where id in (select e.id from event e where e.recorded_at < $1 \
         and not exists (select 1 from delivery d where d.event_row = e.id) \
         order by e.recorded_at limit $2)",
        &[(ended_before / 1000).into(), limit.into()],
    )?;
    Ok(removed)
}

fn read_delivery(row: &Row<'_>) -> Result<LoggedDelivery> {
    Ok(LoggedDelivery {
        id: row.integer(0)?,
        event_id: row.text(1)?,
        event_type: row.text(2)?,
        property: row.integer(3)?,
        state: row.text(4)?,
        created_at: row.integer(5)?,
        not_before: row.integer(6)?,
        ended_at: row.optional_integer(7)?,
        attempts: Vec::new(),
    })
}

fn read_attempt(row: &Row<'_>) -> Result<LoggedAttempt> {
    Ok(LoggedAttempt {
        number: row.integer(0)?,
        begun_at: row.integer(1)?,
        duration: row.integer(2)?,
        status: row.optional_integer(3)?,
        error: row.optional_text(4)?,
    })
}
