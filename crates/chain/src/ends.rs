//! The two ends of a chain: checking them, unchecking them, and finding the one to add to.

use std::fmt;

use thiserror::Error;

use crate::ids::ListingId;
use crate::state::{Chain, Member};

/// An end of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// Nothing lies above.
    Top,
    /// Nothing lies below.
    Bottom,
}

/// The only reason that a check may give (S-44).
pub const CHECK_REASON: &str = "Checked";

/// Why an end check is taken back (S-44).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UncheckReason {
    /// `Unspecified`
    Unspecified,
    /// `Not EOC`: it is not the end of the chain.
    NotEndOfChain,
    /// `Dont Know If EOC`: nobody knows whether it is the end of the chain.
    UnknownEndOfChain,
}

/// Why an end cannot be checked, unchecked or found in the chain's present state.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EndRefusal {
    /// A locked listing stands at that end (S-53).
    #[error("{end} listing {listing} is locked; unlock it first")]
    Locked {
        /// The end.
        end: End,
        /// The locked listing.
        listing: ListingId,
    },
    /// The chain has several such ends and the anchor is none of them (S-45).
    #[error(
        "the chain has several {end}s: listings {}; name one of them",
        join_ids(listings)
    )]
    SeveralEnds {
        /// The end.
        end: End,
        /// All the listings at that end, at least two, in chain order.
        listings: Vec<ListingId>,
    },
    /// The anchor is not in the chain: it was moved to another one in the meantime.
    #[error("listing {anchor} is not in the chain; read its chain again")]
    Stranger {
        /// The anchor.
        anchor: ListingId,
    },
}

/// The listings whose mark must be set so that the end is checked; empty when it is already
/// (S-44). With several tops (bottoms) it checks them all (S-43).
pub fn check(chain: &Chain, end: End) -> Result<Vec<ListingId>, EndRefusal> {
    find_marks(chain, end, false)
}

/// The listings whose mark must be cleared so that no such end is checked; empty when none is
/// (S-44).
pub fn uncheck(chain: &Chain, end: End) -> Result<Vec<ListingId>, EndRefusal> {
    find_marks(chain, end, true)
}

/// The listing at that end of the anchor's chain, to which another one can be added (S-45). When
/// there are several, the anchor must be one of them, and is the answer.
pub fn find_only_end(chain: &Chain, anchor: ListingId, end: End) -> Result<ListingId, EndRefusal> {
    if chain.position(anchor).is_none() {
        return Err(EndRefusal::Stranger { anchor });
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

/// The listings at the end whose mark is `is_checked`. A lock is looked at first: it forbids the
/// call even where nothing would change.
fn find_marks(chain: &Chain, end: End, is_checked: bool) -> Result<Vec<ListingId>, EndRefusal> {
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

    /// Whether a member carries the mark of this end, wherever in the chain it stands.
    pub const fn is_marked(self, member: &Member) -> bool {
        match self {
            Self::Top => member.top_checked,
            Self::Bottom => member.bottom_checked,
        }
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

impl UncheckReason {
    /// All reasons, in document 2's order.
    pub const ALL: [Self; 3] = [
        Self::Unspecified,
        Self::NotEndOfChain,
        Self::UnknownEndOfChain,
    ];

    /// Document 2's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unspecified => "Unspecified",
            Self::NotEndOfChain => "Not EOC",
            Self::UnknownEndOfChain => "Dont Know If EOC",
        }
    }

    /// Reads document 2's spelling exactly; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

fn join_ids(listings: &[ListingId]) -> String {
    let ids: Vec<String> = listings.iter().map(ListingId::to_string).collect();
    ids.join(", ")
}
