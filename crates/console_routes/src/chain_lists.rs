//! Makes the list of a progressor's chains.

use chain::ids::{BranchId, ChainId, ListingId};
use chain::london::date_in_london;
use chain::milestone::{CATALOGUE, MilestoneType};
use chain::permission;
use chain::progress;
use console::chains::{ChainRow, ChainsFilter, HeldBy};
use forecast::day::Day;
use jiff::civil::Date;
use listing_management::ListingManagement;
use listing_management::assessments::assess_chain;
use storage::recent_chains::{self, ChangedListing, Place};
use storage::state::{self, ChainState, ListingState};
use storage::{Read, StorageError};

use super::addresses::home_name;
use super::chase_lists::list_late_chains;
use super::holds::held_by;
use super::open_dates::open_dates;
use super::times::moment;

/// Chains on one page.
pub(crate) const ROWS: usize = 50;
/// Listings that are looked at for one page, so that a rare text ends.
const LISTINGS_MAX: usize = 500;
/// Chains that are read for one page, so that a rare filter ends.
const CHAINS_MAX: usize = 100;
/// Listings of a branch that one statement reads: without a text, and with one.
const BATCHES: [usize; 2] = [ROWS, 250];

/// A page of the list.
#[derive(Debug)]
pub(crate) struct ChainList {
    pub rows: Vec<ChainRow>,
    /// The last listing that was looked at; `None`: the list ends here.
    pub next: Option<Place>,
}

/// A list under construction.
struct Listing<'a> {
    management: &'a ListingManagement,
    branches: &'a [BranchId],
    filter: &'a ChainsFilter,
    today: Day,
    rows: Vec<ChainRow>,
    /// How many chains were read.
    chains: usize,
}

/// Reads the chains of these branches that fit the filter, after a place of the page before.
pub(crate) fn list_chains(
    read: &mut Read<'_>,
    management: &ListingManagement,
    branches: &[BranchId],
    filter: &ChainsFilter,
    after: Option<Place>,
) -> Result<ChainList, StorageError> {
    let wanted: Vec<BranchId> = branches
        .iter()
        .copied()
        .filter(|branch| filter.branch.is_none_or(|only| only == *branch))
        .collect();
    let today = date_in_london(management.clock.now_seconds()).unwrap_or_default();
    let list = Listing {
        management,
        branches,
        filter,
        today: today.into(),
        rows: Vec::new(),
        chains: 0,
    };
    if filter.is_stuck {
        list.of_late_sales(read, &wanted, after)
    } else {
        list.of_all_sales(read, &wanted, after)
    }
}

impl Listing<'_> {
    /// Walks all listings, those that changed last first.
    fn of_all_sales(
        mut self,
        read: &mut Read<'_>,
        wanted: &[BranchId],
        mut after: Option<Place>,
    ) -> Result<ChainList, StorageError> {
        let mut looked_at = 0;
        while looked_at < LISTINGS_MAX {
            let batch = BATCHES[usize::from(!self.filter.text.is_empty())];
            let found = next_listings(read, wanted, after, batch)?;
            if found.is_empty() {
                return Ok(self.end(None));
            }
            looked_at += found.len();
            for listing in found {
                if self.is_full() {
                    return Ok(self.end(after));
                }
                after = Some(listing.place);
                if is_newest(&listing, wanted) && self.is_named(&listing) {
                    self.add(read, listing.chain, listing.place)?;
                }
            }
        }
        Ok(self.end(after))
    }

    /// Walks the chains with a late sale, those whose late sales changed last first.
    fn of_late_sales(
        mut self,
        read: &mut Read<'_>,
        wanted: &[BranchId],
        mut after: Option<Place>,
    ) -> Result<ChainList, StorageError> {
        let known = &self.management.forecasts;
        let late = list_late_chains(read, known, wanted, self.today)?;
        let begin = late.partition_point(|(place, _)| after.is_some_and(|after| *place >= after));
        for (place, chain) in late.into_iter().skip(begin) {
            if self.is_full() {
                return Ok(self.end(after));
            }
            after = Some(place);
            self.add(read, chain, place)?;
        }
        Ok(self.end(None))
    }

    fn is_full(&self) -> bool {
        self.rows.len() >= ROWS || self.chains >= CHAINS_MAX
    }

    fn end(self, next: Option<Place>) -> ChainList {
        ChainList {
            rows: self.rows,
            next,
        }
    }

    fn is_named(&self, listing: &ChangedListing) -> bool {
        let text = self.filter.text.to_lowercase();
        let mut homes = listing.homes.iter();
        text.is_empty() || homes.any(|home| home.display_address.to_lowercase().contains(&text))
    }

    /// Adds a chain if it fits.
    fn add(
        &mut self,
        read: &mut Read<'_>,
        chain: ChainId,
        place: Place,
    ) -> Result<(), StorageError> {
        self.chains += 1;
        let Some(mut state) = state::find_chain_state(read, chain)? else {
            return Ok(());
        };
        hide_others_steps(&mut state, self.branches);
        if fits(&state, self.filter) {
            let chain = state.chain.clone();
            let assessed = assess_chain(read, self.management, self.branches, chain, self.today)?;
            let mut row = to_row(&state, self.branches, place.changed_at);
            row.held_by = held_by(&state, &assessed);
            self.rows.push(row);
        }
        Ok(())
    }
}

/// The next listings of all branches.
fn next_listings(
    read: &mut Read<'_>,
    branches: &[BranchId],
    after: Option<Place>,
    batch: usize,
) -> Result<Vec<ChangedListing>, StorageError> {
    let limit = i64::try_from(batch).unwrap_or(i64::MAX);
    let mut all = Vec::new();
    for branch in branches {
        all.extend(recent_chains::list_changed_listings(
            read, *branch, after, limit,
        )?);
    }
    all.sort_unstable_by_key(|listing| std::cmp::Reverse(listing.place));
    all.truncate(batch);
    Ok(all)
}

/// Leaves out the milestones of other branches' sales that have no label in document 1 (S-47).
fn hide_others_steps(state: &mut ChainState, branches: &[BranchId]) {
    for listing in &mut state.listings {
        let member = state.chain.member(listing.listing);
        let is_own = member.is_some_and(|member| permission::is_own(branches, member.branch));
        let milestones = &mut listing.milestones;
        milestones.retain(|recorded| is_own || recorded.milestone.label.is_some());
    }
}

/// Whether the listing is the one by which its chain stands in the list: of several in one chain, the one
/// that changed last.
fn is_newest(listing: &ChangedListing, branches: &[BranchId]) -> bool {
    let own = listing.homes.iter();
    let own = own.filter(|home| permission::is_own(branches, home.branch));
    own.map(|home| home.place).max() == Some(listing.place)
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
