//! `POST {base_url}/api/v1/webhook/subscriptions/{id}/replay`: what was missed comes again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use jiff::Timestamp;
use storage::delivery_log;

use crate::app::App;
use crate::limits;
use crate::management::recording::WriteRequest;
use crate::management::segments::Segments;
use crate::problem::Problem;
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::owned::find_active_subscription;
use crate::wire::webhooks::Replay;

/// Owes the events of the subscription's types again that were recorded since
/// a time, with their old ids; those that wait already are left alone.
pub async fn replay(
    State(app): State<Arc<App>>,
    holder: ApiKeyHolder,
    segments: Segments,
    request: WriteRequest,
) -> Result<(StatusCode, Json<Replay>), Problem> {
    let mut fields = request.fields()?;
    fields.require("since");
    let since = fields.exact_text("since").and_then(|text| {
        let parsed = text.parse::<Timestamp>().ok();
        if parsed.is_none() {
            fields.refuse(
                "since",
                "must be an RFC 3339 time, such as 2026-11-21T10:00:00Z",
            );
        }
        parsed
    });
    fields.finish()?;
    let since = since.map_or(0, Timestamp::as_second);
    let now = app.clock.now_milliseconds();
    let deliveries = app
        .storage
        .write(move |write| {
            let found = find_active_subscription(write, &holder, segments.text(0))?;
            let window = (since, limits::REPLAY_EVENTS_MAX);
            Ok::<_, Problem>(delivery_log::replay(write, &found, window, now)?)
        })
        .await?;
    app.deliveries.wake();
    Ok((StatusCode::ACCEPTED, Json(Replay { deliveries })))
}
