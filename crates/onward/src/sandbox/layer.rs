//! The layer of a sandbox around the routes of each listener.

use std::sync::Arc;

use axum::{Router, middleware};
use server::sandbox::RoutesLayer;
use web::listener::Listener;

use super::pedantry::Pedantry;
use super::pedantry::calls::disturb;
use super::refused_samples::refuse_samples;

/// Refuses the samples, and disturbs calls if the sandbox is pedantic.
#[derive(Debug)]
pub(super) struct SandboxLayer {
    pub(super) pedantry: Option<Arc<Pedantry>>,
}

impl RoutesLayer for SandboxLayer {
    fn wrap(&self, listener: Listener, routes: Router) -> Router {
        let routes = if matches!(listener, Listener::Base) {
            routes.layer(middleware::from_fn(refuse_samples))
        } else {
            routes
        };
        match &self.pedantry {
            Some(pedantry) if !matches!(listener, Listener::Ops | Listener::Console) => {
                let state = (Arc::clone(pedantry), listener);
                routes.layer(middleware::from_fn_with_state(state, disturb))
            }
            Some(_) | None => routes,
        }
    }
}
