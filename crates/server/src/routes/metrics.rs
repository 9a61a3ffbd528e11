//! `GET /metrics`: this node's metrics in Prometheus' text format.

use std::sync::Arc;

use axum::extract::State;
use axum::response::IntoResponse;
use http::{Method, header};
use storage::lanes;

use crate::limits;
use crate::problem::Problem;
use crate::readiness::Reason;
use crate::routes::health::Operations;
use crate::routes::only_get;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Shows all metrics.
///
/// If the store cannot be read, the figures of subscriptions are missing.
#[utoipa::path(
    method(get, head),
    path = "/metrics",
    tag = "Health",
    responses((
        status = 200,
        description = "The metrics in the text format of Prometheus.",
        body = String,
        content_type = OPEN_METRICS,
    )),
)]
pub(crate) async fn show_metrics(
    State(operations): State<Arc<Operations>>,
    method: Method,
) -> Result<impl IntoResponse, Problem> {
    only_get(&method)?;
    let limit = limits::WAITING_COUNTED_MAX;
    let reading = operations
        .storage
        .read(move |read| lanes::list_lane_figures(read, limit));
    // Operators need the other metrics most when the store does not answer.
    let lanes = match tokio::time::timeout(limits::METRICS_STORE_TIMEOUT, reading).await {
        Ok(Ok(lanes)) => Some(lanes),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the lanes could not be read for the metrics");
            None
        }
        Err(_elapsed) => None,
    };
    let faults = operations.readiness.faults().await;
    let is_up = lanes.is_some() && !faults.contains_key(&Reason::Store);
    operations.metrics.store_up.set(i64::from(is_up));
    let now = operations.clock.now_milliseconds();
    operations
        .metrics
        .delivery
        .note_lanes(lanes.unwrap_or_default(), now);
    let is_ready = faults.is_empty() && !operations.drain.has_begun();
    operations.metrics.ready.set(i64::from(is_ready));
    Ok((
        [(header::CONTENT_TYPE, OPEN_METRICS)],
        operations.metrics.render(),
    ))
}
