//! `POST {listing_base_url}/api/v1/listing/chain/{listing}/check/top`:
//! checks the top of the chain.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::End;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::ends::Finding;
use crate::openapi::{describe, marking, own_listing, recorded_write};
use crate::parameters::{IdempotencyKey, ListingInPath};
use crate::routes::listing::chain::{Marking, mark_end};
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;

refusals!(CheckTopRefusals = describe(recorded_write(), own_listing(), marking()));

/// Marks the top of the chain of one of your listings as checked.
///
/// The service ignores a body.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/check/top",
    tag = "Chains",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        CheckTopRefusals,
    ),
)]
pub async fn check_top(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let marking = Marking {
        end: End::Top,
        finding: Finding::Checked,
    };
    mark_end(&management, caller, segments, request, marking).await
}
