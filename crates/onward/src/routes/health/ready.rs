//! `GET /health/ready`: the node can answer queries, its store included.

use std::sync::Arc;

use axum::extract::State;
use http::Method;

use crate::app::App;
use crate::problem::Problem;
use crate::routes::{Unhealthy, only_get};

/// Says that the store answers; 503 otherwise.
#[utoipa::path(
    method(get, head),
    path = "/health/ready",
    tag = "Health",
    responses(
        (
            status = 200,
            description = "It can answer.",
            body = String,
            content_type = "text/plain; charset=utf-8",
        ),
        Unhealthy,
    ),
)]
pub async fn show_ready(
    State(app): State<Arc<App>>,
    method: Method,
) -> Result<&'static str, Problem> {
    only_get(&method)?;
    app.registry.snapshot().await?;
    Ok("ready\n")
}
