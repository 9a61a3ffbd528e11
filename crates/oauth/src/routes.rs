//! The endpoints, by their paths.

pub mod introspect;
pub mod jwks;
pub mod participants;
pub mod revoke;
pub mod token;
pub mod well_known;

use std::sync::Arc;

use axum::routing::any;
use axum::{Extension, Router};
use tokens::context::TokenContext;
use tokens::registry::Registry;
use web::listener::Listener;
use web::urls::ServiceUrls;

use crate::directory::Directory;

/// The routes of the authorisation server.
pub fn auth_routes(tokens: &Arc<TokenContext>, urls: &Arc<ServiceUrls>) -> Router {
    let metadata = Router::new()
        .route(
            "/.well-known/oauth-authorization-server",
            any(well_known::oauth_authorization_server::show_server),
        )
        .route(
            "/.well-known/openid-configuration",
            any(well_known::openid_configuration::show_server),
        )
        .with_state(Arc::clone(urls));
    Router::new()
        .route("/token", any(token::issue_token))
        .route("/introspect", any(introspect::introspect_token))
        .route("/revoke", any(revoke::revoke_token))
        .with_state(Arc::clone(tokens))
        .merge(metadata)
}

/// The routes of the key set and the directory.
pub fn directory_routes(directory: &Arc<Directory>, registry: &Arc<Registry>) -> Router {
    let keys = Router::new()
        .route("/jwks", any(jwks::show_jwks))
        .with_state(Arc::clone(registry));
    Router::new()
        .route("/participants", any(participants::list_participants))
        .with_state(Arc::clone(directory))
        .merge(keys)
}

/// The metadata of a listener that accepts access tokens.
pub fn resource_routes(listener: Listener, urls: &Arc<ServiceUrls>) -> Router {
    let show = well_known::oauth_protected_resource::show_resource;
    Router::new()
        .route(
            "/.well-known/oauth-protected-resource",
            any(show).layer(Extension(listener)),
        )
        .with_state(Arc::clone(urls))
}
