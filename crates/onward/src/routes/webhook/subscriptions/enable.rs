//! `POST {base_url}/api/v1/webhook/subscriptions/{id}/enable`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::subscriptions;

use crate::app::App;
use crate::management::segments::Segments;
use crate::problem::Problem;
use crate::webhooks::causes::{OwnSubscription, Refused};
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::owned::{find_own_subscription, reread};
use crate::webhooks::parameters::SubscriptionInPath;
use crate::webhooks::waiting;
use crate::wire::webhooks::SubscriptionAnswer;

/// Makes a subscription active again.
///
/// What it was still owed goes out at once; what happened meanwhile comes with a replay. An
/// active subscription stays as it is.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/enable",
    tag = "Webhooks",
    params(SubscriptionInPath),
    responses(
        (status = 200, description = "The subscription, active.", body = SubscriptionAnswer),
        Refused::<OwnSubscription>,
    ),
    security(("apiKey" = [])),
)]
pub async fn enable_subscription(
    State(app): State<Arc<App>>,
    holder: ApiKeyHolder,
    segments: Segments,
) -> Result<Json<SubscriptionAnswer>, Problem> {
    let now = app.clock.now_seconds();
    let (was_active, enabled) = app
        .storage
        .write_at_length(move |write| {
            holder.prove_again(write)?;
            let found = find_own_subscription(write, &holder, segments.text(0))?;
            if found.is_active {
                return Ok((true, found));
            }
            subscriptions::enable_subscription(write, found.id, now)?;
            let enabled = reread(write, &holder, &found.reference)?;
            Ok::<_, Problem>((false, enabled))
        })
        .await?;
    if !was_active {
        waiting::hasten(&app, enabled.id).await?;
        app.deliveries.wake();
    }
    Ok(Json(SubscriptionAnswer::from(enabled)))
}
