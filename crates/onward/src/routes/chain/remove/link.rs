//! `POST {listing_base_url}/api/v1/chain/remove/link`: breaks a link.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::causes::{BothSides, Members, Recorded, Refused, Unlinking};
use crate::management::links;
use crate::management::parameters::IdempotencyKey;
use crate::management::recording::{self, Reply, WriteRequest};
use crate::problem::Problem;
use crate::routes::chain::add::link::{LinkBody, read_link};
use crate::wire::management::SuccessAnswer;

/// Breaks the link of two listings, at least one of them yours.
#[utoipa::path(
    post,
    path = "/api/v1/chain/remove/link",
    tag = "Chains",
    params(IdempotencyKey),
    request_body = LinkBody,
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        Refused::<(Recorded, Members<LinkBody>, BothSides, Unlinking)>,
    ),
)]
pub async fn remove_link(
    State(app): State<Arc<App>>,
    caller: BranchCaller,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let link = read_link(&request)?;
    recording::record(&app, caller, request, move |write, author| {
        links::remove_link(write, author, link)?;
        Reply::success()
    })
    .await
}
