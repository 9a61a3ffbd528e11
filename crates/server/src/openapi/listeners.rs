//! The operations that each listener describes. A test compares them with `router.rs`.

use oauth::routes::{introspect, jwks, participants, revoke, token, well_known};
use utoipa::OpenApi;
use web::listener::Listener;

use super::page::OtherPage;
use crate::config::Config;
use crate::routes::standard::{addresses, chains};
use crate::routes::{address, branch, chain, listing, milestone_group, milestone_type};
use crate::routes::{docs, health, home, metrics, openapi_json, webhook};

#[derive(OpenApi)]
#[openapi(
    paths(
        chains::query_chains,
        addresses::find_addresses,
        webhook::subscribe::subscribe,
        webhook::simulate::simulate,
        webhook::subscriptions::list_subscriptions,
        webhook::subscriptions::show_subscription,
        webhook::subscriptions::delete_subscription,
        webhook::subscriptions::enable::enable_subscription,
        webhook::subscriptions::retry::retry_deliveries,
        webhook::subscriptions::replay::replay,
        webhook::subscriptions::watch::set_watch,
        webhook::subscriptions::watch::change_watch,
        webhook::subscriptions::deliveries::list_deliveries,
        webhook::subscriptions::deliveries::redeliver::redeliver,
        well_known::oauth_protected_resource::show_resource,
    ),
    tags(
        (name = "Metadata", description = "The documents from which clients configure themselves."),
        (name = "Chains", description = "The signed state of property chains."),
        (name = "Webhooks", description = "Events that the service sends to your URL as signed tokens."),
    ),
)]
struct Base;

#[derive(OpenApi)]
#[openapi(
    paths(
        token::issue_token,
        introspect::introspect_token,
        revoke::revoke_token,
        well_known::oauth_authorization_server::show_server,
        well_known::openid_configuration::show_server,
    ),
    tags(
        (name = "Tokens", description = "Access tokens for the other base URLs."),
        (name = "Metadata", description = "The documents from which clients configure themselves."),
    ),
)]
struct Auth;

#[derive(OpenApi)]
#[openapi(
    paths(jwks::show_jwks, participants::list_participants),
    tags(
        (name = "Keys", description = "The keys that verify signatures."),
        (name = "Participants", description = "The organisations that participate."),
    )
)]
struct Directory;

#[derive(OpenApi)]
#[openapi(
    paths(
        chain::add::link::add_link,
        chain::remove::link::remove_link,
        chain::check::check_end,
        chain::uncheck::uncheck_end,
        chain::listings::list_chain,
        chain::history::list_chain_history,
        listing::chain::check::top::check_top,
        listing::chain::check::bottom::check_bottom,
        listing::chain::uncheck::top::uncheck_top,
        listing::chain::uncheck::bottom::uncheck_bottom,
        listing::chain::add::top::add_top,
        listing::chain::add::bottom::add_bottom,
        listing::list_listings,
        listing::create_listing,
        listing::show_listing,
        listing::update_listing,
        listing::withdraw_listing,
        listing::history::list_history,
        listing::proposals::list_proposals,
        listing::is_complete::show_completeness,
        listing::lagging::list_lagging,
        listing::bottleneck::show_bottleneck,
        listing::forecast::show_forecast,
        listing::milestone::show_milestone,
        listing::milestone::record_milestone,
        listing::milestone::withdraw_milestone,
        listing::relationships::milestones::list_milestones,
        listing::reopen_enquiries::reopen_enquiries,
        milestone_type::list_milestone_types,
        milestone_type::relationships::milestones::list_milestones,
        milestone_group::list_milestone_groups,
        milestone_group::branch::listing::workflow::show_workflow,
        address::filter::filter_addresses,
        branch::filter::filter_branches,
        well_known::oauth_protected_resource::show_resource,
    ),
    tags(
        (name = "Metadata", description = "The documents from which clients configure themselves."),
        (name = "Listings", description = "The properties that your branches sell."),
        (name = "Chains", description = "Links between listings, and the ends of chains."),
        (name = "Milestones", description = "The progress of a sale."),
        (name = "Addresses and branches", description = "Search for the ids that other operations need."),
    ),
    security(
        ("accessToken" = ["listing"], "clientCertificate" = []),
        ("accessToken" = ["listing"]),
    ),
)]
struct Listing;

#[derive(OpenApi)]
#[openapi(
    paths(health::live::show_live, health::ready::show_ready, metrics::show_metrics),
    tags((name = "Health", description = "The state of this node, for its operator."))
)]
struct Ops;

#[derive(OpenApi)]
#[openapi(
    paths(home::show_home, openapi_json::show_openapi, docs::show_docs),
    tags((name = "Description", description = "This description."))
)]
struct Describing;

/// The operations of a listener, with their schemas.
pub(super) fn operations(listener: Listener) -> utoipa::openapi::OpenApi {
    let own = match listener {
        Listener::Base => Base::openapi(),
        Listener::Auth => Auth::openapi(),
        Listener::Directory => Directory::openapi(),
        Listener::Listing => Listing::openapi(),
        Listener::Ops => Ops::openapi(),
        // The console serves pages, and no description.
        Listener::Console => return utoipa::openapi::OpenApi::default(),
    };
    own.merge_from(Describing::openapi())
}

/// The title of a listener's description.
pub(super) fn title(listener: Listener) -> &'static str {
    match listener {
        Listener::Base => "Onward: chain query and webhooks",
        Listener::Auth => "Onward: access tokens",
        Listener::Directory => "Onward: key set and directory",
        Listener::Listing => "Onward: listings and chain management",
        Listener::Ops => "Onward: operation",
        Listener::Console => "Onward: console",
    }
}

/// The pages of the other public addresses.
pub(super) fn other_pages(listener: Listener, config: &Config) -> Vec<OtherPage> {
    let public = [
        Listener::Base,
        Listener::Auth,
        Listener::Directory,
        Listener::Listing,
    ];
    let others = public.into_iter().filter(|other| *other != listener);
    others
        .map(|other| OtherPage {
            title: title(other),
            url: format!("{}/docs", server_url(other, config).trim_end_matches('/')),
        })
        .collect()
}

/// The public URL of a listener. The ops listener has none, so its paths are relative to the URL
/// of the document.
pub(super) fn server_url(listener: Listener, config: &Config) -> &str {
    match listener {
        Listener::Base => &config.base_url,
        Listener::Auth => &config.auth_url,
        Listener::Directory => &config.directory_url,
        Listener::Listing => &config.listing_base_url,
        Listener::Ops | Listener::Console => "/",
    }
}
