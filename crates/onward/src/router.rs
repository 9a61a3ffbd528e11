//! Every route of every address, on one screen.

use std::sync::Arc;

use axum::Router;
use axum::routing::any;

use crate::app::App;
use crate::routes;

/// An address that the program serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Chain query; webhook management. Asks for a client certificate.
    Base,
    /// Token endpoint. Asks for a client certificate.
    Auth,
    /// Key set and directory.
    Directory,
    /// Listing and chain management. Asks for a client certificate, because a
    /// bound token is checked here as well (S-24).
    Listing,
    /// Health and metrics, for the operator.
    Ops,
}

impl Door {
    /// Its name in logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Auth => "auth",
            Self::Directory => "directory",
            Self::Listing => "listing",
            Self::Ops => "ops",
        }
    }
}

/// The routes of one address. Handlers refuse other methods themselves, so
/// that a refusal has the shape of their document.
pub fn routes(door: Door, app: Arc<App>) -> Router {
    let routes = match door {
        Door::Base => Router::new().route(
            "/api/v1/standard/chains",
            any(routes::standard::chains::query_chains),
        ),
        Door::Auth => Router::new().route("/token", any(routes::token::issue_token)),
        Door::Directory => Router::new().route("/jwks", any(routes::jwks::show_jwks)),
        Door::Listing => Router::new(),
        Door::Ops => Router::new()
            .route("/health/live", any(routes::health::live::show_live))
            .route("/health/ready", any(routes::health::ready::show_ready))
            .route("/metrics", any(routes::metrics::show_metrics)),
    };
    routes.fallback(routes::no_such_path).with_state(app)
}
