//! Runs a replay in short transactions, between which lanes and recordings go on.

use observe::clock::{self, Stopwatch};
use storage::quotas::{self, SLOT_SECONDS, Used};
use storage::replay::{self as log, EventRange};
use storage::subscriptions::SubscriptionId;
use storage::{Read, StorageError, Write};
use web::limits::DAY_SECONDS;
use web::problem::Problem;

use super::holder::Holder;
use super::owned::find_active_subscription;
use crate::WebhookManagement;
use crate::limits::{REPLAY_EVENTS_MAX, REPLAY_PART_EVENTS, REPLAY_TIME_MAX};
use crate::wire::Replay;

/// How far a replay has come.
#[derive(Debug)]
struct Progress {
    /// The events that are still to be read.
    left: EventRange,
    /// The number of deliveries enqueued so far.
    deliveries: u64,
    /// The number of deliveries that may still be enqueued.
    allowed: i64,
}

/// A replay that nothing refuses.
struct Begun {
    subscription: SubscriptionId,
    /// `None` if there is no event.
    range: Option<EventRange>,
    /// The number of deliveries that may be enqueued.
    allowed: i64,
}

/// The refusal of a second replay of one participant.
pub(crate) fn under_way() -> Problem {
    Problem::Conflict("A replay of your organisation is under way. Wait until it is answered.")
}

/// The refusal of a replay above the quota (S-65).
pub(crate) fn used_up(most: i64) -> Problem {
    let detail = format!("A participant replays at most {most} deliveries within a day.");
    Problem::QuotaUsedUp(Some(SLOT_SECONDS.unsigned_abs()), detail)
}

/// Enqueues the real events of a subscription's types since a time, in Unix seconds, unless they
/// are pending already. It enqueues the oldest events, at most [`REPLAY_EVENTS_MAX`] and not more than the
/// quota of the day leaves, for 20 s. If it ends early for any reason, the answer says where to go on. A replay is
/// incomplete if its caller goes away, and can be repeated.
pub(crate) async fn replay(
    webhooks: &WebhookManagement,
    holder: &Holder,
    reference: &str,
    since: i64,
) -> Result<Replay, Problem> {
    let running = webhooks.replays.start(holder.participant());
    let _running = running.ok_or_else(under_way)?;
    let Begun {
        subscription,
        range,
        allowed,
    } = begin(webhooks, holder, reference, since).await?;
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
        allowed,
    };
    let enqueued = enqueue_parts(webhooks, holder, reference, subscription, &mut progress).await;
    let Progress {
        left, deliveries, ..
    } = progress;
    replay.deliveries = deliveries;
    match enqueued {
        Ok(true) => return Ok(replay),
        Ok(false) => {}
        // The deliveries that were enqueued before stay, so the answer is no refusal.
        Err(_problem) if replay.deliveries > 0 => {}
        Err(problem) => return Err(problem),
    }
    let reading = webhooks
        .storage
        .read(move |read| log::find_first_time(read, subscription, left));
    let next_since: Result<_, StorageError> = reading.await;
    // The start is a safe default, because pending deliveries are not enqueued again.
    replay.next_since = next_since.unwrap_or(Some(since)).map(clock::to_rfc3339);
    Ok(replay)
}

/// The number of deliveries that the participant may still send again. `None`: any number.
fn count_left(
    read: &mut Read<'_>,
    holder: &Holder,
    now: i64,
    most: Option<i64>,
) -> Result<Option<i64>, Problem> {
    let Some(most) = most else {
        return Ok(None);
    };
    let day_ago = now - DAY_SECONDS;
    let used = quotas::sum_used(read, holder.participant(), Used::Replays, day_ago)?;
    if used >= most {
        return Err(used_up(most));
    }
    Ok(Some(most - used))
}

/// Counts deliveries that are sent again, and refuses them above the quota (S-65). The caller's transaction is
/// rolled back then.
pub(crate) fn charge(
    write: &mut Write<'_>,
    holder: &Holder,
    deliveries: i64,
    now: i64,
    most: Option<i64>,
) -> Result<(), Problem> {
    count_left(write, holder, now, most)?;
    Ok(quotas::add_used(
        write,
        holder.participant(),
        Used::Replays,
        deliveries,
        now,
    )?)
}

/// Enqueues one part after the other. Returns whether all parts are done.
async fn enqueue_parts(
    webhooks: &WebhookManagement,
    holder: &Holder,
    reference: &str,
    subscription: SubscriptionId,
    progress: &mut Progress,
) -> Result<bool, Problem> {
    let running = Stopwatch::start();
    while progress.allowed > 0 && running.elapsed() < REPLAY_TIME_MAX {
        let limit = REPLAY_PART_EVENTS.min(progress.allowed);
        let finding = find_part(webhooks, subscription, progress.left, limit);
        let found = webhooks.paced.run(finding).await?;
        let Some((part, has_events)) = found else {
            return Ok(true);
        };
        if has_events {
            let enqueuing = enqueue(webhooks, holder, reference, part);
            let enqueued = webhooks.paced.run(enqueuing).await?;
            webhooks.wake.wake();
            progress.deliveries += enqueued;
            progress.allowed -= i64::try_from(enqueued).unwrap_or(i64::MAX);
        }
        progress.left.after = part.last;
    }
    Ok(false)
}

async fn begin(
    webhooks: &WebhookManagement,
    holder: &Holder,
    reference: &str,
    since: i64,
) -> Result<Begun, Problem> {
    let (holder, reference) = (holder.clone(), reference.to_owned());
    let now = webhooks.clock.now_seconds();
    let most = webhooks.quotas.replays_per_day;
    webhooks
        .storage
        .read(move |read| {
            holder.prove_again(read)?;
            let found = find_active_subscription(read, &holder, &reference)?;
            let left = count_left(read, &holder, now, most)?;
            let allowed = left.map_or(REPLAY_EVENTS_MAX, |left| left.min(REPLAY_EVENTS_MAX));
            Ok(Begun {
                subscription: found.id,
                range: log::find_event_range(read, since)?,
                allowed,
            })
        })
        .await
}

async fn find_part(
    webhooks: &WebhookManagement,
    subscription: SubscriptionId,
    left: EventRange,
    limit: i64,
) -> Result<Option<(EventRange, bool)>, StorageError> {
    webhooks
        .storage
        .read(move |read| log::find_part(read, subscription, left, limit))
        .await
}

async fn enqueue(
    webhooks: &WebhookManagement,
    holder: &Holder,
    reference: &str,
    part: EventRange,
) -> Result<u64, Problem> {
    let (holder, reference) = (holder.clone(), reference.to_owned());
    let now = webhooks.clock.now_milliseconds();
    webhooks
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let found = find_active_subscription(write, &holder, &reference)?;
            let replayed = log::replay(write, found.id, part, now)?;
            let amount = i64::try_from(replayed).unwrap_or(i64::MAX);
            quotas::add_used(
                write,
                holder.participant(),
                Used::Replays,
                amount,
                now / 1000,
            )?;
            Ok::<_, Problem>(replayed)
        })
        .await
}
