//! `POST …/webhook/subscriptions/{id}/deliveries/{deliveryId}/redeliver`: sends a delivery
//! again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use storage::delivery_log;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::openapi::{describe, own_delivery};
use crate::owned::{check_chain_right, find_active_subscription, unknown_delivery};
use crate::parameters::{DeliveryInPath, SubscriptionInPath};
use crate::replaying;
use crate::wire::ChangedDelivery;

refusals!(RedeliverRefusals = describe(own_delivery()));

/// Sends one delivery again.
///
/// The delivery starts a new schedule, whatever its status is. It keeps its event id. It counts as a
/// replayed delivery.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/deliveries/{delivery}/redeliver",
    tag = "Webhooks",
    params(SubscriptionInPath, DeliveryInPath),
    responses(
        (status = 202, description = "The delivery is pending.", body = ChangedDelivery),
        RedeliverRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn redeliver(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
) -> Result<(StatusCode, Json<ChangedDelivery>), Problem> {
    let now = webhooks.clock.now_milliseconds();
    let most = webhooks.quotas.replays_per_day;
    let id = webhooks
        .storage
        .write(move |write| {
            let found = find_active_subscription(write, &holder, segments.text(0))?;
            let id = segments.number(1).ok_or_else(unknown_delivery)?;
            let event_type = delivery_log::find_event_type(write, found.id, id)?;
            let event_type = event_type.ok_or_else(unknown_delivery)?;
            if event_type.needs_chain_client() {
                check_chain_right(write, &holder)?;
            }
            if !delivery_log::redeliver(write, found.id, id, now)? {
                return Err(unknown_delivery());
            }
            replaying::charge(write, &holder, 1, now / 1000, most)?;
            Ok(id)
        })
        .await?;
    webhooks.wake.wake();
    let changed = ChangedDelivery {
        delivery_id: id.to_string(),
        status: "waiting",
    };
    Ok((StatusCode::ACCEPTED, Json(changed)))
}
