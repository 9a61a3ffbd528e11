//! Which links are refused, and in which order: 404, 403, 409 (S-41).

use crate::story;

story! {
    async fn a_side_that_is_taken_is_named(server) {
        let agent = server.agent("north").await;
        let [top, middle, bottom] = agent.list_each([1, 2, 3]).await;
        agent.link(top, middle).await;
        let before = agent.see_all().await;
        server.clock.advance(1);
        assert_eq!(
            agent.link(top, bottom).await.failure(),
            format!("409 seller_has_buyer (seller): seller listing {top} already has a buyer")
        );
        assert_eq!(
            agent.link(bottom, middle).await.failure(),
            format!("409 buyer_has_seller (buyer): buyer listing {middle} already has a seller")
        );
        // The same link once more, without a key.
        assert_eq!(agent.link(top, middle).await.code(), "409 buyer_has_seller (buyer)");
        assert_eq!(agent.see_all().await, before);
    }
}

story! {
    async fn a_listing_that_is_unknown_or_withdrawn_comes_before_a_foreign_one(server) {
        let [north, south] = server.two_agents().await;
        let [theirs, their_gone] = south.list_each([1, 2]).await;
        let [ours, our_gone] = north.list_each([3, 4]).await;
        south.withdraw(their_gone).await;
        north.withdraw(our_gone).await;
        for unknown in [999, their_gone, our_gone] {
            for other in [ours, theirs, unknown] {
                for (answer, side) in [(north.link(unknown, other).await, "seller"),
                    (north.link(other, unknown).await, "buyer")]
                {
                    // Of two unknown ones the seller is named.
                    let side = if other == unknown { "seller" } else { side };
                    assert_eq!(answer.failure(), format!(
                        "404 listing_unknown ({side}): {side} listing {unknown} does not exist"
                    ));
                }
            }
        }
    }
}

story! {
    async fn a_listing_is_not_linked_to_itself_and_a_chain_never_becomes_a_ring(server) {
        let agent = server.agent("north").await;
        let [top, middle, bottom] = agent.list_each([1, 2, 3]).await;
        assert_eq!(
            agent.link(top, top).await.failure(),
            format!("409 same_listing: seller and buyer are both listing {top}; name two listings")
        );
        agent.link(top, middle).await;
        agent.link(middle, bottom).await;
        assert_eq!(agent.link(middle, middle).await.code(), "409 same_listing");
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
    async fn no_chain_leads_from_a_home_to_the_same_home_through_its_second_listing(server) {
        let [north, south] = server.two_agents().await;
        let lender = server.lender().await;
        let [first, bought] = north.list_each([1, 2]).await;
        north.link(bought, first).await;
        let second = south.list(1).await;
        let further = south.list(3).await;
        let refused = |seller: i64, buyer: i64| format!(
            "409 same_chain: linking seller listing {seller} and buyer listing {buyer} would close \
             a ring: a home with several listings would lie above itself"
        );
        let before = lender.shown_chain(2).await;
        assert_eq!(south.link(second, bought).await.failure(), refused(second, bought));
        south.link(second, further).await;
        assert_eq!(south.link(further, bought).await.failure(), refused(further, bought));
        let top = format!("/listing/chain/{first}/add/top/{further}");
        assert_eq!(north.post_nothing(&top).await.failure(), refused(further, bought));
        assert_eq!(lender.shown_chain(2).await, before);
        // The first sale is over: without its link, the home is sold once.
        north.unlink(bought, first).await.assert_success();
        assert_eq!(south.link(further, bought).await.status, 200);
        assert_eq!(south.members(second).await, [bought, further, second]);
    }
}

story! {
    async fn two_sales_of_one_home_are_not_linked(server) {
        let [north, south] = server.two_agents().await;
        let one = north.list(1).await;
        let other = south.list(1).await;
        assert_eq!(
            north.link(one, other).await.failure(),
            format!(
                "409 same_property: seller listing {one} and buyer listing {other} are of the same \
                 property"
            )
        );
    }
}
