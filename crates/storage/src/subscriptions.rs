//! Subscriptions: each is one callback URL of one API key (S-30).

use chain::event::EventType;

use crate::row::Row;
pub use crate::subscription_id::SubscriptionId;
use crate::{Read, Result, Write, waiting};

/// A query for [`read_subscription`], up to its condition.
macro_rules! select_subscription {
    () => {
        "select id, reference, participant_name, callback_url, hears_milestones, \
         hears_fall_throughs, status, disabled_reason, disabled_at, created_at, updated_at, \
         (select open_until from lane where subscription_id = subscription.id), \
         (select failures from lane where subscription_id = subscription.id) from subscription "
    };
}

/// A subscription to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewSubscription<'a> {
    /// Its id for the subscriber. Only a new subscription gets it.
    pub reference: &'a str,
    /// The id of its API key.
    pub api_key: i64,
    /// The name that the subscriber gave itself.
    pub participant_name: &'a str,
    /// The URL that receives events.
    pub callback_url: &'a str,
    /// The event types that it receives, each once.
    pub events: &'a [EventType],
}

/// A stored subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubscription {
    /// Its id within the store.
    pub id: SubscriptionId,
    /// Its id for the subscriber.
    pub reference: String,
    /// The name that the subscriber gave itself.
    pub participant_name: String,
    /// The URL that receives events.
    pub callback_url: String,
    /// The event types that it receives.
    pub events: Vec<EventType>,
    /// Whether it receives new events.
    pub is_active: bool,
    /// Why it is not active: `gone`, `failing` or `key_revoked`.
    pub disabled_reason: Option<String>,
    /// Unix seconds.
    pub disabled_at: Option<i64>,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
    /// Its lane makes no attempt before this time. Unix milliseconds.
    pub paused_until: i64,
    /// Failed attempts since the last success.
    pub failures: i64,
}

/// The event types that an active subscription receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscribedTypes {
    /// `milestone.updated`.
    pub milestones: bool,
    /// `fallthrough`.
    pub fall_throughs: bool,
}

/// A subscription with its owner and its backlog, for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionOverview {
    /// Its id within the store.
    pub id: SubscriptionId,
    /// Its id for the subscriber.
    pub reference: String,
    /// The organisation that owns its API key.
    pub participant: String,
    /// The id of its API key.
    pub api_key: i64,
    /// The URL that receives events.
    pub callback_url: String,
    /// Whether it receives new events.
    pub is_active: bool,
    /// Why it is not active: `gone`, `failing` or `key_revoked`.
    pub disabled_reason: Option<String>,
    /// Failed attempts since the last success.
    pub failures: i64,
    /// Until when nothing is sent because attempts failed, in Unix milliseconds. 0: it is not paused.
    pub paused_until: i64,
    /// Pending deliveries, counted up to 100,000.
    pub waiting: i64,
    /// When the oldest of the counted deliveries was created, in Unix milliseconds.
    pub oldest_at: Option<i64>,
}

/// Pending deliveries of one subscription that an overview counts.
pub(crate) const WAITING_COUNTED_MAX: i64 = 100_000;

/// Lists the subscription with this reference, or all, the oldest first.
pub fn list_overviews(
    read: &mut Read<'_>,
    reference: Option<&str>,
) -> Result<Vec<SubscriptionOverview>> {
    let (only, limit) = (reference.unwrap_or_default(), WAITING_COUNTED_MAX);
    read.query(
        "select s.id, s.reference, p.name, k.id, s.callback_url, s.status, s.disabled_reason, \
         l.failures, l.open_until, \
         (select count(*) from (select 1 from delivery d where d.subscription_id + 0 = s.id + 0 \
         and d.state = 'waiting' and d.not_before >= 0 limit $1) as counted), \
         (select min(seen.created_at) from (select d.created_at from delivery d \
         where d.subscription_id + 0 = s.id + 0 and d.state = 'waiting' and d.not_before >= 0 \
         order by d.not_before, d.id limit $2) as seen) \
         from subscription s join lane l on l.subscription_id = s.id \
         join api_key k on k.id = s.api_key_id join participant p on p.id = k.participant_id \
         where $3 = '' or s.reference = $4 order by s.id",
        &[limit.into(), limit.into(), only.into(), only.into()],
        |row| {
            Ok(SubscriptionOverview {
                id: SubscriptionId(row.integer(0)?),
                reference: row.text(1)?,
                participant: row.text(2)?,
                api_key: row.integer(3)?,
                callback_url: row.text(4)?,
                is_active: row.str(5)? == "active",
                disabled_reason: row.optional_text(6)?,
                failures: row.integer(7)?,
                paused_until: row.integer(8)?,
                waiting: row.integer(9)?,
                oldest_at: row.optional_integer(10)?,
            })
        },
    )
}

/// Inserts a subscription, or replaces the one with the same URL and makes it active. Returns whether
/// it is new.
///
/// This cancels all pending deliveries of types that the subscription does not receive any more.
/// There may be many, so callers cancel them in parts before.
pub fn store_subscription(
    write: &mut Write<'_>,
    new: &NewSubscription<'_>,
    now_milliseconds: i64,
) -> Result<bool> {
    let known = write.query_one(
        "select id, status from subscription where api_key_id = $1 and callback_url = $2",
        &[new.api_key.into(), new.callback_url.into()],
        |row| Ok((SubscriptionId(row.integer(0)?), row.text(1)?)),
    )?;
    let Some((id, status)) = known else {
        insert_subscription(write, new, now_milliseconds / 1000)?;
        return Ok(true);
    };
    if status == "active" {
        end_pause(write, id)?;
    } else {
        reset_health(write, id)?;
    }
    update_subscription(write, id, new, now_milliseconds / 1000)?;
    for event_type in EventType::ALL {
        if !new.events.contains(&event_type) {
            waiting::cancel_waiting(write, id, event_type, now_milliseconds, i64::MAX)?;
        }
    }
    Ok(false)
}

fn update_subscription(
    write: &mut Write<'_>,
    id: SubscriptionId,
    new: &NewSubscription<'_>,
    now: i64,
) -> Result<()> {
    write.execute(
        "update subscription set participant_name = $1, hears_milestones = $2, \
         hears_fall_throughs = $3, status = 'active', disabled_reason = null, \
         disabled_at = null, updated_at = $4 where id = $5",
        &[
            new.participant_name.into(),
            new.events.contains(&EventType::MilestoneUpdated).into(),
            new.events.contains(&EventType::FallThrough).into(),
            now.into(),
            id.into(),
        ],
    )?;
    Ok(())
}

fn insert_subscription(write: &mut Write<'_>, new: &NewSubscription<'_>, now: i64) -> Result<()> {
    let id = write.insert(
        "insert into subscription (reference, api_key_id, participant_name, callback_url, \
         hears_milestones, hears_fall_throughs, status, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, 'active', $7, $8) returning id",
        &[
            new.reference.into(),
            new.api_key.into(),
            new.participant_name.into(),
            new.callback_url.into(),
            new.events.contains(&EventType::MilestoneUpdated).into(),
            new.events.contains(&EventType::FallThrough).into(),
            now.into(),
            now.into(),
        ],
    )?;
    write.execute(
        "insert into lane (subscription_id, owner, lease_until, epoch, failures, open_until) \
         values ($1, '', 0, 0, 0, 0)",
        &[id.into()],
    )?;
    Ok(())
}

/// The number of active subscriptions of the participant that has this API key.
pub fn count_active_subscriptions(read: &mut Read<'_>, api_key: i64) -> Result<i64> {
    read.query_integer(
        "select count(*) from subscription s join api_key k on k.id = s.api_key_id \
         where s.status = 'active' and k.participant_id = \
         (select participant_id from api_key where id = $1)",
        &[api_key.into()],
    )
}

/// The subscriptions of an API key, the oldest first.
pub fn list_subscriptions(read: &mut Read<'_>, api_key: i64) -> Result<Vec<StoredSubscription>> {
    read.query(
        concat!(
            select_subscription!(),
            "where api_key_id = $1 and status <> 'removed' order by id"
        ),
        &[api_key.into()],
        read_subscription,
    )
}

/// Finds a subscription of an API key by its id for the subscriber.
pub fn find_subscription(
    read: &mut Read<'_>,
    api_key: i64,
    reference: &str,
) -> Result<Option<StoredSubscription>> {
    read.query_one(
        concat!(
            select_subscription!(),
            "where api_key_id = $1 and reference = $2 and status <> 'removed'"
        ),
        &[api_key.into(), reference.into()],
        read_subscription,
    )
}

/// Finds the subscription of an API key with this callback URL.
pub fn find_subscription_by_url(
    read: &mut Read<'_>,
    api_key: i64,
    callback_url: &str,
) -> Result<Option<StoredSubscription>> {
    read.query_one(
        concat!(
            select_subscription!(),
            "where api_key_id = $1 and callback_url = $2"
        ),
        &[api_key.into(), callback_url.into()],
        read_subscription,
    )
}

/// The event types that a subscription receives now. `None` if it is not active.
pub fn find_subscribed_types(
    read: &mut Read<'_>,
    id: SubscriptionId,
) -> Result<Option<SubscribedTypes>> {
    read.query_one(
        "select hears_milestones, hears_fall_throughs from subscription \
         where id = $1 and status = 'active'",
        &[id.into()],
        |row| read_hears(row, 0),
    )
}

/// Makes a subscription active again.
pub fn enable_subscription(write: &mut Write<'_>, id: SubscriptionId, now: i64) -> Result<()> {
    reset_health(write, id)?;
    write.execute(
        "update subscription set status = 'active', disabled_reason = null, \
         disabled_at = null, updated_at = $1 where id = $2",
        &[now.into(), id.into()],
    )?;
    Ok(())
}

/// Disables a subscription, with a reason for its owner. Its deliveries stay pending.
pub fn disable_subscription(
    write: &mut Write<'_>,
    id: SubscriptionId,
    reason: &str,
    now: i64,
) -> Result<()> {
    write.execute(
        "update subscription set status = 'disabled', disabled_reason = $1, disabled_at = $2, \
         updated_at = $3 where id = $4 and status = 'active'",
        &[reason.into(), now.into(), now.into(), id.into()],
    )?;
    Ok(())
}

/// Removes a subscription for its owner. [`waiting::delete_removed`] deletes its rows in parts later.
/// Until then a placeholder replaces its URL, which a new subscription may use again.
pub fn remove_subscription(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    // The lane comes first, because a transaction that stores results locks the lane's row first.
    write.execute("delete from lane where subscription_id = $1", &[id.into()])?;
    write.execute(
        "update subscription set status = 'removed', callback_url = reference where id = $1",
        &[id.into()],
    )?;
    Ok(())
}

/// Clears the recent failures. This must come first, because a transaction that stores results locks
/// the lane's row first.
fn reset_health(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        "update lane set failures = 0, failing_since = null, open_until = 0 \
         where subscription_id = $1",
        &[id.into()],
    )?;
    Ok(())
}

/// Ends a pause and keeps the recent failures, so that one more failure begins the next pause. This
/// must come first too.
pub fn end_pause(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        "update lane set open_until = 0 where subscription_id = $1",
        &[id.into()],
    )?;
    Ok(())
}

pub(crate) fn read_hears(row: &Row<'_>, first: usize) -> Result<SubscribedTypes> {
    Ok(SubscribedTypes {
        milestones: row.flag(first)?,
        fall_throughs: row.flag(first + 1)?,
    })
}

fn read_subscription(row: &Row<'_>) -> Result<StoredSubscription> {
    let mut events = Vec::new();
    if row.flag(4)? {
        events.push(EventType::MilestoneUpdated);
    }
    if row.flag(5)? {
        events.push(EventType::FallThrough);
    }
    Ok(StoredSubscription {
        id: SubscriptionId(row.integer(0)?),
        reference: row.text(1)?,
        participant_name: row.text(2)?,
        callback_url: row.text(3)?,
        events,
        is_active: row.str(6)? == "active",
        disabled_reason: row.optional_text(7)?,
        disabled_at: row.optional_integer(8)?,
        created_at: row.integer(9)?,
        updated_at: row.integer(10)?,
        paused_until: row.optional_integer(11)?.unwrap_or_default(),
        failures: row.optional_integer(12)?.unwrap_or_default(),
    })
}
