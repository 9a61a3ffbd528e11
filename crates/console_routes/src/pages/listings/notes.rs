//! `POST {console_url}/listings/{listing}/notes`: adds a note that only the own branch reads.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ids::ListingId;
use listing_management::listings::find_own_listing;
use listing_management::recording::{self, Reply};
use serde_json::json;
use storage::notes;
use web::problem::{FieldError, Problem};
use web::segments::Segments;

use super::{conclude, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::limits;
use crate::session::SignedIn;

/// Adds a note. A form that is sent twice adds one.
pub(crate) async fn add_note(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let text = form.text("text").replace("\r\n", "\n");
    let noted = store(&console, &signed_in, listing, &form, text.clone()).await;
    conclude(&console, &signed_in, listing, noted, |page, problem| {
        refuse_at(page, problem, "note-text");
        page.note_typed = text;
    })
    .await
}

async fn store(
    console: &Console,
    signed_in: &SignedIn,
    listing: ListingId,
    form: &PostedForm,
    text: String,
) -> Result<Notice, Problem> {
    let text = read_text(&text).map_err(|detail| {
        let pointer = "text".to_owned();
        Problem::ValuesInvalid(vec![FieldError { pointer, detail }])
    })?;
    let caller = signed_in.branch_caller()?;
    let person = signed_in.person().id;
    let call = form.call(&json!({ "text": text }))?;
    let noting = recording::record(&console.management, caller, call, move |write, author| {
        find_own_listing(write, author.caller, listing)?;
        if notes::count_notes(write, listing)? >= limits::NOTES_MAX {
            let detail = format!("A sale has at most {} notes.", limits::NOTES_MAX);
            return Err(Problem::QuotaUsedUp(None, detail));
        }
        notes::insert_note(write, listing, person, &text, author.now)?;
        Reply::success()
    });
    outcome(noting.await).await.map(|_answer| Notice::Noted)
}

fn read_text(text: &str) -> Result<String, String> {
    let text = unicode::clean_lines(text).map_err(|fault| fault.to_string())?;
    let longest = limits::NOTE_CHARACTERS_MAX;
    if (1..=longest).contains(&text.chars().count()) {
        Ok(text.into_owned())
    } else {
        Err(format!("type 1 to {longest} characters"))
    }
}
