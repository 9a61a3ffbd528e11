//! Adding and breaking links: which links are allowed, which chain id stays, which end checks are cleared.

use std::fmt;

use crate::ends::End;
use crate::ids::{ChainId, ListingId};
use crate::order::is_ring_of_homes;
use crate::state::{Chain, Link, MAX_LISTINGS, Member};

/// How many links a listing may have on each side (S-46).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkRule {
    /// At most one buyer and one seller for each listing: `add/link` of document 2.
    OneToOne,
    /// Any number, as long as no ring is closed: imports and the operator's command.
    Split,
}

/// A side of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The upper listing.
    Seller,
    /// The lower listing.
    Buyer,
}

/// The changes that a new link makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// The link to store.
    pub link: Link,
    /// The id of the chain that both listings are in afterwards (S-42).
    pub survivor: ChainId,
    /// The chain that ends, and its listings, bottom to top, which move into the survivor. `None`
    /// when both listings were in one chain already.
    pub dissolved: Option<(ChainId, Vec<ListingId>)>,
    /// The end checks to clear, at most two (S-43).
    pub cleared: Vec<(ListingId, End)>,
}

/// The changes that a broken link makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlink {
    /// The link to delete.
    pub link: Link,
    /// The id that the chain, or its longer part, keeps (S-42).
    pub kept: ChainId,
    /// The chain that begins, and its listings, bottom to top, which move into it. `None` when
    /// the chain stays in one piece.
    pub new_chain: Option<(ChainId, Vec<ListingId>)>,
    /// The end checks to clear (S-43).
    pub cleared: Vec<(ListingId, End)>,
}

/// Why a link cannot be added or broken in the present state of the chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkRefusal {
    /// Both sides are one listing.
    SameListing {
        /// The listing.
        listing: ListingId,
    },
    /// One-to-one: the buyer listing already buys from a listing.
    BuyerHasSeller {
        /// The buyer listing.
        buyer: ListingId,
    },
    /// One-to-one: the seller listing is already bought from a listing.
    SellerHasBuyer {
        /// The seller listing.
        seller: ListingId,
    },
    /// One-to-one: both listings are in one chain already.
    SameChain {
        /// The link that was asked for.
        link: Link,
    },
    /// Split: the two listings are linked already.
    AlreadyLinked {
        /// The link that was asked for.
        link: Link,
    },
    /// Split: the buyer listing lies above the seller listing.
    Ring {
        /// The link that was asked for.
        link: Link,
    },
    /// The joined chain would exceed the limit (S-54).
    TooLong {
        /// The link that was asked for.
        link: Link,
        /// The number of listings that the chain would have.
        length: usize,
    },
    /// A side is locked (S-53).
    Locked {
        /// The side.
        side: Side,
        /// Its listing.
        listing: ListingId,
    },
    /// Both listings sell one home.
    SameProperty {
        /// The link that was asked for.
        link: Link,
    },
    /// A home, which may have several listings, would lie above itself.
    RingOfHomes {
        /// The link that was asked for.
        link: Link,
    },
    /// The two listings are not linked (S-44).
    NotLinked {
        /// The link that was to be broken.
        link: Link,
    },
    /// A side is not in the chain that was read for it: it was moved in the meantime.
    NotInChain {
        /// The side.
        side: Side,
        /// Its listing.
        listing: ListingId,
    },
}

impl LinkRefusal {
    /// Describes the refusal with these names of the listings, for callers who do not know their ids.
    pub fn describe(&self, name: impl Fn(ListingId) -> String) -> String {
        let sides = |link: &Link| {
            let (seller, buyer) = (name(link.seller), name(link.buyer));
            format!("seller listing {seller} and buyer listing {buyer}")
        };
        match self {
            Self::SameListing { listing } => {
                let listing = name(*listing);
                format!("seller and buyer are both listing {listing}; name two listings")
            }
            Self::BuyerHasSeller { buyer } => {
                format!("buyer listing {} already has a seller", name(*buyer))
            }
            Self::SellerHasBuyer { seller } => {
                format!("seller listing {} already has a buyer", name(*seller))
            }
            Self::SameChain { link } => format!(
                "{} are already in one chain; linking them would close a ring",
                sides(link)
            ),
            Self::AlreadyLinked { link } => format!("{} are already linked", sides(link)),
            Self::Ring { link } => format!(
                "buyer listing {} already lies above seller listing {}; linking them would close a \
                 ring",
                name(link.buyer),
                name(link.seller)
            ),
            Self::TooLong { link, length } => format!(
                "linking {} would make a chain of {length} listings; the limit is {MAX_LISTINGS}",
                sides(link)
            ),
            Self::Locked { side, listing } => {
                format!(
                    "{side} listing {} is locked; unlock it first",
                    name(*listing)
                )
            }
            Self::SameProperty { link } => format!("{} are of the same property", sides(link)),
            Self::RingOfHomes { link } => format!(
                "linking {} would close a ring: a home with several listings would lie above itself",
                sides(link)
            ),
            Self::NotLinked { link } => format!("{} are not linked", sides(link)),
            Self::NotInChain { side, listing } => format!(
                "{side} listing {} is not in the chain; read its chain again",
                name(*listing)
            ),
        }
    }
}

impl fmt::Display for LinkRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.describe(|listing| listing.to_string()))
    }
}

impl std::error::Error for LinkRefusal {}

/// Decides about a link between two listings. `seller` and `buyer` are the chains of its two sides.
///
/// When several refusals apply, S-41 orders them: the same listing, a side already taken, one
/// chain, the length, a lock, one home, a ring of homes.
pub fn join(
    seller: &Chain,
    buyer: &Chain,
    link: Link,
    rule: LinkRule,
) -> Result<Join, LinkRefusal> {
    let is_one_chain = seller.id() == buyer.id();
    if link.seller == link.buyer {
        return Err(LinkRefusal::SameListing {
            listing: link.seller,
        });
    }
    match rule {
        LinkRule::OneToOne => refuse_second(seller, buyer, link)?,
        LinkRule::Split if is_one_chain => refuse_ring(seller, link)?,
        LinkRule::Split => {}
    }
    if !is_one_chain {
        refuse_length(seller, buyer, link)?;
    }
    refuse_locked(seller, Side::Seller, link.seller)?;
    refuse_locked(buyer, Side::Buyer, link.buyer)?;
    refuse_homes([seller, buyer], link)?;

    // Equal lengths: the seller's id survives (S-42).
    let (survivor, dissolved) = if buyer.length() > seller.length() {
        (buyer, seller)
    } else {
        (seller, buyer)
    };
    Ok(Join {
        link,
        survivor: survivor.id(),
        dissolved: (!is_one_chain).then(|| (dissolved.id(), dissolved.listings().to_vec())),
        cleared: find_checked_ends(seller, buyer, link),
    })
}

/// Decides about breaking a link for a branch. `fresh` becomes the id of the part that cannot keep the
/// chain's id. It is not used when the chain stays in one piece.
pub fn unlink(chain: &Chain, link: Link, fresh: ChainId) -> Result<Unlink, LinkRefusal> {
    let unlink = unlink_locked(chain, link, fresh)?;
    refuse_locked(chain, Side::Seller, link.seller)?;
    refuse_locked(chain, Side::Buyer, link.buyer)?;
    Ok(unlink)
}

/// As [`unlink`], for the operator: a lock binds branches only (S-53).
pub fn unlink_locked(chain: &Chain, link: Link, fresh: ChainId) -> Result<Unlink, LinkRefusal> {
    let Link { seller, buyer } = link;
    if !chain.onward_purchases(buyer).contains(&seller) {
        return Err(LinkRefusal::NotLinked { link });
    }
    let mut cleared = find_checked_ends(chain, chain, link);
    let upper = chain.order().find_piece(seller, Some(link));
    let new_chain = if upper.contains(&buyer) {
        None
    } else {
        let lower = chain.order().find_piece(buyer, Some(link));
        for part in [&upper, &lower] {
            cleared.extend(find_checks_of_strangers(chain, part));
        }
        // Equal lengths: the part that holds the seller listing keeps the id (S-42).
        let moved = if lower.len() > upper.len() {
            upper
        } else {
            lower
        };
        Some((fresh, moved))
    };
    Ok(Unlink {
        link,
        kept: chain.id(),
        new_chain,
        cleared,
    })
}

/// Refuses a second link on either side and a link within one chain (S-41).
fn refuse_second(seller: &Chain, buyer: &Chain, link: Link) -> Result<(), LinkRefusal> {
    if !buyer.onward_purchases(link.buyer).is_empty() {
        return Err(LinkRefusal::BuyerHasSeller { buyer: link.buyer });
    }
    if !seller.buyers_sales(link.seller).is_empty() {
        return Err(LinkRefusal::SellerHasBuyer {
            seller: link.seller,
        });
    }
    if seller.id() == buyer.id() {
        return Err(LinkRefusal::SameChain { link });
    }
    Ok(())
}

/// Refuses a double link and a ring. A second way up between two listings is allowed (S-46).
fn refuse_ring(chain: &Chain, link: Link) -> Result<(), LinkRefusal> {
    if chain.onward_purchases(link.buyer).contains(&link.seller) {
        return Err(LinkRefusal::AlreadyLinked { link });
    }
    if chain.order().lies_above(link.buyer, link.seller) {
        return Err(LinkRefusal::Ring { link });
    }
    Ok(())
}

/// Refuses a link of two listings of one home, and a ring of homes. Nobody sells a home to buy it, so a
/// second listing of a home makes no difference (S-41).
fn refuse_homes(chains: [&Chain; 2], link: Link) -> Result<(), LinkRefusal> {
    let home = |listing| {
        let mut members = chains.iter().filter_map(|chain| chain.member(listing));
        members.next().map(|member| member.property)
    };
    let homes = |link: &Link| Some((home(link.buyer)?, home(link.seller)?));
    if homes(&link).is_some_and(|(lower, upper)| lower == upper) {
        return Err(LinkRefusal::SameProperty { link });
    }
    let links = chains.iter().flat_map(|chain| chain.links());
    let pairs: Vec<_> = links.chain([&link]).filter_map(homes).collect();
    if is_ring_of_homes(&pairs) {
        return Err(LinkRefusal::RingOfHomes { link });
    }
    Ok(())
}

fn refuse_length(seller: &Chain, buyer: &Chain, link: Link) -> Result<(), LinkRefusal> {
    let length = seller.length() + buyer.length();
    if length > MAX_LISTINGS {
        return Err(LinkRefusal::TooLong { link, length });
    }
    Ok(())
}

fn refuse_locked(chain: &Chain, side: Side, listing: ListingId) -> Result<(), LinkRefusal> {
    match chain.member(listing) {
        None => Err(LinkRefusal::NotInChain { side, listing }),
        Some(member) if member.is_locked => Err(LinkRefusal::Locked { side, listing }),
        Some(_) => Ok(()),
    }
}

/// The checks, where set, of the two ends that meet in a link: the seller's bottom and the buyer's
/// top. A link covers these ends, and a break leaves them unchecked (S-43).
fn find_checked_ends(seller: &Chain, buyer: &Chain, link: Link) -> Vec<(ListingId, End)> {
    let ends = [
        (seller, link.seller, End::Bottom),
        (buyer, link.buyer, End::Top),
    ];
    let checked = ends.into_iter().filter(|(chain, listing, end)| {
        let member = chain.member(*listing);
        member.is_some_and(|member| end.is_marked(member))
    });
    checked.map(|(_, listing, end)| (listing, end)).collect()
}

/// The end checks in a part of a chain that were made by a branch without a listing in the part (S-43).
fn find_checks_of_strangers(chain: &Chain, part: &[ListingId]) -> Vec<(ListingId, End)> {
    let members: Vec<&Member> = part.iter().filter_map(|one| chain.member(*one)).collect();
    let is_stranger = |branch| members.iter().all(|member| member.branch != branch);
    let mut found = Vec::new();
    for member in &members {
        for end in [End::Top, End::Bottom] {
            if end.is_marked(member) && end.checked_by(member).is_some_and(is_stranger) {
                found.push((member.listing, end));
            }
        }
    }
    found
}

impl LinkRefusal {
    /// The side that the refusal is about; `None` when it is about both.
    pub const fn side(&self) -> Option<Side> {
        match self {
            Self::BuyerHasSeller { .. } => Some(Side::Buyer),
            Self::SellerHasBuyer { .. } => Some(Side::Seller),
            Self::Locked { side, .. } | Self::NotInChain { side, .. } => Some(*side),
            Self::SameListing { .. }
            | Self::SameChain { .. }
            | Self::AlreadyLinked { .. }
            | Self::Ring { .. }
            | Self::TooLong { .. }
            | Self::SameProperty { .. }
            | Self::RingOfHomes { .. }
            | Self::NotLinked { .. } => None,
        }
    }
}

impl Side {
    /// `seller` or `buyer`: the name of the field in document 2.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seller => "seller",
            Self::Buyer => "buyer",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
