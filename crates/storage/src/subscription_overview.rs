//! All subscriptions with their owners and backlogs, for the operator and the metrics.

use crate::row::Row;
use crate::subscription_id::SubscriptionId;
use crate::{Read, Result};

/// A subscription with its owner and its backlog, for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionOverview {
    /// Its id within the store.
    pub id: SubscriptionId,
    /// Its id for the subscriber.
    pub reference: String,
    /// The organisation that owns its account.
    pub participant: String,
    /// The id of its account: that of the first key.
    pub account: i64,
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
        read_overview,
    )
}

fn read_overview(row: &Row<'_>) -> Result<SubscriptionOverview> {
    Ok(SubscriptionOverview {
        id: SubscriptionId(row.integer(0)?),
        reference: row.text(1)?,
        participant: row.text(2)?,
        account: row.integer(3)?,
        callback_url: row.text(4)?,
        is_active: row.str(5)? == "active",
        disabled_reason: row.optional_text(6)?,
        failures: row.integer(7)?,
        paused_until: row.integer(8)?,
        waiting: row.integer(9)?,
        oldest_at: row.optional_integer(10)?,
    })
}
