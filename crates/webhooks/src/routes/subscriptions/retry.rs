//! `POST {base_url}/api/v1/webhook/subscriptions/{id}/retry`: tries all that waits at once.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::pauses;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::openapi::{active_subscription, describe};
use crate::owned::{disabled, find_own_subscription, reread};
use crate::parameters::SubscriptionInPath;
use crate::waiting;
use crate::wire::SubscriptionAnswer;

refusals!(RetryDeliveriesRefusals = describe(active_subscription()));

/// Makes all waiting deliveries due now, and ends a pause.
///
/// Use it when your callback works again after an outage. The schedule of each delivery goes on: the
/// next attempt counts as before. A disabled subscription must be enabled instead.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/retry",
    tag = "Webhooks",
    params(SubscriptionInPath),
    responses(
        (status = 200, description = "The subscription, no longer paused.", body = SubscriptionAnswer),
        RetryDeliveriesRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn retry_deliveries(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let reference = segments.text(0).to_owned();
    let resumed = webhooks
        .storage
        .write_at_length(move |write| {
            let found = find_own_subscription(write, &holder, &reference)?;
            if !found.is_active {
                return Err(disabled());
            }
            pauses::end_pause(write, found.id)?;
            Ok::<_, Problem>(reread(write, &holder, &found.reference)?)
        })
        .await?;
    waiting::make_due_now(&webhooks, resumed.id).await?;
    webhooks.wake.wake();
    Ok(webhooks.show(resumed))
}
