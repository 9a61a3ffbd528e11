//! The six routes below `{listing_base_url}/api/v1/listing/chain` (S-45).
//!
//! They change the current chain of one of the caller's listings, the anchor. They ignore bodies.

use std::sync::Arc;

use axum::extract::State;
use chain::ends::{End, UncheckReason};
use web::list::Data;
use web::problem::Problem;
use web::refusals;

use crate::ListingManagement;
use crate::ends::{self, Finding};
use crate::links;
use crate::openapi::{adding_at_an_end, any_write, describe, marking, own_listing};
use crate::parameters::{AddedInPath, IdempotencyKey, ListingInPath};
use crate::reply::Reply;
use crate::wire::SuccessAnswer;
use crate::wire::proposal::ProposalResource;
use crate::write_request::WriteRequest;
use crate::writing::Written;

/// The finding of the two routes that remove a check.
const NOT_CHECKED: Finding = Finding::Unchecked(UncheckReason::Unspecified);

refusals!(MarkEndRefusals = describe(any_write(), own_listing(), marking()));
refusals!(AddAtEndRefusals = describe(any_write(), own_listing(), adding_at_an_end()));

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
        MarkEndRefusals,
    ),
)]
pub(crate) async fn check_top(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    mark_end(&management, request, End::Top, Finding::Checked).await
}

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
        MarkEndRefusals,
    ),
)]
pub(crate) async fn check_bottom(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    mark_end(&management, request, End::Bottom, Finding::Checked).await
}

/// Removes the check from the top of the chain of one of your listings.
///
/// The service records the reason `Unspecified`. It ignores a body.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/uncheck/top",
    tag = "Chains",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        MarkEndRefusals,
    ),
)]
pub(crate) async fn uncheck_top(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    mark_end(&management, request, End::Top, NOT_CHECKED).await
}

/// Removes the check from the bottom of the chain of one of your listings.
///
/// The service records the reason `Unspecified`. It ignores a body.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/uncheck/bottom",
    tag = "Chains",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        MarkEndRefusals,
    ),
)]
pub(crate) async fn uncheck_bottom(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    mark_end(&management, request, End::Bottom, NOT_CHECKED).await
}

/// Links a listing above the top of the chain of one of your listings.
///
/// The service ignores a body.
#[utoipa::path(
    post,
    path = "/api/v1/listing/chain/{listing}/add/top/{added}",
    tag = "Chains",
    params(ListingInPath, AddedInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        (status = 202, description = "The other branch must confirm the link.", body = Data<ProposalResource>),
        AddAtEndRefusals,
    ),
)]
pub(crate) async fn add_top(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    add_at_end(&management, request, End::Top).await
}

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
        AddAtEndRefusals,
    ),
)]
pub(crate) async fn add_bottom(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    add_at_end(&management, request, End::Bottom).await
}

/// Marks an end of the anchor's chain.
async fn mark_end(
    management: &ListingManagement,
    request: WriteRequest,
    end: End,
    finding: Finding,
) -> Result<Written<Reply>, Problem> {
    let anchor = request.segments.listing(0)?;
    request
        .write(management, move |write, author| {
            ends::mark_end_of_listing(write, author, anchor, end, finding)?;
            Reply::success()
        })
        .await
}

/// Adds a listing at an end of the anchor's chain.
async fn add_at_end(
    management: &ListingManagement,
    request: WriteRequest,
    end: End,
) -> Result<Written<Reply>, Problem> {
    let anchor = request.segments.listing(0)?;
    let added = request.segments.listing(1)?;
    request
        .write(management, move |write, author| {
            let proposal = links::add_at_end(write, author, anchor, end, added)?;
            proposal.map_or_else(Reply::success, |proposal| Reply::proposed(&proposal))
        })
        .await
}
