//! `GET {jwks_url}`: the public keys that verify answers and events.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};
use tokens::registry::Registry;

use crate::conditional::Published;
use crate::problem::Problem;
use crate::routes::{Unhealthy, only_get};
use crate::wire::keys::KeySet;

/// Shows the key set.
///
/// These keys (RFC 7517) verify the signatures of answers and events. The service publishes a key
/// before its first signature and keeps it for some time after its last.
#[utoipa::path(
    method(get, head),
    path = "/jwks",
    tag = "Keys",
    params(("If-None-Match" = Option<String>, Header, nullable = false, description = "The `ETag` of your copy of the key set.")),
    responses(
        (
            status = 200,
            description = "The key set.",
            body = KeySet,
            content_type = "application/jwk-set+json",
            headers(("cache-control"), ("etag")),
        ),
        (
            status = 304,
            description = "Your copy is current.",
            headers(("cache-control"), ("etag")),
        ),
        Unhealthy,
    ),
)]
pub(crate) async fn show_jwks(
    State(registry): State<Arc<Registry>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let snapshot = registry.snapshot().await?;
    let body = snapshot.published_jwks.clone();
    Ok(Published::new(body, "application/jwk-set+json").answer(&headers))
}
