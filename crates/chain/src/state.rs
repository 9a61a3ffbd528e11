//! A chain as it stands: its listings, links, ends and type.

use thiserror::Error;

use crate::ids::{BranchId, ChainId, ListingId};
use crate::order::Order;

/// The largest number of listings in a chain (S-54).
pub const MAX_LISTINGS: usize = 100;

/// A listing as a member of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The listing.
    pub listing: ListingId,
    /// The branch that holds it.
    pub branch: BranchId,
    /// No link, break or end check may touch it (S-53).
    pub is_locked: bool,
    /// Nothing exists above it, somebody confirmed. Means something only at a top.
    pub top_checked: bool,
    /// Nothing exists below it, somebody confirmed. Means something only at a bottom.
    pub bottom_checked: bool,
}

/// The person who sells the buyer listing buys the seller listing. The buyer listing lies below
/// the seller listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The listing that is bought: the upper one.
    pub seller: ListingId,
    /// The listing whose seller buys it: the lower one.
    pub buyer: ListingId,
}

/// `chainSummary.chainType` of document 1 (S-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainType {
    /// `IN_CHAIN`: straight, two listings or more.
    InChain,
    /// `SPLIT_CHAIN`: some listing has two or more directly below or directly above it.
    SplitChain,
    /// `NOT_IN_CHAIN`: one listing.
    NotInChain,
}

/// A connected set of 1 to `MAX_LISTINGS` listings without a directed ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    id: ChainId,
    /// In the order of `order`.
    members: Vec<Member>,
    order: Order,
}

/// Why members and links are not one chain. Stored chains are never malformed; this is what a
/// damaged store or a wrong import looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MalformedChain {
    /// No listing at all.
    #[error("a chain has at least one listing")]
    Empty,
    /// More than `MAX_LISTINGS` listings.
    #[error("the chain has {length} listings, but at most {MAX_LISTINGS} are allowed")]
    TooLong {
        /// The number of listings given.
        length: usize,
    },
    /// A listing given twice.
    #[error("listing {listing} is in the chain twice; name each listing once")]
    DuplicateListing {
        /// The listing.
        listing: ListingId,
    },
    /// A link given twice.
    #[error(
        "seller listing {} and buyer listing {} are linked twice; name each link once",
        link.seller,
        link.buyer
    )]
    DuplicateLink {
        /// The link.
        link: Link,
    },
    /// A link names a listing that is not a member.
    #[error("a link names listing {listing}, which is not in the chain")]
    Stranger {
        /// The listing.
        listing: ListingId,
    },
    /// Some listing would lie above itself.
    #[error("the links close a ring; no listing may lie above itself")]
    Ring,
    /// The listings do not hang together.
    #[error("listing {listing} does not hang together with the rest of the chain")]
    Disconnected {
        /// The lowest listing that cannot be reached from the first one.
        listing: ListingId,
    },
}

impl Chain {
    /// Builds a chain of members and links in any order.
    pub fn new(
        id: ChainId,
        members: Vec<Member>,
        links: Vec<Link>,
    ) -> Result<Self, MalformedChain> {
        if members.is_empty() {
            return Err(MalformedChain::Empty);
        }
        if members.len() > MAX_LISTINGS {
            return Err(MalformedChain::TooLong {
                length: members.len(),
            });
        }
        let listings = members.iter().map(|member| member.listing).collect();
        let order = Order::new(listings, links)?;
        if let Some(first) = order.listings().first() {
            let piece = order.find_piece(*first, None);
            let mut pairs = order.listings().iter().zip(&piece);
            // A piece keeps the order, so the first difference, or its end, is where one is left
            // out.
            let left_out = pairs.position(|(listing, reached)| listing != reached);
            let left_out = left_out.unwrap_or(piece.len());
            if let Some(listing) = order.listings().get(left_out) {
                return Err(MalformedChain::Disconnected { listing: *listing });
            }
        }
        let mut members = members;
        members.sort_by_cached_key(|member| order.position(member.listing));
        Ok(Self { id, members, order })
    }

    /// The chain's id.
    pub fn id(&self) -> ChainId {
        self.id
    }

    /// The number of listings, at least 1.
    pub fn length(&self) -> usize {
        self.members.len()
    }

    /// The type of the chain (S-8).
    pub fn chain_type(&self) -> ChainType {
        let is_fork = |listing: &ListingId| {
            self.onward_purchases(*listing).len() > 1 || self.buyers_sales(*listing).len() > 1
        };
        if self.length() == 1 {
            ChainType::NotInChain
        } else if self.order.listings().iter().any(is_fork) {
            ChainType::SplitChain
        } else {
            ChainType::InChain
        }
    }

    /// The listings with all that is known of them, bottom to top (S-9).
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The ids of the listings, bottom to top (S-9).
    pub fn listings(&self) -> &[ListingId] {
        self.order.listings()
    }

    /// One member; `None` for a stranger.
    pub fn member(&self, listing: ListingId) -> Option<&Member> {
        self.members.get(self.position(listing)?)
    }

    /// The links, by the position of the buyer, then of the seller.
    pub fn links(&self) -> &[Link] {
        self.order.links()
    }

    /// The listings, their order and their neighbours.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// The position of a listing, 0 at the bottom; `None` for a stranger.
    pub fn position(&self, listing: ListingId) -> Option<usize> {
        self.order.position(listing)
    }

    /// The listings with nothing above them, at least one, bottom to top.
    pub fn tops(&self) -> &[ListingId] {
        self.order.tops()
    }

    /// The listings with nothing below them, at least one, in order of their ids.
    pub fn bottoms(&self) -> &[ListingId] {
        self.order.bottoms()
    }

    /// The listings that this one's seller buys: those directly above, in the order of S-9.
    /// Empty for a stranger.
    pub fn onward_purchases(&self, listing: ListingId) -> &[ListingId] {
        self.order.onward_purchases(listing)
    }

    /// The listings that this one's buyer sells: those directly below, in the order of S-9.
    /// Empty for a stranger.
    pub fn buyers_sales(&self, listing: ListingId) -> &[ListingId] {
        self.order.buyers_sales(listing)
    }

    /// Whether every top is checked (S-43).
    pub fn top_checked(&self) -> bool {
        self.tops().iter().all(|top| self.is_top_closed(*top))
    }

    /// Whether every bottom is checked (S-43).
    pub fn bottom_checked(&self) -> bool {
        let mut bottoms = self.bottoms().iter();
        bottoms.all(|bottom| self.is_bottom_closed(*bottom))
    }

    /// `isTopClosed` of document 1: the listing is a top and checked as one (S-10). False for a
    /// stranger.
    pub fn is_top_closed(&self, listing: ListingId) -> bool {
        self.member(listing)
            .is_some_and(|member| member.top_checked && self.onward_purchases(listing).is_empty())
    }

    /// `isBottomClosed` of document 1: the listing is a bottom and checked as one (S-10). False
    /// for a stranger.
    pub fn is_bottom_closed(&self, listing: ListingId) -> bool {
        self.member(listing)
            .is_some_and(|member| member.bottom_checked && self.buyers_sales(listing).is_empty())
    }
}

impl ChainType {
    /// Document 1's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InChain => "IN_CHAIN",
            Self::SplitChain => "SPLIT_CHAIN",
            Self::NotInChain => "NOT_IN_CHAIN",
        }
    }
}
