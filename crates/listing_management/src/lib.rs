//! Listing and chain management (document 2), and the forecasts and assessments of chains.
//!
//! A handler proves its caller, reads its fields and records in one transaction. The functions here
//! load the data for a decision of `chain`, make the decision, and store its result with its
//! history.

pub mod assessments;
pub mod author;
pub mod caller;
mod chain_changes;
mod change_cursor;
pub mod current;
mod current_listing;
pub mod ends;
pub mod forecasts;
pub mod history;
mod includes;
mod limits;
pub mod links;
pub mod listing_fields;
pub mod listing_writes;
pub mod listings;
pub mod milestones;
mod openapi;
mod parameters;
mod proposals;
pub mod quotas;
mod reply;
pub mod request_key;
pub mod routes;
mod sold_property;
mod wire;
mod write_request;
pub mod writing;

use std::sync::Arc;

use chain::consent::ForeignLinks;
use delivery::wake::Wake;
use observe::clock::Clock;
use storage::Storage;
use tokens::context::TokenContext;

use self::quotas::Quotas;
use crate::forecasts::Forecasts;

/// The parts that listing and chain management uses.
#[derive(Debug)]
pub struct ListingManagement {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// Proves callers and counts their requests.
    pub tokens: Arc<TokenContext>,
    /// Wakes the delivery of events after a write.
    pub wake: Arc<Wake>,
    /// The quotas of branches and clients (S-65).
    pub quotas: Quotas,
    /// How a link to the listing of another branch comes about (S-47).
    pub foreign_links: ForeignLinks,
    /// The durations of past sales, and assessments of chains.
    pub forecasts: Arc<Forecasts>,
    /// The setting `offer_idle_days` in seconds (S-6).
    pub offer_idle_seconds: i64,
}

impl ListingManagement {
    /// Lets a caller pay before its next request for the rows that a list counted or skipped.
    pub fn owe(&self, caller: &str, rows: i64) {
        let requests = rows.unsigned_abs() / limits::ROWS_PER_REQUEST;
        self.tokens.owe(caller, requests);
    }
}
