//! Checking and unchecking ends (S-43, S-44, S-53), and the end to add to (S-45).

use chain::ends::{End, EndRefusal, check, find_only_end, uncheck};
use chain::ids::ListingId;

use crate::sample::{ids, read_chain};

/// One bottom, 1, and two tops, 3 and 4.
const FORK: &str = "1<2 2<3 2<4";

#[test]
fn a_check_marks_all_listings_at_the_end_that_are_not_marked() {
    let expect = |members: &str, end: End, checked: &[i64], unchecked: &[i64]| {
        let chain = read_chain(1, members, FORK);
        assert_eq!(
            check(&chain, end),
            Ok(ids(checked)),
            "check {end} of {members}"
        );
        assert_eq!(
            uncheck(&chain, end),
            Ok(ids(unchecked)),
            "uncheck {end} of {members}"
        );
    };
    expect("1 2 3 4", End::Top, &[3, 4], &[]);
    expect("1 2 3^ 4", End::Top, &[4], &[3]);
    expect("1 2 3^ 4^", End::Top, &[], &[3, 4]);
    expect("1 2 3^ 4^", End::Bottom, &[1], &[]);
    expect("1_ 2 3 4", End::Bottom, &[], &[1]);
    // A lock elsewhere does not matter.
    expect("1! 2! 3 4", End::Top, &[3, 4], &[]);
}

#[test]
fn a_locked_listing_keeps_its_end_as_it_is() {
    let expect = |members: &str, end: End, listing: i64| {
        let chain = read_chain(1, members, FORK);
        let refusal = EndRefusal::Locked {
            end,
            listing: ListingId(listing),
        };
        assert_eq!(check(&chain, end), Err(refusal.clone()), "{members}");
        assert_eq!(uncheck(&chain, end), Err(refusal), "{members}");
    };
    expect("1 2 3 4!", End::Top, 4);
    expect("1 2 3!^ 4", End::Top, 3);
    expect("1! 2 3 4", End::Bottom, 1);
    expect("1!_ 2 3 4", End::Bottom, 1);
}

#[test]
fn a_listing_is_added_at_the_only_end() {
    let chain = read_chain(1, "1 2 3 4", FORK);
    let expect = |anchor: i64, end: End, expected: Result<i64, EndRefusal>| {
        let found = find_only_end(&chain, ListingId(anchor), end);
        assert_eq!(found, expected.map(ListingId), "{end} of {anchor}");
    };
    for anchor in 1..=4 {
        expect(anchor, End::Bottom, Ok(1));
    }
    let several = EndRefusal::SeveralEnds {
        end: End::Top,
        listings: ids(&[3, 4]),
    };
    assert_eq!(
        several.to_string(),
        "the chain has several tops: listings 3, 4; name one of them"
    );
    expect(1, End::Top, Err(several.clone()));
    expect(2, End::Top, Err(several));
    expect(3, End::Top, Ok(3));
    expect(4, End::Top, Ok(4));
    let anchor = ListingId(5);
    expect(5, End::Top, Err(EndRefusal::Stranger { anchor }));
    expect(5, End::Bottom, Err(EndRefusal::Stranger { anchor }));
}
