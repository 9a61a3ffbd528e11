//! Which links are not broken: 404, 403, 409 (S-41, S-44).

use super::unlink;
use crate::story;
use crate::world::manners::{all_of, code};

story! {
    async fn what_is_not_linked_cannot_be_broken(world) {
        let agent = world.agent("north").await;
        let (top, middle, bottom) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        agent.link(top, middle).await;
        agent.link(middle, bottom).await;
        let alone = agent.list(4).await;
        let before = all_of(&agent).await;
        world.clock.advance(1);
        // Apart, the wrong way round, in one chain but not next to each other, the same.
        for (seller, buyer) in [(alone, top), (middle, top), (top, bottom), (top, top)] {
            assert_eq!(
                unlink(&agent, seller, buyer).await.failure(),
                format!(
                    "409 not_linked: seller listing {seller} and buyer listing {buyer} are not \
                     linked"
                )
            );
        }
        assert_eq!(all_of(&agent).await, before);
        unlink(&agent, top, middle).await.assert_success();
        assert_eq!(code(&unlink(&agent, top, middle).await), "409 not_linked");
    }
}

story! {
    async fn unknown_comes_before_foreign_before_not_linked(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, bottom) = (south.list(1).await, south.list(2).await);
        south.link(top, bottom).await;
        assert_eq!(
            unlink(&north, 999, bottom).await.failure(),
            "404 listing_unknown (seller): seller listing 999 does not exist"
        );
        assert_eq!(
            unlink(&north, top, 999).await.failure(),
            "404 listing_unknown (buyer): buyer listing 999 does not exist"
        );
        // Linked or not, locked or not: the answer is the same.
        for is_locked in [false, true] {
            south.lock(top, is_locked).await;
            for (seller, buyer) in [(top, bottom), (bottom, top), (top, top)] {
                assert_eq!(
                    unlink(&north, seller, buyer).await.failure(),
                    format!(
                        "403 not_your_branch: neither seller listing {seller} nor buyer listing \
                         {buyer} belongs to one of your branches"
                    )
                );
            }
        }
    }
}

story! {
    async fn a_listing_elsewhere_in_the_chain_gives_no_right_to_break_a_link(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, middle, ours) = (south.list(1).await, south.list(2).await, north.list(3).await);
        south.link(top, middle).await;
        north.link(middle, ours).await;
        assert_eq!(code(&unlink(&north, top, middle).await), "403 not_your_branch");
        assert_eq!(north.members(ours).await, [ours, middle, top]);
        unlink(&north, middle, ours).await.assert_success();
        assert_eq!(south.members(top).await, [middle, top]);
    }
}

story! {
    async fn a_withdrawn_listing_does_not_exist(world) {
        let agent = world.agent("north").await;
        let (gone, there) = (agent.list(1).await, agent.list(2).await);
        agent.link(gone, there).await;
        unlink(&agent, gone, there).await.assert_success();
        agent.delete(&format!("/listing/{gone}")).await.assert_success();
        assert_eq!(
            unlink(&agent, gone, there).await.failure(),
            format!("404 listing_unknown (seller): seller listing {gone} does not exist")
        );
        assert_eq!(
            unlink(&agent, there, gone).await.failure(),
            format!("404 listing_unknown (buyer): buyer listing {gone} does not exist")
        );
    }
}

story! {
    async fn one_of_two_breaks_at_once_succeeds(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1).await, agent.list(2).await);
        agent.link(seller, buyer).await;
        let [first, second] = [0, 1].map(|_number| {
            let agent = agent.clone();
            tokio::spawn(async move { unlink(&agent, seller, buyer).await.status })
        });
        let mut statuses = [first.await.unwrap(), second.await.unwrap()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        assert_eq!(agent.history(seller).await.len(), 3);
    }
}
