//! Lanes: who delivers to a subscription at the moment, and how it goes.
//!
//! A node leases a lane before it delivers. Each lease has a higher epoch than
//! the one before; results are stored under their epoch only, so a node that
//! lost its lease without noticing changes nothing. Times are in milliseconds.

use crate::row::Row;
use crate::subscriptions::{Hears, SubscriptionId};
use crate::{Read, Result, Write};

/// How deliveries to a subscription went lately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    /// Failures since the last success.
    pub failures: i64,
    /// When the first of them was.
    pub failing_since: Option<i64>,
    /// Until when nothing is tried.
    pub open_until: i64,
}

/// Gives all lanes back, whoever held them.
pub(crate) const FREE_ALL: &str = "update lane set owner = '', lease_until = 0 where owner <> ''";

/// A lane that this node may deliver on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// To which subscription.
    pub subscription: SubscriptionId,
    /// Under which its results are stored.
    pub epoch: i64,
    /// How it went lately.
    pub health: Health,
    /// Where deliveries go.
    pub callback_url: String,
    /// What its subscription was sent when the lane was leased.
    pub hears: Hears,
}

/// Active subscriptions with something due, whose lanes nobody holds or
/// `owner` does, and whose breakers let something through. A sum on both sides,
/// because SQLite looks a sum up in an index only by what is no plain integer
/// column.
pub fn list_due_lanes(read: &mut Read<'_>, owner: &str, now: i64) -> Result<Vec<SubscriptionId>> {
    read.query(
        "select s.id from subscription s join lane l on l.subscription_id = s.id \
         where s.status = 'active' and l.open_until <= $1 \
         and (l.owner = $2 or l.lease_until <= $3) \
         and (select d.id from delivery d where d.subscription_id + 0 = s.id + 0 \
         and d.state = 'waiting' and d.not_before >= 0 and d.not_before <= $4 limit 1) \
         is not null order by s.id",
        &[now.into(), owner.into(), now.into(), now.into()],
        |row| Ok(SubscriptionId(row.integer(0)?)),
    )
}

/// Leases a lane, unless another node holds it or the subscription is not active.
pub fn take_lane(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    owner: &str,
    (now, lease_until): (i64, i64),
) -> Result<Option<Lane>> {
    let changed = write.execute(
        "update lane set owner = $1, lease_until = $2, epoch = epoch + 1 \
         where subscription_id = $3 and (owner = $4 or lease_until <= $5)",
        &[
            owner.into(),
            lease_until.into(),
            subscription.into(),
            owner.into(),
            now.into(),
        ],
    )?;
    if changed == 0 {
        return Ok(None);
    }
    write.query_one(
        "select l.epoch, l.failures, l.failing_since, l.open_until, s.callback_url, \
         s.hears_milestones, s.hears_fall_throughs \
         from lane l join subscription s on s.id = l.subscription_id \
         where l.subscription_id = $1 and s.status = 'active'",
        &[subscription.into()],
        |row| {
            Ok(Lane {
                subscription,
                epoch: row.integer(0)?,
                health: read_health(row, 1)?,
                callback_url: row.text(4)?,
                hears: Hears {
                    milestones: row.flag(5)?,
                    fall_throughs: row.flag(6)?,
                },
            })
        },
    )
}

/// Holds a lane for longer; `false` if it is another node's by now, or its
/// subscription is not active any more.
pub fn renew_lane(write: &mut Write<'_>, lane: &Lane, lease_until: i64) -> Result<bool> {
    let changed = write.execute(
        "update lane set lease_until = $1 where subscription_id = $2 and epoch = $3 \
         and exists (select 1 from subscription s where s.id = lane.subscription_id \
         and s.status = 'active')",
        &[
            lease_until.into(),
            lane.subscription.into(),
            lane.epoch.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// Gives a lane back.
pub fn release_lane(write: &mut Write<'_>, lane: &Lane) -> Result<()> {
    write.execute(
        "update lane set owner = '', lease_until = 0 where subscription_id = $1 and epoch = $2",
        &[lane.subscription.into(), lane.epoch.into()],
    )?;
    Ok(())
}

/// Stores how it went; `false` if the lane is another node's by now.
pub(crate) fn store_health(write: &mut Write<'_>, lane: &Lane, health: &Health) -> Result<bool> {
    let changed = write.execute(
        "update lane set failures = $1, failing_since = $2, open_until = $3 \
         where subscription_id = $4 and epoch = $5",
        &[
            health.failures.into(),
            health.failing_since.into(),
            health.open_until.into(),
            lane.subscription.into(),
            lane.epoch.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// What the operator watches of one subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneFigures {
    /// Its id for the subscriber.
    pub reference: String,
    /// Whether it is owed new events.
    pub is_active: bool,
    /// What it is still owed, as far as that is counted.
    pub waiting: i64,
    /// Since when the oldest of what was counted waits.
    pub oldest: Option<i64>,
    /// How it went lately.
    pub health: Health,
}

/// The figures of all subscriptions, of each of which at most `limit` deliveries
/// are counted, those that are due first.
pub fn list_lane_figures(read: &mut Read<'_>, limit: i64) -> Result<Vec<LaneFigures>> {
    read.query(
        "select s.reference, s.status, l.failures, l.failing_since, l.open_until, \
         (select count(*) from (select 1 from delivery d where d.subscription_id + 0 = s.id + 0 \
         and d.state = 'waiting' and d.not_before >= 0 limit $1) as counted), \
         (select min(seen.created_at) from (select d.created_at from delivery d \
         where d.subscription_id + 0 = s.id + 0 and d.state = 'waiting' and d.not_before >= 0 \
         order by d.not_before, d.id limit $2) as seen) \
         from subscription s join lane l on l.subscription_id = s.id order by s.id",
        &[limit.into(), limit.into()],
        |row| {
            Ok(LaneFigures {
                reference: row.text(0)?,
                is_active: row.str(1)? == "active",
                health: read_health(row, 2)?,
                waiting: row.integer(5)?,
                oldest: row.optional_integer(6)?,
            })
        },
    )
}

fn read_health(row: &Row<'_>, first: usize) -> Result<Health> {
    Ok(Health {
        failures: row.integer(first)?,
        failing_since: row.optional_integer(first + 1)?,
        open_until: row.integer(first + 2)?,
    })
}
