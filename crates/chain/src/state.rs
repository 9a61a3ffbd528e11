//! A chain: its listings, links, ends and type.

use crate::ids::{BranchId, ChainId, ListingId, PropertyId};
use crate::order::Order;
pub use crate::order::{Link, MAX_LISTINGS, MalformedChain};

/// A listing as a member of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The listing.
    pub listing: ListingId,
    /// The home that it sells. A home may have several listings.
    pub property: PropertyId,
    /// The branch that holds the listing.
    pub branch: BranchId,
    /// Whether links, breaks and end checks at the listing are refused (S-53).
    pub is_locked: bool,
    /// Whether somebody confirmed that nothing exists above it. Counts only at a top.
    pub top_checked: bool,
    /// Whether somebody confirmed that nothing exists below it. Counts only at a bottom.
    pub bottom_checked: bool,
    /// The branches that made the checks of the top and of the bottom, where they are known.
    pub checked_by: [Option<BranchId>; 2],
}

/// `chainSummary.chainType` of document 1 (S-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChainType {
    /// `IN_CHAIN`: straight, two listings or more.
    InChain,
    /// `SPLIT_CHAIN`: some listing has two or more listings directly below or directly above it.
    SplitChain,
    /// `NOT_IN_CHAIN`: one listing.
    NotInChain,
}

/// A connected set of 1 to `MAX_LISTINGS` listings without a directed ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    id: ChainId,
    /// Sorted like `order`.
    members: Vec<Member>,
    order: Order,
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
        let first = order.listings().first();
        let piece = first.map_or_else(Vec::new, |first| order.find_piece(*first, None));
        let mut listings = order.listings().iter();
        if piece.len() < members.len()
            && let Some(listing) = listings.find(|listing| !piece.contains(listing))
        {
            return Err(MalformedChain::Disconnected { listing: *listing });
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

    /// The members, bottom to top (S-9).
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The ids of the listings, bottom to top (S-9).
    pub fn listings(&self) -> &[ListingId] {
        self.order.listings()
    }

    /// One member; `None` for a listing outside the chain.
    pub fn member(&self, listing: ListingId) -> Option<&Member> {
        self.members.get(self.position(listing)?)
    }

    /// The links, sorted by the position of the buyer, then of the seller.
    pub fn links(&self) -> &[Link] {
        self.order.links()
    }

    pub(crate) fn order(&self) -> &Order {
        &self.order
    }

    /// The position of a listing, 0 at the bottom; `None` for a listing outside the chain.
    pub fn position(&self, listing: ListingId) -> Option<usize> {
        self.order.position(listing)
    }

    /// The listings with nothing above them, at least one, bottom to top.
    pub fn tops(&self) -> &[ListingId] {
        self.order.tops()
    }

    /// The listings with nothing below them, at least one, sorted by id.
    pub fn bottoms(&self) -> &[ListingId] {
        self.order.bottoms()
    }

    /// The listings directly above this one, which its seller buys, in the order of S-9. Empty for
    /// a listing outside the chain.
    pub fn onward_purchases(&self, listing: ListingId) -> &[ListingId] {
        self.order.onward_purchases(listing)
    }

    /// The listings directly below this one, which its buyer sells, in the order of S-9. Empty for
    /// a listing outside the chain.
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

    /// `isTopClosed` of document 1: whether the listing is a top and checked as a top (S-10).
    /// False for a listing outside the chain.
    pub fn is_top_closed(&self, listing: ListingId) -> bool {
        self.member(listing)
            .is_some_and(|member| member.top_checked && self.onward_purchases(listing).is_empty())
    }

    /// `isBottomClosed` of document 1: whether the listing is a bottom and checked as a bottom
    /// (S-10). False for a listing outside the chain.
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
