//! `POST {listing_base_url}/api/v1/chain/{chain_link_id}/check`: an end is confirmed.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::{CHECK_REASON, End};

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::ends::{self, Finding};
use crate::management::fields::Fields;
use crate::management::recording::{self, Reply, WriteRequest};
use crate::management::segments::Segments;
use crate::problem::Problem;

/// Marks the top or bottom of a chain as checked (S-43, S-44).
pub async fn check_end(
    State(app): State<Arc<App>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let chain = segments.chain(0)?;
    let mut fields = request.fields()?;
    fields.require("reason");
    let reason = fields.exact_text("reason");
    if reason.is_some_and(|reason| reason != CHECK_REASON) {
        fields.refuse("reason", format!("must be `{CHECK_REASON}`"));
    }
    let end = read_end(fields)?;
    recording::record(&app, caller, request, move |write, author| {
        ends::mark_end(write, author, chain, (end, Finding::Checked))?;
        Reply::success()
    })
    .await
}

/// Reads `top`: true for the top, false for the bottom. Ends the reading.
pub(super) fn read_end(mut fields: Fields) -> Result<End, Problem> {
    fields.require("top");
    let is_top = fields.boolean("top");
    fields.finish()?;
    Ok(if is_top == Some(true) {
        End::Top
    } else {
        End::Bottom
    })
}
