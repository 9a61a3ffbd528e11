//! `GET {console_url}/jwks`: the console's own copy of the key set, for browsers that do not reach the
//! published one.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use web::conditional::Published;
use web::problem::Problem;

use crate::Console;

/// Shows the key set.
pub(crate) async fn show_jwks(
    State(console): State<Arc<Console>>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let snapshot = console.queries.tokens.registry.snapshot().await?;
    let body = snapshot.published_jwks.clone();
    Ok(Published::new(body, "application/jwk-set+json").answer(&headers))
}
