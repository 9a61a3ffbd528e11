//! `{base_url}/api/v1/webhook/subscriptions` and `…/{id}`: the caller's subscriptions (S-37).

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
use utoipa::openapi::schema::ObjectBuilder;
use web::described::{any_body, wrong_member};
use web::json_body::JsonBody;
use web::list::Data;
use web::problem::Problem;
use web::segments::Segments;
use web::{body, refusals};

use crate::WebhookManagement;
use crate::callback_member::{callback_member, read_callback};
use crate::holder::Holder;
use crate::openapi::{callback, describe, free_callback, own_subscription};
use crate::owned::{callback_taken, find_own_subscription, reread};
use crate::parameters::SubscriptionInPath;
use crate::waiting;
use crate::wire::SubscriptionAnswer;

refusals!(ListSubscriptionsRefusals = describe());

/// Lists your subscriptions, the oldest first.
///
/// An API account and the client of a token see nothing of each other. A disabled subscription is listed with the reason. A deleted one is not listed.
#[utoipa::path(
    get,
    path = "/api/v1/webhook/subscriptions",
    tag = "Webhooks",
    responses(
        (status = 200, description = "The subscriptions.", body = Data<Vec<SubscriptionAnswer>>),
        ListSubscriptionsRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn list_subscriptions(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
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
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn show_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let found = webhooks
        .storage
        .read(move |read| find_own_subscription(read, &holder, segments.text(0)))
        .await?;
    Ok(webhooks.show(found))
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
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn delete_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
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

refusals!(
    MoveSubscriptionRefusals = describe(
        any_body(),
        wrong_member("callbackUrl", "is missing"),
        callback(),
        own_subscription(),
        free_callback(),
    )
);

/// Moves a subscription to another callback URL.
///
/// Its id, event types, watch and delivery log stay. The service sends pending deliveries to the new URL at
/// once. An attempt that is under way may still arrive at the old URL.
#[utoipa::path(
    patch,
    path = "/api/v1/webhook/subscriptions/{id}",
    tag = "Webhooks",
    params(SubscriptionInPath),
    request_body = MoveBody,
    responses(
        (status = 200, description = "The moved subscription.", body = SubscriptionAnswer),
        MoveSubscriptionRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn move_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
    body: JsonBody,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let mut fields = body.fields()?;
    fields.require("callbackUrl");
    let url = read_callback(&webhooks, &holder, &mut fields).await;
    fields.finish()?;
    let url = url.ok_or_else(JsonBody::incomplete)?;
    let now = webhooks.clock.now_seconds();
    let moved = webhooks
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let found = find_own_subscription(write, &holder, segments.text(0))?;
            let url = url.as_str();
            let known = subscriptions::find_subscription_by_url(write, holder.account(), url)?;
            match known {
                Some(other) if other.id != found.id => return Err(callback_taken()),
                Some(_same) => subscriptions::take_over(write, found.id, holder.key())?,
                None => subscriptions::move_subscription(write, found.id, url, holder.key(), now)?,
            }
            Ok(reread(write, &holder, &found.reference)?)
        })
        .await?;
    waiting::make_due_now(&webhooks, moved.id).await?;
    webhooks.wake.wake();
    Ok(webhooks.show(moved))
}

body!(MoveBody = move_body());

/// The body of a move.
fn move_body() -> ObjectBuilder {
    ObjectBuilder::new()
        .property("callbackUrl", callback_member())
        .required("callbackUrl")
}
