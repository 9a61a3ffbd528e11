//! `POST {console_url}/listings/{listing}/reopen-enquiries`: opens enquiries again.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::listing::{ENQUIRIES, milestone_seen};
use listing_management::listings::find_own_listing;
use listing_management::routes::listing::reopen_enquiries::reopen_enquiries;
use serde_json::json;
use storage::milestones;
use web::problem::Problem;
use web::refusal::Refusal;
use web::segments::Segments;

use super::{conclude, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::session::SignedIn;

/// Opens enquiries again as document 2's call does.
pub(crate) async fn reopen(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let mut call = form.call(&json!({}))?;
    if let Some(seen) = form.find("seen").map(str::to_owned) {
        call = call.only_if(move |write, author| {
            find_own_listing(write, author.caller, listing)?;
            let stored = milestones::list_milestones_of_listing(write, listing)?;
            let state = |key: &str| {
                let mut recorded = stored.iter().filter(|one| one.deleted_at.is_none());
                let found = recorded.find(|one| one.kind.key == key);
                milestone_seen(found.map(|one| (one.date, one.excluded)))
            };
            if seen == ENQUIRIES.map(state).join(" ") {
                Ok(())
            } else {
                Err(Refusal::changed_meanwhile().into())
            }
        });
    }
    let caller = signed_in.branch_caller()?;
    let management = State(Arc::clone(&console.management));
    let reopened = outcome(reopen_enquiries(management, caller, segments, call).await).await;
    let reopened = reopened.map(|_answer| Notice::Reopened);
    conclude(&console, &signed_in, listing, reopened, |page, problem| {
        refuse_at(page, problem, "milestone-enquiries_opened-date");
    })
    .await
}
