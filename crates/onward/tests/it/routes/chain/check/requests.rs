//! Who may ask for a check, how, and how often.

use serde_json::json;

use super::check;
use crate::routes::chain::{assert_chain_ids, assert_end_values};
use crate::story;
use crate::world::Agent;
use crate::world::manners::{self, Call, code};

/// A check that can be made, of the top of a listing's chain.
async fn make_call(agent: &Agent, listing: i64) -> Call {
    let chain = agent.chain_of(listing).await;
    let body = json!({"reason": "Checked", "top": true});
    Call::post(format!("/chain/{chain}/check"), body)
}

story! {
    async fn none_but_an_agent_may_check(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn a_check_is_a_post(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_one_method(&world, &agent, &call).await;
    }
}

story! {
    async fn a_check_is_one_json_object(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_json_only(&agent, &call).await;
    }
}

story! {
    async fn the_reason_is_checked_and_top_is_a_boolean(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let path = format!("/chain/{}/check", agent.chain_of(alone).await);
        assert_end_values(&agent, &path, "`Checked`", "Checked").await;
        for reason in ["Unspecified", "Not EOC", "Dont Know If EOC", "Checked "] {
            let answer = agent.post(&path, json!({"reason": reason, "top": true})).await;
            assert_eq!(code(&answer), "422 value_invalid (reason)", "{reason}");
        }
        assert_eq!(agent.checked_ends(alone).await, "");
    }
}

story! {
    async fn the_chain_is_one_of_the_callers(world) {
        let agent = world.agent("north").await;
        let other = world.agent("south").await;
        assert_chain_ids(&agent, &other, async |asker, id| check(asker, id, true).await).await;
    }
}

story! {
    async fn an_end_with_a_locked_listing_is_not_checked(world) {
        let agent = world.agent("north").await;
        let (top, bottom) = (agent.list(1).await, agent.list(2).await);
        agent.link(top, bottom).await;
        let call = make_call(&agent, top).await;
        let refusal = format!("409 listing_locked: top listing {top} is locked; unlock it first");
        manners::assert_lockable(&world, &agent, top, &call, &refusal).await;
        // It forbids the other end nothing, and is in the way even if nothing is to change.
        agent.lock(top, true).await;
        let chain = agent.chain_of(top).await;
        check(&agent, &chain, false).await.assert_success();
        assert_eq!(check(&agent, &chain, true).await.failure(), refusal);
    }
}

story! {
    async fn one_locked_top_of_several_forbids_the_check_of_all(world) {
        let agent = world.agent("north").await;
        let ids = world.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        agent.lock(ids[2], true).await;
        let chain = agent.chain_of(ids[0]).await;
        assert_eq!(code(&check(&agent, &chain, true).await), "409 listing_locked");
        agent.lock(ids[2], false).await;
        assert_eq!(agent.checked_ends(ids[0]).await, "");
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 1).await.1, "SPLIT_CHAIN 3: 1 buys 2 buys 3, 2, 3");
    }
}

story! {
    async fn a_key_makes_a_check_repeatable(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        let path = call.path.replace("/check", "/uncheck");
        let elsewhere = Call::post(path, json!({"reason": "Not EOC", "top": true}));
        manners::assert_keyed(&world, &agent, &call, &elsewhere).await;
    }
}

story! {
    async fn a_key_makes_one_check_of_many_calls_at_once(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let call = make_call(&agent, alone).await;
        manners::assert_once(&agent, &call).await;
        assert_eq!(agent.history(alone).await.len(), 2);
    }
}

story! {
    async fn a_kept_check_does_not_check_again(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let call = make_call(&agent, alone).await;
        call.send_with_key(&agent, "k").await.assert_success();
        agent.post_nothing(&format!("/listing/chain/{alone}/uncheck/top")).await.assert_success();
        call.send_with_key(&agent, "k").await.assert_success();
        assert_eq!(agent.checked_ends(alone).await, "");
    }
}
