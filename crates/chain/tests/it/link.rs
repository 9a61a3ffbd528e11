//! Adding and breaking links by example (S-41 to S-44, S-46, S-53, S-54).

use chain::ends::End;
use chain::ids::ListingId;
use chain::link::{Join, LinkRefusal, LinkRule, Side, Unlink, join, unlink};
use chain::state::{Chain, Link};

use crate::sample::{chain_id, ids, link, read_chain, read_links, straight};

/// Links the buyer in the chain `lower` with the seller in the chain `upper`.
fn try_join(lower: &Chain, upper: &Chain, link: Link, rule: LinkRule) -> Result<Join, LinkRefusal> {
    join(upper, lower, link, rule)
}

/// S-42.
#[test]
fn the_longer_chain_keeps_its_id_and_the_seller_wins_a_tie() {
    for (lower, upper, survivor, dissolved, moved) in [
        (1, 1, 2, 1, ids(&[1])),
        (2, 2, 2, 1, ids(&[1, 2])),
        (3, 2, 1, 2, ids(&[51, 52])),
        (2, 3, 2, 1, ids(&[1, 2])),
    ] {
        let link = link(lower, 51);
        let (below, above) = (straight(1, 1, lower), straight(2, 51, upper));
        let expected = Join {
            link,
            survivor: chain_id(survivor),
            dissolved: Some((chain_id(dissolved), moved)),
            cleared: vec![],
        };
        let found = try_join(&below, &above, link, LinkRule::OneToOne);
        assert_eq!(found, Ok(expected), "{lower} below {upper}");
    }
}

/// S-43: exactly the two ends that meet. S-53: a lock at another listing does not matter.
#[test]
fn a_link_clears_the_checks_that_it_covers() {
    let (upper, lower) = ((ListingId(3), End::Bottom), (ListingId(2), End::Top));
    for (below, above, cleared) in [
        ("1 2", "3 4", vec![]),
        ("1!_ 2", "3 4!^", vec![]),
        ("1_ 2^", "3_ 4^", vec![upper, lower]),
        ("1_ 2^", "3 4^", vec![lower]),
        ("1_ 2", "3_ 4^", vec![upper]),
    ] {
        let (below, above) = (read_chain(1, below, "1<2"), read_chain(2, above, "3<4"));
        let found = try_join(&below, &above, link(2, 3), LinkRule::OneToOne);
        assert_eq!(found.unwrap().cleared, cleared);
    }
}

/// S-41. A row has a link, the side that the refusal is about, and the text. Most rows have a
/// second fault, so that the order of the refusals shows.
#[test]
fn links_are_refused_for_the_first_reason_of_s_41() {
    const ONE_TO_ONE: &str = "\
        2<2 |        | seller and buyer are both listing 2; name two listings
        1<4 | buyer  | buyer listing 1 already has a seller
        1<2 | buyer  | buyer listing 1 already has a seller
        2<4 | seller | seller listing 4 already has a buyer
        2<1 |        | seller listing 1 and buyer listing 2 are already in one chain; linking them would close a ring
        2<3 | seller | seller listing 3 is locked; unlock it first
        2<5 | buyer  | buyer listing 2 is locked; unlock it first
        5<9 | seller | seller listing 9 is not in the chain; read its chain again
        9<5 | buyer  | buyer listing 9 is not in the chain; read its chain again";
    const SPLIT: &str = "\
        6<7 |        | seller listing 7 and buyer listing 6 are already linked
        7<6 |        | buyer listing 7 already lies above seller listing 6; linking them would close a ring
        8<6 |        | buyer listing 8 already lies above seller listing 6; linking them would close a ring
        6<6 |        | seller and buyer are both listing 6; name two listings
        9<6 | buyer  | buyer listing 9 is not in the chain; read its chain again";
    let chains = [
        read_chain(1, "1! 2!", "1<2"),
        read_chain(2, "3! 4!", "3<4"),
        read_chain(3, "5", ""),
        read_chain(4, "6 7 8", "6<7 7<8"),
    ];
    let find = |listing| {
        let mut chains = chains.iter();
        chains.find(|chain| chain.position(listing).is_some())
    };
    for (rule, table) in [(LinkRule::OneToOne, ONE_TO_ONE), (LinkRule::Split, SPLIT)] {
        for row in table.lines() {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let link = read_links(cells[0])[0];
            // Listing 9 is in no chain, as if it had moved since its chain was read.
            let [lower, upper] = [link.buyer, link.seller].map(|id| find(id).unwrap_or(&chains[3]));
            let refusal = try_join(lower, upper, link, rule).unwrap_err();
            assert_eq!(refusal.side().map_or("", Side::as_str), cells[1], "{row}");
            assert_eq!(refusal.to_string(), cells[2]);
        }
    }
}

/// S-41: a home with several listings never lies above itself. `7=1` is a second listing of home 1.
#[test]
fn no_link_closes_a_ring_of_homes() {
    const RING: &str = "would close a ring: a home with several listings would lie above itself";
    for (lower, upper, buyer_below_seller, said) in [
        ("1 2|1<2", "7=1|", "2<7", RING),
        ("1 2|1<2", "5 7=1|5<7", "2<5", RING),
        ("4 1 2|4<1 1<2", "5 7=1 6|5<7 7<6", "2<5", RING),
        ("1 2|1<2", "5 8=2|5<8", "2<5", RING),
        // The link itself is on no way from home 1 to home 1.
        ("1 2 3|1<2 3<2", "6 7=1 8=2|6<7 8<7", "6<3", RING),
        ("1|", "7=1|", "1<7", "are of the same property"),
        ("1 2 3|1<2 2<3", "4 5|4<5", "3<4", ""),
        // Both listings of home 1 buy the same home, or different ones.
        ("1 2|1<2", "7=1 5|7<5", "2<5", ""),
        ("6 7=1|6<7", "1 2|1<2", "6<1", ""),
    ] {
        let read = |number, text: &str| {
            let (members, links) = text.split_once('|').unwrap();
            read_chain(number, members, links)
        };
        let (lower, upper) = (read(1, lower), read(2, upper));
        let wanted = read_links(buyer_below_seller)[0];
        let [buyers, sellers] = [wanted.buyer, wanted.seller].map(|listing| {
            let holders = [&lower, &upper];
            *holders
                .iter()
                .find(|chain| chain.position(listing).is_some())
                .unwrap()
        });
        let found = join(sellers, buyers, wanted, LinkRule::Split);
        let found = found.map_or_else(|refusal| refusal.to_string(), |_| String::new());
        assert!(found.ends_with(said), "{buyer_below_seller}: {found}");
        assert_eq!(
            found.is_empty(),
            said.is_empty(),
            "{buyer_below_seller}: {found}"
        );
    }
}

/// S-54.
#[test]
fn a_joined_chain_stays_within_100_listings() {
    let above = straight(2, 201, 40);
    let refused = "linking seller listing 201 and buyer listing 61 would make a chain of 101 \
                   listings; the limit is 100";
    for rule in [LinkRule::OneToOne, LinkRule::Split] {
        assert!(try_join(&straight(1, 1, 60), &above, link(60, 201), rule).is_ok());
        let refusal = try_join(&straight(1, 1, 61), &above, link(61, 201), rule);
        assert_eq!(refusal.unwrap_err().to_string(), refused);
    }
}

/// S-46: any number of links, and within one chain a second way up.
#[test]
fn split_links_join_two_chains_or_add_a_way_within_one() {
    let chain = read_chain(1, "1_ 2 3 4^", "1<2 2<4 1<3");
    for link in read_links("3<4 1<4 2<3 3<2") {
        let join = try_join(&chain, &chain, link, LinkRule::Split).unwrap();
        assert_eq!(join.survivor, chain_id(1));
        assert_eq!((join.dissolved, join.cleared), (None, vec![]));
    }
    let (lower, upper) = (read_chain(1, "1 2", "1<2"), read_chain(2, "8_ 9", "8<9"));
    let join = try_join(&lower, &upper, link(1, 8), LinkRule::Split).unwrap();
    assert_eq!(join.survivor, chain_id(2));
    assert_eq!(join.cleared, [(ListingId(8), End::Bottom)]);
}

/// S-42 and S-43. Checks at the new ends, which only a damaged store can hold, are cleared.
#[test]
fn a_break_moves_the_shorter_part_and_the_seller_wins_a_tie() {
    let new_ends = vec![(ListingId(2), End::Bottom), (ListingId(1), End::Top)];
    for (members, links, broken, moved, cleared) in [
        ("1 2 3 4", "1<2 2<3 3<4", "1<2", Some(vec![1]), vec![]),
        ("1 2 3 4", "1<2 2<3 3<4", "2<3", Some(vec![1, 2]), vec![]),
        ("1 2 3 4", "1<2 2<3 3<4", "3<4", Some(vec![4]), vec![]),
        // One piece remains, so no chain begins.
        ("1 2 3 4", "1<2 1<3 2<4 3<4", "2<4", None, vec![]),
        ("1 2 3 4", "1<2 1<3 3<4", "1<2", Some(vec![2]), vec![]),
        ("1^_ 2^_", "1<2", "1<2", Some(vec![1]), new_ends),
    ] {
        let link = read_links(broken)[0];
        let chain = read_chain(1, members, links);
        let expected = Unlink {
            link,
            kept: chain_id(1),
            new_chain: moved.map(|moved| (chain_id(9), ids(&moved))),
            cleared,
        };
        let found = unlink(&chain, link, chain_id(9));
        assert_eq!(found, Ok(expected), "{links} without {broken}");
    }
}

/// S-44 and S-53.
#[test]
fn breaks_are_refused_without_a_link_or_with_a_lock() {
    const TABLE: &str = "\
        1! 2! 3! | 2<1 | seller listing 1 and buyer listing 2 are not linked
        1! 2! 3! | 1<3 | seller listing 3 and buyer listing 1 are not linked
        1 2 3    | 1<7 | seller listing 7 and buyer listing 1 are not linked
        1 2 3    | 1<1 | seller listing 1 and buyer listing 1 are not linked
        1! 2! 3  | 1<2 | seller listing 2 is locked; unlock it first
        1! 2 3   | 1<2 | buyer listing 1 is locked; unlock it first";
    for row in TABLE.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let chain = read_chain(1, cells[0], "1<2 2<3");
        let link = read_links(cells[1])[0];
        let refusal = unlink(&chain, link, chain_id(9));
        assert_eq!(refusal.unwrap_err().to_string(), cells[2]);
    }
}
