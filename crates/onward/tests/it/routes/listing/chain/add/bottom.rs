//! `POST /api/v1/listing/chain/{listing}/add/bottom/{listing_link_id}`: S-41 to S-45.

use super::{End, add, call};
use crate::routes::listing::chain::add as addition;
use crate::story;
use crate::world::manners;

const END: End = "bottom";

story! {
    async fn a_listing_is_added_below_the_chain(world) {
        let told = "IN_CHAIN 3: 1003 buys 1002, 1002 buys 1001, 1001";
        addition::assert_adds(&world, END, told).await;
    }
}

story! {
    async fn two_chains_are_joined_by_the_rules_of_each_link(world) {
        addition::assert_joins(&world, END).await;
    }
}

story! {
    async fn what_cannot_be_added_is_named(world) {
        addition::assert_refusals(&world, END).await;
    }
}

story! {
    async fn of_several_bottoms_the_anchor_has_to_be_one(world) {
        addition::assert_several(&world, END).await;
    }
}

story! {
    async fn a_locked_side_is_not_linked(world) {
        addition::assert_lock(&world, END).await;
    }
}

story! {
    async fn the_body_is_ignored_and_a_chain_has_a_hundred_listings_at_most(world) {
        addition::assert_any_body_up_to_the_limit(&world, END).await;
    }
}

story! {
    async fn the_anchor_is_a_listing_of_the_caller(world) {
        addition::assert_anchor(&world, END).await;
    }
}

story! {
    async fn a_listing_is_not_added_to_itself(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        assert_eq!(
            add(END, &agent, alone, alone).await.failure(),
            format!(
                "409 same_listing: seller and buyer are both listing {alone}; name two listings"
            )
        );
    }
}

story! {
    async fn none_but_an_agent_may_add(world) {
        let agent = world.agent("north").await;
        let call = call(END, agent.list(1).await, agent.list(2).await);
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn an_addition_is_a_post_and_no_get_changes_a_chain(world) {
        let agent = world.agent("north").await;
        let call = call(END, agent.list(1).await, agent.list(2).await);
        manners::assert_one_method(&world, &agent, &call).await;
    }
}

story! {
    async fn a_key_makes_an_addition_repeatable(world) {
        addition::assert_keyed(&world, END).await;
    }
}

story! {
    async fn a_key_makes_one_addition_of_many_calls_at_once(world) {
        let agent = world.agent("north").await;
        let (anchor, added) = (agent.list(1).await, agent.list(2).await);
        manners::assert_once(&agent, &call(END, anchor, added)).await;
        assert_eq!(agent.history(added).await.len(), 2);
    }
}
