//! `POST {console_url}/listings/{listing}/links`: links another sale, or confirms its proposal.

use axum::response::Response;
use chain::ids::ListingId;
use chain::state::Link;
use listing_management::links::add_link;
use listing_management::listings::find_own_listing;
use storage::state;
use web::problem::Problem;
use web::values::check_id;

use super::{SaleForm, lead_to};
use crate::frames::{Destination, Notice, refuse_at};
use crate::listing_pages::link_of;

/// Links a sale as document 2's call does.
pub(crate) async fn link(sale: SaleForm) -> Result<Response, Problem> {
    let linked = add(&sale).await;
    sale.conclude(linked, |page, problem| {
        refuse_at(&mut page.frame, problem, "link-other");
        sale.form.text("other").clone_into(&mut page.links.typed);
        page.links.typed_below = sale.form.text("side") == "below";
    })
    .await
}

async fn add(sale: &SaleForm) -> Result<Destination, Problem> {
    let link = read_link(sale)?;
    let listing = sale.listing;
    let adding = sale.write_as_it_is(move |write, author| {
        let own = find_own_listing(write, author.caller, listing)?;
        let chain = state::find_chain(write, own.chain)?;
        if chain.is_some_and(|chain| chain.links().contains(&link)) {
            // Somebody sent the form twice.
            return Ok(lead_to(listing, Notice::Linked));
        }
        let notice = match add_link(write, author, link)? {
            Some(_proposal) => Notice::Proposed,
            None => Notice::Linked,
        };
        Ok(lead_to(listing, notice))
    });
    adding.await
}

/// The link that a form names.
pub(crate) fn read_link(sale: &SaleForm) -> Result<Link, Problem> {
    let other = check_id(sale.form.number("other"));
    let other = other.map_err(|detail| Problem::value_invalid("other", detail))?;
    let is_above = sale.form.text("side") != "below";
    Ok(link_of(sale.listing, ListingId(other), is_above))
}
