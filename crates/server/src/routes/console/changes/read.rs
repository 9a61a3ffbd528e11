//! `POST {console_url}/changes/read`: marks changes as read.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ids::ChainId;
use storage::Write;
use storage::seen::{self, Seen};

use crate::console::Console;
use crate::console::forms::PostedForm;
use crate::console::frames::Notice;
use crate::console::session::SignedIn;
use crate::problem::Problem;

/// Marks the changes of one chain, or of all, as read up to the one that the page showed.
pub(crate) async fn mark_read(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    form: PostedForm,
) -> Result<Response, Problem> {
    let chain: Option<ChainId> = form.text("chain").parse().ok();
    let person = signed_in.person().id;
    let seen = Seen {
        history: form.text("until").parse().unwrap_or_default(),
        at: console.clock.now_seconds(),
    };
    let note = move |write: &mut Write<'_>| match chain {
        Some(chain) => seen::note_seen(write, person, chain, seen),
        None => seen::note_all_seen(write, person, seen),
    };
    console.storage.write(note).await?;
    Ok(Notice::Read.redirect("/changes"))
}
