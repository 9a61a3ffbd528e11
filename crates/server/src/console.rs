//! The console: pages for people. Crate `console` renders them; the files here prove who asks, read
//! the store and call the functions that the API calls.

pub(crate) mod addresses;
pub(crate) mod chain_answer;
pub(crate) mod chain_lists;
pub(crate) mod chain_pages;
pub(crate) mod chase_lists;
pub(crate) mod compression;
pub(crate) mod files;
pub(crate) mod forms;
pub mod frames;
pub mod guard;
pub mod history_lines;
pub(crate) mod holds;
pub(crate) mod kept_forms;
pub(crate) mod listing_pages;
mod look_ups;
pub(crate) mod open_dates;
pub mod open_id;
pub mod person_limits;
pub(crate) mod refusals;
mod refused_sign_ins;
pub(crate) mod rings;
pub mod role;
pub mod session;
pub mod sign_in;
pub mod streams;
pub mod times;

use std::sync::Arc;

use observe::clock::Clock;
use signing::authenticator::Authenticator;
use storage::Storage;

use self::guard::Site;
use self::open_id::OpenId;
use self::person_limits::PersonLimits;
use self::streams::Streams;
use crate::config::Config;
use crate::listing_management::ListingManagement;
use crate::routes::standard::ChainQueries;

/// The parts that the console uses.
#[derive(Debug)]
pub struct Console {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// Settings, for addresses that pages name.
    pub config: Arc<Config>,
    /// The console's own address.
    pub site: Site,
    /// Looks properties up and signs answers.
    pub(crate) queries: Arc<ChainQueries>,
    /// Changes listings and chains.
    pub management: Arc<ListingManagement>,
    /// The provider with which people sign in; `None` in a sandbox.
    pub open_id: Option<Arc<OpenId>>,
    /// Makes the secrets of share links from the forms that ask for them.
    pub(crate) share_secrets: Arc<Authenticator>,
    /// The limits of people; `None`: they have none.
    pub people: Option<PersonLimits>,
    /// Open pages that wait for news.
    pub streams: Arc<Streams>,
    /// The secret of the page of people. Only a sandbox has one.
    pub entry: Option<String>,
}
