//! The parts of a server that only a sandbox has. No setting turns them on.

use std::fmt::Debug;
use std::sync::Arc;

use axum::Router;
use console_routes::Entry;
use outbound::client::Disturbance;
use web::listener::Listener;

/// The parts that `onward sandbox` adds to a server.
#[derive(Debug, Clone)]
pub struct SandboxParts {
    /// The page of people.
    pub entry: Entry,
    /// The layer around the routes of each listener; `None`: there is none.
    pub layer: Option<Arc<dyn RoutesLayer>>,
    /// Lets deliveries of events go wrong; `None`: none does.
    pub disturbance: Option<Arc<dyn Disturbance>>,
}

/// A layer around the routes of a listener. The server writes, logs and counts its refusals like those
/// of the routes.
pub trait RoutesLayer: Debug + Send + Sync {
    /// Puts the layer around the routes of this listener.
    fn wrap(&self, listener: Listener, routes: Router) -> Router;
}
