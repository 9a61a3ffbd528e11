//! Lanes: which node delivers to a subscription, and how its deliveries go.
//!
//! A node leases a lane before it delivers. Each lease has a higher epoch than the one before, and
//! results are stored only under the current epoch. So a node that lost its lease changes nothing.
//!
//! Times are in milliseconds.

use crate::lease::RunningEnds;
use crate::row::Row;
use crate::subscriptions::{Receives, SubscriptionId, read_receives, receives};
use crate::{Read, Result, Write};

/// How long a lease lasts: longer than a process is likely to stall.
pub const LEASE_MILLISECONDS: i64 = 30_000;

/// The recent failures of a lane, from which its breaker decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    /// Failures since the last success.
    pub failures: i64,
    /// When the first of these failures happened.
    pub failing_since: Option<i64>,
    /// The lane makes no attempt before this time.
    pub paused_until: i64,
}

/// Releases all lanes.
pub(crate) const RELEASE_ALL: &str =
    "update lane set owner = '', lease_until = 0 where owner <> ''";

/// A lane that this node has leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The number of the lease. Results are stored under it.
    pub epoch: i64,
    /// The recent failures.
    pub health: Health,
    /// The events of the subscription, and where they go, when the lane was leased.
    pub receives: Receives,
}

/// Active subscriptions with a due delivery, the longest due first. `owner` may lease their lanes, and
/// no lane is paused.
///
/// Comparisons have a sum on both sides. SQLite does not use the index of a sum for a plain integer
/// column.
pub fn list_due_lanes(read: &mut Read<'_>, owner: &str, now: i64) -> Result<Vec<SubscriptionId>> {
    let running = RunningEnds::in_milliseconds(now, now + LEASE_MILLISECONDS);
    read.query(
        "select ready.id from (select s.id, (select d.not_before from delivery d \
         where d.subscription_id + 0 = s.id + 0 and d.state = 'waiting' and d.not_before >= 0 \
         order by d.not_before limit 1) as due \
         from subscription s join lane l on l.subscription_id = s.id \
         where s.status = 'active' and l.held = 0 and l.open_until <= $1 \
         and (l.owner = $2 or l.lease_until <= $3 or l.lease_until > $4)) as ready \
         where ready.due <= $5 order by ready.due, ready.id",
        &[
            now.into(),
            owner.into(),
            running.after.into(),
            running.last.into(),
            now.into(),
        ],
        |row| Ok(SubscriptionId(row.integer(0)?)),
    )
}

/// Leases a lane. `None` if another node has leased it or the subscription is not active.
pub fn take_lane(
    write: &mut Write<'_>,
    subscription: SubscriptionId,
    owner: &str,
    now: i64,
    lease_until: i64,
) -> Result<Option<Lane>> {
    let running = RunningEnds::in_milliseconds(now, lease_until);
    let changed = write.execute(
        "update lane set owner = $1, lease_until = $2, epoch = epoch + 1 \
         where subscription_id = $3 and (owner = $4 or lease_until <= $5 or lease_until > $6)",
        &[
            owner.into(),
            lease_until.into(),
            subscription.into(),
            owner.into(),
            running.after.into(),
            running.last.into(),
        ],
    )?;
    if changed == 0 {
        return Ok(None);
    }
    find_active(write, subscription)
}

/// Extends a lease. `false` if another node has leased the lane since, or its subscription is not
/// active any more.
pub fn renew_lane(write: &mut Write<'_>, lane: &Lane, lease_until: i64) -> Result<bool> {
    let changed = write.execute(
        "update lane set lease_until = $1 where subscription_id = $2 and epoch = $3 and held = 0 \
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

/// Ends a lease.
pub fn release_lane(write: &mut Write<'_>, lane: &Lane) -> Result<()> {
    write.execute(
        "update lane set owner = '', lease_until = 0 where subscription_id = $1 and epoch = $2",
        &[lane.subscription.into(), lane.epoch.into()],
    )?;
    Ok(())
}

/// Finds what the store has now of a leased lane. `None` if another node has leased it since, or if its
/// subscription is not active any more.
pub fn find_lane(read: &mut Read<'_>, lane: &Lane) -> Result<Option<Lane>> {
    let found = find_active(read, lane.subscription)?;
    Ok(found.filter(|found| found.epoch == lane.epoch))
}

fn find_active(read: &mut Read<'_>, subscription: SubscriptionId) -> Result<Option<Lane>> {
    read.query_one(
        concat!(
            "select l.epoch, l.failures, l.failing_since, l.open_until, ",
            receives!(),
            " from lane l join subscription s on s.id = l.subscription_id \
             where l.subscription_id = $1 and s.status = 'active' and l.held = 0"
        ),
        &[subscription.into()],
        |row| read_lane(row, subscription),
    )
}

/// Stores the recent failures, unless a call has changed them since the node read `before` in the store. `false` if
/// another node has leased the lane since.
pub(crate) fn store_health(
    write: &mut Write<'_>,
    lane: &Lane,
    before: &Health,
    health: &Health,
) -> Result<bool> {
    let changed = write.execute(
        "update lane set failures = $1, failing_since = $2, open_until = $3 \
         where subscription_id = $4 and epoch = $5 and failures = $6 and open_until = $7",
        &[
            health.failures.into(),
            health.failing_since.into(),
            health.paused_until.into(),
            lane.subscription.into(),
            lane.epoch.into(),
            before.failures.into(),
            before.paused_until.into(),
        ],
    )?;
    if changed > 0 {
        return Ok(true);
    }
    // This locks the row, so that all other changes of the lane wait.
    let leased = write.execute(
        "update lane set epoch = epoch where subscription_id = $1 and epoch = $2",
        &[lane.subscription.into(), lane.epoch.into()],
    )?;
    Ok(leased > 0)
}

fn read_lane(row: &Row<'_>, subscription: SubscriptionId) -> Result<Lane> {
    Ok(Lane {
        subscription,
        epoch: row.integer(0)?,
        health: read_health(row, 1)?,
        receives: read_receives(row, 4)?,
    })
}

fn read_health(row: &Row<'_>, first: usize) -> Result<Health> {
    Ok(Health {
        failures: row.integer(first)?,
        failing_since: row.optional_integer(first + 1)?,
        paused_until: row.integer(first + 2)?,
    })
}
