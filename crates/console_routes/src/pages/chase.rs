//! `GET {console_url}/chase`: the sales to chase today.

pub(crate) mod chased;
pub(crate) mod snooze;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ids::BranchId;
use console::chase::{ChaseFilter, ChasePage};
use console::frame::Section;
use console::render;
use http::Uri;
use storage::StorageError;
use web::form::Form;
use web::problem::Problem;

use super::chains::list_branches;
use crate::Console;
use crate::chase_lists::{group, list_chases};
use crate::frames::{read_notice, show};
use crate::session::SignedIn;

/// Sales on one page.
const ROWS: usize = 50;

/// Lists the late sales of the viewer's branches, the most urgent first.
pub(crate) async fn show_chase(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    let filter = read_filter(uri.query().unwrap_or_default())?;
    let mut page = make_page(&console, &signed_in, filter).await?;
    page.frame.notice = read_notice(&uri);
    show(render(&page))
}

/// Reads the filter of the list from a query string.
pub(crate) fn read_filter(query: &str) -> Result<ChaseFilter, Problem> {
    let query = Form::parse_urlencoded(query.as_bytes())?;
    let branch = query.find("branch").and_then(|id| id.parse().ok());
    Ok(ChaseFilter {
        branch: branch.map(BranchId),
        by_conveyancer: query.find("group") == Some("conveyancer"),
        with_snoozed: query.find("snoozed") == Some("1"),
        pages_before: query
            .find("page")
            .and_then(|page| page.parse::<usize>().ok())
            .map_or(0, |page| page.saturating_sub(1)),
    })
}

/// Makes one page of the list. Only progressors have one. A page past the last one is the last one.
pub(crate) async fn make_page(
    console: &Console,
    signed_in: &SignedIn,
    filter: ChaseFilter,
) -> Result<ChasePage, Problem> {
    let mut page = make_list(console, signed_in, filter).await?;
    let all: usize = page.groups.iter().map(|group| group.rows.len()).sum();
    let last = all.saturating_sub(1) / ROWS;
    page.filter.pages_before = page.filter.pages_before.min(last);
    page.has_next = page.filter.pages_before < last;
    let mut before = page.filter.pages_before * ROWS;
    let mut room = ROWS;
    for group in &mut page.groups {
        let skipped = before.min(group.rows.len());
        before -= skipped;
        group.rows.drain(..skipped);
        group.rows.truncate(room);
        room -= group.rows.len();
    }
    Ok(page)
}

/// Makes the whole list.
pub(crate) async fn make_list(
    console: &Console,
    signed_in: &SignedIn,
    filter: ChaseFilter,
) -> Result<ChasePage, Problem> {
    let caller = signed_in.branch_caller()?;
    let today = console.today();
    let forecasts = Arc::clone(&console.management.forecasts);
    let asked = filter.clone();
    let (branches, list) = console
        .storage
        .read(move |read| {
            let ids = caller.branches();
            let own = list_branches(read, ids)?;
            let list = list_chases(read, &forecasts, ids, &asked, today.into())?;
            Ok::<_, StorageError>((own, list))
        })
        .await?;
    let mut frame = console.frame(Some(signed_in), Section::Chase);
    if let Some(viewer) = frame
        .viewer
        .as_mut()
        .filter(|_| filter.at(0) == ChaseFilter::default())
    {
        viewer.to_chase = Some(list.rows.len() as u64);
    }
    Ok(ChasePage {
        frame,
        today,
        branches,
        groups: group(list.rows, filter.by_conveyancer),
        filter,
        snoozed: list.snoozed,
        is_cut: list.is_cut,
        has_next: false,
        typed: None,
    })
}

/// The list to show after a form, with the filter that the form names.
fn filter_of_form(text: &str) -> ChaseFilter {
    // A filter that cannot be read shows the whole list.
    read_filter(text.trim_start_matches('?')).unwrap_or_default()
}
