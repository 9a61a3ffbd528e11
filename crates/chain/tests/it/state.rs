//! Chains: orientation, order, type, ends, and malformed chains.

use chain::ids::{BranchId, ListingId};
use chain::state::{Chain, ChainType, MAX_LISTINGS, MalformedChain, Member};

use crate::sample::{chain_id, ids, link, member, read_chain, straight, try_chain};

/// The specification's example: `add/link {seller: S, buyer: B}` puts B below S. B has the higher
/// id here, so that the order cannot come from the ids.
#[test]
fn the_buyer_lies_below_the_seller() {
    let (buyer, seller) = (ListingId(900), ListingId(812));
    let chain = read_chain(1, "812^ 900_", "900<812");
    assert_eq!(chain.listings(), [buyer, seller]);
    assert_eq!(chain.position(buyer), Some(0));
    assert_eq!(chain.position(seller), Some(1));
    assert_eq!(chain.onward_purchases(buyer), [seller]);
    assert_eq!(chain.buyers_sales(seller), [buyer]);
    assert!(chain.is_top_closed(seller) && chain.is_bottom_closed(buyer));
    assert!(chain.top_checked() && chain.bottom_checked());
}

/// S-8 and S-9: the order goes by the longest distance from a bottom, then by id.
#[test]
fn order_and_type() {
    let check = |members: &str, links: &str, expected: &[i64], chain_type| {
        let chain = read_chain(1, members, links);
        assert_eq!(chain.listings(), ids(expected), "{links}");
        let members: Vec<i64> = chain.members().iter().map(|one| one.listing.0).collect();
        assert_eq!(members, expected, "{links}");
        assert_eq!(chain.chain_type(), chain_type, "{links}");
    };
    check("7", "", &[7], ChainType::NotInChain);
    check("1 2", "1<2", &[1, 2], ChainType::InChain);
    check("1 2 3 4", "4<3 3<2 2<1", &[4, 3, 2, 1], ChainType::InChain);
    let split = ChainType::SplitChain;
    // Two sales below one purchase: both are bottoms.
    check("5 9 2", "9<5 2<5", &[2, 9, 5], split);
    // Two purchases above one sale.
    check("5 9 2", "5<9 5<2", &[5, 2, 9], split);
    // 1 lies directly above the bottom 4, but the longer way by 3 counts.
    check("1 2 3 4", "4<1 4<3 3<1 1<2", &[4, 3, 1, 2], split);
    // A bottom that joins high up still comes first.
    check("1 2 3 8", "3<2 2<1 8<1", &[3, 8, 2, 1], split);
}

#[test]
fn neighbours_and_ends_are_in_chain_order() {
    let chain = read_chain(1, "1 2 3 4 5", "5<4 5<1 4<2 5<2 3<2");
    assert_eq!(chain.listings(), ids(&[3, 5, 1, 4, 2]));
    assert_eq!(chain.onward_purchases(ListingId(5)), ids(&[1, 4, 2]));
    assert_eq!(chain.buyers_sales(ListingId(2)), ids(&[3, 5, 4]));
    assert_eq!(chain.tops(), ids(&[1, 2]));
    assert_eq!(chain.bottoms(), ids(&[3, 5]));
    let links = [(3, 2), (5, 1), (5, 4), (5, 2), (4, 2)].map(|(buyer, seller)| link(buyer, seller));
    assert_eq!(chain.links(), links);
}

/// S-10 and S-43.
#[test]
fn ends_are_closed_only_where_they_are_ends() {
    let check = |members: &str, tops: &[i64], bottoms: &[i64], checked: (bool, bool)| {
        let chain = read_chain(1, members, "1<2 2<3 2<4");
        let mut closed = ids(&[1, 2, 3, 4]);
        closed.retain(|listing| chain.is_top_closed(*listing));
        assert_eq!(closed, ids(tops), "{members}");
        closed = ids(&[1, 2, 3, 4]);
        closed.retain(|listing| chain.is_bottom_closed(*listing));
        assert_eq!(closed, ids(bottoms), "{members}");
        let found = (chain.top_checked(), chain.bottom_checked());
        assert_eq!(found, checked, "{members}");
    };
    check("1 2 3 4", &[], &[], (false, false));
    check("1 2 3^ 4", &[3], &[], (false, false));
    check("1 2 3^ 4^", &[3, 4], &[], (true, false));
    check("1_ 2 3 4", &[], &[1], (false, true));
    // Checks away from their end do not count.
    check("1^ 2^_ 3_ 4_", &[], &[], (false, false));
}

#[test]
fn a_listing_outside_the_chain_has_no_place() {
    let chain = read_chain(1, "1^_", "");
    let outside = ListingId(2);
    assert_eq!(
        (chain.position(outside), chain.member(outside)),
        (None, None)
    );
    assert!(chain.onward_purchases(outside).is_empty());
    assert!(chain.buyers_sales(outside).is_empty());
    assert!(!chain.is_top_closed(outside) && !chain.is_bottom_closed(outside));
}

#[test]
fn members_keep_their_branch_and_lock() {
    let upper = Member {
        branch: BranchId(77),
        is_locked: true,
        ..member(1)
    };
    let chain = Chain::new(chain_id(5), vec![upper, member(2)], vec![link(2, 1)]).unwrap();
    assert_eq!((chain.id(), chain.length()), (chain_id(5), 2));
    assert_eq!(chain.members(), [member(2), upper]);
    assert_eq!(chain.member(ListingId(1)), Some(&upper));
}

#[test]
fn malformed_chains_are_refused() {
    use MalformedChain::{Disconnected, DuplicateLink, DuplicateListing, Empty, NotInChain, Ring};
    let check = |members: &str, links: &str, expected: MalformedChain| {
        let found = try_chain(1, members, links);
        assert_eq!(found, Err(expected), "{members}; {links}");
    };
    check("", "", Empty);
    let listing = ListingId(2);
    check("2 1 2", "1<2", DuplicateListing { listing });
    check("1 3", "1<3 1<2", NotInChain { listing });
    check("1 3", "1<3 2<3", NotInChain { listing });
    let link = link(1, 2);
    check("1 2 3", "1<2 2<3 1<2", DuplicateLink { link });
    check("1", "1<1", Ring);
    check("1 2", "1<2 2<1", Ring);
    check("1 2 3 4", "1<2 2<3 3<4 4<2", Ring);
    check("1 2", "", Disconnected { listing });
    let listing = ListingId(3);
    check("1 2 3 4", "1<2 3<4", Disconnected { listing });
}

/// S-54.
#[test]
fn a_chain_has_at_most_100_listings() {
    assert_eq!(MAX_LISTINGS, 100);
    assert_eq!(straight(1, 1, 100).length(), 100);
    let members = (1..=101).map(member).collect();
    let refusal = Chain::new(chain_id(1), members, vec![]).unwrap_err();
    let text = "the chain has 101 listings, but at most 100 are allowed";
    assert_eq!(refusal.to_string(), text);
}
