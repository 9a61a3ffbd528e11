//! `POST {listing_base_url}/api/v1/listing/chain/{listing}/add/bottom/{listing_link_id}`:
//! links a listing below the bottom of the chain.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::End;
use web::list::Data;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::openapi::{adding_at_an_end, describe, own_listing, recorded_write};
use crate::parameters::{AddedInPath, IdempotencyKey, ListingInPath};
use crate::routes::listing::chain::add_at_end;
use crate::wire::SuccessAnswer;
use crate::wire::proposal::ProposalResource;
use crate::write_request::WriteRequest;

refusals!(AddBottomRefusals = describe(recorded_write(), own_listing(), adding_at_an_end()));

/// Links a listing below the bottom of the chain of one of your listings.
///
/// The service ignores a body.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/add/bottom/{added}",
    tag = "Chains",
    params(ListingInPath, AddedInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        (status = 202, description = "The other branch must confirm the link.", body = Data<ProposalResource>),
        AddBottomRefusals,
    ),
)]
pub async fn add_bottom(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    add_at_end(&management, caller, segments, request, End::Bottom).await
}
