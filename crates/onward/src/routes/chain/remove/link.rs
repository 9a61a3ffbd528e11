//! `POST {listing_base_url}/api/v1/chain/remove/link`: breaks a link.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::links;
use crate::management::recording::{self, Reply, WriteRequest};
use crate::problem::Problem;
use crate::routes::chain::add::link::read_link;

/// Breaks the link of two listings (S-42 to S-44).
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
