//! `GET {console_url}/changes`: the changes in the viewer's chains since the last visit.

pub(crate) mod read;

use std::sync::Arc;

use ::console::changes::{ChangedChain, ChangesPage};
use ::console::frame::Section;
use ::console::render;
use axum::extract::State;
use axum::response::Response;
use http::Uri;
use storage::chains::{self, ChangedChain as StoredChain};
use storage::history::{self, HistoryEntry};
use storage::seen::{self, Seen};
use storage::{Read, StorageError, state};

use crate::console::Console;
use crate::console::chain_pages::name_homes;
use crate::console::frames::{read_notice, show};
use crate::console::history_lines::to_lines;
use crate::console::session::SignedIn;
use crate::console::times::moment;
use crate::limits;
use crate::listing_management::caller::BranchCaller;
use crate::problem::Problem;

/// Chains on the page.
const CHAINS: usize = 25;
/// Chains that are looked at.
const SCANNED_MAX: i64 = 1000;
/// Lines of one chain.
const LINES: usize = 10;
/// How far back the first visit looks.
const FIRST_VISIT_DAYS: i64 = 14;

/// Shows the changes by chain, the newest first.
pub(crate) async fn show_changes(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    let caller = BranchCaller::of_person(&signed_in)?;
    let person = signed_in.person().id;
    let first = console.clock.now_seconds() - FIRST_VISIT_DAYS * limits::DAY_SECONDS;
    let (since, mut chains) = console
        .storage
        .read(move |read| {
            let since = seen::find_all_seen(read, person)?;
            let mut changed = Vec::new();
            for chain in own_chains(read, &caller)? {
                let seen = seen::find_seen(read, person, chain)?;
                let seen = latest(since, seen);
                changed.extend(find_changes(read, chain, person, seen, first)?);
            }
            Ok::<_, StorageError>((since, changed))
        })
        .await?;
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.last));
    let last = chains.first().map_or(0, |chain| chain.last);
    let has_more = chains.len() > CHAINS;
    chains.truncate(CHAINS);
    let mut frame = console.frame(Some(&signed_in), Section::Changes);
    frame.notice = read_notice(&uri);
    let page = ChangesPage {
        frame,
        since: since.map(|since| moment(since.at)),
        chains,
        last,
        has_more,
    };
    show(render(&page))
}

fn latest(one: Option<Seen>, other: Option<Seen>) -> Option<Seen> {
    one.into_iter().chain(other).max_by_key(|seen| seen.history)
}

fn own_chains(
    read: &mut Read<'_>,
    caller: &BranchCaller,
) -> Result<Vec<chain::ids::ChainId>, StorageError> {
    let mut found: Vec<StoredChain> = Vec::new();
    for branch in caller.branches() {
        found.extend(chains::list_chains_of_branch(
            read,
            *branch,
            None,
            SCANNED_MAX,
        )?);
    }
    let mut ids: Vec<_> = found.into_iter().map(|found| found.chain).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
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
    let most = i64::try_from(LINES * 5).unwrap_or(i64::MAX);
    let mut entries = history::list_newest_of_chain(read, chain, person, [after, i64::MAX], most)?;
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
        more: entries.len().saturating_sub(LINES) as u64,
        last: newest.id,
    }))
}
