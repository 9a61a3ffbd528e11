//! A chain as it stands: orientation, order, type, ends, and what is malformed.

use chain::ids::{BranchId, ListingId};
use chain::state::{Chain, ChainType, MAX_LISTINGS, MalformedChain};

use crate::sample::{chain_id, ids, link, member, read_chain, straight, try_chain};

/// The specification's example: `add/link {seller: S, buyer: B}` puts B below S. B has the higher
/// id here, so that the order cannot come from the ids.
#[test]
fn orientation() {
    let (buyer, seller) = (ListingId(900), ListingId(812));
    let chain = read_chain(1, "812^ 900_", "900<812");
    assert_eq!(chain.listings(), [buyer, seller]);
    assert_eq!(chain.position(buyer), Some(0));
    assert_eq!(chain.position(seller), Some(1));
    assert_eq!(chain.onward_purchases(buyer), [seller]);
    assert_eq!(chain.buyers_sales(seller), [buyer]);
    assert!(chain.onward_purchases(seller).is_empty());
    assert!(chain.buyers_sales(buyer).is_empty());
    assert!(chain.is_top_closed(seller));
    assert!(chain.is_bottom_closed(buyer));
    assert!(chain.top_checked() && chain.bottom_checked());
}

#[test]
fn the_order_is_by_longest_distance_from_a_bottom_then_by_id() {
    let check = |members: &str, links: &str, expected: &[i64]| {
        let chain = read_chain(1, members, links);
        assert_eq!(chain.listings(), ids(expected), "{links}");
        let members: Vec<i64> = chain.members().iter().map(|one| one.listing.0).collect();
        assert_eq!(members, expected, "{links}");
    };
    check("7", "", &[7]);
    check("1 2 3 4", "4<3 3<2 2<1", &[4, 3, 2, 1]);
    // Two sales below one purchase: both are bottoms.
    check("5 9 2", "9<5 2<5", &[2, 9, 5]);
    // Two purchases above one sale.
    check("5 9 2", "5<9 5<2", &[5, 2, 9]);
    // 1 lies directly above the bottom 4 and above the longer way by 3: the longest way counts.
    check("1 2 3 4", "4<1 4<3 3<1 1<2", &[4, 3, 1, 2]);
    // A bottom that joins high up still comes first.
    check("1 2 3 8", "3<2 2<1 8<1", &[3, 8, 2, 1]);
}

#[test]
fn neighbours_and_ends_are_in_chain_order() {
    let chain = read_chain(1, "1 2 3 4 5", "5<4 5<1 4<2 5<2 3<2");
    assert_eq!(chain.listings(), ids(&[3, 5, 1, 4, 2]));
    assert_eq!(chain.onward_purchases(ListingId(5)), ids(&[1, 4, 2]));
    assert_eq!(chain.buyers_sales(ListingId(2)), ids(&[3, 5, 4]));
    assert_eq!(chain.tops(), ids(&[1, 2]));
    assert_eq!(chain.bottoms(), ids(&[3, 5]));
    assert_eq!(
        chain.links(),
        [link(3, 2), link(5, 1), link(5, 4), link(5, 2), link(4, 2)]
    );
}

/// S-8.
#[test]
fn chain_types() {
    let check = |members: &str, links: &str, expected: ChainType| {
        let chain = read_chain(1, members, links);
        assert_eq!(chain.chain_type(), expected, "{links}");
    };
    check("1", "", ChainType::NotInChain);
    check("1 2", "1<2", ChainType::InChain);
    check("1 2 3", "1<2 2<3", ChainType::InChain);
    check("1 2 3", "1<2 1<3", ChainType::SplitChain);
    check("1 2 3", "1<3 2<3", ChainType::SplitChain);
}

/// S-10 and S-43.
#[test]
fn ends_are_closed_only_where_they_are_ends() {
    let check = |members: &str, tops: &[i64], bottoms: &[i64], checked: (bool, bool)| {
        let chain = read_chain(1, members, "1<2 2<3 2<4");
        let closed = |is_closed: &dyn Fn(ListingId) -> bool| -> Vec<i64> {
            (1..=4).filter(|id| is_closed(ListingId(*id))).collect()
        };
        assert_eq!(closed(&|id| chain.is_top_closed(id)), tops, "{members}");
        assert_eq!(
            closed(&|id| chain.is_bottom_closed(id)),
            bottoms,
            "{members}"
        );
        assert_eq!(
            (chain.top_checked(), chain.bottom_checked()),
            checked,
            "{members}"
        );
    };
    check("1 2 3 4", &[], &[], (false, false));
    check("1 2 3^ 4", &[3], &[], (false, false));
    check("1 2 3^ 4^", &[3, 4], &[], (true, false));
    check("1_ 2 3 4", &[], &[1], (false, true));
    // Marks away from their end say nothing.
    check("1^ 2^_ 3_ 4_", &[], &[], (false, false));
}

#[test]
fn a_stranger_has_no_place() {
    let chain = read_chain(1, "1^_", "");
    let stranger = ListingId(2);
    assert_eq!(chain.position(stranger), None);
    assert_eq!(chain.member(stranger), None);
    assert!(chain.onward_purchases(stranger).is_empty());
    assert!(chain.buyers_sales(stranger).is_empty());
    assert!(!chain.is_top_closed(stranger));
    assert!(!chain.is_bottom_closed(stranger));
    assert!(chain.order().find_piece(stranger, None).is_empty());
    assert!(!chain.order().lies_above(stranger, ListingId(1)));
}

#[test]
fn members_keep_what_is_known_of_them() {
    let upper = chain::state::Member {
        branch: BranchId(77),
        is_locked: true,
        ..member(1)
    };
    let chain = Chain::new(chain_id(5), vec![upper, member(2)], vec![link(2, 1)]).unwrap();
    assert_eq!(chain.id(), chain_id(5));
    assert_eq!(chain.length(), 2);
    assert_eq!(chain.members(), [member(2), upper]);
    assert_eq!(chain.member(ListingId(1)), Some(&upper));
}

#[test]
fn malformed_chains_are_refused() {
    let check = |members: &str, links: &str, expected: MalformedChain| {
        assert_eq!(
            try_chain(1, members, links),
            Err(expected),
            "{members}; {links}"
        );
    };
    check("", "", MalformedChain::Empty);
    let listing = ListingId(2);
    check("2 1 2", "1<2", MalformedChain::DuplicateListing { listing });
    check("1 3", "1<3 1<2", MalformedChain::Stranger { listing });
    check("1 3", "1<3 2<3", MalformedChain::Stranger { listing });
    let twice = MalformedChain::DuplicateLink { link: link(1, 2) };
    check("1 2 3", "1<2 2<3 1<2", twice);
    check("1", "1<1", MalformedChain::Ring);
    check("1 2", "1<2 2<1", MalformedChain::Ring);
    check("1 2 3 4", "1<2 2<3 3<4 4<2", MalformedChain::Ring);
    check("1 2", "", MalformedChain::Disconnected { listing });
    let listing = ListingId(3);
    check(
        "1 2 3 4",
        "1<2 3<4",
        MalformedChain::Disconnected { listing },
    );
}

/// S-54.
#[test]
fn a_chain_has_at_most_100_listings() {
    assert_eq!(MAX_LISTINGS, 100);
    assert_eq!(straight(1, 1, 100).length(), 100);
    let members = (1..=101).map(member).collect();
    let links = (1..=100).map(|lower| link(lower, lower + 1)).collect();
    let refusal = Chain::new(chain_id(1), members, links).unwrap_err();
    assert_eq!(refusal, MalformedChain::TooLong { length: 101 });
    assert_eq!(
        refusal.to_string(),
        "the chain has 101 listings, but at most 100 are allowed"
    );
}
