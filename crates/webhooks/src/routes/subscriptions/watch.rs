//! `GET`, `PUT` and `PATCH {base_url}/api/v1/webhook/subscriptions/{id}/watch`: the properties to which a
//! subscription is narrowed (S-39).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use storage::watches;
use web::described::{any_body, wrong_member};
use web::json_body::JsonBody;
use web::page::{Query, refuse_errors};
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::limits::WATCH_UPRNS_PER_CALL;
use crate::openapi::{any_watch, changed_watch, describe, own_subscription, shown_watch};
use crate::owned::find_own_subscription;
use crate::parameters::{SubscriptionInPath, WatchPage};
use crate::waiting;
use crate::watch_changes::{self, WatchWish};
use crate::watching::{NewWatch, WatchBody, WatchChanges, WatchChangesBody, no_watch};
use crate::wire::{SubscriptionAnswer, WatchedAnswer};

refusals!(ShowWatchRefusals = describe(own_subscription(), shown_watch()));

/// Shows what a subscription watches, in pages by UPRN.
///
/// Pass `next` of a page as `after` to get the next page. The last page has no `next`.
// S-92
#[utoipa::path(
    get,
    path = "/api/v1/webhook/subscriptions/{id}/watch",
    tag = "Webhooks",
    params(SubscriptionInPath, WatchPage),
    responses(
        (status = 200, description = "A page of the watch.", body = WatchedAnswer),
        ShowWatchRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn show_watch(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
    uri: Uri,
) -> Result<Json<WatchedAnswer>, Problem> {
    let (after, limit) = read_page(&uri)?;
    let (watch, mut uprns) = webhooks
        .storage
        .read_by_index(move |read| {
            let found = find_own_subscription(read, &holder, segments.text(0))?;
            let watch = found.watch.ok_or_else(no_watch)?;
            // One more shows whether another page follows.
            let uprns = watches::list_uprns(read, found.id, after, limit + 1)?;
            Ok::<_, Problem>((watch, uprns))
        })
        .await?;
    let rest = uprns.split_off(
        uprns
            .len()
            .min(usize::try_from(limit).unwrap_or(usize::MAX)),
    );
    let next = uprns.last().copied().filter(|_last| !rest.is_empty());
    Ok(Json(WatchedAnswer::of(watch, &uprns, next)))
}

/// The UPRN after which the page begins, and its length.
fn read_page(uri: &Uri) -> Result<(i64, i64), Problem> {
    let query = Query::parse(uri.query())?;
    let mut errors = Vec::new();
    let after = query.integer("after", 0..=chain::limits::UPRN_MAX, &mut errors);
    let most = i64::try_from(WATCH_UPRNS_PER_CALL).unwrap_or(i64::MAX);
    let per_page = query.integer("per_page", 1..=most, &mut errors);
    refuse_errors(errors)?;
    Ok((after.unwrap_or(0), per_page.unwrap_or(most)))
}

refusals!(
    SetWatchRefusals = describe(
        any_body(),
        wrong_member("reach", "must be `property` or `chain`"),
        own_subscription(),
        any_watch(),
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
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn set_watch(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
    body: JsonBody,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let watch = NewWatch::read_body(&body)?;
    change(&webhooks, &holder, &segments, WatchWish::Set(watch)).await
}

refusals!(
    ChangeWatchRefusals = describe(
        any_body(),
        wrong_member("add", "is missing: send `add`, `remove` or `reach`"),
        own_subscription(),
        changed_watch(),
        any_watch(),
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
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn change_watch(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
    body: JsonBody,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let changes = WatchChanges::read_body(&body)?;
    change(&webhooks, &holder, &segments, WatchWish::Change(changes)).await
}

/// Changes the watch of one of the caller's subscriptions.
async fn change(
    webhooks: &WebhookManagement,
    holder: &Holder,
    segments: &Segments,
    wish: WatchWish,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let _running = watch_changes::admit(webhooks, holder, &wish)?;
    let wish = Arc::new(wish);
    let most = webhooks.quotas.watched_uprns;
    let (asker, wanted) = (holder.clone(), Arc::clone(&wish));
    let reference = segments.text(0).to_owned();
    let found = webhooks
        .storage
        .read(move |read| {
            asker.prove_again(read)?;
            let found = find_own_subscription(read, &asker, &reference)?;
            watch_changes::refuse(read, &asker, Some(&found), &wanted, most)?;
            Ok::<_, Problem>(found)
        })
        .await?;
    watch_changes::carry_out(webhooks, found.id, &wish).await?;
    let asker = holder.clone();
    let changed = webhooks
        .storage
        .read(move |read| find_own_subscription(read, &asker, &found.reference))
        .await
        .map_err(waiting::unread)?;
    Ok(webhooks.show(changed))
}
