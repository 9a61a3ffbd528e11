//! `POST {base_url}/api/v1/webhook/subscriptions/{id}/replay`: what was missed comes again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use jiff::Timestamp;
use utoipa::openapi::schema::ObjectBuilder;
use utoipa::openapi::{RefOr, Schema};

use crate::limits;
use crate::listing_management::causes::{AnyBody, Members, WrongMember};
use crate::listing_management::json_body::JsonBody;
use crate::listing_management::segments::Segments;
use crate::openapi::schema::formatted;
use crate::problem::Problem;
use crate::webhooks::WebhookManagement;
use crate::webhooks::causes::{ActiveSubscription, OneReplay, Refused};
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::parameters::SubscriptionInPath;
use crate::webhooks::replaying;
use crate::wire::webhooks::Replay;

/// Sends again what happened since a time.
///
/// Owes the events of the subscription's types again that were recorded since then, with their
/// old ids; those that wait already are left alone. It reaches back as far as deliveries are kept.
#[utoipa::path(
    post,
    path = "/api/v1/webhook/subscriptions/{id}/replay",
    tag = "Webhooks",
    params(SubscriptionInPath),
    request_body = ReplayBody,
    responses(
        (status = 202, description = "They are on their way.", body = Replay),
        Refused::<((AnyBody, Members<ReplayBody>), ActiveSubscription, OneReplay)>,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn replay(
    State(webhooks): State<Arc<WebhookManagement>>,
    holder: ApiKeyHolder,
    segments: Segments,
    body: JsonBody,
) -> Result<(StatusCode, Json<Replay>), Problem> {
    let mut fields = body.fields()?;
    fields.require("since");
    let since = fields.exact_text("since").and_then(|text| {
        let parsed = text.parse::<Timestamp>().ok();
        if parsed.is_none() {
            let (name, detail) = ReplayBody::WRONG;
            fields.refuse(name, detail);
        }
        parsed
    });
    fields.finish()?;
    let now = webhooks.clock.now_milliseconds();
    // What is older may be there still, because another subscription is owed it.
    let kept_since = now / 1000 - i64::from(webhooks.delivery_retention_days) * 86_400;
    let since = since.map_or(0, Timestamp::as_second).max(kept_since);
    let replay = replaying::replay(&webhooks, &holder, segments.text(0), since).await?;
    Ok((StatusCode::ACCEPTED, Json(replay)))
}

/// What `replay` reads.
struct ReplayBody;

impl utoipa::ToSchema for ReplayBody {}

impl utoipa::PartialSchema for ReplayBody {
    fn schema() -> RefOr<Schema> {
        let text = format!(
            "From when on. Of more than {} events, the first ones recorded come, and the answer's \
             `nextSince` says where to go on.",
            limits::REPLAY_EVENTS_MAX
        );
        ObjectBuilder::new()
            .property("since", formatted("date-time").description(Some(text)))
            .required("since")
            .into()
    }
}

impl WrongMember for ReplayBody {
    const WRONG: (&'static str, &'static str) = (
        "since",
        "must be an RFC 3339 time, such as 2026-11-21T10:00:00Z",
    );
}
