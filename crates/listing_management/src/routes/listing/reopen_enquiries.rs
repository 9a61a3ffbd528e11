//! `POST {listing_base_url}/api/v1/listing/{listing_id}/reopen-enquiries`: reopens the
//! enquiries of a sale.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::milestones;
use crate::openapi::{describe, own_listing, recorded_write};
use crate::parameters::{IdempotencyKey, ListingInPath};
use crate::recording::{self, Reply};
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;

refusals!(ReopenEnquiriesRefusals = describe(recorded_write(), own_listing()));

/// Reopens the enquiries of one of your listings.
///
/// The service withdraws Enquiries Closed and clears the date of Enquiries Opened. A JSON body
/// has no members.
#[utoipa::path(
    post,
    path = "/api/v1/listing/{listing}/reopen-enquiries",
    tag = "Milestones",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        ReopenEnquiriesRefusals,
    ),
)]
pub async fn reopen_enquiries(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    request.refuse_members()?;
    recording::record(&management, caller, request, move |write, author| {
        milestones::reopen_enquiries(write, author, listing)?;
        Reply::success()
    })
    .await
}
