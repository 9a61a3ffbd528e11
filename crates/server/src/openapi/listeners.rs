//! The titles, tags and security of the descriptions of each listener.

use utoipa::OpenApi;
use web::listener::Listener;

use super::page::OtherPage;
use crate::config::Config;

#[derive(OpenApi)]
#[openapi(
    tags(
        (name = "Metadata", description = "The documents from which clients configure themselves."),
        (name = "Chains", description = "The signed state of property chains."),
        (name = "Webhooks", description = "Subscriptions to events, with their watches and deliveries."),
        (name = "Events", description = "Events that the service sends to your URL as signed tokens."),
    ),
)]
struct Base;

#[derive(OpenApi)]
#[openapi(
    tags(
        (name = "Tokens", description = "Access tokens for the other base URLs."),
        (name = "Metadata", description = "The documents from which clients configure themselves."),
    ),
)]
struct Auth;

#[derive(OpenApi)]
#[openapi(
    tags(
        (name = "Keys", description = "The keys that verify signatures."),
        (name = "Participants", description = "The organisations that participate."),
        (name = "Log", description = "The public log of commitments to states, and of signing keys."),
    )
)]
struct Directory;

#[derive(OpenApi)]
#[openapi(
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
    tags((name = "Health", description = "The state of this node, for its operator."))
)]
struct Ops;

#[derive(OpenApi)]
#[openapi(
    tags((name = "Description", description = "This description."))
)]
struct Describing;

/// The description of a listener without its operations.
pub(super) fn head(listener: Listener) -> utoipa::openapi::OpenApi {
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
