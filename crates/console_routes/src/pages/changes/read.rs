//! `POST {console_url}/changes/read`: marks changes as read.

use std::sync::Arc;

use axum::extract::State;
use chain::ids::ChainId;
use listing_management::ends::find_own_chain;
use storage::history;
use storage::seen::{self, Seen};
use web::problem::Problem;

use crate::Console;
use crate::forms::PostedForm;
use crate::frames::{Destination, Notice};
use crate::session::SignedIn;

/// Marks the changes of one chain, or of all, as read up to the one that the page showed.
pub(crate) async fn mark_read(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    form: PostedForm,
) -> Result<Destination, Problem> {
    let caller = signed_in.branch_caller()?;
    let chain = read_chain(form.text("chain"))?;
    let person = signed_in.person().id;
    let until: i64 = form.text("until").parse().unwrap_or_default();
    let now = console.clock.now_seconds();
    console
        .write_own(&signed_in, move |write| {
            // Later changes that the page did not show stay unread, also those of the future.
            let last = until.clamp(0, history::find_newest(write)?);
            let at = history::find_time(write, last)?.unwrap_or(now);
            let seen = Seen { history: last, at };
            let Some(chain) = chain else {
                return Ok(seen::note_all_seen(write, person, seen)?);
            };
            // Each chain is a row, so nobody may invent chains.
            find_own_chain(write, &caller, chain)?;
            seen::note_seen(write, person, chain, seen)?;
            Ok::<_, Problem>(())
        })
        .await?;
    Ok(Notice::Read.at("/changes"))
}

/// The chain that a form names. `None` if it names none.
fn read_chain(text: &str) -> Result<Option<ChainId>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    let chain = text.parse();
    chain
        .map(Some)
        .map_err(|_error| Problem::NotFound("There is no such chain."))
}
