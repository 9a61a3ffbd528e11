//! Subscriptions: each is one callback URL of one API account (S-30, S-92). The column `api_key_id` is the
//! account, which is named by its first key.

use chain::event::{EventType, Reach};

use crate::pauses::{end_pause, reset_health};
use crate::row::Row;
use crate::subscribed_types::{read_types, store_types, types_of_subscription};
pub use crate::subscription_id::SubscriptionId;
use crate::{Read, Result, StorageError, Write};

/// A query for [`read_subscription`], up to its condition.
macro_rules! select_subscription {
    () => {
        concat!(
            "select s.id, s.reference, s.participant_name, s.callback_url, s.api_key_id, s.status, \
             s.disabled_reason, s.disabled_at, s.created_at, s.updated_at, \
             (select l.open_until from lane l where l.subscription_id = s.id), \
             (select l.failures from lane l where l.subscription_id = s.id), \
             s.watch_reach, s.watched_uprns, ",
            types_of_subscription!(),
            " from subscription s "
        )
    };
}

/// A condition: the participant of the account has an active client with the scope
/// `transaction-status`. Event types of chains and watches of chains need it (S-39).
macro_rules! has_chain_client {
    ($account:literal) => {
        concat!(
            "exists (select 1 from api_key a join client t on t.participant_id = a.participant_id \
             where a.id = ",
            $account,
            " and t.status = 'active' and t.scopes like '%transaction-status%')"
        )
    };
}
pub(crate) use has_chain_client;

/// The columns that [`read_receives`] reads, of a subscription `s`. Most subscriptions need no right,
/// and for these the engine looks for none.
macro_rules! receives {
    () => {
        concat!(
            $crate::subscribed_types::types_of_subscription!(),
            ", cast(case when s.watch_reach = 'chain' or exists (select 1 from subscribed_type t \
             where t.subscription_id = s.id and t.event_type in ",
            $crate::subscribed_types::types_of_chains!(),
            ") then case when ",
            $crate::subscriptions::has_chain_client!("s.api_key_id"),
            " then 0 else 1 end else 0 end as smallint), s.callback_url"
        )
    };
}
pub(crate) use receives;

/// A subscription to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewSubscription<'a> {
    /// Its id for the subscriber. Only a new subscription gets it.
    pub reference: &'a str,
    /// The id of its account.
    pub account: i64,
    /// The key that makes or enables it.
    pub key: i64,
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
    /// The id of its account.
    pub account: i64,
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

/// The events that an active subscription receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receives {
    /// Its event types.
    pub types: Vec<EventType>,
    /// Whether its participant lost the right to see chains, which the subscription needs (S-39).
    pub lacks_right: bool,
    /// The URL of the receiver.
    pub callback_url: String,
}

/// Inserts a subscription, or replaces the one with the same URL and makes it active. Returns whether
/// it is new. The key that asks has made it, also if another key of the account did before (S-92).
/// Pending deliveries of types that the subscription does not receive any more stay. There may be many,
/// so callers cancel them in parts after it. A lane cancels those that such a call left.
pub fn store_subscription(
    write: &mut Write<'_>,
    new: &NewSubscription<'_>,
    now: i64,
) -> Result<bool> {
    let known = write.query_one(
        "select id, status from subscription where api_key_id = $1 and callback_url = $2",
        &[new.account.into(), new.callback_url.into()],
        |row| Ok((SubscriptionId(row.integer(0)?), row.text(1)?)),
    )?;
    let Some((id, status)) = known else {
        insert_subscription(write, new, now)?;
        return Ok(true);
    };
    if status == "active" {
        end_pause(write, id)?;
    } else {
        enable_subscription(write, id, new.key, now)?;
    }
    update_subscription(write, id, new, now)?;
    Ok(false)
}

fn update_subscription(
    write: &mut Write<'_>,
    id: SubscriptionId,
    new: &NewSubscription<'_>,
    now: i64,
) -> Result<()> {
    let (name, key) = (new.participant_name, new.key);
    write.execute(
        "update subscription set participant_name = $1, made_by = $2, moved_by = null, \
         enabled_by = null, updated_at = $3 where id = $4",
        &[name.into(), key.into(), now.into(), id.into()],
    )?;
    store_types(write, id, new.events)
}

fn insert_subscription(write: &mut Write<'_>, new: &NewSubscription<'_>, now: i64) -> Result<()> {
    let id = write.insert(
        "insert into subscription (reference, api_key_id, made_by, participant_name, callback_url, \
         status, created_at, updated_at) values ($1, $2, $3, $4, $5, 'active', $6, $7) returning id",
        &[
            new.reference.into(),
            new.account.into(),
            new.key.into(),
            new.participant_name.into(),
            new.callback_url.into(),
            now.into(),
            now.into(),
        ],
    )?;
    write.execute(
        "insert into lane (subscription_id, owner, lease_until, epoch, failures, open_until) \
         values ($1, '', 0, 0, 0, 0)",
        &[id.into()],
    )?;
    store_types(write, SubscriptionId(id), new.events)
}

/// The number of subscriptions of the participant that has this account, disabled ones included.
pub fn count_subscriptions(read: &mut Read<'_>, account: i64) -> Result<i64> {
    read.query_integer(
        "select count(*) from subscription s join api_key k on k.id = s.api_key_id \
         where s.status <> 'removed' and k.participant_id = \
         (select participant_id from api_key where id = $1)",
        &[account.into()],
    )
}

/// The number of active subscriptions of the participant that has this account.
pub fn count_active_subscriptions(read: &mut Read<'_>, account: i64) -> Result<i64> {
    read.query_integer(
        "select count(*) from subscription s join api_key k on k.id = s.api_key_id \
         where s.status = 'active' and k.participant_id = \
         (select participant_id from api_key where id = $1)",
        &[account.into()],
    )
}

/// Whether the participant of an account has an active client with the scope `transaction-status`.
/// Only then its subscriptions receive event types of chains, and watch chains (S-39).
pub fn may_see_chains(read: &mut Read<'_>, account: i64) -> Result<bool> {
    read.exists(
        concat!("select 1 where ", has_chain_client!("$1")),
        &[account.into()],
    )
}

/// The subscriptions of an account, the oldest first.
pub fn list_subscriptions(read: &mut Read<'_>, account: i64) -> Result<Vec<StoredSubscription>> {
    read.query(
        concat!(
            select_subscription!(),
            "where s.api_key_id = $1 and s.status <> 'removed' order by s.id"
        ),
        &[account.into()],
        read_subscription,
    )
}

/// Finds a subscription of an account by its id for the subscriber.
pub fn find_subscription(
    read: &mut Read<'_>,
    account: i64,
    reference: &str,
) -> Result<Option<StoredSubscription>> {
    read.query_one(
        concat!(
            select_subscription!(),
            "where s.api_key_id = $1 and s.reference = $2 and s.status <> 'removed'"
        ),
        &[account.into(), reference.into()],
        read_subscription,
    )
}

/// Finds the subscription of an account with this callback URL.
pub fn find_subscription_by_url(
    read: &mut Read<'_>,
    account: i64,
    callback_url: &str,
) -> Result<Option<StoredSubscription>> {
    read.query_one(
        concat!(
            select_subscription!(),
            "where s.api_key_id = $1 and s.callback_url = $2"
        ),
        &[account.into(), callback_url.into()],
        read_subscription,
    )
}

/// Makes a subscription active again. `key` is the key that asks for it.
pub fn enable_subscription(
    write: &mut Write<'_>,
    id: SubscriptionId,
    key: i64,
    now: i64,
) -> Result<()> {
    reset_health(write, id)?;
    write.execute(
        "update subscription set status = 'active', disabled_reason = null, \
         disabled_at = null, enabled_by = $1, updated_at = $2 where id = $3",
        &[key.into(), now.into(), id.into()],
    )?;
    Ok(())
}

/// Moves a subscription to another callback URL. Its failures are forgotten, because they say nothing about
/// the new URL. `key` is the key that asks for it. It no longer matters who enabled the subscription before.
pub fn move_subscription(
    write: &mut Write<'_>,
    id: SubscriptionId,
    callback_url: &str,
    key: i64,
    now: i64,
) -> Result<()> {
    reset_health(write, id)?;
    write.execute(
        "update subscription set callback_url = $1, moved_by = $2, enabled_by = null, \
         updated_at = $3 where id = $4",
        &[callback_url.into(), key.into(), now.into(), id.into()],
    )?;
    Ok(())
}

/// Notes that a key of the account asks for a subscription as it is. It stays when the keys end that asked before.
pub fn take_over(write: &mut Write<'_>, id: SubscriptionId, key: i64) -> Result<()> {
    write.execute(
        "update subscription set moved_by = $1, enabled_by = null where id = $2",
        &[key.into(), id.into()],
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

/// Removes a subscription for its owner. `delete_removed` of `waiting` deletes its rows in parts later.
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

pub(crate) fn read_receives(row: &Row<'_>, first: usize) -> Result<Receives> {
    Ok(Receives {
        types: read_types(row, first)?,
        lacks_right: row.flag(first + 1)?,
        callback_url: row.text(first + 2)?,
    })
}

fn read_subscription(row: &Row<'_>) -> Result<StoredSubscription> {
    Ok(StoredSubscription {
        id: SubscriptionId(row.integer(0)?),
        reference: row.text(1)?,
        participant_name: row.text(2)?,
        callback_url: row.text(3)?,
        account: row.integer(4)?,
        is_active: row.str(5)? == "active",
        disabled_reason: row.optional_text(6)?,
        disabled_at: row.optional_integer(7)?,
        created_at: row.integer(8)?,
        updated_at: row.integer(9)?,
        paused_until: row.optional_integer(10)?.unwrap_or_default(),
        failures: row.optional_integer(11)?.unwrap_or_default(),
        watch: read_watch(row)?,
        events: read_types(row, 14)?,
    })
}

fn read_watch(row: &Row<'_>) -> Result<Option<StoredWatch>> {
    let Some(word) = row.optional_text(12)? else {
        return Ok(None);
    };
    let reach = Reach::parse(&word);
    let reach = reach.ok_or_else(|| StorageError::Corrupt(format!("`{word}` is no reach")))?;
    Ok(Some(StoredWatch {
        reach,
        uprns: row.integer(13)?,
    }))
}
