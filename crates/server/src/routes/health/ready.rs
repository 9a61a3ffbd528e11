//! `GET /health/ready`: the node can answer queries, its store included, and goes on to.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use http::Method;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::openapi::refusals;
use crate::problem::Problem;
use crate::routes::health::Operations;
use crate::routes::only_get;

/// Says that the store answers and that this node is not about to stop; 503 otherwise.
///
/// A balancer asks this. A node that was told to stop (`drain_seconds`) still answers whoever
/// comes, until the balancer has heard of it.
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
        NotReady,
    ),
)]
pub(crate) async fn show_ready(
    State(operations): State<Arc<Operations>>,
    method: Method,
) -> Result<&'static str, Problem> {
    only_get(&method)?;
    if operations.drain.has_begun() {
        return Err(Problem::Draining);
    }
    operations.registry.snapshot().await?;
    Ok("ready\n")
}

/// Why it may not be ready.
struct NotReady;

impl IntoResponses for NotReady {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let problems = [
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
            Problem::Draining,
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
