//! `GET {console_url}/share/{token}`: the chain that somebody shared, for a holder of the link.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use console::render;
use http::{HeaderValue, Uri, header};
use storage::properties::find_property;
use storage::shares::{self, StoredShare};
use storage::{Write, listings};
use web::form::Form;
use web::problem::Problem;
use web::secret::digest;
use web::segments::Segments;

use crate::Console;
use crate::chain_pages::{Loaded, Viewing};
use crate::frames::show;
use crate::pages::chains::show_file;

const GONE: Problem = Problem::NotFound(
    "This link has ended, or somebody took it back. Ask the agent who sent it for a new one.",
);

/// Shows the chain with document 1's facts. With `.json` at its end the address gives the signed answer.
pub(crate) async fn show_shared(
    State(console): State<Arc<Console>>,
    segments: Segments,
    uri: Uri,
) -> Result<Response, Problem> {
    let text = segments.text(0);
    let (token, kind) = text.split_once('.').unwrap_or((text, ""));
    let (share, viewing, chain) = find(&console, token).await?;
    console.count_opening(share.id)?;
    let loaded = console
        .load_chain(&viewing, chain)
        .await
        .map_err(|problem| {
            // The listing is not the current one of its home any more.
            if matches!(problem, Problem::NotFound(_)) {
                GONE
            } else {
                problem
            }
        })?;
    let response = match kind {
        "" => show_page(&console, &viewing, &loaded, &uri).await?,
        "json" => {
            let current = loaded.current.as_ref().ok_or(GONE)?;
            let signed = console.queries.sign_chain(current).await?.ok_or(GONE)?;
            let json = HeaderValue::from_static("application/json");
            ([(header::CONTENT_TYPE, json)], signed.answer.body.clone()).into_response()
        }
        "csv" | "ics" => show_file(&console, &viewing, &loaded, kind),
        _other => return Err(Problem::NoSuchPath),
    };
    note_opening(&console, &share).await;
    Ok(response)
}

/// Counts an opening, in whichever form, for the branch that shared the chain.
async fn note_opening(console: &Console, share: &StoredShare) {
    let id = share.id;
    let count = move |write: &mut Write<'_>| shares::count_opening(write, id);
    // A store that cannot be written still answers reads.
    if let Err(error) = console.storage.write(count).await {
        tracing::debug!(%error, "the opening of a share link is not counted");
    }
}

/// Finds the link, and the chain that its listing is in now.
async fn find(
    console: &Console,
    token: &str,
) -> Result<(StoredShare, Viewing, chain::ids::ChainId), Problem> {
    let (wanted, now) = (digest(token), console.clock.now_seconds());
    let token = token.to_owned();
    console
        .storage
        .read(move |read| {
            let share = shares::find_share(read, &wanted)?;
            let is_open =
                |share: &StoredShare| share.revoked_at.is_none() && now < share.expires_at;
            let share = share.filter(is_open).ok_or(GONE)?;
            let listing = listings::find_stored_listing(read, share.listing)?;
            let listing = listing.filter(|listing| listing.deleted_at.is_none());
            let listing = listing.ok_or(GONE)?;
            let property = find_property(read, listing.property)?.ok_or(GONE)?;
            let viewing = Viewing::Holder {
                token,
                uprn: property.uprn,
                expires_at: share.expires_at,
            };
            Ok((share, viewing, listing.chain))
        })
        .await
}

async fn show_page(
    console: &Console,
    viewing: &Viewing,
    loaded: &Loaded,
    uri: &Uri,
) -> Result<Response, Problem> {
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let answer = console.sign_loaded(loaded).await?;
    let mut page = console.chain_page(viewing, loaded, answer.as_deref());
    page.shows_all_homes = query.find("all") == Some("1");
    show(render(&page))
}
