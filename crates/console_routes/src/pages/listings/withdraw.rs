//! `POST {console_url}/listings/{listing}/withdraw`: withdraws a sale.

use axum::response::Response;
use listing_management::listing_writes::withdraw_listing;
use web::problem::Problem;

use super::SaleForm;
use crate::frames::{Notice, refuse_at};

/// Withdraws a sale as document 2's call does.
pub(crate) async fn withdraw(sale: SaleForm) -> Result<Response, Problem> {
    let listing = sale.listing;
    let withdrawing = sale.write(move |write, author| {
        withdraw_listing(write, author, listing)?;
        Ok(Notice::Withdrawn.at("/chains"))
    });
    let withdrawn = withdrawing.await;
    sale.conclude(withdrawn, |page, problem| {
        refuse_at(&mut page.frame, problem, "link-other");
    })
    .await
}
