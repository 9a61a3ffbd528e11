//! Links to listings of other branches: proposed by one branch, confirmed by the other (S-47).

use chain::consent::{self, LinkRequest, OwnSides};
use chain::ids::{BranchId, ListingId};
use chain::link::Side;
use chain::state::Link;
use storage::proposals::{self, StoredProposal};
use storage::{Write, chains};
use web::problem::Problem;
use web::refusal::Refusal;

use super::author::Author;
use super::history::{HistoryWriter, LinkDetail, ListingInChain};
use crate::limits;

/// The action of a proposal that is open no more, and led to no link.
pub(crate) const WITHDRAWN: &str = "proposal.withdrawn";

/// A link that a caller asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WantedLink {
    /// The link.
    pub link: Link,
    /// The sides that are the caller's.
    pub own: OwnSides,
    /// The branches of the seller and the buyer listing.
    pub branches: [BranchId; 2],
}

/// Proposes the link if the other branch must confirm it. `None` if the caller may link now.
pub(crate) fn propose_if_needed(
    write: &mut Write<'_>,
    author: &Author<'_>,
    wanted: &WantedLink,
) -> Result<Option<StoredProposal>, Problem> {
    let known = proposals::find_proposal(write, wanted.link, author.now)?;
    let proposed = known.as_ref().map(|known| known.side);
    let side = match consent::decide(author.foreign_links, wanted.own, proposed) {
        LinkRequest::Links => return Ok(None),
        LinkRequest::Proposes(side) => side,
    };
    if known.is_some() {
        return Ok(known);
    }
    let [seller, buyer] = wanted.branches;
    let branch = match side {
        Side::Seller => seller,
        Side::Buyer => buyer,
    };
    if proposals::count_proposals(write, branch, author.now)? >= limits::PROPOSALS_MAX {
        return Err(too_many(branch).into());
    }
    let mut new = StoredProposal {
        id: 0,
        link: wanted.link,
        side,
        branch,
        created_at: author.now,
        expires_at: author.now + limits::PROPOSAL_SECONDS,
    };
    new.id = proposals::insert_proposal(write, &new)?;
    note_proposal(write, author.history(), wanted.link, "link.proposed")?;
    Ok(Some(new))
}

/// Withdraws all open proposals of a listing that is withdrawn itself.
pub(crate) fn withdraw_all(
    write: &mut Write<'_>,
    history: HistoryWriter<'_>,
    listing: ListingId,
) -> Result<(), Problem> {
    let all = (i64::MAX, 0);
    let (_total, open) = proposals::list_proposals(write, listing, history.now, all)?;
    for proposal in open {
        note_proposal(write, history, proposal.link, WITHDRAWN)?;
    }
    proposals::delete_proposals_of_listing(write, listing)?;
    Ok(())
}

/// Writes a change of a proposal to the histories of both listings. Their two branches alone read it (S-93).
pub(crate) fn note_proposal(
    write: &mut Write<'_>,
    history: HistoryWriter<'_>,
    link: Link,
    action: &'static str,
) -> Result<(), Problem> {
    for listing in [link.seller, link.buyer] {
        if let Some(chain) = chains::find_chain_of_listing(write, listing)? {
            let at = ListingInChain { listing, chain };
            let detail = LinkDetail::from(link);
            history.note(write, at, action, &detail)?;
        }
    }
    Ok(())
}

/// The refusal of one more open proposal.
pub(crate) fn too_many(branch: BranchId) -> Refusal {
    let detail = format!(
        "branch {branch} has {} open proposals, which is the limit; withdraw some with remove/link",
        limits::PROPOSALS_MAX
    );
    Refusal::conflict("too_many_proposals", detail).passing()
}
