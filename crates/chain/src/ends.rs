//! The two ends of a chain: checks, unchecks, and the end at which a listing can be added.

use std::fmt;

use thiserror::Error;

use crate::ids::{BranchId, ListingId};
use crate::state::{Chain, Member};
use crate::words;

/// An end of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// Nothing lies above.
    Top,
    /// Nothing lies below.
    Bottom,
}

/// The only reason that a caller may give for a check (S-44).
pub const CHECK_REASON: &str = "Checked";

words! {
    /// Why an end is unchecked (S-44), in the order and words of document 2.
    pub enum UncheckReason {
        Unspecified = "Unspecified",
        /// It is not the end of the chain.
        NotEndOfChain = "Not EOC",
        /// Nobody knows whether it is the end of the chain.
        UnknownEndOfChain = "Dont Know If EOC",
    }
}

/// Why an end cannot be checked, unchecked or found in the present state of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EndRefusal {
    /// A listing at that end is locked (S-53).
    #[error("{end} listing {listing} is locked; unlock it first")]
    Locked {
        /// The end.
        end: End,
        /// The locked listing.
        listing: ListingId,
    },
    /// The chain has several such ends, and the anchor is not one of them (S-45).
    #[error(
        "the chain has several {end}s: listings {}; name one of them",
        join_ids(listings)
    )]
    SeveralEnds {
        /// The end.
        end: End,
        /// The listings at that end, at least two, in chain order.
        listings: Vec<ListingId>,
    },
    /// The anchor is not in the chain: it was moved to another chain in the meantime.
    #[error("listing {anchor} is not in the chain; read its chain again")]
    NotInChain {
        /// The listing that the caller named.
        anchor: ListingId,
    },
}

/// The listings at the end that are not checked yet; empty when the end is checked (S-44). A check
/// of the top checks all tops, and likewise at the bottom (S-43).
pub fn check(chain: &Chain, end: End) -> Result<Vec<ListingId>, EndRefusal> {
    find_listings(chain, end, false)
}

/// The listings at the end that are checked and must be unchecked (S-44).
pub fn uncheck(chain: &Chain, end: End) -> Result<Vec<ListingId>, EndRefusal> {
    find_listings(chain, end, true)
}

/// The listing at that end of the chain, next to which a listing can be added (S-45). When the
/// chain has several such ends, the anchor must be one of them and is the answer.
pub fn find_only_end(chain: &Chain, anchor: ListingId, end: End) -> Result<ListingId, EndRefusal> {
    if chain.position(anchor).is_none() {
        return Err(EndRefusal::NotInChain { anchor });
    }
    match end.listings(chain) {
        [only] => Ok(*only),
        several if several.contains(&anchor) => Ok(anchor),
        several => Err(EndRefusal::SeveralEnds {
            end,
            listings: several.to_vec(),
        }),
    }
}

/// The listings at the end for which `End::is_marked` is `is_checked`. A lock refuses the call
/// even where nothing would change.
fn find_listings(chain: &Chain, end: End, is_checked: bool) -> Result<Vec<ListingId>, EndRefusal> {
    let mut listings = Vec::new();
    for listing in end.listings(chain) {
        let Some(member) = chain.member(*listing) else {
            continue;
        };
        if member.is_locked {
            return Err(EndRefusal::Locked {
                end,
                listing: *listing,
            });
        }
        if end.is_marked(member) == is_checked {
            listings.push(*listing);
        }
    }
    Ok(listings)
}

impl End {
    /// The listings at this end of a chain.
    pub fn listings(self, chain: &Chain) -> &[ListingId] {
        match self {
            Self::Top => chain.tops(),
            Self::Bottom => chain.bottoms(),
        }
    }

    /// Whether the member is checked as this end, wherever in the chain it is.
    pub const fn is_marked(self, member: &Member) -> bool {
        match self {
            Self::Top => member.top_checked,
            Self::Bottom => member.bottom_checked,
        }
    }

    /// The branch that checked the member as this end, if it is known.
    pub const fn checked_by(self, member: &Member) -> Option<BranchId> {
        let [top, bottom] = member.checked_by;
        match self {
            Self::Top => top,
            Self::Bottom => bottom,
        }
    }

    /// The end is checked in the name of this branch of the caller: it has the listing that is
    /// nearest to the end. `None` if the caller has no listing in the chain.
    pub fn checker(self, chain: &Chain, callers: &[BranchId]) -> Option<BranchId> {
        let own = |member: &&Member| callers.contains(&member.branch);
        let mut members = chain.members().iter();
        let nearest = match self {
            Self::Top => members.rfind(own),
            Self::Bottom => members.find(own),
        };
        nearest.map(|member| member.branch)
    }

    /// `top` or `bottom`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn join_ids(listings: &[ListingId]) -> String {
    let ids: Vec<String> = listings.iter().map(ListingId::to_string).collect();
    ids.join(", ")
}
