//! A replay, in short transactions: lanes and recordings go on between them.

use std::sync::Arc;

use observe::clock;
use storage::StorageError;
use storage::delivery_log::{self, Stretch};
use storage::subscriptions::StoredSubscription;

use super::holder::ApiKeyHolder;
use super::owned::find_active_subscription;
use crate::limits::{REPLAY_EVENTS_MAX, REPLAY_PART_EVENTS};
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::wire::webhooks::Replay;

/// A second replay beside the first.
pub fn under_way() -> Problem {
    Problem::Conflict("A replay for this API key is under way. Wait until it is answered.")
}

/// Owes a subscription again the real events of its types since a time, in Unix seconds, that do
/// not wait for it already: the first ones recorded, at most [`REPLAY_EVENTS_MAX`]. What is
/// recorded meanwhile is owed anyway. Cut off by the store, it says where to go on; by its caller,
/// it leaves some out, and can be repeated.
pub async fn replay(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    since: i64,
) -> Result<Replay, Problem> {
    let _running = webhooks.replays.start(holder.id()).ok_or_else(under_way)?;
    let (subscription, stretch) = begin(webhooks, holder, reference, since).await?;
    let mut replay = Replay {
        deliveries: 0,
        next_since: None,
    };
    let Some(mut left) = stretch else {
        return Ok(replay);
    };
    match owe_parts(
        webhooks,
        holder,
        (reference, &subscription),
        (&mut left, &mut replay),
    )
    .await
    {
        Ok(true) => return Ok(replay),
        Ok(false) => {}
        // What was owed by then stays so.
        Err(Problem::Unavailable(..) | Problem::Unconfirmed(_)) if replay.deliveries > 0 => {}
        Err(problem) => return Err(problem),
    }
    let reading = webhooks
        .storage
        .read(move |read| delivery_log::find_first_time(read, &subscription, left));
    let next_since: Result<_, StorageError> = reading.await;
    // From the beginning on is right as well: what waits already is left alone.
    replay.next_since = next_since.unwrap_or(Some(since)).map(clock::to_rfc3339);
    Ok(replay)
}

/// Owes one part after the other; whether that was all.
async fn owe_parts(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    (reference, subscription): (&str, &Arc<StoredSubscription>),
    (left, replay): (&mut Stretch, &mut Replay),
) -> Result<bool, Problem> {
    let mut may_owe = REPLAY_EVENTS_MAX;
    while may_owe > 0 {
        let limit = REPLAY_PART_EVENTS.min(may_owe);
        let Some((part, is_owing)) = find_part(webhooks, subscription, *left, limit).await? else {
            return Ok(true);
        };
        if is_owing {
            let owed = owe(webhooks, holder, reference, part).await?;
            webhooks.wake.wake();
            replay.deliveries += owed;
            may_owe -= i64::try_from(owed).unwrap_or(i64::MAX);
        }
        left.after = part.last;
    }
    Ok(false)
}

async fn begin(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    since: i64,
) -> Result<(Arc<StoredSubscription>, Option<Stretch>), Problem> {
    let (holder, reference) = (holder.clone(), reference.to_owned());
    webhooks
        .storage
        .read(move |read| {
            let found = find_active_subscription(read, &holder, &reference)?;
            Ok((Arc::new(found), delivery_log::find_stretch(read, since)?))
        })
        .await
}

async fn find_part(
    webhooks: &WebhookManagement,
    subscription: &Arc<StoredSubscription>,
    left: Stretch,
    limit: i64,
) -> Result<Option<(Stretch, bool)>, StorageError> {
    let subscription = Arc::clone(subscription);
    webhooks
        .storage
        .read(move |read| delivery_log::find_part(read, &subscription, left, limit))
        .await
}

async fn owe(
    webhooks: &WebhookManagement,
    holder: &ApiKeyHolder,
    reference: &str,
    part: Stretch,
) -> Result<u64, Problem> {
    let (holder, reference) = (holder.clone(), reference.to_owned());
    let now = webhooks.clock.now_milliseconds();
    webhooks
        .storage
        .write_at_length(move |write| {
            let found = find_active_subscription(write, &holder, &reference)?;
            Ok::<_, Problem>(delivery_log::replay(write, &found, part, now)?)
        })
        .await
}
