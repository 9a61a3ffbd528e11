//! Adding and breaking links by example (S-41 to S-44, S-46, S-53, S-54).

use chain::ends::End;
use chain::ids::ListingId;
use chain::link::{Join, LinkRefusal, LinkRule, Side, join, unlink};
use chain::state::Chain;

use crate::sample::{chain_id, ids, link, read_chain, straight};

/// Puts `buyer` of the lower chain below `seller` of the upper chain.
fn put_below(
    lower: (&Chain, i64),
    upper: (&Chain, i64),
    rule: LinkRule,
) -> Result<Join, LinkRefusal> {
    let seller = (upper.0, ListingId(upper.1));
    let buyer = (lower.0, ListingId(lower.1));
    join(seller, buyer, rule)
}

/// S-42.
#[test]
fn the_longer_chain_keeps_its_id_and_the_seller_wins_a_tie() {
    let check = |lower: i64, upper: i64, survivor: u128, moved: (u128, Vec<ListingId>)| {
        let below = straight(1, 1, lower);
        let above = straight(2, 51, upper);
        let join = put_below((&below, lower), (&above, 51), LinkRule::OneToOne).unwrap();
        assert_eq!(join.link, link(lower, 51));
        assert_eq!(join.survivor, chain_id(survivor), "{lower} below {upper}");
        assert_eq!(join.dissolved, Some((chain_id(moved.0), moved.1)));
        assert_eq!(join.cleared, []);
    };
    check(1, 1, 2, (1, ids(&[1])));
    check(2, 2, 2, (1, ids(&[1, 2])));
    check(3, 2, 1, (2, ids(&[51, 52])));
    check(2, 3, 2, (1, ids(&[1, 2])));
}

/// S-43: exactly the two ends that meet.
#[test]
fn a_link_clears_the_checks_that_it_covers() {
    let check = |lower: &str, upper: &str, cleared: &[(i64, End)]| {
        let below = read_chain(1, lower, "1<2");
        let above = read_chain(2, upper, "3<4");
        let join = put_below((&below, 2), (&above, 3), LinkRule::OneToOne).unwrap();
        let cleared: Vec<_> = cleared
            .iter()
            .map(|(id, end)| (ListingId(*id), *end))
            .collect();
        assert_eq!(join.cleared, cleared, "{lower} below {upper}");
    };
    check("1 2", "3 4", &[]);
    check("1_ 2", "3 4^", &[]);
    check("1_ 2^", "3_ 4^", &[(3, End::Bottom), (2, End::Top)]);
    check("1_ 2^", "3 4^", &[(2, End::Top)]);
    check("1_ 2", "3_ 4^", &[(3, End::Bottom)]);
}

/// S-41, each with what else is wrong as well, so that the order of the refusals shows.
#[test]
fn one_to_one_refusals() {
    let below = &read_chain(1, "1! 2!", "1<2");
    let above = &read_chain(2, "3! 4!", "3<4");
    let free = &read_chain(3, "5", "");
    let check = |lower: (&Chain, i64), upper: (&Chain, i64), side, message: &str| {
        let refusal = put_below(lower, upper, LinkRule::OneToOne).unwrap_err();
        assert_eq!(refusal.to_string(), message);
        assert_eq!(refusal.side(), side, "{message}");
    };
    let (buyer, seller) = (Some(Side::Buyer), Some(Side::Seller));
    let same = "seller and buyer are both listing 2; name two listings";
    check((below, 2), (below, 2), None, same);
    let has_seller = "buyer listing 1 already has a seller";
    check((below, 1), (above, 4), buyer, has_seller);
    check((below, 1), (below, 2), buyer, has_seller);
    let has_buyer = "seller listing 4 already has a buyer";
    check((below, 2), (above, 4), seller, has_buyer);
    let ring = "seller listing 1 and buyer listing 2 are already in one chain; linking them would \
                close a ring";
    check((below, 2), (below, 1), None, ring);
    let locked = "seller listing 3 is locked; unlock it first";
    check((below, 2), (above, 3), seller, locked);
    let locked = "buyer listing 2 is locked; unlock it first";
    check((below, 2), (free, 5), buyer, locked);
    let stranger = "seller listing 7 is not in the chain; read its chain again";
    check((free, 5), (above, 7), seller, stranger);
    let stranger = "buyer listing 7 is not in the chain; read its chain again";
    check((below, 7), (free, 5), buyer, stranger);
}

/// A locked listing elsewhere in the chain does not matter (S-53).
#[test]
fn a_lock_guards_its_own_listing_only() {
    let below = read_chain(1, "1! 2", "1<2");
    let above = read_chain(2, "3 4!", "3<4");
    assert!(put_below((&below, 2), (&above, 3), LinkRule::OneToOne).is_ok());
}

/// S-54.
#[test]
fn a_joined_chain_stays_within_100_listings() {
    let above = straight(2, 201, 40);
    let longest = straight(1, 1, 60);
    for rule in [LinkRule::OneToOne, LinkRule::Split] {
        assert!(put_below((&longest, 60), (&above, 201), rule).is_ok());
        let too_long = straight(1, 1, 61);
        let refusal = put_below((&too_long, 61), (&above, 201), rule).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "linking seller listing 201 and buyer listing 61 would make a chain of 101 listings; \
             the limit is 100"
        );
    }
}

/// S-46: any number of links, and within one chain a second way but no way round.
#[test]
fn split_links() {
    let check = |buyer: i64, seller: i64, expected: Result<(), LinkRefusal>| {
        let chain = read_chain(1, "1_ 2 3 4^", "1<2 2<4 1<3");
        let found = put_below((&chain, buyer), (&chain, seller), LinkRule::Split);
        let dissolved = found.clone().map(|join| join.dissolved);
        assert_eq!(dissolved, expected.map(|()| None), "{buyer} below {seller}");
        if let Ok(join) = found {
            assert_eq!(join.survivor, chain_id(1));
            assert_eq!(join.cleared, []);
        }
    };
    check(3, 4, Ok(()));
    check(1, 4, Ok(()));
    check(2, 3, Ok(()));
    check(3, 2, Ok(()));
    check(1, 2, Err(LinkRefusal::AlreadyLinked { link: link(1, 2) }));
    check(2, 1, Err(LinkRefusal::Ring { link: link(2, 1) }));
    check(4, 1, Err(LinkRefusal::Ring { link: link(4, 1) }));
    check(
        1,
        1,
        Err(LinkRefusal::SameListing {
            listing: ListingId(1),
        }),
    );

    let chain = read_chain(1, "1 2", "1<2");
    let other = read_chain(2, "8_ 9", "8<9");
    let join = put_below((&chain, 1), (&other, 8), LinkRule::Split).unwrap();
    assert_eq!(join.survivor, chain_id(2));
    assert_eq!(join.cleared, [(ListingId(8), End::Bottom)]);
}

/// S-42.
#[test]
fn the_longer_part_keeps_the_id_and_the_seller_wins_a_tie() {
    let check = |buyer: i64, moved: &[i64]| {
        let chain = straight(1, 1, 4);
        let (seller, buyer) = (ListingId(buyer + 1), ListingId(buyer));
        let unlink = unlink(&chain, seller, buyer, chain_id(9)).unwrap();
        assert_eq!(unlink.kept, chain_id(1));
        assert_eq!(
            unlink.new_chain,
            Some((chain_id(9), ids(moved))),
            "above {buyer}"
        );
        assert_eq!(unlink.cleared, []);
    };
    check(1, &[1]);
    check(2, &[1, 2]);
    check(3, &[4]);
}

#[test]
fn a_break_that_leaves_one_piece_makes_no_chain() {
    let diamond = read_chain(1, "1 2 3 4", "1<2 1<3 2<4 3<4");
    let first = unlink(&diamond, ListingId(4), ListingId(2), chain_id(9)).unwrap();
    assert_eq!(first.kept, chain_id(1));
    assert_eq!(first.new_chain, None);
    let open = read_chain(1, "1 2 3 4", "1<2 1<3 3<4");
    let second = unlink(&open, ListingId(2), ListingId(1), chain_id(9)).unwrap();
    assert_eq!(second.new_chain, Some((chain_id(9), ids(&[2]))));
}

/// S-43: marks that stand at the new ends, which only a damaged store can hold, do not come back
/// to life.
#[test]
fn a_break_leaves_the_new_ends_unchecked_and_the_outer_ends_alone() {
    let chain = read_chain(1, "1^_ 2^_", "1<2");
    let unlink = unlink(&chain, ListingId(2), ListingId(1), chain_id(9)).unwrap();
    let new_ends = [(ListingId(2), End::Bottom), (ListingId(1), End::Top)];
    assert_eq!(unlink.cleared, new_ends);
}

/// S-44 and S-53.
#[test]
fn break_refusals() {
    let check = |members: &str, seller: i64, buyer: i64, message: &str| {
        let chain = read_chain(1, members, "1<2 2<3");
        let found = unlink(&chain, ListingId(seller), ListingId(buyer), chain_id(9));
        assert_eq!(found.unwrap_err().to_string(), message);
    };
    check(
        "1! 2! 3!",
        1,
        2,
        "seller listing 1 and buyer listing 2 are not linked",
    );
    check(
        "1! 2! 3!",
        3,
        1,
        "seller listing 3 and buyer listing 1 are not linked",
    );
    check(
        "1 2 3",
        7,
        1,
        "seller listing 7 and buyer listing 1 are not linked",
    );
    check(
        "1 2 3",
        1,
        1,
        "seller listing 1 and buyer listing 1 are not linked",
    );
    check(
        "1! 2! 3",
        2,
        1,
        "seller listing 2 is locked; unlock it first",
    );
    check("1! 2 3", 2, 1, "buyer listing 1 is locked; unlock it first");
}
