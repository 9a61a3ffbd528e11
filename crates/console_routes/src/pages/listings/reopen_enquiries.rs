//! `POST {console_url}/listings/{listing}/reopen-enquiries`: opens enquiries again.

use axum::response::Response;
use console::listing::{ENQUIRIES, milestone_seen};
use listing_management::listings::find_own_listing;
use listing_management::milestones::reopen_enquiries;
use storage::milestones;
use web::problem::Problem;
use web::refusal::Refusal;

use super::{SaleForm, lead_to};
use crate::frames::{Notice, refuse_at};

/// Opens enquiries again as document 2's call does. Refuses a form of another state than the present one, or of
/// none.
pub(crate) async fn reopen(sale: SaleForm) -> Result<Response, Problem> {
    let listing = sale.listing;
    let seen = sale.form.text("seen").to_owned();
    let reopening = sale.write(move |write, author| {
        find_own_listing(write, author.caller, listing)?;
        let stored = milestones::list_milestones_of_listing(write, listing)?;
        let state = |key: &str| {
            let mut recorded = stored.iter().filter(|one| one.deleted_at.is_none());
            let found = recorded.find(|one| one.kind.key == key);
            milestone_seen(found.map(|one| (one.date, one.excluded)))
        };
        if seen != ENQUIRIES.map(state).join(" ") {
            return Err(Refusal::changed_meanwhile().into());
        }
        reopen_enquiries(write, author, listing)?;
        Ok(lead_to(listing, Notice::Reopened))
    });
    let reopened = reopening.await;
    sale.conclude(reopened, |page, problem| {
        refuse_at(&mut page.frame, problem, "milestone-enquiries_opened-date");
    })
    .await
}
