//! `POST {console_url}/listings/{listing}/links`: links another sale, or confirms its proposal.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use listing_management::routes::chain::add::link::add_link;
use serde_json::{Value, json};
use web::problem::Problem;
use web::segments::Segments;

use super::{conclude, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::session::SignedIn;

/// Links a sale as document 2's call does.
pub(crate) async fn link(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let call = form.call(&sides(listing.0, &form))?;
    let caller = signed_in.branch_caller()?;
    let management = State(Arc::clone(&console.management));
    let linked = outcome(add_link(management, caller, call).await).await;
    let linked = linked.map(|answer| match answer.status() {
        StatusCode::ACCEPTED => Notice::Proposed,
        _linked => Notice::Linked,
    });
    conclude(&console, &signed_in, listing, linked, |page, problem| {
        refuse_at(page, problem, "link-other");
        form.text("other").clone_into(&mut page.links.typed);
        page.links.typed_below = form.text("side") == "below";
    })
    .await
}

/// The body of document 2's call. The seller of the lower sale buys the upper one.
pub(crate) fn sides(listing: i64, form: &PostedForm) -> Value {
    let other = form.number("other");
    if form.text("side") == "below" {
        json!({ "seller": listing, "buyer": other })
    } else {
        json!({ "seller": other, "buyer": listing })
    }
}
