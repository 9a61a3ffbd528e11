//! Deliveries: what each subscription is owed.
//!
//! Times are in milliseconds, but for those that a comment calls seconds.

use chain::event::EventType;

use crate::row::{Row, Value};
use crate::subscriptions::SubscriptionId;
use crate::{Read, Result, StorageError, Write};

/// What [`read_due`] reads.
macro_rules! due_columns {
    () => {
        "d.id, d.attempts, d.created_at, e.id, e.event_id, e.event_type, e.property_id, e.uprn, \
         e.label, e.date, e.recorded_at, d.not_before, d.property_id"
    };
}

/// An event on its way to one subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The delivery.
    pub id: i64,
    /// With what it keeps an order: the property's id, or a number below 0 that
    /// stands for a property that is not known.
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

/// The first delivery that waits for its property, and is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The delivery.
    pub delivery: DueDelivery,
    /// Whether others wait behind it for the same property.
    pub is_followed: bool,
    not_before: i64,
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
/// once the subscription is not active any more. The flag says whether there
/// may be more than these.
pub fn list_heads(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    now: i64,
    limit: usize,
) -> Result<(Vec<Head>, bool)> {
    // The words are those of the indexes of what waits; see the migrations. As
    // `exists`, PostgreSQL would join what is older, and might do so in another
    // order than that of the index.
    // Each part walks an index in its order and stops at the limit; the second
    // begins only where the first came to its end. Sorting both as one would
    // look at all that waits, each time.
    let sql = concat!(
        "select * from (select ",
        due_columns!(),
        ", (select f.id from delivery f where f.subscription_id + 0 = $1 \
         and f.state = 'waiting' and f.created_at >= 0 and f.property_id = d.property_id \
         and f.id + 0 > d.id + 0 limit 1) \
         from delivery d join event e on e.id = d.event_row \
         where d.subscription_id + 0 = $2 and d.state = 'waiting' and d.not_before >= 0 \
         and d.not_before <= $3 and d.attempts = 0 \
         and exists (select 1 from subscription s where s.id = $4 and s.status = 'active') \
         and (select o.id from delivery o where o.subscription_id + 0 = $5 \
         and o.state = 'waiting' and o.created_at >= 0 and o.property_id = d.property_id \
         and o.id + 0 < d.id + 0 limit 1) is null \
         order by d.not_before, d.id limit $6) as fresh \
         union all select * from (select ",
        due_columns!(),
        ", (select f.id from delivery f where f.subscription_id + 0 = $7 \
         and f.state = 'waiting' and f.created_at >= 0 and f.property_id = d.property_id \
         and f.id + 0 > d.id + 0 limit 1) \
         from delivery d join event e on e.id = d.event_row \
         where d.subscription_id + 0 = $8 and d.state = 'waiting' and d.not_before >= 0 \
         and d.not_before <= $9 and d.attempts > 0 \
         and exists (select 1 from subscription s where s.id = $10 and s.status = 'active') \
         and (select o.id from delivery o where o.subscription_id + 0 = $11 \
         and o.state = 'waiting' and o.created_at >= 0 and o.property_id = d.property_id \
         and o.id + 0 < d.id + 0 limit 1) is null \
         order by d.not_before, d.id limit $12) as retried limit $13"
    );
    let id = subscription.into();
    let part = [id, id, now.into(), id, id, as_limit(limit)];
    let parameters = [part.as_slice(), &part, &[as_limit(limit)]].concat();
    let mut heads = read.query(sql, &parameters, |row| {
        Ok(Head {
            is_followed: row.optional_integer(13)?.is_some(),
            not_before: row.integer(11)?,
            delivery: read_due(row)?,
        })
    })?;
    // The order of a whole that is put together is nobody's promise.
    heads.sort_by_key(|head| {
        let DueDelivery { id, attempts, .. } = head.delivery;
        (attempts > 0, head.not_before, id)
    });
    let is_cut = heads.len() >= limit;
    Ok((heads, is_cut))
}

/// What waits behind a delivery for the same property, in order.
pub fn list_following(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    (property, after): (i64, i64),
    limit: usize,
) -> Result<Vec<DueDelivery>> {
    read.query(
        concat!(
            "select ",
            due_columns!(),
            " from delivery d join event e on e.id = d.event_row \
             where d.subscription_id + 0 = $1 and d.state = 'waiting' and d.created_at >= 0 \
             and d.property_id = $2 and d.id + 0 > $3 order by d.id + 0 limit $4"
        ),
        &[
            subscription.into(),
            property.into(),
            after.into(),
            as_limit(limit),
        ],
        read_due,
    )
}

fn as_limit(limit: usize) -> Value<'static> {
    i64::try_from(limit).unwrap_or(i64::MAX).into()
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
