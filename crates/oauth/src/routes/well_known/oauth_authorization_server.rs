//! `GET {auth_url}/.well-known/oauth-authorization-server`: metadata of the authorisation server
//! (RFC 8414).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};
use web::conditional::{IfNoneMatch, Unchanged};
use web::problem::Problem;
use web::routing::{Unhealthy, only_get, publish_json};
use web::urls::ServiceUrls;

use crate::wire::metadata::AuthorizationServer;

/// Describes the authorisation server.
///
/// Clients configure themselves from this document (RFC 8414).
#[utoipa::path(
    get,
    path = "/.well-known/oauth-authorization-server",
    tag = "Metadata",
    params(IfNoneMatch),
    responses(
        (
            status = 200,
            description = "The server's endpoints and their capabilities.",
            body = AuthorizationServer,
            content_type = "application/json",
            headers(("cache-control"), ("etag")),
        ),
        Unchanged,
        Unhealthy,
    ),
)]
pub(crate) async fn show_server(
    State(urls): State<Arc<ServiceUrls>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    publish_json(&AuthorizationServer::of(&urls), &headers)
}
