//! `POST {base_url}/api/v1/webhook/subscriptions/{id}/replay`: sends past events again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use observe::clock::parse_rfc3339;
use utoipa::openapi::schema::ObjectBuilder;
use web::described::{any_body, wrong_member};
use web::json_body::JsonBody;
use web::problem::Problem;
use web::schema::formatted;
use web::segments::Segments;
use web::{body, refusals};

use crate::WebhookManagement;
use crate::holder::Holder;
use crate::limits;
use crate::openapi::{active_subscription, describe, one_replay};
use crate::parameters::SubscriptionInPath;
use crate::replaying;
use crate::wire::Replay;

/// The refusal of a `since` that is not a time.
const WRONG_TIME: &str = "must be an RFC 3339 time, such as 2026-11-21T10:00:00Z";

refusals!(
    ReplayRefusals = describe(
        any_body(),
        wrong_member("since", WRONG_TIME),
        active_subscription(),
        one_replay(),
    )
);

/// Sends the events since a given time again.
///
/// The replay covers the events of the subscription's types that were recorded since then. They
/// keep their ids. Deliveries that are pending do not change. A replay reaches back as far as the
/// service keeps deliveries.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/replay",
    tag = "Webhooks",
    params(SubscriptionInPath),
    request_body = ReplayBody,
    responses(
        (status = 202, description = "The deliveries are pending.", body = Replay),
        ReplayRefusals,
    ),
    security(
        ("apiKey" = []),
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
    ),
)]
pub async fn replay(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: Holder,
    segments: Segments,
    body: JsonBody,
) -> Result<(StatusCode, Json<Replay>), Problem> {
    let mut fields = body.fields()?;
    fields.require("since");
    let since = fields.exact_text("since").and_then(|text| {
        let parsed = parse_rfc3339(&text);
        if parsed.is_none() {
            fields.refuse("since", WRONG_TIME);
        }
        parsed
    });
    fields.finish()?;
    let now = webhooks.clock.now_milliseconds();
    // The store may keep older events, because they are pending for another subscription.
    let kept_since = now / 1000 - i64::from(webhooks.delivery_retention_days) * 86_400;
    let since = since.unwrap_or(0).max(kept_since);
    let replay = replaying::replay(&webhooks, &holder, segments.text(0), since).await?;
    Ok((StatusCode::ACCEPTED, Json(replay)))
}

body!(ReplayBody = replay_body());

/// The body that `replay` parses.
fn replay_body() -> ObjectBuilder {
    let text = format!(
        "The start of the replay. It covers at most {} events, the oldest first. If there are \
         more, continue with the answer's `nextSince`.",
        limits::REPLAY_EVENTS_MAX
    );
    ObjectBuilder::new()
        .property("since", formatted("date-time").description(Some(text)))
        .required("since")
}
