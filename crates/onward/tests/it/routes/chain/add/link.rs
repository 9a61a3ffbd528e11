//! `POST /api/v1/chain/add/link`: S-41 to S-43.

use serde_json::json;

use crate::story;

story! {
    async fn two_listings_become_one_chain_seller_above_buyer(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        let before = agent.chain_of(seller).await;
        let answer = agent.link(seller, buyer).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        let data = answer.json()["data"].clone();
        assert_eq!([&data[0]["id"], &data[1]["id"]], [&json!(buyer), &json!(seller)]);
        // Equal lengths: the seller's id survives (S-42).
        for listing in [seller, buyer] {
            assert_eq!(agent.chain_of(listing).await, before);
        }
    }
}

story! {
    async fn a_side_that_is_taken_is_named(world) {
        let agent = world.agent("north").await;
        let (top, middle, bottom) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        agent.link(top, middle).await;
        assert_eq!(
            agent.link(top, bottom).await.failure(),
            format!("409 seller_has_buyer (seller): seller listing {top} already has a buyer")
        );
        assert_eq!(
            agent.link(bottom, middle).await.failure(),
            format!("409 buyer_has_seller (buyer): buyer listing {middle} already has a seller")
        );
    }
}

story! {
    async fn an_unknown_listing_comes_before_a_foreign_one(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let theirs = south.list(1).await;
        assert_eq!(
            north.link(999, theirs).await.failure(),
            "404 listing_unknown (seller): seller listing 999 does not exist"
        );
        let also_theirs = south.list(2).await;
        assert_eq!(
            north.link(theirs, also_theirs).await.failure(),
            format!(
                "403 not_your_branch: neither seller listing {theirs} nor buyer listing \
                 {also_theirs} belongs to one of your branches"
            )
        );
    }
}
