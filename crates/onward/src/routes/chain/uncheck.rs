//! `POST {listing_base_url}/api/v1/chain/{chain_link_id}/uncheck`: an end is not certain any more.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::UncheckReason;

use crate::app::App;
use crate::management::caller::BranchCaller;
use crate::management::ends::{self, Finding};
use crate::management::recording::{self, Reply, WriteRequest};
use crate::management::segments::Segments;
use crate::problem::Problem;

use super::check::read_end;

/// Takes the check of the top or bottom of a chain back (S-43, S-44).
pub async fn uncheck_end(
    State(app): State<Arc<App>>,
    caller: BranchCaller,
    segments: Segments,
    request: WriteRequest,
) -> Result<Response, Problem> {
    let chain = segments.chain(0)?;
    let mut fields = request.fields()?;
    fields.require("reason");
    let text = fields.exact_text("reason");
    let reason = text.as_deref().and_then(UncheckReason::parse);
    if text.is_some() && reason.is_none() {
        let known = UncheckReason::ALL.map(|reason| format!("`{}`", reason.as_str()));
        fields.refuse("reason", format!("must be one of {}", known.join(", ")));
    }
    let end = read_end(fields)?;
    let reason = reason.unwrap_or(UncheckReason::Unspecified);
    recording::record(&app, caller, request, move |write, author| {
        let finding = Finding::Unchecked(reason);
        ends::mark_end(write, author, chain, (end, finding))?;
        Reply::success()
    })
    .await
}
