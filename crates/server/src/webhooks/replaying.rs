//! Runs a replay in short transactions, between which lanes and recordings go on.

use std::sync::Arc;

use observe::clock;
use storage::StorageError;
use storage::replay::{self as log, EventRange};
use storage::subscriptions::StoredSubscription;

use super::holder::ApiKeyHolder;
use super::owned::find_active_subscription;
use crate::limits::{REPLAY_EVENTS_MAX, REPLAY_PART_EVENTS};
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::wire::webhooks::Replay;

/// How far a replay has come.
#[derive(Debug)]
struct Progress {
    /// The events that are still to be read.
    left: EventRange,
    /// The number of deliveries enqueued so far.
    deliveries: u64,
}

/// The refusal of a second replay of one API key.
pub fn under_way() -> Problem {
    Problem::Conflict("A replay for this API key is under way. Wait until it is answered.")
}

/// Enqueues the real events of a subscription's types since a time, in Unix seconds, unless they
/// are pending already. It enqueues the oldest events, at most [`REPLAY_EVENTS_MAX`]. If the store
/// fails in between, the answer says where to go on. A replay whose caller goes away is incomplete
/// and can be repeated.
pub async fn replay(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    since: i64,
) -> Result<Replay, Problem> {
    let _running = webhooks.replays.start(holder.id()).ok_or_else(under_way)?;
    let (subscription, range) = begin(webhooks, holder, reference, since).await?;
    let mut replay = Replay {
        deliveries: 0,
        next_since: None,
    };
    let Some(left) = range else {
        return Ok(replay);
    };
    let mut progress = Progress {
        left,
        deliveries: 0,
    };
    let enqueued = enqueue_parts(webhooks, holder, reference, &subscription, &mut progress).await;
    let Progress { left, deliveries } = progress;
    replay.deliveries = deliveries;
    match enqueued {
        Ok(true) => return Ok(replay),
        Ok(false) => {}
        // The deliveries that were enqueued before stay.
        Err(Problem::Unavailable(..) | Problem::Unconfirmed(_)) if replay.deliveries > 0 => {}
        Err(problem) => return Err(problem),
    }
    let reading = webhooks
        .storage
        .read(move |read| log::find_first_time(read, &subscription, left));
    let next_since: Result<_, StorageError> = reading.await;
    // The start is a safe default, because pending deliveries are not enqueued again.
    replay.next_since = next_since.unwrap_or(Some(since)).map(clock::to_rfc3339);
    Ok(replay)
}

/// Enqueues one part after the other. Returns whether all parts are done.
async fn enqueue_parts(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    subscription: &Arc<StoredSubscription>,
    progress: &mut Progress,
) -> Result<bool, Problem> {
    let mut allowed = REPLAY_EVENTS_MAX;
    while allowed > 0 {
        let limit = REPLAY_PART_EVENTS.min(allowed);
        let found = find_part(webhooks, subscription, progress.left, limit).await?;
        let Some((part, has_events)) = found else {
            return Ok(true);
        };
        if has_events {
            let enqueued = enqueue(webhooks, holder, reference, part).await?;
            webhooks.wake.wake();
            progress.deliveries += enqueued;
            allowed -= i64::try_from(enqueued).unwrap_or(i64::MAX);
        }
        progress.left.after = part.last;
    }
    Ok(false)
}

async fn begin(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    since: i64,
) -> Result<(Arc<StoredSubscription>, Option<EventRange>), Problem> {
    let (holder, reference) = (holder.clone(), reference.to_owned());
    webhooks
        .storage
        .read(move |read| {
            let found = find_active_subscription(read, &holder, &reference)?;
            Ok((Arc::new(found), log::find_event_range(read, since)?))
        })
        .await
}

async fn find_part(
    webhooks: &WebhookManagement,
    subscription: &Arc<StoredSubscription>,
    left: EventRange,
    limit: i64,
) -> Result<Option<(EventRange, bool)>, StorageError> {
    let subscription = Arc::clone(subscription);
    webhooks
        .storage
        .read(move |read| log::find_part(read, &subscription, left, limit))
        .await
}

async fn enqueue(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    part: EventRange,
) -> Result<u64, Problem> {
    let (holder, reference) = (holder.clone(), reference.to_owned());
    let now = webhooks.clock.now_milliseconds();
    webhooks
        .storage
        .write_at_length(move |write| {
            let found = find_active_subscription(write, &holder, &reference)?;
            Ok::<_, Problem>(log::replay(write, &found, part, now)?)
        })
        .await
}
