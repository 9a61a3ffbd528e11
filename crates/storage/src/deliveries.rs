//! Pending deliveries of one subscription: inserting them, and reading them for a lane.
//!
//! Times are in milliseconds unless a comment says seconds.

use chain::event::EventType;

use crate::events::SIMULATED_PREFIX;
use crate::events::read_event_type;
use crate::row::{Row, Value};
use crate::subscriptions::SubscriptionId;
use crate::{Read, Result, Write};

/// The columns that [`read_due`] reads.
macro_rules! due_columns {
    () => {
        "d.id, d.attempts, d.created_at, e.id, e.event_id, e.event_type, e.property_id, e.uprn, \
         e.label, e.date, e.recorded_at, e.detail, d.not_before, d.property_id"
    };
}

/// A pending delivery with its event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The id of the delivery.
    pub id: i64,
    /// Deliveries with the same number keep their order. It is the property's id, or a number below
    /// 0 that stands for an unknown property.
    pub order: i64,
    /// Attempts so far.
    pub attempts: i64,
    /// When it was created.
    pub created_at: i64,
    /// Whether it was neither tried nor asked for again.
    pub is_first: bool,
    /// The event to deliver.
    pub event: DueEvent,
}

impl DueDelivery {
    /// Whether the subscriber asked for the delivery again.
    pub fn is_redelivery(&self) -> bool {
        self.attempts == 0 && !self.is_first
    }
}

/// The event of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueEvent {
    /// Its place in the outbox.
    pub row: i64,
    /// Its id for subscribers.
    pub event_id: String,
    /// Its event type.
    pub event_type: EventType,
    /// The property's id, 0 if unknown.
    pub property: i64,
    /// The property's UPRN, 0 if unknown.
    pub uprn: i64,
    /// Document 1's label; `None` for a fall-through.
    pub label: Option<String>,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// Unix seconds.
    pub recorded_at: i64,
    /// The claim `data` as JSON, if the other members do not say it.
    pub detail: Option<String>,
}

impl DueEvent {
    /// Whether `simulate` made the event, so that it says nothing about a sale (S-33).
    pub fn is_simulated(&self) -> bool {
        self.event_id.starts_with(SIMULATED_PREFIX)
    }
}

/// The oldest pending delivery of a property, which is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The pending delivery.
    pub delivery: DueDelivery,
    /// Whether later deliveries of the same property are pending.
    pub is_followed: bool,
    not_before: i64,
}

/// Inserts a delivery for one subscription. Returns its id.
pub fn insert_delivery(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    event_row: i64,
    property: i64,
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

/// One half of [`LIST_HEADS`], with its six placeholders and its condition on attempts.
///
/// Each condition repeats the words of an index of pending deliveries; the migrations explain them.
/// With `exists` instead of the subquery for older deliveries, PostgreSQL might plan a join that
/// loses the order of the index.
macro_rules! heads {
    ($later:literal, $id:literal, $now:literal, $active:literal, $older:literal, $limit:literal,
     $attempts:literal) => {
        concat!(
            "select * from (select ",
            due_columns!(),
            ", (select f.id from delivery f where f.subscription_id + 0 = ",
            $later,
            " and f.state = 'waiting' and f.created_at >= 0 and f.property_id = d.property_id \
             and f.id + 0 > d.id + 0 limit 1) \
             from delivery d join event e on e.id = d.event_row \
             where d.subscription_id + 0 = ",
            $id,
            " and d.state = 'waiting' and d.not_before >= 0 and d.not_before <= ",
            $now,
            " and d.attempts ",
            $attempts,
            " and exists (select 1 from subscription s where s.id = ",
            $active,
            " and s.status = 'active') \
             and (select o.id from delivery o where o.subscription_id + 0 = ",
            $older,
            " and o.state = 'waiting' and o.created_at >= 0 and o.property_id = d.property_id \
             and o.id + 0 < d.id + 0 limit 1) is null \
             order by d.not_before, d.id limit ",
            $limit,
            ")"
        )
    };
}

/// Each half walks an index in its order and stops at the limit. The second half runs only if the
/// first has fewer rows. Sorting both together would read all pending deliveries each time.
const LIST_HEADS: &str = concat!(
    heads!("$1", "$2", "$3", "$4", "$5", "$6", "= 0"),
    " as fresh union all ",
    heads!("$7", "$8", "$9", "$10", "$11", "$12", "> 0"),
    " as retried limit $13"
);

/// The due deliveries of an active subscription: for each property the oldest pending one, if it is
/// due. Deliveries without an attempt come first, then by due time. The flag says whether there may
/// be more.
pub fn list_heads(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    now: i64,
    limit: usize,
) -> Result<(Vec<Head>, bool)> {
    let id = subscription.into();
    let half = [id, id, now.into(), id, id, as_limit(limit)];
    let parameters = [half.as_slice(), &half, &[as_limit(limit)]].concat();
    let mut heads = read.query(LIST_HEADS, &parameters, read_head)?;
    // SQL does not promise an order for the combined rows.
    heads.sort_by_key(|head| {
        let DueDelivery { id, attempts, .. } = head.delivery;
        (attempts > 0, head.not_before, id)
    });
    let is_cut = heads.len() >= limit;
    Ok((heads, is_cut))
}

/// Properties in turn, see [`list_turn`].
#[derive(Debug, Default)]
pub struct Turn {
    /// The oldest pending delivery of each property, if it is due.
    pub heads: Vec<Head>,
    /// The turn goes on below this property; `None` where it ends.
    pub below: Option<i64>,
}

/// Each step of the recursion is one look into the index of what waits for a property.
const LIST_TURN: &str = concat!(
    "with recursive turn (place, property) as (select 1, (select d.property_id from delivery d \
     where d.subscription_id + 0 = $1 and d.state = 'waiting' and d.created_at >= 0 \
     and d.property_id < $2 order by d.property_id desc limit 1) union all \
     select turn.place + 1, (select d.property_id from delivery d \
     where d.subscription_id + 0 = $3 and d.state = 'waiting' and d.created_at >= 0 \
     and d.property_id < turn.property order by d.property_id desc limit 1) \
     from turn where turn.place < $4 and turn.property is not null) select ",
    due_columns!(),
    ", (select f.id from delivery f where f.subscription_id + 0 = $5 and f.state = 'waiting' \
     and f.created_at >= 0 and f.property_id = d.property_id and f.id + 0 > d.id + 0 limit 1) \
     from turn join delivery d on d.id = (select o.id from delivery o \
     where o.subscription_id + 0 = $6 and o.state = 'waiting' and o.created_at >= 0 \
     and o.property_id = turn.property order by o.id + 0 limit 1) \
     join event e on e.id = d.event_row order by turn.place"
);

/// The next `limit` properties below a number for which something is pending, in falling order; `None`
/// begins at the end. A property that gets its number later does not keep the others waiting.
pub fn list_turn(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    now: i64,
    below: Option<i64>,
    limit: usize,
) -> Result<Turn> {
    let (id, below): (Value<'_>, _) = (subscription.into(), below.unwrap_or(i64::MAX));
    let parameters = [id, below.into(), id, as_limit(limit), id, id];
    let mut heads = read.query(LIST_TURN, &parameters, read_head)?;
    let is_cut = heads.len() >= limit;
    let below = heads
        .last()
        .filter(|_| is_cut)
        .map(|head| head.delivery.order);
    heads.retain(|head| head.not_before <= now);
    Ok(Turn { heads, below })
}

/// Deliveries behind the head of a property, in order.
#[derive(Debug, Default)]
pub struct Following {
    /// Those that are due, up to the first that is not.
    pub due: Vec<DueDelivery>,
    /// Whether more may be pending.
    pub is_cut: bool,
}

/// The deliveries of a property that are pending after its head, and are due at `now`.
pub fn list_following(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    head: &DueDelivery,
    now: i64,
    limit: usize,
) -> Result<Following> {
    let found = read.query(
        concat!(
            "select ",
            due_columns!(),
            " from delivery d join event e on e.id = d.event_row \
             where d.subscription_id + 0 = $1 and d.state = 'waiting' and d.created_at >= 0 \
             and d.property_id = $2 and d.id + 0 > $3 order by d.id + 0 limit $4"
        ),
        &[
            subscription.into(),
            head.order.into(),
            head.id.into(),
            as_limit(limit),
        ],
        |row| Ok((row.integer(12)?, read_due(row)?)),
    )?;
    let pending = found.len();
    let due = found.into_iter().take_while(|(due, _)| *due <= now);
    let due: Vec<_> = due.map(|(_, delivery)| delivery).collect();
    Ok(Following {
        is_cut: due.len() < pending || pending >= limit,
        due,
    })
}

fn as_limit(limit: usize) -> Value<'static> {
    i64::try_from(limit).unwrap_or(i64::MAX).into()
}

fn read_head(row: &Row<'_>) -> Result<Head> {
    Ok(Head {
        is_followed: row.optional_integer(14)?.is_some(),
        not_before: row.integer(12)?,
        delivery: read_due(row)?,
    })
}

fn read_due(row: &Row<'_>) -> Result<DueDelivery> {
    let (attempts, created_at) = (row.integer(1)?, row.integer(2)?);
    Ok(DueDelivery {
        id: row.integer(0)?,
        order: row.integer(13)?,
        attempts,
        created_at,
        is_first: attempts == 0 && row.integer(12)? == created_at,
        event: read_event(row, 3)?,
    })
}

/// Reads an event from nine columns, of which this is the first.
pub(crate) fn read_event(row: &Row<'_>, first: usize) -> Result<DueEvent> {
    Ok(DueEvent {
        row: row.integer(first)?,
        event_id: row.text(first + 1)?,
        event_type: read_event_type(row, first + 2)?,
        property: row.integer(first + 3)?,
        uprn: row.integer(first + 4)?,
        label: row.optional_text(first + 5)?,
        date: row.text(first + 6)?,
        recorded_at: row.integer(first + 7)?,
        detail: row.optional_text(first + 8)?,
    })
}
