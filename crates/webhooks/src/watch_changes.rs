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
use web::problem::Problem;

use super::WebhookManagement;
use super::holder::Holder;
use super::owned;
use super::running::RunningCall;
use super::waiting::{cancel_without_right, incomplete};
use super::watching::{NewWatch, WatchChanges, no_watch, too_long, too_many_watched};
use crate::limits::{WATCH_CHANGED_AT_ONCE, WATCH_READ_AT_ONCE, WATCH_UPRNS_MAX};

/// The wish for a watch.
#[derive(Debug)]
pub(crate) enum WatchWish {
    /// This watch and no other.
    Set(NewWatch),
    /// Changes of the present watch.
    Change(WatchChanges),
    /// No watch.
    Nothing,
}

/// Lets one call of a participant run at a time that looks at much of what it has stored.
pub(crate) fn start<'a>(
    webhooks: &'a WebhookManagement,
    holder: &Holder,
) -> Result<RunningCall<'a>, Problem> {
    let running = webhooks.changing.start(holder.participant());
    running.ok_or_else(under_way)
}

/// Counts the UPRNs that a call names, and lets one call of a participant run at a time.
pub(crate) fn admit<'a>(
    webhooks: &'a WebhookManagement,
    holder: &Holder,
    wish: &WatchWish,
) -> Result<RunningCall<'a>, Problem> {
    let running = start(webhooks, holder)?;
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
pub(crate) fn refuse(
    read: &mut Read<'_>,
    holder: &Holder,
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
    if watches::sum_watched_uprns(read, holder.account())? - before + after > total_max {
        return Err(too_many_watched(total_max));
    }
    Ok(())
}

/// Makes the change, after [`refuse`]. It ends when a newer change of the same watch begins, on whichever
/// node, because two together could leave out UPRNs of both.
pub(crate) async fn carry_out(
    webhooks: &WebhookManagement,
    id: SubscriptionId,
    wish: &WatchWish,
) -> Result<(), Problem> {
    cancel_without_right(webhooks, id).await?;
    let begin = move |write: &mut Write<'_>| watches::begin_change(write, id);
    let number = webhooks.storage.write_at_length(begin).await;
    let changing = Changing {
        webhooks,
        id,
        number: number.map_err(incomplete)?,
    };
    match wish {
        WatchWish::Set(new) => {
            changing.in_parts(&new.uprns, watches::add_uprns).await?;
            changing.store_reach(Some(new.reach)).await?;
            changing.remove_others(&new.uprns).await
        }
        WatchWish::Change(changes) => {
            changing.in_parts(&changes.add, watches::add_uprns).await?;
            if changes.reach.is_some() {
                changing.store_reach(changes.reach).await?;
            }
            changing
                .in_parts(&changes.remove, watches::remove_uprns)
                .await
        }
        WatchWish::Nothing => {
            changing.store_reach(None).await?;
            changing.remove_others(&[]).await
        }
    }
}

type Change = fn(&mut Write<'_>, SubscriptionId, &[Uprn]) -> Result<(), StorageError>;

/// A change of a watch that takes several transactions.
struct Changing<'a> {
    webhooks: &'a WebhookManagement,
    id: SubscriptionId,
    number: i64,
}

impl Changing<'_> {
    async fn store_reach(&self, reach: Option<Reach>) -> Result<(), Problem> {
        let now = self.webhooks.clock.now_seconds();
        self.write(move |write, id| watches::store_reach(write, id, reach, now))
            .await
    }

    /// Removes all watched UPRNs but these.
    async fn remove_others(&self, kept: &[Uprn]) -> Result<(), Problem> {
        let kept: HashSet<Uprn> = kept.iter().copied().collect();
        let (id, mut after) = (self.id, 0);
        loop {
            let reading = self
                .webhooks
                .storage
                .read(move |read| watches::list_uprns(read, id, after, WATCH_READ_AT_ONCE));
            let mut watched: Vec<Uprn> = reading.await.map_err(incomplete)?;
            let Some(last) = watched.last() else {
                return Ok(());
            };
            after = last.value();
            watched.retain(|uprn| !kept.contains(uprn));
            self.in_parts(&watched, watches::remove_uprns).await?;
        }
    }

    async fn in_parts(&self, uprns: &[Uprn], change: Change) -> Result<(), Problem> {
        for part in uprns.chunks(WATCH_CHANGED_AT_ONCE) {
            let part: Arc<[Uprn]> = part.into();
            let changing = self.write(move |write, id| change(write, id, &part));
            self.webhooks.paced.run(changing).await?;
        }
        Ok(())
    }

    /// Writes a part, unless a newer change has begun.
    async fn write(
        &self,
        part: impl Fn(&mut Write<'_>, SubscriptionId) -> Result<(), StorageError> + Send + 'static,
    ) -> Result<(), Problem> {
        let (id, number) = (self.id, self.number);
        let writing = self.webhooks.storage.write_at_length(move |write| {
            let is_newest = watches::is_newest_change(write, id, number)?;
            if is_newest {
                part(write, id)?;
            }
            Ok::<_, StorageError>(is_newest)
        });
        if writing.await.map_err(incomplete)? {
            Ok(())
        } else {
            Err(overtaken())
        }
    }
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
pub(crate) fn under_way() -> Problem {
    Problem::Conflict(
        "A change of a watch or of event types of your organisation is under way. Wait until it is answered.",
    )
}

/// The answer to a change that a newer one has ended.
pub(crate) fn overtaken() -> Problem {
    Problem::Conflict(
        "A newer change of this watch has begun meanwhile, so this one is incomplete. Read the watch.",
    )
}

/// The refusal of changes above the quota.
pub(crate) fn too_fast(most: u32, wait_seconds: u64) -> Problem {
    let detail = format!("A participant changes at most {most} watched UPRNs a minute.");
    Problem::QuotaUsedUp(Some(wait_seconds), detail)
}
