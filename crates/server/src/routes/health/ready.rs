//! `GET /health/ready`: shows whether this node should receive requests.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use http::Method;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};
use web::problem::Problem;
use web::refusals;
use web::routing::only_get;

use crate::routes::health::Operations;

/// Shows whether this node should receive requests.
///
/// The answer is 503 if the node drains, the store cannot be read or written, its files were removed or a sync
/// of them failed, the clock differs from the store's time, the signing keys cannot be read, or the server's certificate
/// or each revocation list has expired.
/// It comes within a second. `detail` names each reason. A draining node still answers requests for
/// `drain_seconds`, so that load balancers have time to notice.
#[utoipa::path(
    get,
    path = "/health/ready",
    tag = "Health",
    responses(
        (
            status = 200,
            description = "The node is ready.",
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
    let faults = operations.readiness.faults().await;
    if faults.is_empty() {
        return Ok("ready\n");
    }
    let texts = faults
        .iter()
        .map(|(reason, text)| format!("{}: {text}", reason.as_str()));
    Err(Problem::NotReady(texts.collect::<Vec<_>>().join("; ")))
}

/// The reasons why a node is not ready.
struct NotReady;

impl IntoResponses for NotReady {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let problems = [Problem::NotReady(String::new()), Problem::Draining];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
