//! `POST {console_url}/listings/{listing}/ends`: confirms an end of the chain, or takes it back.

use axum::response::Response;
use chain::ends::{End, UncheckReason};
use listing_management::ends::{self, Finding};
use web::problem::Problem;

use super::{SaleForm, lead_to, refuse_at};
use crate::forms::PostedForm;
use crate::frames::{Destination, Notice};

/// Marks the end of the chain of one of the viewer's sales (S-44, S-45).
pub(crate) async fn mark_end(sale: SaleForm) -> Result<Response, Problem> {
    let end = match sale.form.text("end") {
        "top" => End::Top,
        _bottom => End::Bottom,
    };
    let marked = mark(&sale, end).await;
    sale.conclude(marked, |page, problem| {
        refuse_at(page, problem, &format!("end-{}-reason", end.as_str()));
    })
    .await
}

async fn mark(sale: &SaleForm, end: End) -> Result<Destination, Problem> {
    let (finding, notice) = read_finding(&sale.form)?;
    let listing = sale.listing;
    let leads_to_chain = sale.form.text("from") == "chain";
    // All forms of a page have the same key, so an old page may send it for another change. Marking an
    // end twice does the same as once.
    let marking = sale
        .console
        .write(&sale.signed_in, None, move |write, author| {
            let chain = ends::mark_end_of_listing(write, author, listing, end, finding)?;
            Ok(if leads_to_chain {
                notice.at(&format!("/chains/{chain}"))
            } else {
                lead_to(listing, notice)
            })
        });
    marking.await
}

fn read_finding(form: &PostedForm) -> Result<(Finding, Notice), Problem> {
    if form.text("action") == "check" {
        return Ok((Finding::Checked, Notice::Checked));
    }
    let reason = UncheckReason::parse(form.text("reason"))
        .ok_or_else(|| Problem::value_invalid("reason", "choose a reason"))?;
    Ok((Finding::Unchecked(reason), Notice::Unchecked))
}
