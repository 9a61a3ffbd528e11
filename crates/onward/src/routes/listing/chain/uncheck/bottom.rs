//! `POST {listing_base_url}/api/v1/listing/chain/{listing}/uncheck/bottom`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::{End, UncheckReason};

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::causes::{Marking, OwnListing, Recorded, Refused};
use crate::management::ends::Finding;
use crate::management::parameters::{IdempotencyKey, ListingInPath};
use crate::management::recording::WriteRequest;
use crate::management::segments::Segments;
use crate::problem::Problem;
use crate::routes::listing::chain::mark_end;
use crate::wire::management::SuccessAnswer;

/// Takes the check of the bottom of the chain of one of your listings back.
///
/// The reason is `Unspecified`. A body is ignored.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/uncheck/bottom",
    tag = "Chains",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        Refused::<(Recorded, OwnListing, Marking)>,
    ),
)]
pub async fn uncheck_bottom(
    State(app): State<Arc<App>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let marking = (End::Bottom, Finding::Unchecked(UncheckReason::Unspecified));
    mark_end(&app, caller, (segments, request), marking).await
}
