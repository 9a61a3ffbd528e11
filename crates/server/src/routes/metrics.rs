//! `GET /metrics`: this node's metrics in Prometheus' text format.

use std::sync::Arc;

use axum::extract::State;
use axum::response::IntoResponse;
use http::{HeaderMap, Method, header};
use storage::{StorageError, subscription_overview};
use web::problem::Problem;
use web::routing::only_get;

use crate::exposition::Exposition;
use crate::limits;
use crate::readiness::Reason;
use crate::routes::health::Operations;
use crate::store_metrics::Stored;

/// Shows all metrics.
///
/// If the store cannot be read, the figures of subscriptions are missing.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "Health",
    responses((
        status = 200,
        description = "The metrics in the text format of Prometheus, or in OpenMetrics for readers that \
            accept it.",
        content(
            (String = "text/plain; version=0.0.4; charset=utf-8"),
            (String = "application/openmetrics-text; version=1.0.0; charset=utf-8"),
        ),
    )),
)]
pub(crate) async fn show_metrics(
    State(operations): State<Arc<Operations>>,
    method: Method,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    only_get(&method)?;
    let reading = operations.storage.read(|read| {
        let overviews = subscription_overview::list_overviews(read, None)?;
        Ok::<_, StorageError>((overviews, Stored::read(read)?))
    });
    // Operators need the other metrics most when the store does not answer.
    let read = match tokio::time::timeout(limits::METRICS_STORE_TIMEOUT, reading).await {
        Ok(read) => operations.overviews_outage.note(read),
        // The readiness check logs a store that does not answer.
        Err(_elapsed) => None,
    };
    let (overviews, stored) = read.unzip();
    let faults = operations.readiness.faults().await;
    let is_down = [Reason::Store, Reason::StoreFiles]
        .iter()
        .any(|reason| faults.contains_key(reason));
    let is_up = !is_down;
    operations.metrics.store_up.set(i64::from(is_up));
    let now = operations.clock.now_milliseconds();
    operations
        .metrics
        .delivery
        .note_subscriptions(overviews.unwrap_or_default(), now);
    let store = &operations.metrics.store;
    store.note(&operations.storage, stored, now / 1000);
    if let Some(framework) = &operations.framework {
        store.note_framework_calls(framework.issuer().calls());
    }
    let is_ready = faults.is_empty() && !operations.drain.has_begun();
    operations.metrics.ready.set(i64::from(is_ready));
    let format = Exposition::wanted(&headers);
    let text = format.convert(operations.metrics.render());
    Ok(([(header::CONTENT_TYPE, format.content_type())], text))
}
