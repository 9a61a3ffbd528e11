//! `GET {console_url}/chase.csv`: the sales to chase as a call sheet.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::chase::ChaseRow;
use http::Uri;
use jiff::civil::Date;
use web::problem::Problem;

use super::chase::{make_list, read_filter};
use crate::Console;
use crate::files::CsvFile;
use crate::session::SignedIn;

const HEADS: [&str; 14] = [
    "listing",
    "home",
    "place",
    "chain_length",
    "holds_chain",
    "late",
    "why",
    "ring",
    "part",
    "then_ring",
    "other_late",
    "chased",
    "snoozed_until",
    "snooze_reason",
];

/// Gives the rows of all pages of the list with the same filter.
pub(crate) async fn show_call_sheet(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    let filter = read_filter(uri.query().unwrap_or_default())?;
    let page = make_list(&console, &signed_in, filter).await?;
    let mut file = CsvFile::default();
    file.add(HEADS);
    for row in page.groups.iter().flat_map(|group| &group.rows) {
        file.add(cells(row, page.today));
    }
    Ok(file.answer("chase.csv"))
}

fn cells(row: &ChaseRow, today: Date) -> [String; HEADS.len()] {
    let contact = |place: usize| row.contacts.get(place);
    let name = |place| contact(place).map_or_else(String::new, |one| one.name.clone());
    let part = |place| contact(place).map_or_else(String::new, |one| one.party.words().to_owned());
    let second = match name(1) {
        name if name.is_empty() => part(1),
        name => name,
    };
    let (chased, snoozed) = (row.chased.as_ref(), row.snoozed.as_ref());
    [
        row.listing.to_string(),
        row.home.clone(),
        row.place.clone(),
        row.chain_length.to_string(),
        if row.holds_chain { "yes" } else { "no" }.to_owned(),
        row.lack(),
        row.why(today),
        name(0),
        part(0),
        second,
        row.other_late.to_string(),
        chased.map_or_else(String::new, |chased| chased.at.date().to_string()),
        snoozed.map_or_else(String::new, |snooze| snooze.until.to_string()),
        snoozed.map_or_else(String::new, |snooze| snooze.reason.clone()),
    ]
}
