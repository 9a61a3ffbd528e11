//! `POST …/webhook/subscriptions/{id}/deliveries/{deliveryId}/cancel`: ends a pending delivery.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::delivery_choice::DeliveryState;
use storage::delivery_log;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::openapi::{describe, pending_delivery};
use crate::owned::{delivery_ended, find_own_subscription, unknown_delivery};
use crate::parameters::{DeliveryInPath, SubscriptionInPath};
use crate::wire::ChangedDelivery;

refusals!(CancelRefusals = describe(pending_delivery()));

/// Cancels a pending delivery.
///
/// It stays in the log as `cancelled`, and can be redelivered. Cancelling it again changes nothing. An
/// attempt that is under way, or begins within a second, may still arrive.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/deliveries/{delivery}/cancel",
    tag = "Webhooks",
    params(SubscriptionInPath, DeliveryInPath),
    responses(
        (status = 200, description = "The delivery is cancelled.", body = ChangedDelivery),
        CancelRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn cancel(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
) -> Result<Json<ChangedDelivery>, Problem> {
    let now = webhooks.clock.now_milliseconds();
    let cancelled = DeliveryState::Cancelled.as_str();
    let id = webhooks
        .storage
        .write(move |write| {
            let found = find_own_subscription(write, &holder, segments.text(0))?;
            let id = segments.number(1).ok_or_else(unknown_delivery)?;
            let state = delivery_log::cancel(write, found.id, id, now)?;
            match state.ok_or_else(unknown_delivery)? {
                state if state == cancelled => Ok(id),
                _ended => Err(delivery_ended()),
            }
        })
        .await?;
    // Later events of the same property need not wait any more.
    webhooks.wake.wake();
    Ok(Json(ChangedDelivery {
        delivery_id: id.to_string(),
        status: cancelled,
    }))
}
