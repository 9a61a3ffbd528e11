//! `POST {console_url}/listings/{listing}/unlink`: breaks a link, or withdraws its proposal.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;

use super::links::sides;
use super::{conclude, refuse_at};
use crate::console::Console;
use crate::console::forms::{PostedForm, outcome};
use crate::console::frames::Notice;
use crate::console::session::SignedIn;
use crate::listing_management::caller::BranchCaller;
use crate::listing_management::segments::Segments;
use crate::problem::Problem;
use crate::routes::chain::remove::link::remove_link;

/// Breaks a link as document 2's call does.
pub(crate) async fn unlink(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let call = form.call(&sides(listing.0, &form))?;
    let caller = BranchCaller::of_person(&signed_in)?;
    let management = State(Arc::clone(&console.management));
    let unlinked = outcome(remove_link(management, caller, call).await).await;
    let unlinked = unlinked.map(|_answer| Notice::Unlinked);
    conclude(&console, &signed_in, listing, unlinked, |page, problem| {
        refuse_at(page, problem, "link-other");
    })
    .await
}
