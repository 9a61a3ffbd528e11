//! `POST {console_url}/listings/{listing}/withdraw`: withdraws a sale.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use listing_management::routes::listing::withdraw_listing;
use serde_json::json;
use web::problem::Problem;
use web::segments::Segments;

use super::{conclude, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::session::SignedIn;

/// Withdraws a sale as document 2's call does.
pub(crate) async fn withdraw(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let call = form.call(&json!({}))?;
    let caller = signed_in.branch_caller()?;
    let management = State(Arc::clone(&console.management));
    match outcome(withdraw_listing(management, caller, segments, call).await).await {
        Ok(_answer) => Ok(Notice::Withdrawn.redirect("/chains")),
        Err(problem) => {
            conclude(
                &console,
                &signed_in,
                listing,
                Err(problem),
                |page, problem| {
                    refuse_at(page, problem, "link-other");
                },
            )
            .await
        }
    }
}
