//! `POST …/webhook/subscriptions/{id}/deliveries/{deliveryId}/redeliver`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use storage::delivery_log;

use crate::app::App;
use crate::management::segments::Segments;
use crate::problem::Problem;
use crate::webhooks::holder::ApiKeyHolder;
use crate::webhooks::owned::find_active_subscription;
use crate::wire::webhooks::Redelivery;

/// Sends one delivery again, whatever became of it, on a new schedule.
pub async fn redeliver(
    State(app): State<Arc<App>>,
    holder: ApiKeyHolder,
    segments: Segments,
) -> Result<(StatusCode, Json<Redelivery>), Problem> {
    let now = app.clock.now_milliseconds();
    let id = app
        .storage
        .write(move |write| {
            let unknown = Problem::NotFound("The subscription has no such delivery.");
            let found = find_active_subscription(write, &holder, segments.text(0))?;
            let id = segments.number(1).ok_or_else(|| unknown.clone())?;
            if !delivery_log::redeliver(write, found.id, id, now)? {
                return Err(unknown);
            }
            Ok(id)
        })
        .await?;
    app.deliveries.wake();
    let redelivery = Redelivery {
        delivery_id: id.to_string(),
        status: "waiting",
    };
    Ok((StatusCode::ACCEPTED, Json(redelivery)))
}
