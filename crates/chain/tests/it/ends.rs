//! Checking and unchecking ends (S-43, S-44, S-53), and the end at which to add a listing (S-45).

use chain::ends::{End, EndRefusal, check, find_only_end, uncheck};
use chain::ids::ListingId;

use crate::sample::{ids, read_chain};

/// One bottom, 1, and two tops, 3 and 4.
const FORK: &str = "1<2 2<3 2<4";

#[test]
fn a_check_and_an_uncheck_change_all_listings_at_the_end() {
    let expect = |members: &str, end: End, checked: &[i64], unchecked: &[i64]| {
        let chain = read_chain(1, members, FORK);
        assert_eq!(check(&chain, end), Ok(ids(checked)), "{end} of {members}");
        let found = uncheck(&chain, end);
        assert_eq!(found, Ok(ids(unchecked)), "{end} of {members}");
    };
    expect("1 2 3 4", End::Top, &[3, 4], &[]);
    expect("1 2 3^ 4", End::Top, &[4], &[3]);
    expect("1 2 3^ 4^", End::Top, &[], &[3, 4]);
    expect("1 2 3^ 4^", End::Bottom, &[1], &[]);
    expect("1_ 2 3 4", End::Bottom, &[], &[1]);
    // A lock at another listing does not matter.
    expect("1! 2! 3 4", End::Top, &[3, 4], &[]);
}

#[test]
fn a_locked_listing_refuses_a_check_and_an_uncheck_of_its_end() {
    for (members, end, listing) in [
        ("1 2 3 4!", End::Top, 4),
        ("1 2 3!^ 4", End::Top, 3),
        ("1! 2 3 4", End::Bottom, 1),
        ("1!_ 2 3 4", End::Bottom, 1),
    ] {
        let chain = read_chain(1, members, FORK);
        let listing = ListingId(listing);
        let refusal = Err(EndRefusal::Locked { end, listing });
        assert_eq!(check(&chain, end), refusal, "{members}");
        assert_eq!(uncheck(&chain, end), refusal, "{members}");
    }
}

#[test]
fn a_listing_is_added_at_the_only_end() {
    let chain = read_chain(1, "1 2 3 4", FORK);
    let find = |anchor: i64, end: End| find_only_end(&chain, ListingId(anchor), end);
    for anchor in 1..=4 {
        assert_eq!(find(anchor, End::Bottom), Ok(ListingId(1)));
    }
    for anchor in [3, 4] {
        assert_eq!(find(anchor, End::Top), Ok(ListingId(anchor)));
    }
    let several = "the chain has several tops: listings 3, 4; name one of them";
    for anchor in [1, 2] {
        assert_eq!(find(anchor, End::Top).unwrap_err().to_string(), several);
    }
    let unknown = EndRefusal::NotInChain {
        anchor: ListingId(5),
    };
    for end in [End::Top, End::Bottom] {
        assert_eq!(find(5, end), Err(unknown.clone()));
    }
}
