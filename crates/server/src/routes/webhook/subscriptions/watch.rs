//! `PUT` and `PATCH {base_url}/api/v1/webhook/subscriptions/{id}/watch`: the properties to which a
//! subscription is narrowed (S-39).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::Write;
use storage::subscriptions::StoredSubscription;

use crate::listing_management::json_body::JsonBody;
use crate::listing_management::openapi::{any_body, wrong_member};
use crate::listing_management::segments::Segments;
use crate::openapi::refusals::refusals;
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::openapi::{changed_watch, describe, own_subscription};
use crate::webhooks::owned::{find_own_subscription, reread};
use crate::webhooks::parameters::SubscriptionInPath;
use crate::webhooks::watching::{self, NewWatch, WatchBody, WatchChanges, WatchChangesBody};
use crate::wire::webhooks::SubscriptionAnswer;

refusals!(
    SetWatchRefusals = describe(
        any_body(),
        wrong_member("reach", "must be `property` or `chain`"),
        own_subscription(),
    )
);

/// Narrows a subscription to some properties or to their chains, and replaces what it watched.
///
/// A call takes up to 4,000 UPRNs. Add the others of a longer list with PATCH.
#[utoipa::path(
    put,
    path = "/api/v1/webhook/subscriptions/{id}/watch",
    tag = "Webhooks",
    params(SubscriptionInPath),
    request_body = WatchBody,
    responses(
        (status = 200, description = "The changed subscription.", body = SubscriptionAnswer),
        SetWatchRefusals,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn set_watch(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
    body: JsonBody,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let watch = NewWatch::read_body(&body)?;
    change(&webhooks, holder, &segments, move |write, found, now| {
        watch.store(write, found.id, now)
    })
    .await
}

refusals!(
    ChangeWatchRefusals = describe(
        any_body(),
        wrong_member("add", "is missing: send `add`, `remove` or `reach`"),
        own_subscription(),
        changed_watch(),
    )
);

/// Adds UPRNs to what a subscription watches, removes some, or changes the reach.
///
/// A subscription watches up to 100,000 UPRNs. Send `"watch": null` to `/subscribe` to end the watch.
#[utoipa::path(
    patch,
    path = "/api/v1/webhook/subscriptions/{id}/watch",
    tag = "Webhooks",
    params(SubscriptionInPath),
    request_body = WatchChangesBody,
    responses(
        (status = 200, description = "The changed subscription.", body = SubscriptionAnswer),
        ChangeWatchRefusals,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn change_watch(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
    body: JsonBody,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let changes = WatchChanges::read_body(&body)?;
    change(&webhooks, holder, &segments, move |write, found, now| {
        changes.store(write, found, now)
    })
    .await
}

/// Changes the watch of one of the caller's subscriptions.
async fn change(
    webhooks: &WebhookManagement,
    holder: ApiKeyHolder,
    segments: &Segments,
    store: impl Fn(&mut Write<'_>, &StoredSubscription, i64) -> Result<(), Problem> + Send + 'static,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let reference = segments.text(0).to_owned();
    let now = webhooks.clock.now_milliseconds();
    let changed = webhooks
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let found = find_own_subscription(write, &holder, &reference)?;
            store(write, &found, now / 1000)?;
            let changed = reread(write, &holder, &found.reference)?;
            watching::check_length(&changed)?;
            Ok::<_, Problem>(changed)
        })
        .await?;
    Ok(Json(SubscriptionAnswer::of(changed, now)))
}
