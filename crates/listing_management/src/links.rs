//! Adds and breaks links (S-41 to S-45).

use chain::consent::{self, OwnSides};
use chain::ends::{self, End};
use chain::event::ChainChange;
use chain::ids::{BranchId, ChainId, ListingId};
use chain::link::{self, Join, LinkRule, Side, Unlink};
use chain::permission;
use chain::state::{Chain, Link};
use storage::current_listings::Settling;
use storage::listings::StoredListing;
use storage::proposals::{self, StoredProposal};
use storage::{Read, StorageError, Write, changes, links, listings, state};
use uuid::Uuid;
use web::problem::Problem;
use web::refusal::Refusal;

use super::author::Author;
use super::chain_changes::{self, ChangedChains};
use super::current;
use super::history::{HistoryWriter, LinkDetail, ListingInChain};
use super::proposals::{WITHDRAWN, WantedLink, note_proposal, propose_if_needed};

/// The facts of a listing that a link needs.
#[derive(Debug, Clone, Copy)]
struct Standing {
    listing: ListingId,
    branch: BranchId,
    chain: ChainId,
}

/// Both sides of a link.
#[derive(Debug, Clone, Copy)]
struct Sides {
    seller: Standing,
    buyer: Standing,
}

impl Sides {
    fn link(&self) -> Link {
        Link {
            seller: self.seller.listing,
            buyer: self.buyer.listing,
        }
    }
}

/// Links two listings, or proposes the link to the branch of the other one (S-47). At least one must
/// be the caller's.
pub fn add_link(
    write: &mut Write<'_>,
    author: &Author<'_>,
    link: Link,
) -> Result<Option<StoredProposal>, Problem> {
    let sides = find_sides(write, link)?;
    join_or_propose(write, author, &sides)
}

/// Links two listings for the operator, who may also make a split chain (S-46).
pub fn add_link_as_operator(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    link: Link,
    rule: LinkRule,
) -> Result<(), Problem> {
    let sides = find_sides(write, link)?;
    let join = decide_join(write, &sides, rule)?;
    store_join(write, settling, &join)
}

/// Links a listing above the top or below the bottom of a chain (S-45). The anchor must be the
/// caller's, and so must be one of the two listings that are linked.
pub(crate) fn add_at_end(
    write: &mut Write<'_>,
    author: &Author<'_>,
    anchor: ListingId,
    end: End,
    added: ListingId,
) -> Result<Option<StoredProposal>, Problem> {
    // 404 before 403, as for any link (S-41).
    let found = find_standing(write, anchor)?;
    let anchor = found.ok_or_else(|| Refusal::unknown_listing(anchor))?;
    let side = match end {
        End::Top => Side::Seller,
        End::Bottom => Side::Buyer,
    };
    let found = find_standing(write, added)?;
    let added = found.ok_or_else(|| unknown_side(side, added))?;
    if !permission::is_own(author.caller.branches(), anchor.branch) {
        return Err(Refusal::foreign_listing(anchor.listing).into());
    }
    let chain = load_chain(write, anchor.chain)?;
    let at = ends::find_only_end(&chain, anchor.listing, end)?;
    let branch = chain
        .member(at)
        .map_or(anchor.branch, |member| member.branch);
    let standing = Standing {
        listing: at,
        branch,
        chain: chain.id(),
    };
    let sides = match end {
        End::Top => Sides {
            seller: added,
            buyer: standing,
        },
        End::Bottom => Sides {
            seller: standing,
            buyer: added,
        },
    };
    join_or_propose(write, author, &sides)
}

/// Breaks a link, or withdraws its proposal. At least one side must be the caller's.
pub fn remove_link(write: &mut Write<'_>, author: &Author<'_>, link: Link) -> Result<(), Problem> {
    let sides = find_sides(write, link)?;
    find_own_sides(author, &sides)?;
    let is_proposed = proposals::find_proposal(write, link, author.now)?.is_some();
    proposals::delete_proposal(write, link)?;
    if is_proposed && !links::link_exists(write, link)? {
        return note_proposal(write, author.history(), link, WITHDRAWN);
    }
    let chain = load_chain(write, sides.seller.chain)?;
    let unlink = link::unlink(&chain, link, ChainId(Uuid::new_v4()))?;
    store_unlink(write, &author.settling(), &unlink, None)
}

/// Breaks all links of a listing for the operator, as [`remove_link_as_operator`].
pub(crate) fn remove_links_as_operator(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    listing: &StoredListing,
    reason: &str,
) -> Result<(), Problem> {
    let chain = load_chain(write, listing.chain)?;
    let own = chain.links().iter();
    let own = own.filter(|link| link.seller == listing.id || link.buyer == listing.id);
    for link in own {
        remove_link_as_operator(write, settling, *link, reason)?;
    }
    Ok(())
}

/// Breaks a link for the operator, also a locked one. The history of both listings keeps the reason.
pub fn remove_link_as_operator(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    link: Link,
    reason: &str,
) -> Result<(), Problem> {
    let sides = find_sides(write, link)?;
    let chain = load_chain(write, sides.seller.chain)?;
    let unlink = link::unlink_locked(&chain, link, ChainId(Uuid::new_v4()))?;
    store_unlink(write, settling, &unlink, Some(reason.to_owned()))
}

fn store_unlink(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    unlink: &Unlink,
    reason: Option<String>,
) -> Result<(), Problem> {
    let Settling { actor, now, .. } = *settling;
    let history = HistoryWriter { actor, now };
    let chain_of = |listing| match &unlink.new_chain {
        Some((fresh, moved)) if moved.contains(&listing) => *fresh,
        Some(_) | None => unlink.kept,
    };
    let mut detail = LinkDetail::from(unlink.link);
    detail.reason = reason;
    for listing in [unlink.link.seller, unlink.link.buyer] {
        let at = ListingInChain {
            listing,
            chain: chain_of(listing),
        };
        // While the chain is whole, so that the branches of both parts read it.
        history.note(write, at, "link.broken", &detail)?;
    }
    changes::store_unlink(write, unlink, now)?;
    let changed = ChangedChains {
        change: ChainChange::Unlinked,
        listing: unlink.link.buyer,
        chains: [unlink.link.seller, unlink.link.buyer].map(chain_of),
    };
    chain_changes::announce(write, &changed, now)?;
    decide_current_sides(write, settling, unlink.link)
}

/// Loads a chain by an id that was read in this transaction.
pub fn load_chain(read: &mut Read<'_>, id: ChainId) -> Result<Chain, StorageError> {
    state::find_chain(read, id)?
        .ok_or_else(|| StorageError::Corrupt(format!("chain {id} has no listings")))
}

/// The same checks come before a proposal and before its confirmation (S-41).
fn join_or_propose(
    write: &mut Write<'_>,
    author: &Author<'_>,
    sides: &Sides,
) -> Result<Option<StoredProposal>, Problem> {
    let wanted = WantedLink {
        link: sides.link(),
        own: find_own_sides(author, sides)?,
        branches: [sides.seller.branch, sides.buyer.branch],
    };
    let join = decide_join(write, sides, LinkRule::OneToOne)?;
    let proposal = propose_if_needed(write, author, &wanted)?;
    if proposal.is_none() {
        store_join(write, &author.settling(), &join)?;
    }
    Ok(proposal)
}

fn decide_join(read: &mut Read<'_>, sides: &Sides, rule: LinkRule) -> Result<Join, Problem> {
    let sellers = load_chain(read, sides.seller.chain)?;
    let buyers = load_chain(read, sides.buyer.chain)?;
    Ok(link::join(&sellers, &buyers, sides.link(), rule)?)
}

fn store_join(write: &mut Write<'_>, settling: &Settling<'_>, join: &Join) -> Result<(), Problem> {
    changes::store_join(write, join, settling.now)?;
    proposals::delete_proposal(write, join.link)?;
    let Settling { actor, now, .. } = *settling;
    let history = HistoryWriter { actor, now };
    let detail = LinkDetail::from(join.link);
    for listing in [join.link.seller, join.link.buyer] {
        let at = ListingInChain {
            listing,
            chain: join.survivor,
        };
        history.note(write, at, "link.added", &detail)?;
    }
    let changed = ChangedChains {
        change: ChainChange::Linked,
        listing: join.link.buyer,
        chains: [join.survivor; 2],
    };
    chain_changes::announce(write, &changed, now)?;
    decide_current_sides(write, settling, join.link)
}

/// Decides which listings are current after their link was added or broken (S-6).
fn decide_current_sides(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    link: Link,
) -> Result<(), Problem> {
    for listing in [link.seller, link.buyer] {
        current::decide(write, settling, listing, false)?;
    }
    Ok(())
}

fn find_sides(read: &mut Read<'_>, link: Link) -> Result<Sides, Problem> {
    let seller = find_standing(read, link.seller)?;
    let buyer = find_standing(read, link.buyer)?;
    Ok(Sides {
        seller: seller.ok_or_else(|| unknown_side(Side::Seller, link.seller))?,
        buyer: buyer.ok_or_else(|| unknown_side(Side::Buyer, link.buyer))?,
    })
}

fn find_standing(
    read: &mut Read<'_>,
    listing: ListingId,
) -> Result<Option<Standing>, StorageError> {
    let found = listings::find_stored_listing(read, listing)?;
    let found = found.filter(|found| found.deleted_at.is_none());
    Ok(found.map(|found| Standing {
        listing,
        branch: found.branch,
        chain: found.chain,
    }))
}

/// The refusal of a side that does not exist.
pub(crate) fn unknown_side(side: Side, listing: ListingId) -> Refusal {
    let side = side.as_str();
    let detail = format!("{side} listing {listing} does not exist");
    Refusal::unknown("listing_unknown", detail).about(side)
}

fn find_own_sides(author: &Author<'_>, sides: &Sides) -> Result<OwnSides, Refusal> {
    let Sides { seller, buyer } = sides;
    consent::own_sides(author.caller.branches(), seller.branch, buyer.branch)
        .ok_or_else(|| foreign_sides(seller.listing, buyer.listing))
}

/// The refusal of a link without a side of the caller (S-47).
pub(crate) fn foreign_sides(seller: ListingId, buyer: ListingId) -> Refusal {
    Refusal::forbidden(format!(
        "neither seller listing {seller} nor buyer listing {buyer} belongs to one of your branches"
    ))
}
