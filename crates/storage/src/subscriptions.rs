//! Subscriptions: one callback URL of one API key (S-30).

use chain::event::EventType;

use crate::row::Row;
use crate::{Read, Result, Write, waiting};

/// Names a subscription within the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubscriptionId(pub i64);

impl From<SubscriptionId> for crate::row::Value<'_> {
    fn from(id: SubscriptionId) -> Self {
        Self::Integer(id.0)
    }
}

/// What a subscriber asks for.
#[derive(Debug, Clone, Copy)]
pub struct NewSubscription<'a> {
    /// Its id for the subscriber; counts only where the subscription is new.
    pub reference: &'a str,
    /// Whose it is.
    pub api_key: i64,
    /// What the subscriber calls itself.
    pub participant_name: &'a str,
    /// Where events go.
    pub callback_url: &'a str,
    /// Which events, each once.
    pub events: &'a [EventType],
}

/// A subscription as the store holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSubscription {
    /// Its id within the store.
    pub id: SubscriptionId,
    /// Its id for the subscriber.
    pub reference: String,
    /// What the subscriber calls itself.
    pub participant_name: String,
    /// Where events go.
    pub callback_url: String,
    /// Which events.
    pub events: Vec<EventType>,
    /// Whether it is owed new events.
    pub is_active: bool,
    /// Why it is not: `gone`, `failing` or `key_revoked`.
    pub disabled_reason: Option<String>,
    /// Unix seconds.
    pub disabled_at: Option<i64>,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
}

/// The types of events that an active subscription is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hears {
    /// `milestone.updated`.
    pub milestones: bool,
    /// `fallthrough`.
    pub fall_throughs: bool,
}

/// Adds a subscription, or replaces what the one with the same URL asks for
/// and makes it active again; whether it is new. What waits of a type that it
/// does not ask for any more is cancelled: all of it, so whoever gives up a type
/// cancels in parts before. The time is in milliseconds.
pub fn store_subscription(
    write: &mut Write<'_>,
    new: &NewSubscription<'_>,
    now_milliseconds: i64,
) -> Result<bool> {
    let now = now_milliseconds / 1000;
    let hears = |wanted| new.events.contains(&wanted);
    let known = write.query_one(
        "select id from subscription where api_key_id = $1 and callback_url = $2",
        &[new.api_key.into(), new.callback_url.into()],
        |row| row.integer(0),
    )?;
    if let Some(id) = known {
        lock_and_forget_health(write, SubscriptionId(id))?;
        write.execute(
            "update subscription set participant_name = $1, hears_milestones = $2, \
             hears_fall_throughs = $3, status = 'active', disabled_reason = null, \
             disabled_at = null, updated_at = $4 where id = $5",
            &[
                new.participant_name.into(),
                hears(EventType::MilestoneUpdated).into(),
                hears(EventType::FallThrough).into(),
                now.into(),
                id.into(),
            ],
        )?;
        for unheard in EventType::ALL {
            if !new.events.contains(&unheard) {
                let whole = (now_milliseconds, i64::MAX);
                waiting::cancel_waiting(write, SubscriptionId(id), unheard, whole)?;
            }
        }
        return Ok(false);
    }
    let id = write.insert(
        "insert into subscription (reference, api_key_id, participant_name, callback_url, \
         hears_milestones, hears_fall_throughs, status, created_at, updated_at) \
         values ($1, $2, $3, $4, $5, $6, 'active', $7, $8) returning id",
        &[
            new.reference.into(),
            new.api_key.into(),
            new.participant_name.into(),
            new.callback_url.into(),
            hears(EventType::MilestoneUpdated).into(),
            hears(EventType::FallThrough).into(),
            now.into(),
            now.into(),
        ],
    )?;
    write.execute(
        "insert into lane (subscription_id, owner, lease_until, epoch, failures, open_until) \
         values ($1, '', 0, 0, 0, 0)",
        &[id.into()],
    )?;
    Ok(true)
}

/// How many subscriptions a key has.
pub fn count_subscriptions(read: &mut Read<'_>, api_key: i64) -> Result<i64> {
    read.query_exactly_one(
        "select count(*) from subscription where api_key_id = $1 and status <> 'removed'",
        &[api_key.into()],
        |row| row.integer(0),
    )
}

/// The subscriptions of a key, the oldest first.
pub fn list_subscriptions(read: &mut Read<'_>, api_key: i64) -> Result<Vec<StoredSubscription>> {
    read.query(
        "select id, reference, participant_name, callback_url, hears_milestones, \
         hears_fall_throughs, status, disabled_reason, disabled_at, created_at, updated_at \
         from subscription where api_key_id = $1 and status <> 'removed' order by id",
        &[api_key.into()],
        read_subscription,
    )
}

/// Finds a subscription of a key by its id for the subscriber.
pub fn find_subscription(
    read: &mut Read<'_>,
    api_key: i64,
    reference: &str,
) -> Result<Option<StoredSubscription>> {
    read.query_one(
        "select id, reference, participant_name, callback_url, hears_milestones, \
         hears_fall_throughs, status, disabled_reason, disabled_at, created_at, updated_at \
         from subscription where api_key_id = $1 and reference = $2 and status <> 'removed'",
        &[api_key.into(), reference.into()],
        read_subscription,
    )
}

/// Finds the subscription of a key with this callback URL.
pub fn find_subscription_by_url(
    read: &mut Read<'_>,
    api_key: i64,
    callback_url: &str,
) -> Result<Option<StoredSubscription>> {
    read.query_one(
        "select id, reference, participant_name, callback_url, hears_milestones, \
         hears_fall_throughs, status, disabled_reason, disabled_at, created_at, updated_at \
         from subscription where api_key_id = $1 and callback_url = $2",
        &[api_key.into(), callback_url.into()],
        read_subscription,
    )
}

/// What a subscription is sent now; none once it is not active any more.
pub fn find_hears(read: &mut Read<'_>, id: SubscriptionId) -> Result<Option<Hears>> {
    read.query_one(
        "select hears_milestones, hears_fall_throughs from subscription \
         where id = $1 and status = 'active'",
        &[id.into()],
        |row| {
            Ok(Hears {
                milestones: row.flag(0)?,
                fall_throughs: row.flag(1)?,
            })
        },
    )
}

/// Makes a subscription active again.
pub fn enable_subscription(write: &mut Write<'_>, id: SubscriptionId, now: i64) -> Result<()> {
    lock_and_forget_health(write, id)?;
    write.execute(
        "update subscription set status = 'active', disabled_reason = null, \
         disabled_at = null, updated_at = $1 where id = $2",
        &[now.into(), id.into()],
    )?;
    Ok(())
}

/// Stops a subscription for a reason that its owner reads. What it is owed
/// keeps waiting.
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

/// Removes a subscription for its owner. What it was owed, its log and the rest of itself are
/// removed in parts, by [`waiting::delete_remains`]; until then it has another URL than any that
/// is subscribed.
pub fn remove_subscription(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    // First of all the lane, whose row everybody locks who stores results.
    write.execute("delete from lane where subscription_id = $1", &[id.into()])?;
    write.execute(
        "update subscription set status = 'removed', callback_url = reference where id = $1",
        &[id.into()],
    )?;
    Ok(())
}

/// Forgets how it went. First of all, because everybody who stores results locks the lane's row
/// before what was owed.
fn lock_and_forget_health(write: &mut Write<'_>, id: SubscriptionId) -> Result<()> {
    write.execute(
        "update lane set failures = 0, failing_since = null, open_until = 0 \
         where subscription_id = $1",
        &[id.into()],
    )?;
    Ok(())
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
    })
}
