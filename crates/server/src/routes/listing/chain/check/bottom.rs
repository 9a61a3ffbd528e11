//! `POST {listing_base_url}/api/v1/listing/chain/{listing}/check/bottom`:
//! checks the bottom of the chain.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::End;

use crate::listing_management::ListingManagement;
use crate::listing_management::caller::BranchCaller;
use crate::listing_management::causes::{Marking, OwnListing, Recorded, Refused};
use crate::listing_management::ends::Finding;
use crate::listing_management::parameters::{IdempotencyKey, ListingInPath};
use crate::listing_management::recording::WriteRequest;
use crate::listing_management::segments::Segments;
use crate::problem::Problem;
use crate::routes::listing::chain::mark_end;
use crate::wire::management::SuccessAnswer;

/// Marks the bottom of the chain of one of your listings as checked.
///
/// The service ignores a body.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/check/bottom",
    tag = "Chains",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        Refused::<(Recorded, OwnListing, Marking)>,
    ),
)]
pub(crate) async fn check_bottom(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let marking = (End::Bottom, Finding::Checked);
    mark_end(&management, caller, (segments, request), marking).await
}
