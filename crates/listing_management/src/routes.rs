//! The operations of document 2 below `{listing_base_url}/api/v1`, by their paths.

pub(crate) mod address {
    pub(crate) mod filter;
}
pub(crate) mod branch {
    pub(crate) mod filter;
}
pub mod chain;
pub(crate) mod changes;
pub mod listing;
pub mod milestone_group;
pub mod milestone_type;

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use web::routing::behind_admission;

use crate::ListingManagement;
use crate::caller;

/// Listing and chain management (document 2). The layer authenticates callers of these paths before
/// anything else is checked.
pub fn routes(management: &Arc<ListingManagement>) -> OpenApiRouter {
    let routes = chain_routes()
        .merge(listing_routes())
        .merge(catalogue_routes());
    behind_admission(routes, management, caller::admit)
}

fn chain_routes() -> OpenApiRouter<Arc<ListingManagement>> {
    use self::listing::chain as anchored;

    OpenApiRouter::default()
        .routes(routes!(chain::add::link::add_link))
        .routes(routes!(chain::remove::link::remove_link))
        .routes(routes!(chain::check_end))
        .routes(routes!(chain::uncheck_end))
        .routes(routes!(chain::listings::list_chain))
        .routes(routes!(chain::history::list_chain_history))
        .routes(routes!(anchored::check_top))
        .routes(routes!(anchored::check_bottom))
        .routes(routes!(anchored::uncheck_top))
        .routes(routes!(anchored::uncheck_bottom))
        .routes(routes!(anchored::add_top))
        .routes(routes!(anchored::add_bottom))
}

fn listing_routes() -> OpenApiRouter<Arc<ListingManagement>> {
    OpenApiRouter::default()
        .routes(routes!(listing::list_listings, listing::create_listing))
        .routes(routes!(
            listing::show_listing,
            listing::update_listing,
            listing::withdraw_listing
        ))
        .routes(routes!(
            listing::milestone::show_milestone,
            listing::milestone::record_milestone,
            listing::milestone::withdraw_milestone
        ))
        .routes(routes!(listing::relationships::milestones::list_milestones))
        .routes(routes!(listing::is_complete::show_completeness))
        .routes(routes!(listing::lagging::list_lagging))
        .routes(routes!(listing::reopen_enquiries::reopen_enquiries))
        .routes(routes!(listing::history::list_history))
        .routes(routes!(changes::list_changes))
        .routes(routes!(listing::proposals::list_proposals))
        .routes(routes!(listing::bottleneck::show_bottleneck))
        .routes(routes!(listing::forecast::show_forecast))
}

fn catalogue_routes() -> OpenApiRouter<Arc<ListingManagement>> {
    OpenApiRouter::default()
        .routes(routes!(milestone_type::list_milestone_types))
        .routes(routes!(
            milestone_type::relationships::milestones::list_milestones
        ))
        .routes(routes!(milestone_group::list_milestone_groups))
        .routes(routes!(
            milestone_group::branch::listing::workflow::show_workflow
        ))
        .routes(routes!(address::filter::filter_addresses))
        .routes(routes!(branch::filter::filter_branches))
}
