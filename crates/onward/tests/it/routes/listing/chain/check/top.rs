//! `POST /api/v1/listing/chain/{listing}/check/top`: S-43 to S-45.

use crate::routes::listing::chain::{self, Marking};
use crate::story;
use crate::world::manners;

const MARKING: Marking = Marking {
    verb: "check",
    end: "top",
};

story! {
    async fn the_top_is_checked_through_any_listing_of_the_chain(world) {
        let told = "IN_CHAIN 2: 1002 buys 1001, 1001 top";
        chain::assert_marks(&world, MARKING, told).await;
    }
}

story! {
    async fn each_of_several_tops_is_checked(world) {
        let told = "SPLIT_CHAIN 3: 1 buys 2 buys 3, 2 top, 3 top";
        chain::assert_several(&world, MARKING, told).await;
    }
}

story! {
    async fn the_body_is_ignored(world) {
        let agent = world.agent("north").await;
        chain::assert_any_body(&agent, MARKING).await;
    }
}

story! {
    async fn the_anchor_is_a_listing_of_the_caller(world) {
        let agent = world.agent("north").await;
        let other = world.agent("south").await;
        chain::assert_anchors(&agent, &other, async |agent, id| MARKING.mark(agent, id).await)
            .await;
    }
}

story! {
    async fn a_locked_top_is_not_checked(world) {
        chain::assert_lock(&world, MARKING).await;
    }
}

story! {
    async fn none_but_an_agent_may_check(world) {
        let agent = world.agent("north").await;
        let call = MARKING.call(agent.list(1).await);
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn a_check_is_a_post_and_no_get_changes_a_chain(world) {
        let agent = world.agent("north").await;
        let anchor = agent.list(1).await;
        MARKING.prepare(&agent, anchor).await;
        manners::assert_one_method(&world, &agent, &MARKING.call(anchor)).await;
    }
}

story! {
    async fn a_key_makes_a_check_repeatable(world) {
        chain::assert_keyed(&world, MARKING).await;
    }
}

story! {
    async fn a_key_makes_one_check_of_many_calls_at_once(world) {
        let agent = world.agent("north").await;
        let anchor = agent.list(1).await;
        MARKING.prepare(&agent, anchor).await;
        let before = agent.history(anchor).await.len();
        manners::assert_once(&agent, &MARKING.call(anchor)).await;
        assert_eq!(agent.history(anchor).await.len(), before + 1);
    }
}
