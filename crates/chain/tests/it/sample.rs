//! Chains written as text, for the tests of this crate.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId};
use chain::state::{Chain, Link, MalformedChain, Member};
use uuid::Uuid;

/// The chain id with this number.
pub(crate) fn chain_id(number: u128) -> ChainId {
    ChainId(Uuid::from_u128(number))
}

/// The listing ids with these numbers.
pub(crate) fn ids(numbers: &[i64]) -> Vec<ListingId> {
    numbers.iter().copied().map(ListingId).collect()
}

/// A listing without checks and lock.
pub(crate) fn member(number: i64) -> Member {
    Member {
        listing: ListingId(number),
        property: PropertyId(number),
        branch: BranchId(1),
        is_locked: false,
        top_checked: false,
        bottom_checked: false,
        checked_by: [None; 2],
    }
}

/// The link that puts `buyer` below `seller`.
pub(crate) fn link(buyer: i64, seller: i64) -> Link {
    Link {
        seller: ListingId(seller),
        buyer: ListingId(buyer),
    }
}

/// Reads members, separated by spaces: a number, then `!` for a lock, `^` for a checked top, `_`
/// for a checked bottom. `7=1` is listing 7, of the home of listing 1.
pub(crate) fn read_members(text: &str) -> Vec<Member> {
    let words = text.split_whitespace().map(|word| {
        let number = word.trim_end_matches(['!', '^', '_']);
        let (number, home) = number.split_once('=').unwrap_or((number, number));
        Member {
            property: PropertyId(home.parse().unwrap()),
            is_locked: word.contains('!'),
            top_checked: word.contains('^'),
            bottom_checked: word.contains('_'),
            checked_by: [None; 2],
            ..member(number.parse().unwrap())
        }
    });
    words.collect()
}

/// Reads links, separated by spaces: `buyer<seller`, the lower listing first.
pub(crate) fn read_links(text: &str) -> Vec<Link> {
    let words = text.split_whitespace().map(|word| {
        let (buyer, seller) = word.split_once('<').unwrap();
        link(buyer.parse().unwrap(), seller.parse().unwrap())
    });
    words.collect()
}

/// Reads a chain from its members and links.
pub(crate) fn try_chain(number: u128, members: &str, links: &str) -> Result<Chain, MalformedChain> {
    Chain::new(chain_id(number), read_members(members), read_links(links))
}

/// Reads a chain that is not malformed.
pub(crate) fn read_chain(number: u128, members: &str, links: &str) -> Chain {
    try_chain(number, members, links).unwrap()
}

/// A straight chain of `length` listings with the ids from `first` upwards, bottom to top.
pub(crate) fn straight(number: u128, first: i64, length: i64) -> Chain {
    let members = (first..first + length).map(member).collect();
    let links = (first..first + length - 1).map(|lower| link(lower, lower + 1));
    Chain::new(chain_id(number), members, links.collect()).unwrap()
}
