//! Deliveries: what each subscription is owed, what was tried, how it ended.
//!
//! Times are in milliseconds, but for those that a comment calls seconds.

use chain::event::EventType;

use crate::lanes::{self, Health, Lane};
use crate::row::Row;
use crate::subscriptions::SubscriptionId;
use crate::{Read, Result, StorageError, Write};

/// An event on its way to one subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The delivery.
    pub id: i64,
    /// Deliveries of one number come in order: the property's, where it is known.
    pub order: i64,
    /// Attempts before this one.
    pub attempts: i64,
    /// When it was owed first.
    pub created_at: i64,
    /// Whether nobody asked for it again, and nothing was tried.
    pub is_first: bool,
    /// What is told.
    pub event: DueEvent,
}

/// An event as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueEvent {
    /// Its place in the outbox.
    pub row: i64,
    /// Its id for subscribers.
    pub event_id: String,
    /// Its type.
    pub event_type: EventType,
    /// The property's id, 0 if unknown.
    pub property: i64,
    /// The property's number, 0 if unknown.
    pub uprn: i64,
    /// Document 1's label; none for a fall through.
    pub label: Option<String>,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Unix seconds.
    pub recorded_at: i64,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptResult {
    /// Of which delivery.
    pub delivery: i64,
    /// Counted from 1.
    pub number: i64,
    /// When it began.
    pub begun_at: i64,
    /// How long it took.
    pub duration: i64,
    /// HTTP status, where one came.
    pub status: Option<i64>,
    /// What went wrong, in one word.
    pub error: Option<&'static str>,
    /// What follows.
    pub next: Next,
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It was delivered.
    Delivered,
    /// It is tried again, not before this time.
    Retry(i64),
    /// It is not tried again unless somebody asks.
    Failed,
}

/// Owes an event to every active subscription that hears its type; how many
/// those are. Runs in the transaction that records the event (S-34).
pub fn enqueue_event(
    write: &mut Write<'_>,
    (event_row, event_type): (i64, EventType),
    property: i64,
    now: i64,
) -> Result<u64> {
    let sql = match event_type {
        EventType::MilestoneUpdated => {
            "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
             not_before, created_at) \
             select s.id, $1, $2, 'waiting', 0, $3, $4 from subscription s \
             where s.status = 'active' and s.hears_milestones = 1"
        }
        EventType::FallThrough => {
            "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
             not_before, created_at) \
             select s.id, $1, $2, 'waiting', 0, $3, $4 from subscription s \
             where s.status = 'active' and s.hears_fall_throughs = 1"
        }
    };
    write.execute(
        sql,
        &[event_row.into(), property.into(), now.into(), now.into()],
    )
}

/// Owes an event to one subscription; the delivery's id.
pub fn insert_delivery(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    (event_row, property): (i64, i64),
    now: i64,
) -> Result<i64> {
    write.insert(
        "insert into delivery (subscription_id, event_row, property_id, state, attempts, \
         not_before, created_at) values ($1, $2, $3, 'waiting', 0, $4, $5) returning id",
        &[
            subscription.into(),
            event_row.into(),
            property.into(),
            now.into(),
            now.into(),
        ],
    )
}

/// What a subscription may be sent now: of each property the oldest that
/// waits, if it is due; those never tried first, then the longest due. Nothing
/// once the subscription is not active any more.
pub fn list_heads(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    now: i64,
    limit: i64,
) -> Result<Vec<DueDelivery>> {
    read.query(
        "select d.id, d.attempts, d.created_at, e.id, e.event_id, e.event_type, e.property_id, \
         e.uprn, e.label, e.date, e.recorded_at, d.not_before, d.property_id \
         from delivery d join event e on e.id = d.event_row \
         where d.subscription_id = $1 and d.state = 'waiting' and d.not_before <= $2 \
         and exists (select 1 from subscription s where s.id = d.subscription_id \
         and s.status = 'active') \
         and not exists (select 1 from delivery o where o.subscription_id = $3 \
         and o.state = 'waiting' and o.property_id = d.property_id and o.id < d.id) \
         order by case when d.attempts = 0 then 0 else 1 end, d.not_before, d.id limit $4",
        &[
            subscription.into(),
            now.into(),
            subscription.into(),
            limit.into(),
        ],
        read_due,
    )
}

/// What waits behind a delivery for the same property, in order.
pub fn list_following(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    (order, after): (i64, i64),
    limit: i64,
) -> Result<Vec<DueDelivery>> {
    read.query(
        "select d.id, d.attempts, d.created_at, e.id, e.event_id, e.event_type, e.property_id, \
         e.uprn, e.label, e.date, e.recorded_at, d.not_before, d.property_id \
         from delivery d join event e on e.id = d.event_row \
         where d.subscription_id = $1 and d.state = 'waiting' and d.property_id = $2 \
         and d.id > $3 order by d.id limit $4",
        &[
            subscription.into(),
            order.into(),
            after.into(),
            limit.into(),
        ],
        read_due,
    )
}

/// Stores what came of attempts on a lane, and how the lane goes now; `false`,
/// and nothing stored, if the lane is another node's by now.
pub fn store_attempts(
    write: &mut Write<'_>,
    lane: &Lane,
    results: &[AttemptResult],
    health: &Health,
) -> Result<bool> {
    if !lanes::store_health(write, lane, health)? {
        return Ok(false);
    }
    for result in results {
        let (state, not_before, ended_at) = match result.next {
            Next::Delivered => ("delivered", 0, Some(result.begun_at + result.duration)),
            Next::Retry(at) => ("waiting", at, None),
            Next::Failed => ("failed", 0, Some(result.begun_at + result.duration)),
        };
        // A delivery that was removed or ended meanwhile is not touched. But one that was
        // cancelled while its attempt was under way has arrived all the same.
        let also = match result.next {
            Next::Delivered => "cancelled",
            Next::Retry(_) | Next::Failed => "waiting",
        };
        let changed = write.execute(
            "update delivery set state = $1, not_before = $2, ended_at = $3, attempts = $4 \
             where id = $5 and state in ('waiting', $6)",
            &[
                state.into(),
                not_before.into(),
                ended_at.into(),
                result.number.into(),
                result.delivery.into(),
                also.into(),
            ],
        )?;
        if changed > 0 {
            write.execute(
                "insert into attempt (delivery_id, number, begun_at, duration, status, error) \
                 values ($1, $2, $3, $4, $5, $6)",
                &[
                    result.delivery.into(),
                    result.number.into(),
                    result.begun_at.into(),
                    result.duration.into(),
                    result.status.into(),
                    result.error.into(),
                ],
            )?;
        }
    }
    Ok(true)
}

fn read_due(row: &Row<'_>) -> Result<DueDelivery> {
    let event_type = row.str(5)?;
    let event_type = EventType::parse(event_type)
        .ok_or_else(|| StorageError::Corrupt(format!("`{event_type}` is no event type")))?;
    let (attempts, created_at) = (row.integer(1)?, row.integer(2)?);
    Ok(DueDelivery {
        id: row.integer(0)?,
        order: row.integer(12)?,
        attempts,
        created_at,
        is_first: attempts == 0 && row.integer(11)? == created_at,
        event: DueEvent {
            row: row.integer(3)?,
            event_id: row.text(4)?,
            event_type,
            property: row.integer(6)?,
            uprn: row.integer(7)?,
            label: row.optional_text(8)?,
            date: row.text(9)?,
            recorded_at: row.integer(10)?,
        },
    })
}
