//! The layer of a sandbox around the routes of each listener.

use axum::{Router, middleware};
use server::sandbox::RoutesLayer;
use web::listener::Listener;

use super::refused_samples::refuse_samples;

/// Refuses the samples.
#[derive(Debug)]
pub(super) struct SandboxLayer;

impl RoutesLayer for SandboxLayer {
    fn wrap(&self, listener: Listener, routes: Router) -> Router {
        if matches!(listener, Listener::Base) {
            routes.layer(middleware::from_fn(refuse_samples))
        } else {
            routes
        }
    }
}
