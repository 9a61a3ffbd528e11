//! What a decision of `chain` does to the rows: joins, breaks and end checks.

use chain::ends::End;
use chain::ids::{ChainId, ListingId};
use chain::link::{Join, Unlink};

use crate::{Result, Write, chains, end_checks, links, listings};

/// Stores a new link with everything that follows from it. The survivor gets a
/// new version; the id of a dissolved chain is never used again.
pub fn store_join(write: &mut Write<'_>, join: &Join, now: i64) -> Result<()> {
    links::insert_link(write, join.link, now)?;
    clear_marks(write, &join.cleared)?;
    if let Some((dissolved, _moved)) = &join.dissolved {
        chains::merge_chains(write, *dissolved, join.survivor)?;
    }
    chains::raise_version(write, join.survivor)?;
    listings::touch_listing(write, join.link.seller, now)?;
    listings::touch_listing(write, join.link.buyer, now)
}

/// Removes a link with everything that follows from it. The chain that kept its
/// id gets a new version; that of a chain which begins is fresh, so nobody can
/// have cached anything by it.
pub fn store_unlink(write: &mut Write<'_>, unlink: &Unlink, now: i64) -> Result<()> {
    links::delete_link(write, unlink.link)?;
    clear_marks(write, &unlink.cleared)?;
    if let Some((fresh, moved)) = &unlink.new_chain {
        chains::insert_chain(write, *fresh)?;
        for listing in moved {
            chains::move_listing(write, *listing, *fresh)?;
        }
    }
    chains::raise_version(write, unlink.kept)?;
    listings::touch_listing(write, unlink.link.seller, now)?;
    listings::touch_listing(write, unlink.link.buyer, now)
}

/// Which marks of a chain's end are set or cleared.
#[derive(Debug, Clone, Copy)]
pub struct EndMarks<'a> {
    /// The chain.
    pub chain: ChainId,
    /// The listings whose marks change, as `chain::ends` named them.
    pub listings: &'a [ListingId],
    /// The end.
    pub end: End,
    /// Whether the marks are set; otherwise they are cleared.
    pub is_checked: bool,
}

/// Sets or clears marks. The chain gets a new version if that changes anything.
pub fn store_end_checks(write: &mut Write<'_>, marks: &EndMarks<'_>, now: i64) -> Result<()> {
    let mut is_changed = false;
    for listing in marks.listings {
        is_changed |= if marks.is_checked {
            end_checks::insert_end_check(write, *listing, marks.end, now)?
        } else {
            end_checks::delete_end_check(write, *listing, marks.end)?
        };
    }
    if is_changed {
        chains::raise_version(write, marks.chain)?;
    }
    Ok(())
}

fn clear_marks(write: &mut Write<'_>, cleared: &[(ListingId, End)]) -> Result<()> {
    for (listing, end) in cleared {
        end_checks::delete_end_check(write, *listing, *end)?;
    }
    Ok(())
}
