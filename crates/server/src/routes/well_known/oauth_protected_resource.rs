//! `GET /.well-known/oauth-protected-resource`, on listeners that accept access tokens (RFC 9728).

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};

use crate::config::Config;
use crate::listener::Listener;
use crate::problem::Problem;
use crate::routes::{Unhealthy, only_get, publish_json};
use crate::wire::metadata::ProtectedResource;

/// Shows the metadata of this resource server.
///
/// `WWW-Authenticate` challenges refer to this document (RFC 9728).
#[utoipa::path(
    method(get, head),
    path = "/.well-known/oauth-protected-resource",
    tag = "Metadata",
    params(("If-None-Match" = Option<String>, Header, nullable = false, description = "The `ETag` of your copy.")),
    responses(
        (
            status = 200,
            description = "The issuers and scopes of accepted tokens.",
            body = ProtectedResource,
            content_type = "application/json",
            headers(("cache-control"), ("etag")),
        ),
        (
            status = 304,
            description = "Your copy is current.",
            headers(("cache-control"), ("etag")),
        ),
        Unhealthy,
    ),
    security(()),
)]
pub(crate) async fn show_resource(
    State(config): State<Arc<Config>>,
    Extension(listener): Extension<Listener>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let resource = ProtectedResource::of(listener, &config).ok_or(Problem::NoSuchPath)?;
    publish_json(&resource, &headers)
}
