//! `GET {auth_url}/.well-known/openid-configuration`: the same metadata for `OpenID` clients.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};
use web::conditional::{IfNoneMatch, Unchanged};
use web::problem::Problem;
use web::routing::Unhealthy;
use web::urls::ServiceUrls;

use super::oauth_authorization_server;
use crate::wire::metadata::AuthorizationServer;

/// Describes the authorisation server for `OpenID` clients.
///
/// The document equals `/.well-known/oauth-authorization-server`. It is for clients that expect
/// `OpenID` Connect Discovery. The service issues no id tokens.
#[utoipa::path(
    get,
    path = "/.well-known/openid-configuration",
    tag = "Metadata",
    operation_id = "show_openid_configuration",
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
    urls: State<Arc<ServiceUrls>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    oauth_authorization_server::show_server(urls, method, headers).await
}
