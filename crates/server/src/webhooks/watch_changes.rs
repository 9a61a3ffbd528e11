//! Changes watches in short transactions, between which lanes and recordings go on (S-39).
//!
//! UPRNs are added before others are removed. An interrupted call leaves a watch that is too large, and
//! loses no event; a repetition makes the rest.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use chain::event::Reach;
use chain::ids::Uprn;
use storage::subscriptions::{StoredSubscription, SubscriptionId};
use storage::{Read, StorageError, Write, watches};

use super::WebhookManagement;
use super::holder::ApiKeyHolder;
use super::owned;
use super::running::RunningCall;
use super::waiting::incomplete;
use super::watching::{NewWatch, WatchChanges, no_watch, too_long, too_many_watched};
use crate::limits::{WATCH_CHANGED_AT_ONCE, WATCH_READ_AT_ONCE, WATCH_UPRNS_MAX};
use crate::problem::Problem;

/// The wish for a watch.
#[derive(Debug)]
pub enum WatchWish {
    /// This watch and no other.
    Set(NewWatch),
    /// Changes of the present watch.
    Change(WatchChanges),
    /// No watch.
    Nothing,
}

/// Counts the UPRNs that a call names, and lets one call of a participant run at a time.
pub fn admit<'a>(
    webhooks: &'a WebhookManagement,
    holder: &ApiKeyHolder,
    wish: &WatchWish,
) -> Result<RunningCall<'a>, Problem> {
    let running = webhooks.changing.start(holder.participant());
    let running = running.ok_or_else(under_way)?;
    let named = u32::try_from(wish.count_named()).unwrap_or(u32::MAX);
    if let (Some(limits), Some(named)) = (&webhooks.watch_changes, NonZeroU32::new(named)) {
        let allowance = limits.count_cost(holder.participant(), named);
        if let Some(wait) = allowance.wait() {
            return Err(too_fast(allowance.burst(), wait));
        }
    }
    Ok(running)
}

/// Makes all refusals, before anything changes. `known` is the subscription, unless it is new.
pub fn refuse(
    read: &mut Read<'_>,
    holder: &ApiKeyHolder,
    known: Option<&StoredSubscription>,
    wish: &WatchWish,
    total_max: i64,
) -> Result<(), Problem> {
    let watch = known.and_then(|known| known.watch);
    let (reach, growth) = match wish {
        WatchWish::Nothing => return Ok(()),
        WatchWish::Set(new) => (Some(new.reach), count(&new.uprns)),
        WatchWish::Change(changes) => {
            let known = known.filter(|known| known.watch.is_some());
            let id = known.ok_or_else(no_watch)?.id;
            let added = count(&changes.add) - watches::count_watched(read, id, &changes.add)?;
            (
                changes.reach,
                added - watches::count_watched(read, id, &changes.remove)?,
            )
        }
    };
    if reach == Some(Reach::Chain) {
        owned::check_chain_right(read, holder)?;
    }
    let before = watch.map_or(0, |watch| watch.uprns);
    let after = match wish {
        WatchWish::Set(_) | WatchWish::Nothing => growth,
        WatchWish::Change(_) => before + growth,
    };
    if after <= before {
        return Ok(());
    }
    if after > WATCH_UPRNS_MAX {
        return Err(too_long());
    }
    if watches::sum_watched_uprns(read, holder.id())? - before + after > total_max {
        return Err(too_many_watched(total_max));
    }
    Ok(())
}

/// Makes the change, after [`refuse`].
pub async fn carry_out(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
    wish: &WatchWish,
) -> Result<(), Problem> {
    let carrying = async {
        match wish {
            WatchWish::Set(new) => {
                in_parts(webhooks, id, &new.uprns, watches::add_uprns).await?;
                store_reach(webhooks, id, Some(new.reach)).await?;
                remove_others(webhooks, id, &new.uprns).await
            }
            WatchWish::Change(changes) => {
                in_parts(webhooks, id, &changes.add, watches::add_uprns).await?;
                if changes.reach.is_some() {
                    store_reach(webhooks, id, changes.reach).await?;
                }
                in_parts(webhooks, id, &changes.remove, watches::remove_uprns).await
            }
            WatchWish::Nothing => {
                store_reach(webhooks, id, None).await?;
                remove_others(webhooks, id, &[]).await
            }
        }
    };
    carrying.await.map_err(incomplete)
}

async fn store_reach(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
    reach: Option<Reach>,
) -> Result<(), StorageError> {
    let now = webhooks.clock.now_seconds();
    webhooks
        .storage
        .write_at_length(move |write| watches::store_reach(write, id, reach, now))
        .await
}

/// Removes all watched UPRNs but these.
async fn remove_others(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
    kept: &[Uprn],
) -> Result<(), StorageError> {
    let kept: HashSet<Uprn> = kept.iter().copied().collect();
    let mut after = 0;
    loop {
        let reading = webhooks
            .storage
            .read(move |read| watches::list_uprns(read, id, after, WATCH_READ_AT_ONCE));
        let mut watched: Vec<Uprn> = reading.await?;
        let Some(last) = watched.last() else {
            return Ok(());
        };
        after = last.value();
        watched.retain(|uprn| !kept.contains(uprn));
        in_parts(webhooks, id, &watched, watches::remove_uprns).await?;
    }
}

type Change = fn(&mut Write<'_>, SubscriptionId, &[Uprn]) -> Result<(), StorageError>;

async fn in_parts(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
    uprns: &[Uprn],
    change: Change,
) -> Result<(), StorageError> {
    for part in uprns.chunks(WATCH_CHANGED_AT_ONCE) {
        let part: Arc<[Uprn]> = part.into();
        let changing = webhooks
            .storage
            .write_at_length(move |write| change(write, id, &part));
        webhooks.paced.run(changing).await?;
    }
    Ok(())
}

impl WatchWish {
    fn count_named(&self) -> usize {
        match self {
            Self::Set(new) => new.uprns.len(),
            Self::Change(changes) => changes.add.len() + changes.remove.len(),
            Self::Nothing => 0,
        }
    }
}

fn count(uprns: &[Uprn]) -> i64 {
    i64::try_from(uprns.len()).unwrap_or(i64::MAX)
}

/// The refusal of a second change of watches of one participant.
pub fn under_way() -> Problem {
    Problem::Conflict(
        "A change of a watch of your organisation is under way. Wait until it is answered.",
    )
}

/// The refusal of changes above the quota.
pub fn too_fast(most: u32, wait_seconds: u64) -> Problem {
    let detail = format!("A participant changes at most {most} watched UPRNs a minute.");
    Problem::QuotaUsedUp(Some(wait_seconds), detail)
}
