//! Makes the list of a progressor's chains.

use ::console::chains::{ChainRow, ChainsFilter, HeldBy};
use chain::ids::{BranchId, ListingId};
use chain::london::date_in_london;
use chain::milestone::{CATALOGUE, MilestoneType};
use chain::permission;
use chain::progress;
use forecast::chase::{ChasedChain, Reason, list_entries_with};
use forecast::day::Day;
use jiff::civil::Date;
use storage::chains::{self, ChangedChain};
use storage::state::{self, ChainState, ListingState};
use storage::{Read, StorageError, forecasts};

use super::addresses::home_name;
use super::holds::held_by;
use super::open_dates::open_dates;
use super::times::moment;
use crate::forecasts::Learned;
use crate::listing_management::ListingManagement;
use crate::listing_management::assessments::assess_chain;

/// Chains on one page.
pub(crate) const ROWS: usize = 50;
/// Chains that are looked at for one page, so that a rare filter ends.
const SCANNED_MAX: usize = 1000;

/// A page of the list.
#[derive(Debug)]
pub(crate) struct ChainList {
    pub(crate) rows: Vec<ChainRow>,
    /// The last chain that was looked at; `None`: the list ends here.
    pub(crate) next: Option<ChangedChain>,
}

/// Reads the chains of these branches that fit the filter, after a chain of the page before.
pub(crate) fn list_chains(
    read: &mut Read<'_>,
    management: &ListingManagement,
    branches: &[BranchId],
    filter: &ChainsFilter,
    mut after: Option<ChangedChain>,
) -> Result<ChainList, StorageError> {
    let wanted: Vec<BranchId> = branches
        .iter()
        .copied()
        .filter(|branch| filter.branch.is_none_or(|only| only == *branch))
        .collect();
    let today = date_in_london(management.clock.now_seconds()).unwrap_or_default();
    let learned = management.forecasts.learned(read)?;
    let mut rows = Vec::new();
    let mut scanned = 0;
    while rows.len() < ROWS && scanned < SCANNED_MAX {
        let found = next_chains(read, &wanted, after)?;
        let Some(last) = found.last() else {
            return Ok(ChainList { rows, next: None });
        };
        after = Some(*last);
        scanned += found.len();
        for changed in found {
            if rows.len() >= ROWS {
                break;
            }
            after = Some(changed);
            if let Some(state) = state::find_chain_state(read, changed.chain)?
                && fits(&state, filter)
                && (!filter.is_stuck || is_late(read, &learned, &state, branches, today.into())?)
            {
                let chain = state.chain.clone();
                let assessed = assess_chain(read, management, branches, chain, today.into())?;
                let mut row = to_row(&state, branches, changed.changed_at);
                row.held_by = held_by(&state, &assessed);
                rows.push(row);
            }
        }
    }
    Ok(ChainList { rows, next: after })
}

/// The next chains of all branches, each once.
fn next_chains(
    read: &mut Read<'_>,
    branches: &[BranchId],
    after: Option<ChangedChain>,
) -> Result<Vec<ChangedChain>, StorageError> {
    let limit = i64::try_from(ROWS).unwrap_or(i64::MAX);
    let mut all = Vec::new();
    for branch in branches {
        all.extend(chains::list_chains_of_branch(read, *branch, after, limit)?);
    }
    all.sort_unstable_by(|one, other| other.cmp(one));
    // A chain with listings of two branches stands at its later change.
    let mut seen = std::collections::HashSet::new();
    all.retain(|changed| seen.insert(changed.chain));
    all.truncate(ROWS);
    Ok(all)
}

fn fits(state: &ChainState, filter: &ChainsFilter) -> bool {
    let chain = &state.chain;
    let is_open = !chain.top_checked() || !chain.bottom_checked();
    let text = filter.text.to_lowercase();
    let is_named = |listing: &ListingState| {
        let address = listing.address.display_address.to_lowercase();
        address.contains(&text)
    };
    let is_at_stage = filter.stage.is_none_or(|stage| {
        let furthest = furthest_of_all(state).max_by_key(|(_listing, kind)| kind.sequence);
        furthest.is_some_and(|(_listing, kind)| kind.group == stage)
    });
    (!filter.has_open_end || is_open)
        && (text.is_empty() || state.listings.iter().any(is_named))
        && is_at_stage
}

/// Whether a step of one of the viewer's sales is late.
fn is_late(
    read: &mut Read<'_>,
    learned: &Learned,
    state: &ChainState,
    branches: &[BranchId],
    today: Day,
) -> Result<bool, StorageError> {
    let mut sales = forecasts::list_sales_of_chain(read, state.chain.id())?;
    sales.retain(|sale| {
        let member = state.chain.member(sale.listing);
        member.is_some_and(|member| permission::is_own(branches, member.branch))
    });
    let chain = ChasedChain {
        sales: &sales,
        open_ends: &[],
    };
    let entries = list_entries_with(&chain, None, &learned.tables, today);
    let is_late = |reason| matches!(reason, Reason::Overdue { .. } | Reason::Slow { .. });
    Ok(entries.iter().any(|entry| is_late(entry.reason)))
}

/// The furthest milestone of each sale that has one.
fn furthest_of_all(
    state: &ChainState,
) -> impl Iterator<Item = (ListingId, &'static MilestoneType)> + '_ {
    state.listings.iter().filter_map(|listing| {
        let sequence = progress::furthest(listing.milestones.iter().copied())?;
        let mut all = CATALOGUE.iter();
        let kind = all.find(|kind| kind.sequence == sequence)?;
        Some((listing.listing, kind))
    })
}

fn to_row(state: &ChainState, branches: &[BranchId], changed_at: i64) -> ChainRow {
    let name = |listing: Option<&ListingState>| listing.map(home_name).unwrap_or_default();
    let own = state.listings.iter().filter(|listing| {
        let member = state.chain.member(listing.listing);
        member.is_some_and(|member| permission::is_own(branches, member.branch))
    });
    let has_begun = furthest_of_all(state).count() == state.listings.len();
    ChainRow {
        chain: state.chain.id(),
        bottom: name(state.listings.first()),
        top: name(state.listings.last()),
        length: state.chain.length(),
        own: own.map(|listing| name(Some(listing))).collect(),
        furthest: furthest_of_all(state)
            .map(|(_listing, kind)| kind)
            .max_by_key(|kind| kind.sequence),
        lagging: furthest_of_all(state)
            .map(|(_listing, kind)| kind)
            .min_by_key(|kind| kind.sequence)
            .filter(|_kind| has_begun),
        held_by: HeldBy::Unknown,
        next: next_date(state),
        changed: moment(changed_at),
    }
}

/// The earliest expected or proposed date of any sale.
fn next_date(state: &ChainState) -> Option<(Date, &'static MilestoneType)> {
    let dates = state.listings.iter().flat_map(open_dates);
    dates.min_by_key(|(date, _kind)| *date)
}
