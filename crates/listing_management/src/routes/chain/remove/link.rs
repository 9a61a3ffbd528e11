//! `POST {listing_base_url}/api/v1/chain/remove/link`: removes a link.

use std::sync::Arc;

use axum::extract::State;
use web::described::wrong_member;
use web::problem::Problem;
use web::refusals;

use crate::ListingManagement;
use crate::links;
use crate::openapi::{any_write, both_sides, describe, unlinking};
use crate::parameters::IdempotencyKey;
use crate::reply::Reply;
use crate::routes::chain::add::link::{LinkBody, read_link};
use crate::wire::SuccessAnswer;
use crate::write_request::WriteRequest;
use crate::writing::Written;

refusals!(
    RemoveLinkRefusals = describe(
        any_write(),
        wrong_member("seller", "is missing"),
        both_sides(),
        unlinking(),
    )
);

/// Removes the link between two listings, or withdraws its proposal. At least one must be yours.
///
/// The chain falls into two parts, and the longer one keeps the chain id. Links that are not there
/// give 409.
#[utoipa::path(
    post,
    path = "/api/v1/chain/remove/link",
    tag = "Chains",
    params(IdempotencyKey),
    request_body = LinkBody,
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        RemoveLinkRefusals,
    ),
)]
pub(crate) async fn remove_link(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let link = read_link(&request)?;
    request
        .write(&management, move |write, author| {
            links::remove_link(write, author, link)?;
            Reply::success()
        })
        .await
}
