//! Which id the joined chain has (S-42), and how long it may be (S-54).

use crate::story;

story! {
    async fn the_longer_chain_keeps_its_id(world) {
        let agent = world.agent("north").await;
        let links = [(12, 11), (22, 21), (23, 22)];
        let ids = world.import_sales("north", [11, 12, 21, 22, 23, 31], &links).await;
        let [a1, a2, b1, _b2, b3, alone] = ids[..] else { panic!() };
        let (two, three) = (agent.chain_of(a1).await, agent.chain_of(b1).await);

        // The buyer's chain is the longer one.
        assert_eq!(agent.link(a1, b3).await.status, 200);
        for listing in [a1, a2, b1, b3] {
            assert_eq!(agent.chain_of(listing).await, three);
        }
        assert_eq!(agent.members(a1).await, [ids[2], ids[3], ids[4], ids[0], ids[1]]);
        assert_eq!(agent.get(&format!("/chain/{two}/listings")).await.status, 404);

        // The seller's chain is the longer one.
        assert_eq!(agent.link(b1, alone).await.status, 200);
        assert_eq!(agent.chain_of(alone).await, three);
    }
}

story! {
    async fn of_equal_chains_the_sellers_keeps_its_id(world) {
        let agent = world.agent("north").await;
        let ids = world.import_sales("north", [11, 12, 21, 22], &[(12, 11), (22, 21)]).await;
        let seller = agent.chain_of(ids[2]).await;
        assert_eq!(agent.link(ids[2], ids[1]).await.status, 200);
        for listing in &ids {
            assert_eq!(agent.chain_of(*listing).await, seller);
        }
    }
}

story! {
    async fn a_hundred_listings_are_the_limit(world) {
        let agent = world.agent("north").await;
        let links: Vec<(i64, i64)> = (1..98).map(|uprn| (uprn + 1, uprn)).collect();
        let ids = world.import_sales("north", 1..=98, &links).await;
        let (bottom, top) = (ids[0], ids[97]);
        let others = world.import_sales("north", [201, 202, 203], &[(202, 201)]).await;
        // 98 and 2 are 100.
        let (below, at) = (others[0], others[1]);
        let single = others[2];
        assert_eq!(agent.link(single, top).await.status, 200);
        let refused = agent.link(bottom, at).await.failure();
        assert_eq!(
            refused,
            format!(
                "409 chain_too_long: linking seller listing {bottom} and buyer listing {at} \
                 would make a chain of 101 listings; the limit is 100"
            )
        );
        assert_eq!(agent.members(below).await, [below, at]);
        let last = agent.list(301).await;
        assert_eq!(agent.link(bottom, last).await.status, 200);
        assert_eq!(agent.members(top).await.len(), 100);
        let one_more = agent.list(302).await;
        assert_eq!(agent.link(last, one_more).await.status, 409);
    }
}

story! {
    async fn a_listing_joins_a_split_chain_at_one_of_its_ends(world) {
        let agent = world.agent("north").await;
        // Sale 1 pays for the purchases 2 and 3.
        let ids = world.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        let above = agent.list(4).await;
        assert_eq!(agent.link(above, ids[2]).await.status, 200);
        assert_eq!(agent.members(above).await, [ids[0], ids[1], ids[2], above]);
        let lender = world.lender().await;
        assert_eq!(
            world.told(&lender, 4).await.1,
            "SPLIT_CHAIN 4: 1 buys 2 buys 3, 2, 3 buys 4, 4"
        );
    }
}
