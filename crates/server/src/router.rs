//! The routing table: all routes of all listeners.

use std::sync::Arc;

use axum::middleware;
use axum::routing::{any, get, post, put};
use axum::{Extension, Router};
use oauth::directory::Directory;
use oauth::routes::resource_routes;
use tokens::context::TokenContext;
use web::listener::Listener;
use web::urls::ServiceUrls;

use crate::config::Config;
use crate::console::Console;
use crate::console_router;
use crate::listing_management::ListingManagement;
use crate::listing_management::caller;
use crate::openapi::Description;
use crate::path_segments;
use crate::routes;
use crate::routes::health::Operations;
use crate::routes::standard::ChainQueries;
use crate::webhooks::WebhookManagement;
use crate::webhooks::holder;

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
    /// Context of listing and chain management.
    pub management: Arc<ListingManagement>,
    /// Context of health and metrics.
    pub operations: Arc<Operations>,
    /// Context of the console.
    pub console: Arc<Console>,
}

/// The routes of one listener, including its description.
pub(crate) fn routes(listener: Listener, contexts: &Contexts) -> Router {
    let routes = match listener {
        Listener::Console => return console_router::routes(&contexts.console),
        Listener::Base => query_routes()
            .merge(path_segments::other_routes(&contexts.config.path_segments))
            .with_state(Arc::clone(&contexts.queries))
            .merge(webhook_routes(&contexts.webhooks))
            .merge(resource_routes(listener, &contexts.urls)),
        Listener::Auth => oauth::routes::auth_routes(&contexts.tokens, &contexts.urls),
        Listener::Directory => {
            oauth::routes::directory_routes(&contexts.directory, &contexts.tokens.registry)
        }
        Listener::Listing => listing_management_routes(&contexts.management)
            .merge(resource_routes(listener, &contexts.urls)),
        Listener::Ops => operation_routes().with_state(Arc::clone(&contexts.operations)),
    };
    let description = Description::new(listener, Arc::clone(&contexts.config));
    let describing = Router::new()
        .route("/", any(routes::home::show_home))
        .route("/openapi.json", any(routes::openapi_json::show_openapi))
        .route("/docs", any(routes::docs::show_docs))
        .layer(Extension(Arc::new(description)));
    routes.merge(describing).fallback(routes::no_such_path)
}

fn query_routes() -> Router<Arc<ChainQueries>> {
    use routes::standard;

    Router::new()
        .route(
            "/api/v1/standard/chains",
            any(standard::chains::query_chains),
        )
        .route(
            "/api/v1/standard/addresses",
            any(standard::addresses::find_addresses),
        )
}

fn operation_routes() -> Router<Arc<Operations>> {
    Router::new()
        .route("/health/live", any(routes::health::live::show_live))
        .route("/health/ready", any(routes::health::ready::show_ready))
        .route("/metrics", any(routes::metrics::show_metrics))
}

/// Listing and chain management (document 2). The layer authenticates callers of these paths before
/// anything else is checked.
fn listing_management_routes(management: &Arc<ListingManagement>) -> Router {
    chain_routes()
        .merge(listing_routes())
        .merge(catalogue_routes())
        .method_not_allowed_fallback(routes::method_not_allowed)
        .route_layer(middleware::from_fn_with_state(
            Arc::clone(management),
            caller::admit,
        ))
        .with_state(Arc::clone(management))
}

/// Webhook management. The layer authenticates the API key.
fn webhook_routes(webhooks: &Arc<WebhookManagement>) -> Router {
    use routes::webhook;

    let subscribe = post(webhook::subscribe::subscribe);
    let simulate = post(webhook::simulate::simulate);
    let all = get(webhook::subscriptions::list_subscriptions);
    let one = get(webhook::subscriptions::show_subscription)
        .delete(webhook::subscriptions::delete_subscription);
    let enable = post(webhook::subscriptions::enable::enable_subscription);
    let retry = post(webhook::subscriptions::retry::retry_deliveries);
    let replay = post(webhook::subscriptions::replay::replay);
    let watch = put(webhook::subscriptions::watch::set_watch)
        .patch(webhook::subscriptions::watch::change_watch);
    let deliveries = get(webhook::subscriptions::deliveries::list_deliveries);
    let redeliver = post(webhook::subscriptions::deliveries::redeliver::redeliver);
    Router::new()
        .route("/api/v1/webhook/subscribe", subscribe)
        .route("/api/v1/webhook/simulate", simulate)
        .route("/api/v1/webhook/subscriptions", all)
        .route("/api/v1/webhook/subscriptions/{id}", one)
        .route("/api/v1/webhook/subscriptions/{id}/enable", enable)
        .route("/api/v1/webhook/subscriptions/{id}/retry", retry)
        .route("/api/v1/webhook/subscriptions/{id}/replay", replay)
        .route("/api/v1/webhook/subscriptions/{id}/watch", watch)
        .route("/api/v1/webhook/subscriptions/{id}/deliveries", deliveries)
        .route(
            "/api/v1/webhook/subscriptions/{id}/deliveries/{delivery}/redeliver",
            redeliver,
        )
        .method_not_allowed_fallback(routes::method_not_allowed)
        .route_layer(middleware::from_fn_with_state(
            Arc::clone(webhooks),
            holder::admit,
        ))
        .with_state(Arc::clone(webhooks))
}

fn chain_routes() -> Router<Arc<ListingManagement>> {
    use routes::chain;
    use routes::listing::chain as anchored;

    let add_link = post(chain::add::link::add_link);
    let remove_link = post(chain::remove::link::remove_link);
    let check = post(chain::check::check_end);
    let uncheck = post(chain::uncheck::uncheck_end);
    let listings = get(chain::listings::list_chain);
    let history = get(chain::history::list_chain_history);
    let check_top = post(anchored::check::top::check_top);
    let check_bottom = post(anchored::check::bottom::check_bottom);
    let uncheck_top = post(anchored::uncheck::top::uncheck_top);
    let uncheck_bottom = post(anchored::uncheck::bottom::uncheck_bottom);
    let add_top = post(anchored::add::top::add_top);
    let add_bottom = post(anchored::add::bottom::add_bottom);
    Router::new()
        .route("/api/v1/chain/add/link", add_link)
        .route("/api/v1/chain/remove/link", remove_link)
        .route("/api/v1/chain/{chain}/check", check)
        .route("/api/v1/chain/{chain}/uncheck", uncheck)
        .route("/api/v1/chain/{chain}/listings", listings)
        .route("/api/v1/chain/{chain}/history", history)
        .route("/api/v1/listing/chain/{listing}/check/top", check_top)
        .route("/api/v1/listing/chain/{listing}/check/bottom", check_bottom)
        .route("/api/v1/listing/chain/{listing}/uncheck/top", uncheck_top)
        .route(
            "/api/v1/listing/chain/{listing}/uncheck/bottom",
            uncheck_bottom,
        )
        .route("/api/v1/listing/chain/{listing}/add/top/{added}", add_top)
        .route(
            "/api/v1/listing/chain/{listing}/add/bottom/{added}",
            add_bottom,
        )
}

fn listing_routes() -> Router<Arc<ListingManagement>> {
    use routes::listing;

    let all = get(listing::list_listings).post(listing::create_listing);
    let one = get(listing::show_listing)
        .patch(listing::update_listing)
        .delete(listing::withdraw_listing);
    let milestone = get(listing::milestone::show_milestone)
        .put(listing::milestone::record_milestone)
        .delete(listing::milestone::withdraw_milestone);
    let milestones = get(listing::relationships::milestones::list_milestones);
    let is_complete = get(listing::is_complete::show_completeness);
    let lagging = get(listing::lagging::list_lagging);
    let reopen = post(listing::reopen_enquiries::reopen_enquiries);
    let history = get(listing::history::list_history);
    let proposals = get(listing::proposals::list_proposals);
    let bottleneck = get(listing::bottleneck::show_bottleneck);
    let forecast = get(listing::forecast::show_forecast);
    Router::new()
        .route("/api/v1/listing", all)
        .route("/api/v1/listing/{listing}", one)
        .route("/api/v1/listing/{listing}/milestone/{key}", milestone)
        .route(
            "/api/v1/listing/{listing}/relationships/milestones",
            milestones,
        )
        .route("/api/v1/listing/{listing}/is-complete", is_complete)
        .route("/api/v1/listing/{listing}/lagging", lagging)
        .route("/api/v1/listing/{listing}/reopen-enquiries", reopen)
        .route("/api/v1/listing/{listing}/history", history)
        .route("/api/v1/listing/{listing}/proposals", proposals)
        .route("/api/v1/listing/{listing}/bottleneck", bottleneck)
        .route("/api/v1/listing/{listing}/forecast", forecast)
}

fn catalogue_routes() -> Router<Arc<ListingManagement>> {
    use routes::{address, branch, milestone_group, milestone_type};

    let types = get(milestone_type::list_milestone_types);
    let milestones = get(milestone_type::relationships::milestones::list_milestones);
    let groups = get(milestone_group::list_milestone_groups);
    let workflow = get(milestone_group::branch::listing::workflow::show_workflow);
    let addresses = post(address::filter::filter_addresses);
    let branches = post(branch::filter::filter_branches);
    Router::new()
        .route("/api/v1/milestone_type", types)
        .route(
            "/api/v1/milestone_type/{id}/relationships/milestones",
            milestones,
        )
        .route("/api/v1/milestone_group", groups)
        .route(
            "/api/v1/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow",
            workflow,
        )
        .route("/api/v1/address/filter", addresses)
        .route("/api/v1/branch/filter", branches)
}
