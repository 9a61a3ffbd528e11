//! Adds and breaks links (S-41 to S-45).

use chain::ends::{self, End};
use chain::ids::{BranchId, ChainId, ListingId};
use chain::link::{self, LinkRule, Side};
use chain::permission;
use chain::state::{Chain, Link};
use storage::current_listings::{self, Settling};
use storage::{Read, StorageError, Write, changes, listings, state};
use uuid::Uuid;

use super::history::{HistoryWriter, LinkDetail, ListingInChain};
use super::recording::Author;
use super::refusal::Refusal;
use crate::problem::Problem;

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

/// Links two listings. At least one must be the caller's.
pub fn add_link(write: &mut Write<'_>, author: &Author<'_>, link: Link) -> Result<(), Problem> {
    let sides = find_sides(write, link)?;
    check_permission(author, &sides)?;
    join(write, &author.settling(), &sides, LinkRule::OneToOne)
}

/// Links two listings for the operator, who may also make a split chain (S-46).
pub fn add_link_as_operator(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    link: Link,
    rule: LinkRule,
) -> Result<(), Problem> {
    let sides = find_sides(write, link)?;
    join(write, settling, &sides, rule)
}

/// Links a listing above the top or below the bottom of a chain (S-45). The anchor must be the
/// caller's, and so must be one of the two listings that are linked.
pub fn add_at_end(
    write: &mut Write<'_>,
    author: &Author<'_>,
    anchor: ListingId,
    end: End,
    added: ListingId,
) -> Result<(), Problem> {
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
    check_permission(author, &sides)?;
    join(write, &author.settling(), &sides, LinkRule::OneToOne)
}

/// Breaks a link. At least one side must be the caller's.
pub fn remove_link(write: &mut Write<'_>, author: &Author<'_>, link: Link) -> Result<(), Problem> {
    let sides = find_sides(write, link)?;
    check_permission(author, &sides)?;
    let chain = load_chain(write, sides.seller.chain)?;
    let unlink = link::unlink(&chain, link.seller, link.buyer, ChainId(Uuid::new_v4()))?;
    changes::store_unlink(write, &unlink, author.now)?;
    let chain_of = |listing| match &unlink.new_chain {
        Some((fresh, moved)) if moved.contains(&listing) => *fresh,
        Some(_) | None => unlink.kept,
    };
    let detail = LinkDetail::from(link);
    for listing in [link.seller, link.buyer] {
        let at = ListingInChain {
            listing,
            chain: chain_of(listing),
        };
        author.history().note(write, at, "link.broken", &detail)?;
    }
    settle_sides(write, &author.settling(), link)
}

/// Loads a chain by an id that was read in this transaction.
pub fn load_chain(read: &mut Read<'_>, id: ChainId) -> Result<Chain, StorageError> {
    state::find_chain(read, id)?
        .ok_or_else(|| StorageError::Corrupt(format!("chain {id} has no listings")))
}

fn join(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    sides: &Sides,
    rule: LinkRule,
) -> Result<(), Problem> {
    let Sides { seller, buyer } = sides;
    let sellers = load_chain(write, seller.chain)?;
    let buyers = load_chain(write, buyer.chain)?;
    let link = Link {
        seller: seller.listing,
        buyer: buyer.listing,
    };
    let join = link::join(&sellers, &buyers, link, rule)?;
    changes::store_join(write, &join, settling.now)?;
    let Settling { actor, now, .. } = *settling;
    let history = HistoryWriter { actor, now };
    let detail = LinkDetail::from(join.link);
    for listing in [seller.listing, buyer.listing] {
        let at = ListingInChain {
            listing,
            chain: join.survivor,
        };
        history.note(write, at, "link.added", &detail)?;
    }
    settle_sides(write, settling, link)
}

/// Decides which listings are current after their link was added or broken (S-6).
fn settle_sides(write: &mut Write<'_>, settling: &Settling<'_>, link: Link) -> Result<(), Problem> {
    for listing in [link.seller, link.buyer] {
        current_listings::settle(write, settling, listing, false)?;
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
pub fn unknown_side(side: Side, listing: ListingId) -> Refusal {
    let side = side.as_str();
    let detail = format!("{side} listing {listing} does not exist");
    Refusal::unknown("listing_unknown", detail).about(side)
}

fn check_permission(author: &Author<'_>, sides: &Sides) -> Result<(), Refusal> {
    let Sides { seller, buyer } = sides;
    if permission::may_link(author.caller.branches(), seller.branch, buyer.branch) {
        return Ok(());
    }
    Err(foreign_sides(seller.listing, buyer.listing))
}

/// The refusal of a link without a side of the caller (S-47).
pub fn foreign_sides(seller: ListingId, buyer: ListingId) -> Refusal {
    Refusal::forbidden(format!(
        "neither seller listing {seller} nor buyer listing {buyer} belongs to one of your branches"
    ))
}
