//! `POST {console_url}/listings/{listing}/ends`: confirms an end of the chain, or takes it back.

use axum::response::Response;
use chain::ends::{End, UncheckReason};
use chain::ids::ChainId;
use console::chain_page::end_field;
use console::render;
use listing_management::ends::{self, Finding};
use listing_management::listings::find_own_listing;
use storage::{Read, listings, state};
use web::problem::Problem;
use web::refusal::Refusal;

use super::{SaleForm, is_shown_on_page, lead_to};
use crate::chain_pages::Viewing;
use crate::end_seen::EndsSeen;
use crate::forms::PostedForm;
use crate::frames::{Destination, Notice, refuse_at, show_as};

/// Marks the end of the chain of one of the viewer's sales (S-44, S-45).
pub(crate) async fn mark_end(sale: SaleForm) -> Result<Response, Problem> {
    let end = match sale.form.text("end") {
        "top" => End::Top,
        _bottom => End::Bottom,
    };
    let field = end_field(end);
    match mark(&sale, end).await {
        Err(problem) if is_of_chain_page(&sale.form) && is_shown_on_page(&problem) => {
            refuse_on_chain_page(&sale, &problem, &field).await
        }
        marked => {
            sale.conclude(marked, |page, problem| {
                let state = match end {
                    End::Top => &page.top,
                    End::Bottom => &page.bottom,
                };
                // The sale may not be at that end any more.
                let field = if state.is_some() {
                    field.as_str()
                } else {
                    "main"
                };
                refuse_at(&mut page.frame, problem, field);
            })
            .await
        }
    }
}

/// Whether the page of a chain sent the form.
fn is_of_chain_page(form: &PostedForm) -> bool {
    form.text("from") == "chain"
}

/// Shows the page of the sale's chain with the refusal.
async fn refuse_on_chain_page(
    sale: &SaleForm,
    problem: &Problem,
    field: &str,
) -> Result<Response, Problem> {
    let (console, listing) = (&sale.console, sale.listing);
    let caller = sale.signed_in.branch_caller()?;
    let found = console
        .storage
        .read(move |read| find_own_listing(read, &caller, listing))
        .await?;
    let viewing = Viewing::Progressor(sale.signed_in.clone());
    let loaded = console.load_chain(&viewing, found.chain).await?;
    let answer = console.sign_loaded(&loaded).await?;
    let mut page = console.chain_page(&viewing, &loaded, answer.as_deref());
    refuse_at(&mut page.frame, problem, field);
    show_as(problem.status_and_title().0, render(&page))
}

async fn mark(sale: &SaleForm, end: End) -> Result<Destination, Problem> {
    let (finding, notice) = read_finding(&sale.form)?;
    let listing = sale.listing;
    let leads_to_chain = is_of_chain_page(&sale.form);
    let seen = sale.form.text("seen").to_owned();
    // All forms of a page have the same key, so an old page may send it for another change. Marking an
    // end twice does the same as once.
    let marking = sale
        .console
        .write(&sale.signed_in, None, move |write, author| {
            let own = find_own_listing(write, author.caller, listing)?;
            check_homes(write, own.chain, end, &seen)?;
            let chain = ends::mark_end_of_listing(write, author, listing, end, finding)?;
            Ok(if leads_to_chain {
                notice.at(&format!("/chains/{chain}"))
            } else {
                lead_to(listing, notice)
            })
        });
    marking.await
}

/// Refuses a form if the end is at other homes than its page showed, or if it does not name them.
fn check_homes(read: &mut Read<'_>, chain: ChainId, end: End, seen: &str) -> Result<(), Problem> {
    let found = state::find_chain(read, chain)?;
    let found = found.ok_or_else(|| Refusal::unknown_chain(chain))?;
    let homes = listings::list_listings_of_chain(read, chain)?;
    let homes = homes.iter().map(|home| (home.id, home.property));
    if EndsSeen::new(&found, homes)?.at(end) != seen {
        return Err(Refusal::changed_meanwhile().into());
    }
    Ok(())
}

fn read_finding(form: &PostedForm) -> Result<(Finding, Notice), Problem> {
    if form.text("action") == "check" {
        return Ok((Finding::Checked, Notice::Checked));
    }
    let reason = UncheckReason::parse(form.text("reason"))
        .ok_or_else(|| Problem::value_invalid("reason", "choose a reason"))?;
    Ok((Finding::Unchecked(reason), Notice::Unchecked))
}
