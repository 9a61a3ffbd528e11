//! `{base_url}/api/v1/webhook/subscriptions` and `…/{id}`: the caller's subscriptions (S-37).

pub(crate) mod callback;
pub mod deliveries;
pub mod enable;
pub mod replay;
pub mod retry;
pub mod watch;

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use storage::subscriptions;
use web::list::Data;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::ApiKeyHolder;
use crate::openapi::{describe, own_subscription};
use crate::owned::find_own_subscription;
use crate::parameters::SubscriptionInPath;
use crate::wire::SubscriptionAnswer;

refusals!(ListSubscriptionsRefusals = describe());

/// Lists the subscriptions of the API key, the oldest first.
///
/// A disabled subscription is listed with the reason. A deleted one is not listed.
#[utoipa::path(
    get,
    path = "/api/v1/webhook/subscriptions",
    tag = "Webhooks",
    responses(
        (status = 200, description = "The subscriptions.", body = Data<Vec<SubscriptionAnswer>>),
        ListSubscriptionsRefusals,
    ),
    security(("apiKey" = [])),
)]
pub async fn list_subscriptions(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
) -> Result<Json<Data<Vec<SubscriptionAnswer>>>, Problem> {
    let found = webhooks
        .storage
        .read(move |read| subscriptions::list_subscriptions(read, holder.account()))
        .await?;
    let now = webhooks.clock.now_milliseconds();
    let shown = found
        .into_iter()
        .map(|one| SubscriptionAnswer::of(one, now));
    let data = shown.collect();
    Ok(Json(Data { data }))
}

refusals!(ShowSubscriptionRefusals = describe(own_subscription()));

/// Shows one subscription.
///
/// `disabledReason` says why it is disabled, and `pausedUntil` when the next delivery is attempted
/// after failures.
#[utoipa::path(
    get,
    path = "/api/v1/webhook/subscriptions/{id}",
    tag = "Webhooks",
    params(SubscriptionInPath),
    responses(
        (status = 200, description = "The subscription.", body = SubscriptionAnswer),
        ShowSubscriptionRefusals,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn show_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let found = webhooks
        .storage
        .read(move |read| find_own_subscription(read, &holder, segments.text(0)))
        .await?;
    let now = webhooks.clock.now_milliseconds();
    Ok(Json(SubscriptionAnswer::of(found, now)))
}

refusals!(DeleteSubscriptionRefusals = describe(own_subscription()));

/// Deletes a subscription with its pending deliveries and its delivery log.
///
/// An attempt that is under way may still arrive.
#[utoipa::path(
    delete,
    path = "/api/v1/webhook/subscriptions/{id}",
    tag = "Webhooks",
    params(SubscriptionInPath),
    responses((status = 204, description = "The subscription is deleted."), DeleteSubscriptionRefusals),
    security(("apiKey" = [])),
)]
pub async fn delete_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
) -> Result<StatusCode, Problem> {
    webhooks
        .storage
        .write_at_length(move |write| {
            let found = find_own_subscription(write, &holder, segments.text(0))?;
            subscriptions::remove_subscription(write, found.id)?;
            Ok::<_, Problem>(())
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
