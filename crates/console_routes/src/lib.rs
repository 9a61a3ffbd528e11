//! The console's routes: sessions, sign-in and pages of people. Crate `console` renders the pages; this crate
//! proves who asks, reads the store and calls the functions that the API calls.

mod addresses;
mod chain_lists;
mod chain_pages;
mod chase_lists;
mod compression;
mod contacts;
mod end_seen;
mod files;
mod forms;
mod frames;
pub mod guard;
mod history_lines;
mod holds;
mod kept_forms;
pub mod limits;
mod listing_pages;
mod look_ups;
mod open_dates;
pub mod open_id;
mod pages;
pub mod person_limits;
pub mod refusals;
mod refused_sign_ins;
pub mod role;
pub mod router;
mod session;
pub mod sign_in;
pub mod streams;
mod times;

use std::sync::Arc;

use chain_queries::ChainQueries;
use listing_management::ListingManagement;
use observe::clock::Clock;
use signing::authenticator::Authenticator;
use storage::Storage;

use self::guard::Site;
use self::open_id::OpenId;
use self::person_limits::PersonLimits;
use self::streams::Streams;

/// The parts that the console uses.
#[derive(Debug)]
pub struct Console {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// The console's own URL, without a slash at its end.
    pub url: String,
    /// The URL of the published key set, which pages name.
    pub jwks_url: String,
    /// The console's own address.
    pub site: Site,
    /// Looks properties up and signs answers.
    pub queries: Arc<ChainQueries>,
    /// Changes listings and chains.
    pub management: Arc<ListingManagement>,
    /// The provider with which people sign in; `None` in a sandbox.
    pub open_id: Option<Arc<OpenId>>,
    /// Makes the secrets of share links from the forms that ask for them.
    pub share_secrets: Arc<Authenticator>,
    /// The limits of people; `None`: they have none.
    pub people: Option<PersonLimits>,
    /// Open pages that wait for news.
    pub streams: Arc<Streams>,
    /// The page of people. Only a sandbox has one.
    pub entry: Option<Entry>,
}

/// The page of people of a sandbox, at `/enter/{secret}`.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The secret in its address.
    pub secret: String,
    /// Values that the chain query refuses, each with the answer.
    pub samples: Vec<(String, String)>,
}
