//! `GET {jwks_url}`: the public keys that answers and events verify with.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use signing::base64url;
use signing::canonical;

use crate::app::App;
use crate::limits;
use crate::problem::Problem;
use crate::routes::{Unhealthy, only_get};
use crate::wire::keys::KeySet;

/// Shows the key set.
///
/// The keys (RFC 7517) that signatures of answers and events are verified
/// with. A key is published before it signs, and stays after it has.
#[utoipa::path(
    method(get, head),
    path = "/jwks",
    tag = "Keys",
    params(("If-None-Match" = Option<String>, Header, nullable = false, description = "The `ETag` of a key set that you have.")),
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
            description = "You have the current key set.",
            headers(("cache-control"), ("etag")),
        ),
        Unhealthy,
    ),
)]
pub async fn show_jwks(
    State(app): State<Arc<App>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let snapshot = app.registry.snapshot().await?;
    let body = snapshot.published_jwks.clone();
    let etag = format!(
        "\"{}\"",
        base64url::encode(&canonical::digest(body.as_bytes()))
    );
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        body.into_response()
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/jwk-set+json"),
    );
    let fresh_for = format!("public, max-age={}", limits::JWKS_MAX_AGE_SECONDS);
    if let Ok(fresh_for) = HeaderValue::from_str(&fresh_for) {
        headers.insert(header::CACHE_CONTROL, fresh_for);
    }
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    Ok(response)
}
