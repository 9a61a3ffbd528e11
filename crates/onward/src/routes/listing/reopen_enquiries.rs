//! `POST {listing_base_url}/api/v1/listing/{listing_id}/reopen-enquiries`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::causes::{OwnListing, Recorded, Refused};
use crate::management::milestones;
use crate::management::parameters::{IdempotencyKey, ListingInPath};
use crate::management::recording::{self, Reply, WriteRequest};
use crate::management::segments::Segments;
use crate::problem::Problem;
use crate::wire::management::SuccessAnswer;

/// Withdraws Enquiries Closed and forgets the date of Enquiries Opened.
///
/// A body is ignored.
#[utoipa::path(
    post,
    path = "/api/v1/listing/{listing}/reopen-enquiries",
    tag = "Milestones",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        Refused::<(Recorded, OwnListing)>,
    ),
)]
pub async fn reopen_enquiries(
    State(app): State<Arc<App>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    recording::record(&app, caller, request, move |write, author| {
        milestones::reopen_enquiries(write, author, listing)?;
        Reply::success()
    })
    .await
}
