//! Links to listings of other branches: proposed by one branch, confirmed by the other (S-47).

use chain::consent::{self, LinkRequest, OwnSides};
use chain::ids::BranchId;
use chain::link::Side;
use chain::state::Link;
use storage::Write;
use storage::proposals::{self, StoredProposal};
use web::problem::Problem;
use web::refusal::Refusal;

use super::author::Author;
use crate::limits;

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
    Ok(Some(new))
}

/// The refusal of one more open proposal.
pub(crate) fn too_many(branch: BranchId) -> Refusal {
    let detail = format!(
        "branch {branch} has {} open proposals, which is the limit; withdraw some with remove/link",
        limits::PROPOSALS_MAX
    );
    Refusal::conflict("too_many_proposals", detail).passing()
}
