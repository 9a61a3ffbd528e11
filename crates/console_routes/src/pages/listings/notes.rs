//! `POST {console_url}/listings/{listing}/notes`: adds a note that only the own branch reads.

use axum::response::Response;
use listing_management::listings::find_own_listing;
use storage::notes;
use web::problem::Problem;

use super::{SaleForm, lead_to};
use crate::frames::{Destination, Notice, refuse_at};
use crate::limits;

/// Adds a note. A form that is sent twice adds one.
pub(crate) async fn add_note(sale: SaleForm) -> Result<Response, Problem> {
    let text = sale.form.text("text").replace("\r\n", "\n");
    let noted = store(&sale, &text).await;
    sale.conclude(noted, |page, problem| {
        refuse_at(&mut page.frame, problem, "note-text");
        page.note_typed = text;
    })
    .await
}

async fn store(sale: &SaleForm, text: &str) -> Result<Destination, Problem> {
    let text = read_text(text).map_err(|detail| Problem::value_invalid("text", detail))?;
    let (listing, person) = (sale.listing, sale.signed_in.person().id);
    let noting = sale.write(move |write, author| {
        find_own_listing(write, author.caller, listing)?;
        if notes::count_notes(write, listing)? >= limits::NOTES_MAX {
            let detail = format!("A sale has at most {} notes.", limits::NOTES_MAX);
            return Err(Problem::QuotaUsedUp(None, detail));
        }
        notes::insert_note(write, listing, person, &text, author.now)?;
        Ok(lead_to(listing, Notice::Noted))
    });
    noting.await
}

fn read_text(text: &str) -> Result<String, String> {
    let text = unicode::clean_lines(text).map_err(|fault| fault.to_string())?;
    // A selector that is removed may have hidden a space.
    let text = text.trim();
    let longest = limits::NOTE_CHARACTERS_MAX;
    if (1..=longest).contains(&text.chars().count()) {
        Ok(text.to_owned())
    } else {
        Err(format!("type 1 to {longest} characters"))
    }
}
