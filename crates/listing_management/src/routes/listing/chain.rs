//! The six routes below `{listing_base_url}/api/v1/listing/chain` (S-45).
//!
//! They change the current chain of one of the caller's listings, the anchor. They ignore bodies.

pub mod add;
pub mod check;
pub mod uncheck;

use axum::response::Response;
use chain::ends::End;
use web::problem::Problem;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::ends::{self, Finding};
use crate::links;
use crate::recording::{self, Reply};
use crate::write_request::WriteRequest;

/// An end of a chain and its new state.
#[derive(Debug, Clone, Copy)]
struct Marking {
    end: End,
    finding: Finding,
}

/// Marks an end of the anchor's chain.
async fn mark_end(
    management: &ListingManagement,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
    marking: Marking,
) -> Result<Response, Problem> {
    let anchor = segments.listing(0)?;
    recording::record(management, caller, request, move |write, author| {
        ends::mark_end_of_listing(write, author, anchor, marking.end, marking.finding)?;
        Reply::success()
    })
    .await
}

/// Adds a listing at an end of the anchor's chain.
async fn add_at_end(
    management: &ListingManagement,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
    end: End,
) -> Result<Response, Problem> {
    let anchor = segments.listing(0)?;
    let added = segments.listing(1)?;
    recording::record(
        management,
        caller,
        request,
        move |write, author| match links::add_at_end(write, author, anchor, end, added)? {
            Some(proposal) => Reply::proposed(&proposal),
            None => Reply::success(),
        },
    )
    .await
}
