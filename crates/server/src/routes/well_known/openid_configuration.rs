//! `GET {auth_url}/.well-known/openid-configuration`: for clients that look nowhere else.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};

use crate::config::Config;
use crate::problem::Problem;
use crate::routes::{Unhealthy, only_get, publish_json};
use crate::wire::metadata::AuthorizationServer;

/// Describes the authorisation server once more.
///
/// The same as `/.well-known/oauth-authorization-server`, for clients that look
/// for the document of `OpenID` Connect Discovery. There are no id tokens.
#[utoipa::path(
    method(get, head),
    path = "/.well-known/openid-configuration",
    tag = "Metadata",
    operation_id = "show_openid_configuration",
    params(("If-None-Match" = Option<String>, Header, nullable = false, description = "The `ETag` of what you have.")),
    responses(
        (
            status = 200,
            description = "The server's endpoints, and what they take.",
            body = AuthorizationServer,
            content_type = "application/json",
            headers(("cache-control"), ("etag")),
        ),
        (
            status = 304,
            description = "You have the current document.",
            headers(("cache-control"), ("etag")),
        ),
        Unhealthy,
    ),
)]
pub(crate) async fn show_server(
    State(config): State<Arc<Config>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    publish_json(&AuthorizationServer::of(&config), &headers)
}
