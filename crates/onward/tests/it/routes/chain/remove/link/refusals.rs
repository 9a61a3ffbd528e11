//! Links that cannot be broken: 404, 403, 409 (S-41, S-44).

use crate::story;

story! {
    async fn only_a_link_that_exists_can_be_broken(server) {
        let agent = server.agent("north").await;
        let [bottom, middle, top] = agent.list_chain([1, 2, 3]).await;
        let alone = agent.list(4).await;
        let before = agent.see_all().await;
        server.clock.advance(1);
        // Apart, the wrong way round, in one chain but not next to each other, the same.
        for (seller, buyer) in [(alone, top), (middle, top), (top, bottom), (top, top)] {
            assert_eq!(
                agent.unlink(seller, buyer).await.failure(),
                format!(
                    "409 not_linked: seller listing {seller} and buyer listing {buyer} are not \
                     linked"
                )
            );
        }
        assert_eq!(agent.see_all().await, before);
        agent.unlink(top, middle).await.assert_success();
        assert_eq!(agent.unlink(top, middle).await.code(), "409 not_linked");
    }
}

story! {
    async fn unknown_comes_before_foreign_before_not_linked(server) {
        let [north, south] = server.two_agents().await;
        let [bottom, top] = south.list_chain([1, 2]).await;
        assert_eq!(
            north.unlink(999, bottom).await.failure(),
            "404 listing_unknown (seller): seller listing 999 does not exist"
        );
        assert_eq!(
            north.unlink(top, 999).await.failure(),
            "404 listing_unknown (buyer): buyer listing 999 does not exist"
        );
        // Linked or not, locked or not: the answer is the same.
        for is_locked in [false, true] {
            south.lock(top, is_locked).await;
            for (seller, buyer) in [(top, bottom), (bottom, top), (top, top)] {
                assert_eq!(
                    north.unlink(seller, buyer).await.failure(),
                    format!(
                        "403 not_your_branch: neither seller listing {seller} nor buyer listing \
                         {buyer} belongs to one of your branches"
                    )
                );
            }
        }
    }
}
