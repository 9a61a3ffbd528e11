//! `GET /.well-known/oauth-protected-resource`, on listeners that accept access tokens (RFC 9728).

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};
use web::conditional::{IfNoneMatch, Unchanged};
use web::listener::Listener;
use web::problem::Problem;
use web::routing::{Unhealthy, only_get, publish_json};
use web::urls::ServiceUrls;

use crate::wire::metadata::ProtectedResource;

/// Shows the metadata of this resource server.
///
/// `WWW-Authenticate` challenges refer to this document (RFC 9728).
#[utoipa::path(
    get,
    path = "/.well-known/oauth-protected-resource",
    tag = "Metadata",
    params(IfNoneMatch),
    responses(
        (
            status = 200,
            description = "The issuers and scopes of accepted tokens.",
            body = ProtectedResource,
            content_type = "application/json",
            headers(("cache-control"), ("etag")),
        ),
        Unchanged,
        Unhealthy,
    ),
    security(()),
)]
pub(crate) async fn show_resource(
    State(urls): State<Arc<ServiceUrls>>,
    Extension(listener): Extension<Listener>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let resource = ProtectedResource::of(listener, &urls).ok_or(Problem::NoSuchPath)?;
    publish_json(&resource, &headers)
}
