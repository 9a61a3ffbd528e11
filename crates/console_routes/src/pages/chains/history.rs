//! `GET {console_url}/chains/{chain}/history`: all changes of a chain.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::chain_page::HistoryPage;
use console::frame::Section;
use console::render;
use http::Uri;
use listing_management::ends::find_own_chain;
use storage::history::{self, NewestLines};
use web::form::Form;
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::chain_pages::name_homes;
use crate::frames::show;
use crate::history_lines::to_lines;
use crate::session::SignedIn;

/// Lines on one page.
const LINES: i64 = 100;

/// Shows a page of the history, the newest first.
pub(crate) async fn show_history(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    uri: Uri,
) -> Result<Response, Problem> {
    let caller = signed_in.branch_caller()?;
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let before = query.find("before").and_then(|text| text.parse().ok());
    let before = before.unwrap_or(i64::MAX);
    let id = segments.chain(0)?;
    let person = signed_in.person().id;
    let (names, NewestLines { entries, next }) = console
        .storage
        .read(move |read| {
            find_own_chain(read, &caller, id)?;
            let state = storage::state::find_chain_state(read, id)?;
            let names = state.as_ref().map(name_homes).unwrap_or_default();
            let newest = history::list_newest_of_chain(read, id, person, [0, before], LINES)?;
            Ok::<_, Problem>((names, newest))
        })
        .await?;
    let page = HistoryPage {
        frame: console.frame(Some(&signed_in), Section::Chains),
        chain: id,
        lines: to_lines(&entries, &names),
        next,
    };
    show(render(&page))
}
