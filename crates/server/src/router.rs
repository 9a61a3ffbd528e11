//! The routing table: all routes of all listeners.

use std::sync::Arc;

use axum::{Extension, Router};
use chain_queries::ChainQueries;
use console_routes::Console;
use console_routes::refusals::refusal_page;
use listing_management::ListingManagement;
use oauth::directory::Directory;
use oauth::routes::resource_routes;
use state_log::StateLog;
use tokens::context::TokenContext;
use utoipa_axum::router::OpenApiRouter;
use web::any_method;
use web::listener::Listener;
use web::problem::Problem;
use web::routing::no_such_path;
use web::urls::ServiceUrls;
use webhooks::WebhookManagement;

use crate::config::Config;
use crate::openapi::Description;
use crate::request_layer::WriteRefusal;
use crate::routes;
use crate::routes::health::Operations;
use crate::sandbox::RoutesLayer;

/// The contexts that routes receive as their state.
#[derive(Debug)]
pub(crate) struct Contexts {
    /// Settings, for the descriptions.
    pub config: Arc<Config>,
    /// Addresses, for the metadata documents.
    pub urls: Arc<ServiceUrls>,
    /// Context of the chain query and the address look-up.
    pub queries: Arc<ChainQueries>,
    /// Context of webhook management.
    pub webhooks: Arc<WebhookManagement>,
    /// Context of the token, introspection and revocation endpoints.
    pub tokens: Arc<TokenContext>,
    /// Context of the participant directory.
    pub directory: Arc<Directory>,
    /// Context of the log of states.
    pub state_log: Arc<StateLog>,
    /// Context of listing and chain management.
    pub management: Arc<ListingManagement>,
    /// Context of health and metrics.
    pub operations: Arc<Operations>,
    /// Context of the console.
    pub console: Arc<Console>,
    /// A sandbox's layer around the routes.
    pub layer: Option<Arc<dyn RoutesLayer>>,
}

/// The routes of one listener, including its description.
pub(crate) fn routes(listener: Listener, contexts: &Contexts) -> Router {
    let mut routes = match listener {
        Listener::Console => return console_routes::router::routes(&contexts.console),
        Listener::Base => {
            chain_queries::routes::routes(&contexts.queries, &contexts.config.path_segments)
                .merge(webhooks::routes::routes(&contexts.webhooks))
                .merge(resource_routes(listener, &contexts.urls))
        }
        Listener::Auth => oauth::routes::auth_routes(&contexts.tokens, &contexts.urls),
        Listener::Directory => {
            oauth::routes::directory_routes(&contexts.directory, &contexts.tokens.registry)
                .merge(state_log::routes::routes(&contexts.state_log))
        }
        Listener::Listing => listing_management::routes::routes(&contexts.management)
            .merge(resource_routes(listener, &contexts.urls)),
        Listener::Ops => operation_routes().with_state(Arc::clone(&contexts.operations)),
    };
    let mut describing = OpenApiRouter::default()
        .routes(any_method!(routes::home::show_home))
        .routes(any_method!(routes::openapi_json::show_openapi))
        .routes(any_method!(routes::docs::show_docs))
        .routes(any_method!(routes::docs::show_guide));
    let operations = routes.to_openapi().merge_from(describing.to_openapi());
    let description = Description::new(listener, Arc::clone(&contexts.config), operations);
    let description = Extension(Arc::new(description));
    let all: Router = routes.merge(describing.layer(description)).into();
    all.fallback(no_such_path)
}

fn operation_routes() -> OpenApiRouter<Arc<Operations>> {
    OpenApiRouter::default()
        .routes(any_method!(routes::health::live::show_live))
        .routes(any_method!(routes::health::ready::show_ready))
        .routes(any_method!(routes::metrics::show_metrics))
}

/// How a listener writes refusals: as problems, in the format of document 2, or as pages.
pub(crate) fn refusal_format(listener: Listener) -> WriteRefusal {
    match listener {
        Listener::Listing => |problem, _request_id| problem.to_failure_response(),
        Listener::Console => refusal_page,
        Listener::Base | Listener::Auth | Listener::Directory | Listener::Ops => {
            Problem::to_response
        }
    }
}
