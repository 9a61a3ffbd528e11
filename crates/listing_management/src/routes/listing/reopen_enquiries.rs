//! `POST {listing_base_url}/api/v1/listing/{listing_id}/reopen-enquiries`: reopens the
//! enquiries of a sale.

use std::sync::Arc;

use axum::extract::State;
use web::problem::Problem;
use web::refusals;

use crate::ListingManagement;
use crate::milestones;
use crate::openapi::{any_write, describe, own_listing};
use crate::parameters::{IdempotencyKey, ListingInPath};
use crate::reply::Reply;
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;
use crate::writing::Written;

refusals!(ReopenEnquiriesRefusals = describe(any_write(), own_listing()));

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
pub(crate) async fn reopen_enquiries(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let listing = request.segments.listing(0)?;
    request.refuse_members()?;
    request
        .write(&management, move |write, author| {
            milestones::reopen_enquiries(write, author, listing)?;
            Reply::success()
        })
        .await
}
