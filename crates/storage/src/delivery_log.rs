//! The log of deliveries that subscribers read, and redelivery (S-37).
//!
//! Times are in milliseconds unless a comment says seconds.

use chain::event::EventType;

use crate::deliveries::{DueEvent, read_event};
use crate::delivery_choice::DeliveryFilter;
use crate::events::read_event_type;
use crate::row::Row;
use crate::subscription_id::SubscriptionId;
use crate::subscription_overview::WAITING_COUNTED_MAX;
use crate::{Read, Result, Write};

/// The newest attempts of a delivery that the log shows. A schedule has eleven, but a delivery can be sent again
/// many times. Each has up to 1,024 characters of the receiver's answer.
const ATTEMPTS_SHOWN_MAX: i64 = 12;

/// One delivery with its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedDelivery {
    /// The id of the delivery.
    pub id: i64,
    /// The event.
    pub event: DueEvent,
    /// `waiting`, `delivered`, `failed` or `cancelled`.
    pub state: String,
    /// When the delivery was created.
    pub created_at: i64,
    /// When the next attempt is due, while it is pending.
    pub not_before: i64,
    /// When it was delivered, failed or was cancelled.
    pub ended_at: Option<i64>,
    /// Nobody has received the event, and the subscriber may no longer receive it (S-39).
    pub is_withheld: bool,
    /// Oldest first.
    pub attempts: Vec<LoggedAttempt>,
}

/// One attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedAttempt {
    /// Counted from 1.
    pub number: i64,
    /// When it began.
    pub begun_at: i64,
    /// How long it took.
    pub duration: i64,
    /// The HTTP status, if the receiver answered.
    pub status: Option<i64>,
    /// One word for the failure.
    pub error: Option<String>,
    /// The beginning of the answer's body as text. `None` if it was empty.
    pub answer: Option<String>,
}

/// The number of a subscription's deliveries that the filter admits, and one page of them, the
/// newest first.
pub fn list_deliveries(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    filter: DeliveryFilter,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<LoggedDelivery>)> {
    let statements = filter.statements();
    let (limit, offset, subscription) = (limit.into(), offset.into(), subscription.into());
    let (total, mut found) = match filter.event_type.map(EventType::as_str) {
        None => (
            read.query_integer(statements.count, &[subscription])?,
            read.query(
                statements.page,
                &[subscription, limit, offset],
                read_delivery,
            )?,
        ),
        Some(word) => (
            read.query_integer(statements.count_of_type, &[subscription, word.into()])?,
            read.query(
                statements.page_of_type,
                &[subscription, word.into(), limit, offset],
                read_delivery,
            )?,
        ),
    };
    for delivery in &mut found {
        delivery.attempts = read.query(
            "select number, begun_at, duration, status, error, answer from attempt \
             where delivery_id = $1 order by id desc limit $2",
            &[delivery.id.into(), ATTEMPTS_SHOWN_MAX.into()],
            read_attempt,
        )?;
        delivery.attempts.reverse();
    }
    Ok((total, found))
}

/// The oldest pending delivery of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldestWaiting {
    /// When the next attempt is due.
    pub not_before: i64,
    /// The newest attempt at it.
    pub last: Option<LoggedAttempt>,
}

/// Finds the oldest of the first 100,000 pending deliveries that are due next.
pub fn find_oldest_waiting(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
) -> Result<Option<OldestWaiting>> {
    let found = read.query_one(
        "select seen.id, seen.not_before from (select d.id, d.not_before, d.created_at \
         from delivery d where d.subscription_id + 0 = $1 and d.state = 'waiting' \
         and d.not_before >= 0 order by d.not_before, d.id limit $2) as seen \
         order by seen.created_at, seen.id limit 1",
        &[subscription.into(), WAITING_COUNTED_MAX.into()],
        |row| Ok((row.integer(0)?, row.integer(1)?)),
    )?;
    let Some((delivery, not_before)) = found else {
        return Ok(None);
    };
    let last = read.query_one(
        "select number, begun_at, duration, status, error, answer from attempt \
         where delivery_id = $1 order by id desc limit 1",
        &[delivery.into()],
        read_attempt,
    )?;
    Ok(Some(OldestWaiting { not_before, last }))
}

/// Finds the type of the event of a delivery. `None` if the subscription has no such delivery.
pub fn find_event_type(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    delivery: i64,
) -> Result<Option<EventType>> {
    read.query_one(
        "select e.event_type from delivery d join event e on e.id = d.event_row \
         where d.id = $1 and d.subscription_id = $2",
        &[delivery.into(), subscription.into()],
        |row| read_event_type(row, 0),
    )
}

/// Makes a delivery pending again, in any state, with a new schedule. `false` if the subscription
/// has no such delivery.
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

/// Cancels a pending delivery. Returns its state after that, which is `cancelled` unless it had ended
/// before. `None` if the subscription has no such delivery.
pub fn cancel(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    delivery: i64,
    now: i64,
) -> Result<Option<String>> {
    write.execute(
        "update delivery set state = 'cancelled', not_before = 0, ended_at = $1 \
         where id = $2 and subscription_id = $3 and state = 'waiting'",
        &[now.into(), delivery.into(), subscription.into()],
    )?;
    write.query_one(
        "select state from delivery where id = $1 and subscription_id = $2",
        &[delivery.into(), subscription.into()],
        |row| row.text(0),
    )
}

fn read_delivery(row: &Row<'_>) -> Result<LoggedDelivery> {
    Ok(LoggedDelivery {
        id: row.integer(0)?,
        event: read_event(row, 1)?,
        state: row.text(10)?,
        created_at: row.integer(11)?,
        not_before: row.integer(12)?,
        ended_at: row.optional_integer(13)?,
        is_withheld: row.flag(14)?,
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
        answer: row.optional_text(5)?,
    })
}
