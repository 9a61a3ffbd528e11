//! `GET {console_url}/changes`: the changes in the viewer's chains since the last visit.

pub(crate) mod read;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::changes::{ChangedChain, ChangesPage};
use console::frame::Section;
use console::render;
use http::Uri;
use listing_management::caller::BranchCaller;
use storage::history::{self, HistoryEntry};
use storage::recent_chains::{self, NewestChange};
use storage::seen::{self, Seen};
use storage::{Read, StorageError, state};
use web::form::Form;
use web::problem::Problem;

use crate::Console;
use crate::chain_pages::name_homes;
use crate::frames::{read_notice, show};
use crate::history_lines::to_lines;
use crate::session::SignedIn;
use crate::times::moment;

/// Chains on one page.
const CHAINS: usize = 25;
/// Chains that are read for one page. A change that the viewer may not see makes a chain fit that is not
/// shown.
const CHAINS_READ_MAX: usize = 100;
/// Listings of a branch that are looked at: those that changed last, and those under offer.
const LISTINGS_MAX: i64 = 500;
/// Lines of one chain.
const LINES: usize = 10;
/// How far back the first visit looks.
const FIRST_VISIT_DAYS: i64 = 14;

/// A page of the chains with changes.
#[derive(Default)]
struct Changes {
    since: Option<Seen>,
    chains: Vec<ChangedChain>,
    /// The id of the newest line of the last chain that was looked at, unless that was the last one.
    next: Option<i64>,
}

/// Shows the changes by chain, the newest first.
pub(crate) async fn show_changes(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let before = query.find("before").and_then(|id| id.parse().ok());
    let caller = signed_in.branch_caller()?;
    let person = signed_in.person().id;
    let first = console.clock.now_seconds() - FIRST_VISIT_DAYS * web::limits::DAY_SECONDS;
    let listing = move |read: &mut Read<'_>| list_changes(read, &caller, person, first, before);
    let found = console.storage.read(listing).await?;
    let mut frame = console.frame(Some(&signed_in), Section::Changes);
    frame.notice = read_notice(&uri);
    let page = ChangesPage {
        frame,
        since: found.since.map(|since| moment(since.at)),
        last: found.chains.first().map_or(0, |chain| chain.last),
        chains: found.chains,
        is_later_page: before.is_some(),
        next: found.next,
    };
    show(render(&page))
}

fn list_changes(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    person: i64,
    first: i64,
    before: Option<i64>,
) -> Result<Changes, StorageError> {
    let since = seen::find_all_seen(read, person)?;
    let seen_by_all = since.map_or(0, |seen| seen.history);
    let mut newest = list_newest(read, caller, since.map_or(first, |seen| seen.at))?;
    newest.retain(|one| {
        one.history > seen_by_all && before.is_none_or(|before| one.history < before)
    });
    let mut changes = Changes {
        since,
        ..Changes::default()
    };
    for (number, one) in newest.iter().enumerate() {
        if changes.chains.len() >= CHAINS || number >= CHAINS_READ_MAX {
            let last = number.checked_sub(1).and_then(|last| newest.get(last));
            changes.next = last.map(|last| last.history);
            break;
        }
        let seen = latest(since, seen::find_seen(read, person, one.chain)?);
        if seen.is_none_or(|seen| seen.history < one.history) {
            let found = find_changes(read, one.chain, person, seen, first)?;
            changes.chains.extend(found);
        }
    }
    Ok(changes)
}

fn latest(one: Option<Seen>, other: Option<Seen>) -> Option<Seen> {
    one.into_iter().chain(other).max_by_key(|seen| seen.history)
}

/// The chains of the viewer's sales that changed since a time, or are under offer, the newest change first.
fn list_newest(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    since: i64,
) -> Result<Vec<NewestChange>, StorageError> {
    let mut found = Vec::new();
    for branch in caller.branches() {
        found.extend(recent_chains::list_newest_changes(
            read,
            *branch,
            since,
            LISTINGS_MAX,
        )?);
    }
    found.sort_unstable_by_key(|one| std::cmp::Reverse((one.history, one.chain)));
    found.dedup();
    Ok(found)
}

/// The changes of one chain that the viewer has not seen. At the first visit, those of the last days.
fn find_changes(
    read: &mut Read<'_>,
    chain: chain::ids::ChainId,
    person: i64,
    seen: Option<Seen>,
    first: i64,
) -> Result<Option<ChangedChain>, StorageError> {
    let after = seen.map_or(0, |seen| seen.history);
    let most = i64::try_from(LINES + 1).unwrap_or(i64::MAX);
    let newest = history::list_newest_of_chain(read, chain, person, [after, i64::MAX], most)?;
    let mut entries = newest.entries;
    if seen.is_none() {
        entries.retain(|entry| entry.at >= first);
    }
    let Some(newest) = entries.first() else {
        return Ok(None);
    };
    let Some(state) = state::find_chain_state(read, chain)? else {
        return Ok(None);
    };
    let names = name_homes(&state);
    let name = |listing: Option<&state::ListingState>| {
        let name = listing.and_then(|listing| names.get(&listing.listing).cloned());
        name.unwrap_or_default()
    };
    let shown: &[HistoryEntry] = entries.get(..LINES).unwrap_or(&entries);
    Ok(Some(ChangedChain {
        chain,
        bottom: name(state.listings.first()),
        top: name(state.listings.last()),
        length: state.chain.length(),
        lines: to_lines(shown, &names),
        has_more: entries.len() > LINES,
        last: newest.id,
    }))
}
