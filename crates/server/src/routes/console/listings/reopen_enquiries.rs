//! `POST {console_url}/listings/{listing}/reopen-enquiries`: opens enquiries again.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::{conclude, refuse_at};
use crate::console::Console;
use crate::console::forms::{PostedForm, outcome};
use crate::console::frames::Notice;
use crate::console::session::SignedIn;
use crate::listing_management::caller::BranchCaller;
use crate::listing_management::segments::Segments;
use crate::problem::Problem;
use crate::routes::listing::reopen_enquiries::reopen_enquiries;

/// Opens enquiries again as document 2's call does.
pub(crate) async fn reopen(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let call = form.call(&json!({}))?;
    let caller = BranchCaller::of_person(&signed_in)?;
    let management = State(Arc::clone(&console.management));
    let reopened = outcome(reopen_enquiries(management, caller, segments, call).await).await;
    let reopened = reopened.map(|_answer| Notice::Reopened);
    conclude(&console, &signed_in, listing, reopened, |page, problem| {
        refuse_at(page, problem, "milestone-enquiries_opened-date");
    })
    .await
}
