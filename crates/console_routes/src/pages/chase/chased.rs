//! `POST {console_url}/chase/{listing}/chased`: notes that somebody chased a sale.

use std::sync::Arc;

use axum::extract::State;
use listing_management::listings::find_own_listing;
use storage::chase;
use web::problem::Problem;
use web::segments::Segments;

use super::filter_of_form;
use crate::Console;
use crate::forms::PostedForm;
use crate::frames::{Destination, Notice};
use crate::session::SignedIn;

/// Notes the time and the person. A snoozed sale is back on the list.
pub(crate) async fn note_chased(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Destination, Problem> {
    let caller = signed_in.branch_caller()?;
    let listing = segments.listing(0)?;
    let (person, now) = (signed_in.person().id, console.clock.now_seconds());
    console
        .write_own(&signed_in, move |write| {
            find_own_listing(write, &caller, listing)?;
            chase::note_chased(write, listing, person, now)?;
            Ok::<_, Problem>(())
        })
        .await?;
    let filter = filter_of_form(form.text("filter"));
    Ok(Notice::Chased.at(&format!("/chase{}", filter.query())))
}
