//! Which part keeps the id (S-42), and which end checks stay (S-43).

use super::unlink;
use crate::story;

/// Links of a straight chain of these UPRNs, bottom to top.
fn straight(uprns: std::ops::RangeInclusive<i64>) -> Vec<(i64, i64)> {
    let below = *uprns.start()..*uprns.end();
    below.map(|uprn| (uprn + 1, uprn)).collect()
}

story! {
    async fn the_longer_part_keeps_the_id(world) {
        let agent = world.agent("north").await;
        let ids = world.import_sales("north", 1..=5, &straight(1..=5)).await;
        let chain = agent.chain_of(ids[0]).await;
        // The upper part has three.
        unlink(&agent, ids[2], ids[1]).await.assert_success();
        assert_eq!(agent.members(ids[4]).await, ids[2..]);
        assert_eq!(agent.chain_of(ids[4]).await, chain);
        let lower = agent.chain_of(ids[0]).await;
        assert_eq!(agent.members(ids[1]).await, ids[..2]);
        assert_ne!(lower, chain);
        // The lower part has two.
        unlink(&agent, ids[4], ids[3]).await.assert_success();
        assert_eq!(agent.chain_of(ids[2]).await, chain);
        assert_eq!(agent.chain_of(ids[3]).await, chain);
        assert_ne!(agent.chain_of(ids[4]).await, chain);
        assert_ne!(agent.chain_of(ids[4]).await, lower);
    }
}

story! {
    async fn of_equal_parts_the_sellers_keeps_the_id(world) {
        let agent = world.agent("north").await;
        let ids = world.import_sales("north", 1..=4, &straight(1..=4)).await;
        let chain = agent.chain_of(ids[0]).await;
        unlink(&agent, ids[2], ids[1]).await.assert_success();
        assert_eq!(agent.chain_of(ids[3]).await, chain);
        assert_ne!(agent.chain_of(ids[0]).await, chain);
    }
}

story! {
    async fn the_new_ends_are_unchecked_and_the_outer_ones_keep_their_check(world) {
        let agent = world.agent("north").await;
        let ids = world.import_sales("north", 1..=4, &straight(1..=4)).await;
        for end in ["top", "bottom"] {
            let path = format!("/listing/chain/{}/check/{end}", ids[0]);
            agent.post_nothing(&path).await.assert_success();
        }
        unlink(&agent, ids[2], ids[1]).await.assert_success();
        assert_eq!(agent.checked_ends(ids[0]).await, "bottom");
        assert_eq!(agent.checked_ends(ids[3]).await, "top");
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 1).await.1, "IN_CHAIN 2: 1 bottom buys 2, 2");
        assert_eq!(world.told(&lender, 4).await.1, "IN_CHAIN 2: 3 buys 4, 4 top");
    }
}

story! {
    async fn a_split_chain_in_one_piece_keeps_its_id(world) {
        let agent = world.agent("north").await;
        // Sale 1 pays for 2 and 3, and both of them for 4.
        let links = [(2, 1), (3, 1), (4, 2), (4, 3)];
        let ids = world.import_sales("north", 1..=4, &links).await;
        let chain = agent.chain_of(ids[0]).await;
        for end in ["top", "bottom"] {
            let path = format!("/listing/chain/{}/check/{end}", ids[0]);
            agent.post_nothing(&path).await.assert_success();
        }
        unlink(&agent, ids[1], ids[0]).await.assert_success();
        for listing in &ids {
            assert_eq!(agent.chain_of(*listing).await, chain);
        }
        // Listing 2 is a bottom now, which nobody checked.
        assert_eq!(agent.checked_ends(ids[0]).await, "top");
        let lender = world.lender().await;
        assert_eq!(
            world.told(&lender, 1).await.1,
            "SPLIT_CHAIN 4: 1 bottom buys 3, 2 buys 4, 3 buys 4, 4 top"
        );
        let last = agent.history(ids[1]).await.pop().unwrap();
        assert_eq!(last["chain_link_id"], *chain);
    }
}

story! {
    async fn a_split_chain_falls_into_two(world) {
        let agent = world.agent("north").await;
        let links = [(2, 1), (3, 1), (4, 3)];
        let ids = world.import_sales("north", 1..=4, &links).await;
        let chain = agent.chain_of(ids[0]).await;
        unlink(&agent, ids[1], ids[0]).await.assert_success();
        assert_eq!(agent.chain_of(ids[0]).await, chain);
        assert_eq!(agent.members(ids[0]).await, [ids[0], ids[2], ids[3]]);
        assert_eq!(agent.members(ids[1]).await, [ids[1]]);
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 1).await.1, "IN_CHAIN 3: 1 buys 3, 3 buys 4, 4");
    }
}

story! {
    async fn a_new_top_of_several_counts_as_unchecked(world) {
        let agent = world.agent("north").await;
        // Sale 1 pays for 2 and 3, and 4 lies above 2.
        let ids = world.import_sales("north", 1..=4, &[(2, 1), (3, 1), (4, 2)]).await;
        let path = format!("/listing/chain/{}/check/top", ids[0]);
        agent.post_nothing(&path).await.assert_success();
        unlink(&agent, ids[3], ids[1]).await.assert_success();
        assert_eq!(agent.checked_ends(ids[0]).await, "");
        assert_eq!(agent.checked_ends(ids[3]).await, "top");
    }
}
