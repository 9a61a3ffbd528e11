//! Decides which listing of a property is current (S-6), and tells subscribers when it is another one.

use chain::event::ChainChange;
use chain::ids::{ListingId, PropertyId};
use storage::current_listings::{self, Decision, Settled, Settling};
use storage::{StorageError, Write, chains};

use crate::chain_changes::{self, ChangedChains};

/// As [`current_listings::settle`].
pub(crate) fn decide(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    listing: ListingId,
    is_new: bool,
) -> Result<Settled, StorageError> {
    let settled = current_listings::settle(write, settling, listing, is_new)?;
    announce(write, settled, settling.now)?;
    Ok(settled)
}

/// As [`current_listings::settle_after_move`].
pub(crate) fn decide_after_move(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    property: PropertyId,
    moved: ListingId,
) -> Result<(), StorageError> {
    let settled = current_listings::settle_after_move(write, settling, property, moved)?;
    announce(write, settled, settling.now)
}

/// As [`current_listings::make_current`].
pub fn make_current(
    write: &mut Write<'_>,
    decision: &Decision<'_>,
    property: PropertyId,
    listing: ListingId,
) -> Result<(), StorageError> {
    let settled = current_listings::make_current(write, decision, property, listing)?;
    announce(write, settled, decision.now)
}

fn announce(write: &mut Write<'_>, settled: Settled, now: i64) -> Result<(), StorageError> {
    let Settled { before, after } = settled;
    let Some(listing) = after.filter(|_| before != after) else {
        return Ok(());
    };
    let Some(chain) = chains::find_chain_of_listing(write, listing)? else {
        return Ok(());
    };
    let former = match before {
        Some(before) => chains::find_chain_of_listing(write, before)?,
        None => None,
    };
    let changed = ChangedChains {
        change: ChainChange::Current,
        listing,
        chains: [chain, former.unwrap_or(chain)],
    };
    chain_changes::announce(write, &changed, now)
}
