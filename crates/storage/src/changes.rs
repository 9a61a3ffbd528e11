//! Stores the decisions of crate `chain`: joins, breaks and end checks.

use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId};
use chain::link::{Join, Unlink};

use crate::{Result, Write, chains, end_checks, links, listings};

/// Stores a new link and its consequences. The surviving chain gets a new version.
pub fn store_join(write: &mut Write<'_>, join: &Join, now: i64) -> Result<()> {
    let dissolved = join.dissolved.as_ref().map(|(chain, _moved)| *chain);
    let changed: Vec<_> = dissolved.into_iter().chain([join.survivor]).collect();
    let time = chains::begin_changes(write, &changed, now)?;
    links::insert_link(write, join.link, now)?;
    clear_end_checks(write, &join.cleared)?;
    if let Some(dissolved) = dissolved {
        chains::merge_chains(write, dissolved, join.survivor, time)?;
    }
    listings::touch_listing(write, join.link.seller, now)?;
    listings::touch_listing(write, join.link.buyer, now)
}

/// Deletes a link and stores the consequences. The chain that keeps its id gets a new version. Nobody
/// can have cached a state of the other chain, because its id is new.
pub fn store_unlink(write: &mut Write<'_>, unlink: &Unlink, now: i64) -> Result<()> {
    let time = chains::begin_changes(write, &[unlink.kept], now)?;
    links::delete_link(write, unlink.link)?;
    clear_end_checks(write, &unlink.cleared)?;
    if let Some((fresh, moved)) = &unlink.new_chain {
        chains::insert_chain(write, *fresh, time)?;
        for listing in moved {
            chains::move_listing(write, *listing, *fresh, time)?;
        }
    }
    listings::touch_listing(write, unlink.link.seller, now)?;
    listings::touch_listing(write, unlink.link.buyer, now)
}

/// Which end checks of a chain are set or cleared.
#[derive(Debug, Clone, Copy)]
pub struct EndMarks<'a> {
    /// The chain.
    pub chain: ChainId,
    /// The listings, as `chain::ends` decided.
    pub listings: &'a [ListingId],
    /// The end.
    pub end: End,
    /// `true` sets the checks, `false` clears them.
    pub is_checked: bool,
    /// The branch that makes the checks.
    pub branch: Option<BranchId>,
}

/// Sets or clears end checks. The chain gets a new version if one changes. Returns whether one does.
pub fn store_end_checks(write: &mut Write<'_>, marks: &EndMarks<'_>, now: i64) -> Result<bool> {
    let mut changed = Vec::new();
    for listing in marks.listings {
        if end_checks::is_checked(write, *listing, marks.end)? != marks.is_checked {
            changed.push(*listing);
        }
    }
    if changed.is_empty() {
        return Ok(false);
    }
    chains::begin_change(write, marks.chain, now)?;
    for listing in changed {
        if marks.is_checked {
            end_checks::insert_end_check(write, listing, marks.end, marks.branch, now)?;
        } else {
            end_checks::delete_end_check(write, listing, marks.end)?;
        }
    }
    Ok(true)
}

fn clear_end_checks(write: &mut Write<'_>, cleared: &[(ListingId, End)]) -> Result<()> {
    for (listing, end) in cleared {
        end_checks::delete_end_check(write, *listing, *end)?;
    }
    Ok(())
}
