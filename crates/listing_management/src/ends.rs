//! Checking and unchecking the ends of a chain (S-43 to S-45).

use chain::ends::{self, CHECK_REASON, End, UncheckReason};
use chain::event::ChainChange;
use chain::ids::{ChainId, ListingId};
use chain::permission;
use chain::state::Chain;
use storage::changes::{self, EndMarks};
use storage::{Read, Write, state};
use web::problem::Problem;
use web::refusal::Refusal;

use super::author::Author;
use super::caller::BranchCaller;
use super::chain_changes::{self, ChangedChains};
use super::history::{EndDetail, ListingInChain};
use super::links::load_chain;
use super::listings::find_own_listing;

/// The new state of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// The chain ends there.
    Checked,
    /// It is uncertain whether the chain ends there.
    Unchecked(UncheckReason),
}

/// Finds a chain in which the caller has a listing (S-47).
pub fn find_own_chain(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    id: ChainId,
) -> Result<Chain, Problem> {
    let chain = state::find_chain(read, id)?.ok_or_else(|| Refusal::unknown_chain(id))?;
    if !permission::may_use_chain(caller.branches(), &chain) {
        return Err(Refusal::foreign_chain(id).into());
    }
    Ok(chain)
}

/// Marks the end of the chain with this id.
pub fn mark_end(
    write: &mut Write<'_>,
    author: &Author<'_>,
    id: ChainId,
    end: End,
    finding: Finding,
) -> Result<(), Problem> {
    let chain = find_own_chain(write, author.caller, id)?;
    store(write, author, &chain, end, finding)
}

/// Marks the end of the chain of one of the caller's listings. Returns the chain.
pub fn mark_end_of_listing(
    write: &mut Write<'_>,
    author: &Author<'_>,
    anchor: ListingId,
    end: End,
    finding: Finding,
) -> Result<ChainId, Problem> {
    let anchor = find_own_listing(write, author.caller, anchor)?;
    let chain = load_chain(write, anchor.chain)?;
    store(write, author, &chain, end, finding)?;
    Ok(anchor.chain)
}

fn store(
    write: &mut Write<'_>,
    author: &Author<'_>,
    chain: &Chain,
    end: End,
    finding: Finding,
) -> Result<(), Problem> {
    let (listings, action, reason) = match finding {
        Finding::Checked => (ends::check(chain, end)?, "end.checked", CHECK_REASON),
        Finding::Unchecked(reason) => {
            (ends::uncheck(chain, end)?, "end.unchecked", reason.as_str())
        }
    };
    let marks = EndMarks {
        chain: chain.id(),
        listings: &listings,
        end,
        is_checked: finding == Finding::Checked,
        branch: end.checker(chain, author.caller.branches()),
    };
    if changes::store_end_checks(write, &marks, author.now)?
        && let Some(listing) = listings.first()
    {
        let changed = ChangedChains {
            change: match finding {
                Finding::Checked => ChainChange::Checked,
                Finding::Unchecked(_) => ChainChange::Unchecked,
            },
            listing: *listing,
            chains: [chain.id(); 2],
        };
        chain_changes::announce(write, &changed, author.now)?;
    }
    let detail = EndDetail::new(end, reason);
    for listing in &listings {
        let at = ListingInChain {
            listing: *listing,
            chain: chain.id(),
        };
        author.history().note(write, at, action, &detail)?;
    }
    Ok(())
}
