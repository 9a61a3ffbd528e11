//! `POST {console_url}/listings/{listing}/unlink`: breaks a link, or withdraws its proposal.

use axum::response::Response;
use chain::ids::ChainId;
use chain::state::Link;
use listing_management::links::remove_link;
use listing_management::listings::find_own_listing;
use storage::{Write, state};
use web::problem::Problem;
use web::refusal::Refusal;

use super::links::read_link;
use super::{SaleForm, lead_to};
use crate::frames::{Destination, Notice, refuse_at};
use crate::listing_pages::is_split;

const SURE: &str = "sure";

/// Breaks a link as document 2's call does.
pub(crate) async fn unlink(sale: SaleForm) -> Result<Response, Problem> {
    let unlinked = remove(&sale).await;
    sale.conclude(unlinked, |page, problem| {
        let asks = matches!(problem, Problem::Refused(one) if one.field.as_deref() == Some(SURE));
        let field = match sale.form.number("other") {
            Some(other) if asks => format!("unlink-{other}-sure"),
            Some(_) | None => "link-other".to_owned(),
        };
        refuse_at(&mut page.frame, problem, &field);
    })
    .await
}

async fn remove(sale: &SaleForm) -> Result<Destination, Problem> {
    let link = read_link(sale)?;
    let listing = sale.listing;
    let is_sure = sale.form.text("sure") == "1";
    let removing = sale.write(move |write, author| {
        if !is_sure {
            let own = find_own_listing(write, author.caller, listing)?;
            ask_if_sure(write, own.chain, link)?;
        }
        remove_link(write, author, link)?;
        Ok(lead_to(listing, Notice::Unlinked))
    });
    removing.await
}

/// The second question before the end of a link that no agent can make again (S-46).
fn ask_if_sure(write: &mut Write<'_>, chain: ChainId, link: Link) -> Result<(), Problem> {
    match state::find_chain(write, chain)? {
        Some(chain) if chain.links().contains(&link) && is_split(&chain, link) => {
            let detail =
                "tick that you know: only the operator can make this link of a split chain again";
            let refusal = Refusal::invalid("not_confirmed", SURE, detail.to_owned());
            Err(refusal.passing().into())
        }
        Some(_) | None => Ok(()),
    }
}
