//! `POST {console_url}/listings/{listing}/unlink`: breaks a link, or withdraws its proposal.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ids::ListingId;
use listing_management::listings::find_own_listing;
use listing_management::routes::chain::remove::link::remove_link;
use storage::state;
use web::problem::{FieldError, Problem};
use web::segments::Segments;

use super::links::sides;
use super::{conclude, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::listing_pages::{is_split, link_of};
use crate::session::SignedIn;

/// Breaks a link as document 2's call does.
pub(crate) async fn unlink(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let mut call = form.call(&sides(listing.0, &form))?;
    let other = form.text("other").parse().map(ListingId).ok();
    let is_above = form.text("side") != "below";
    if let (Some(other), false) = (other, form.text("sure") == "1") {
        call = call.only_if(move |write, author| {
            let own = find_own_listing(write, author.caller, listing)?;
            let chain = state::find_chain(write, own.chain)?;
            let link = link_of(listing, other, is_above);
            match chain {
                Some(chain) if chain.links().contains(&link) && is_split(&chain, link) => {
                    Err(not_sure())
                }
                Some(_) | None => Ok(()),
            }
        });
    }
    let caller = signed_in.branch_caller()?;
    let management = State(Arc::clone(&console.management));
    let unlinked = outcome(remove_link(management, caller, call).await).await;
    let unlinked = unlinked.map(|_answer| Notice::Unlinked);
    conclude(&console, &signed_in, listing, unlinked, |page, problem| {
        let field = match (problem, other) {
            (Problem::ValuesInvalid(_), Some(other)) => format!("unlink-{other}-sure"),
            (_problem, _other) => "link-other".to_owned(),
        };
        refuse_at(page, problem, &field);
    })
    .await
}

/// The second question before the end of a link that no agent can make again (S-46).
fn not_sure() -> Problem {
    Problem::ValuesInvalid(vec![FieldError {
        pointer: "sure".to_owned(),
        detail: "tick that you know: only the operator can make this link of a split chain again"
            .to_owned(),
    }])
}
