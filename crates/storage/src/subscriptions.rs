//! Subscriptions: each is one callback URL of one API key (S-30).

use chain::event::{EventType, Reach};

use crate::row::Row;
pub use crate::subscription_id::SubscriptionId;
use crate::{Read, Result, StorageError, Write, waiting};

/// A query for [`read_subscription`], up to its condition.
macro_rules! select_subscription {
    () => {
        "select id, reference, participant_name, callback_url, api_key_id, hears_milestones, \
         hears_fall_throughs, hears_chain_changes, status, disabled_reason, disabled_at, \
         created_at, updated_at, \
         (select open_until from lane where subscription_id = subscription.id), \
         (select failures from lane where subscription_id = subscription.id), watch_reach, \
         watched_uprns from subscription "
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
    /// The id of its API key.
    pub api_key: i64,
    /// The event types that it receives.
    pub events: Vec<EventType>,
    /// The properties to which it is narrowed. `None`: it receives the events of all properties.
    pub watch: Option<StoredWatch>,
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

/// The watch of a subscription (S-39).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredWatch {
    /// How far it reaches.
    pub reach: Reach,
    /// The number of UPRNs.
    pub uprns: i64,
}

/// The event types that an active subscription receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscribedTypes {
    /// `milestone.updated`.
    pub milestones: bool,
    /// `fallthrough`.
    pub fall_throughs: bool,
    /// `chain.changed`.
    pub chain_changes: bool,
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
         hears_fall_throughs = $3, hears_chain_changes = $4, status = 'active', \
         disabled_reason = null, disabled_at = null, updated_at = $5 where id = $6",
        &[
            new.participant_name.into(),
            new.events.contains(&EventType::MilestoneUpdated).into(),
            new.events.contains(&EventType::FallThrough).into(),
            new.events.contains(&EventType::ChainChanged).into(),
            now.into(),
            id.into(),
        ],
    )?;
    Ok(())
}

fn insert_subscription(write: &mut Write<'_>, new: &NewSubscription<'_>, now: i64) -> Result<()> {
    let id = write.insert(
        "insert into subscription (reference, api_key_id, participant_name, callback_url, \
         hears_milestones, hears_fall_throughs, hears_chain_changes, status, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, $7, 'active', $8, $9) returning id",
        &[
            new.reference.into(),
            new.api_key.into(),
            new.participant_name.into(),
            new.callback_url.into(),
            new.events.contains(&EventType::MilestoneUpdated).into(),
            new.events.contains(&EventType::FallThrough).into(),
            new.events.contains(&EventType::ChainChanged).into(),
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

/// Whether the participant of an API key has an active client with the scope `transaction-status`.
/// Only then its subscriptions receive `chain.changed` (S-39).
pub fn may_receive_chain_changes(read: &mut Read<'_>, api_key: i64) -> Result<bool> {
    read.exists(
        "select 1 from api_key a join client t on t.participant_id = a.participant_id \
         where a.id = $1 and t.status = 'active' and t.scopes like '%transaction-status%' limit 1",
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
        "select hears_milestones, hears_fall_throughs, hears_chain_changes from subscription \
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
        chain_changes: row.flag(first + 2)?,
    })
}

fn read_subscription(row: &Row<'_>) -> Result<StoredSubscription> {
    let hears = [row.flag(5)?, row.flag(6)?, row.flag(7)?];
    let events = EventType::ALL.into_iter().zip(hears);
    Ok(StoredSubscription {
        id: SubscriptionId(row.integer(0)?),
        reference: row.text(1)?,
        participant_name: row.text(2)?,
        callback_url: row.text(3)?,
        api_key: row.integer(4)?,
        events: events
            .filter_map(|(event, hears)| hears.then_some(event))
            .collect(),
        is_active: row.str(8)? == "active",
        disabled_reason: row.optional_text(9)?,
        disabled_at: row.optional_integer(10)?,
        created_at: row.integer(11)?,
        updated_at: row.integer(12)?,
        paused_until: row.optional_integer(13)?.unwrap_or_default(),
        failures: row.optional_integer(14)?.unwrap_or_default(),
        watch: read_watch(row)?,
    })
}

fn read_watch(row: &Row<'_>) -> Result<Option<StoredWatch>> {
    let Some(word) = row.optional_text(15)? else {
        return Ok(None);
    };
    let reach = Reach::parse(&word);
    let reach = reach.ok_or_else(|| StorageError::Corrupt(format!("`{word}` is no reach")))?;
    Ok(Some(StoredWatch {
        reach,
        uprns: row.integer(16)?,
    }))
}
