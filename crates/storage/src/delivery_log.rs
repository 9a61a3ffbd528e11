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
        "select d.id, e.event_id, e.event_type, e.property_id, d.state, d.created_at, \
         d.not_before, d.ended_at from delivery d join event e on e.id = d.event_row \
         where d.subscription_id = $1 order by d.id desc limit $2 offset $3",
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

/// What a replay came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replayed {
    /// How many deliveries are owed because of it.
    pub deliveries: u64,
    /// Since when events were left out, in Unix seconds, if any were.
    pub left_out_since: Option<i64>,
}

/// Owes a subscription again all real events of its types since a time, in
/// Unix seconds, that do not wait for it already: the first ones recorded, at
/// most `limit`.
pub fn replay(
    write: &mut Write<'_>,
    subscription: &StoredSubscription,
    (since, limit): (i64, i64),
    now: i64,
) -> Result<Replayed> {
    let hears = |wanted| subscription.events.contains(&wanted);
    let word = |wanted: EventType| if hears(wanted) { wanted.as_str() } else { "" };
    let deliveries = write.execute(
        "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
         not_before, created_at) \
         select $1, e.id, e.property_id, 'waiting', 0, $2, $3 from event e \
         where e.recorded_at >= $4 and e.listing_id is not null and e.event_type in ($5, $6) \
         and not exists (select 1 from delivery d where d.event_row = e.id \
         and d.subscription_id = $7 and d.state = 'waiting') order by e.id limit $8",
        &[
            subscription.id.into(),
            now.into(),
            now.into(),
            since.into(),
            word(EventType::MilestoneUpdated).into(),
            word(EventType::FallThrough).into(),
            subscription.id.into(),
            limit.into(),
        ],
    )?;
    let is_whole = i64::try_from(deliveries).is_ok_and(|deliveries| deliveries < limit);
    if is_whole {
        return Ok(Replayed {
            deliveries,
            left_out_since: None,
        });
    }
    // Those that were just owed are the subscription's last.
    let left_out_since = write.query_exactly_one(
        "select min(e.recorded_at) from event e where e.id > (select d.event_row \
         from delivery d where d.subscription_id = $1 order by d.id desc limit 1) \
         and e.recorded_at >= $2 and e.listing_id is not null and e.event_type in ($3, $4)",
        &[
            subscription.id.into(),
            since.into(),
            word(EventType::MilestoneUpdated).into(),
            word(EventType::FallThrough).into(),
        ],
        |row| row.optional_integer(0),
    )?;
    Ok(Replayed {
        deliveries,
        left_out_since,
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
