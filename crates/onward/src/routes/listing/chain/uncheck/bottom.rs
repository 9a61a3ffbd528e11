//! `POST {listing_base_url}/api/v1/listing/chain/{listing}/uncheck/bottom`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::{End, UncheckReason};

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::ends::Finding;
use crate::management::recording::WriteRequest;
use crate::management::segments::Segments;
use crate::problem::Problem;
use crate::routes::listing::chain::mark_end;

/// Takes the check of the bottom of the chain back, with the reason `Unspecified` (S-45).
pub async fn uncheck_bottom(
    State(app): State<Arc<App>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let marking = (End::Bottom, Finding::Unchecked(UncheckReason::Unspecified));
    mark_end(&app, caller, (segments, request), marking).await
}
