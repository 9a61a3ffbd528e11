//! The endpoints, by their paths.

pub mod introspect;
pub mod jwks;
pub mod participants;
pub mod revoke;
pub mod token;
pub mod well_known;

use std::sync::Arc;

use axum::Extension;
use tokens::context::TokenContext;
use tokens::registry::Registry;
use utoipa_axum::router::OpenApiRouter;
use web::any_method;
use web::listener::Listener;
use web::urls::ServiceUrls;

use self::well_known::{
    oauth_authorization_server, oauth_protected_resource, openid_configuration,
};
use crate::directory::Directory;

/// The routes of the authorisation server.
pub fn auth_routes(tokens: &Arc<TokenContext>, urls: &Arc<ServiceUrls>) -> OpenApiRouter {
    let metadata = OpenApiRouter::default()
        .routes(any_method!(oauth_authorization_server::show_server))
        .routes(any_method!(openid_configuration::show_server))
        .with_state(Arc::clone(urls));
    OpenApiRouter::default()
        .routes(any_method!(token::issue_token))
        .routes(any_method!(introspect::introspect_token))
        .routes(any_method!(revoke::revoke_token))
        .with_state(Arc::clone(tokens))
        .merge(metadata)
}

/// The routes of the key set and the directory.
pub fn directory_routes(directory: &Arc<Directory>, registry: &Arc<Registry>) -> OpenApiRouter {
    let keys = OpenApiRouter::default()
        .routes(any_method!(jwks::show_jwks))
        .with_state(Arc::clone(registry));
    OpenApiRouter::default()
        .routes(any_method!(participants::list_participants))
        .with_state(Arc::clone(directory))
        .merge(keys)
}

/// The metadata of a listener that accepts access tokens.
pub fn resource_routes(listener: Listener, urls: &Arc<ServiceUrls>) -> OpenApiRouter {
    OpenApiRouter::default()
        .routes(any_method!(oauth_protected_resource::show_resource))
        .layer(Extension(listener))
        .with_state(Arc::clone(urls))
}
