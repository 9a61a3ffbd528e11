//! What is not linked, and in which order it is said: 404, 403, 409 (S-41).

use crate::story;
use crate::world::manners::{all_of, code};

story! {
    async fn a_side_that_is_taken_is_named(world) {
        let agent = world.agent("north").await;
        let (top, middle, bottom) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        agent.link(top, middle).await;
        let before = all_of(&agent).await;
        world.clock.advance(1);
        assert_eq!(
            agent.link(top, bottom).await.failure(),
            format!("409 seller_has_buyer (seller): seller listing {top} already has a buyer")
        );
        assert_eq!(
            agent.link(bottom, middle).await.failure(),
            format!("409 buyer_has_seller (buyer): buyer listing {middle} already has a seller")
        );
        // The same link once more, without a key.
        assert_eq!(code(&agent.link(top, middle).await), "409 buyer_has_seller (buyer)");
        assert_eq!(all_of(&agent).await, before);
    }
}

story! {
    async fn an_unknown_listing_comes_before_a_foreign_one(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (theirs, also_theirs) = (south.list(1).await, south.list(2).await);
        assert_eq!(
            north.link(999, theirs).await.failure(),
            "404 listing_unknown (seller): seller listing 999 does not exist"
        );
        assert_eq!(
            north.link(theirs, 999).await.failure(),
            "404 listing_unknown (buyer): buyer listing 999 does not exist"
        );
        assert_eq!(
            north.link(998, 999).await.failure(),
            "404 listing_unknown (seller): seller listing 998 does not exist"
        );
        assert_eq!(
            north.link(theirs, also_theirs).await.failure(),
            format!(
                "403 not_your_branch: neither seller listing {theirs} nor buyer listing \
                 {also_theirs} belongs to one of your branches"
            )
        );
    }
}

story! {
    async fn who_may_not_link_learns_nothing_of_the_listings(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, middle, bottom) = (south.list(1).await, south.list(2).await, south.list(3).await);
        south.link(top, middle).await;
        south.lock(bottom, true).await;
        for (seller, buyer) in [(top, middle), (top, bottom), (bottom, middle), (middle, top),
            (top, top), (middle, bottom)] {
            assert_eq!(
                north.link(seller, buyer).await.failure(),
                format!(
                    "403 not_your_branch: neither seller listing {seller} nor buyer listing \
                     {buyer} belongs to one of your branches"
                )
            );
        }
        // Who has one side is told why the other side cannot be, and only that.
        let ours = north.list(4).await;
        assert_eq!(
            north.link(top, ours).await.failure(),
            format!("409 seller_has_buyer (seller): seller listing {top} already has a buyer")
        );
    }
}

story! {
    async fn a_withdrawn_listing_does_not_exist(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (ours, theirs) = (north.list(1).await, south.list(2).await);
        let gone = [north.list(3).await, south.list(4).await];
        north.delete(&format!("/listing/{}", gone[0])).await.assert_success();
        south.delete(&format!("/listing/{}", gone[1])).await.assert_success();
        for gone in gone {
            for ours in [ours, theirs, gone] {
                assert_eq!(
                    north.link(gone, ours).await.failure(),
                    format!("404 listing_unknown (seller): seller listing {gone} does not exist")
                );
            }
            assert_eq!(
                north.link(ours, gone).await.failure(),
                format!("404 listing_unknown (buyer): buyer listing {gone} does not exist")
            );
        }
    }
}

story! {
    async fn a_listing_is_not_linked_to_itself_and_a_chain_never_becomes_a_ring(world) {
        let agent = world.agent("north").await;
        let (top, middle, bottom) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        assert_eq!(
            agent.link(top, top).await.failure(),
            format!("409 same_listing: seller and buyer are both listing {top}; name two listings")
        );
        agent.link(top, middle).await;
        agent.link(middle, bottom).await;
        assert_eq!(code(&agent.link(middle, middle).await), "409 same_listing");
        assert_eq!(
            agent.link(bottom, top).await.failure(),
            format!(
                "409 same_chain: seller listing {bottom} and buyer listing {top} are already in \
                 one chain; linking them would close a ring"
            )
        );
        assert_eq!(agent.members(top).await, [bottom, middle, top]);
    }
}

story! {
    async fn two_ends_of_a_split_chain_are_in_one_chain_already(world) {
        let agent = world.agent("north").await;
        // Sale 1 pays for 2 and 3; sale 4 pays for 3 as well.
        let links = [(2, 1), (3, 1), (3, 4)];
        let ids = world.import_sales("north", [1, 2, 3, 4], &links).await;
        assert_eq!(code(&agent.link(ids[3], ids[1]).await), "409 same_chain");
        assert_eq!(code(&agent.link(ids[0], ids[2]).await), "409 same_chain");
        assert_eq!(code(&agent.link(ids[1], ids[3]).await), "409 buyer_has_seller (buyer)");
    }
}

story! {
    async fn of_links_that_exclude_each_other_one_is_made(world) {
        let agent = world.agent("north").await;
        let (seller, one, other) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        let [first, second] = [one, other].map(|buyer| {
            let agent = agent.clone();
            tokio::spawn(async move { agent.link(seller, buyer).await })
        });
        let mut answers = [first.await.unwrap(), second.await.unwrap()];
        answers.sort_by_key(|answer| answer.status);
        assert_eq!(answers[0].status, 200);
        assert_eq!(code(&answers[1]), "409 seller_has_buyer (seller)");
        assert_eq!(agent.members(seller).await.len(), 2);
        // A ring of two, made from both sides at once.
        let (up, down) = (agent.list(4).await, agent.list(5).await);
        let [first, second] = [(up, down), (down, up)].map(|(seller, buyer)| {
            let agent = agent.clone();
            tokio::spawn(async move { agent.link(seller, buyer).await.status })
        });
        let mut statuses = [first.await.unwrap(), second.await.unwrap()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
    }
}
