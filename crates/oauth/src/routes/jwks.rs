//! `GET {jwks_url}`: the public keys that verify answers and events.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};
use tokens::registry::Registry;
use web::conditional::{IfNoneMatch, Published};
use web::problem::Problem;
use web::routing::{Unhealthy, only_get};

use crate::wire::keys::KeySet;

/// Shows the key set.
///
/// These keys (RFC 7517) verify the signatures of answers and events. The service publishes a key
/// before its first signature and keeps it for some time after its last.
#[utoipa::path(
    get,
    path = "/jwks",
    tag = "Keys",
    params(IfNoneMatch),
    responses(
        (
            status = 200,
            description = "The key set.",
            body = KeySet,
            content_type = "application/jwk-set+json",
            headers(("access-control-allow-origin"), ("cache-control"), ("etag")),
        ),
        (
            status = 304,
            description = "Your copy is current.",
            headers(("access-control-allow-origin"), ("cache-control"), ("etag")),
        ),
        Unhealthy,
    ),
)]
pub async fn show_jwks(
    State(registry): State<Arc<Registry>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let snapshot = registry.snapshot().await?;
    let body = snapshot.published_jwks.clone();
    let mut response = Published::new(body, "application/jwk-set+json").answer(&headers);
    // Pages of any origin may read it: a browser verifies signatures with the published keys.
    let anybody = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, anybody);
    Ok(response)
}
