//! `GET {console_url}/listings/{listing}`: one sale, and the forms that change it.

pub(crate) mod details;
pub(crate) mod ends;
pub(crate) mod links;
pub(crate) mod milestones;
pub(crate) mod new;
pub(crate) mod notes;
pub(crate) mod reopen_enquiries;
pub(crate) mod unlink;
pub(crate) mod withdraw;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ids::ListingId;
use console::listing::ListingPage;
use console::render;
use http::Uri;
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::frames::{Notice, field_problems, read_notice, show, show_as};
use crate::session::SignedIn;

/// Shows a sale of the viewer's branches.
pub(crate) async fn show_listing(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = segments.listing(0)?;
    let mut page = console.listing_page(&signed_in, id).await?;
    page.frame.notice = read_notice(&uri);
    show(render(&page))
}

/// Leads back to the page of the sale after a form, or shows the page with the refused fields.
/// `id_of` gives the id of the field on the page that holds a member of the call. `fill` puts the typed
/// values back.
async fn conclude(
    console: &Console,
    signed_in: &SignedIn,
    listing: ListingId,
    outcome: Result<Notice, Problem>,
    refused: impl FnOnce(&mut ListingPage, &Problem),
) -> Result<Response, Problem> {
    let problem = match outcome {
        Ok(notice) => return Ok(notice.redirect(&format!("/listings/{listing}"))),
        Err(problem) => problem,
    };
    if !matches!(
        problem,
        Problem::ValuesInvalid(_) | Problem::Refused(_) | Problem::QuotaUsedUp(..)
    ) {
        return Err(problem);
    }
    // The sale may be another branch's, or withdrawn: then that is the answer.
    let mut page = console.listing_page(signed_in, listing).await?;
    refused(&mut page, &problem);
    show_as(problem.status_and_title().0, render(&page))
}

/// Whether the form was of an older state of the sale.
fn is_of_older_state(problem: &Problem) -> bool {
    matches!(problem, Problem::Refused(refusal) if refusal.is_of_older_state())
}

/// Shows a refusal at one field of the page.
fn refuse_at(page: &mut ListingPage, problem: &Problem, field: &str) {
    page.frame.problems = field_problems(problem, |_member| field.to_owned());
    for shown in &mut page.frame.problems {
        field.clone_into(&mut shown.field);
    }
}
