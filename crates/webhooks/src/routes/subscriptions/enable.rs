//! `POST {base_url}/api/v1/webhook/subscriptions/{id}/enable`: enables a subscription.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::subscriptions;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::openapi::{describe, one_more_subscription, own_subscription};
use crate::owned::{self, find_own_subscription, reread};
use crate::parameters::SubscriptionInPath;
use crate::waiting;
use crate::wire::SubscriptionAnswer;

refusals!(EnableSubscriptionRefusals = describe(own_subscription(), one_more_subscription()));

/// Makes a subscription active again.
///
/// The service sends pending deliveries at once. Ask for a replay of the events that happened while
/// it was disabled. An active subscription does not change.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/enable",
    tag = "Webhooks",
    params(SubscriptionInPath),
    responses(
        (status = 200, description = "The active subscription.", body = SubscriptionAnswer),
        EnableSubscriptionRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn enable_subscription(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let reference = segments.text(0).to_owned();
    let now = webhooks.clock.now_seconds();
    let most = webhooks.quotas.subscriptions;
    let (enabled, was_active) = webhooks
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let found = find_own_subscription(write, &holder, &reference)?;
            if found.is_active {
                subscriptions::take_over(write, found.id, holder.key())?;
                return Ok((found, true));
            }
            owned::check_one_more_active(write, &holder, most)?;
            subscriptions::enable_subscription(write, found.id, holder.key(), now)?;
            Ok::<_, Problem>((reread(write, &holder, &found.reference)?, false))
        })
        .await?;
    if !was_active {
        waiting::make_due_now(&webhooks, enabled.id).await?;
    }
    webhooks.wake.wake();
    Ok(webhooks.show(enabled))
}
