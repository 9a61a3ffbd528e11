//! Who may take a check back, how, and how often.

use serde_json::json;

use super::{close, uncheck};
use crate::routes::chain::{assert_chain_ids, assert_end_values};
use crate::story;
use crate::world::Agent;
use crate::world::manners::{self, Call, code};

/// A check that can be taken back, of the bottom of a listing's chain.
async fn make_call(agent: &Agent, listing: i64) -> Call {
    let chain = close(agent, listing).await;
    let body = json!({"reason": "Unspecified", "top": false});
    Call::post(format!("/chain/{chain}/uncheck"), body)
}

story! {
    async fn none_but_an_agent_may_uncheck(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn an_uncheck_is_a_post(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_one_method(&world, &agent, &call).await;
    }
}

story! {
    async fn an_uncheck_is_one_json_object(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_json_only(&agent, &call).await;
    }
}

story! {
    async fn there_are_three_reasons_and_top_is_a_boolean(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let path = format!("/chain/{}/uncheck", close(&agent, alone).await);
        let reasons = "one of `Unspecified`, `Not EOC`, `Dont Know If EOC`";
        assert_end_values(&agent, &path, reasons, "Not EOC").await;
        for reason in ["Checked", "Don't Know If EOC", "Dont know if EOC", "Not  EOC"] {
            let answer = agent.post(&path, json!({"reason": reason, "top": true})).await;
            assert_eq!(code(&answer), "422 value_invalid (reason)", "{reason}");
        }
        assert_eq!(agent.checked_ends(alone).await, "top bottom");
    }
}

story! {
    async fn the_chain_is_one_of_the_callers(world) {
        let agent = world.agent("north").await;
        let other = world.agent("south").await;
        assert_chain_ids(&agent, &other, async |asker, id| uncheck(asker, id, true).await).await;
    }
}

story! {
    async fn an_end_with_a_locked_listing_is_not_unchecked(world) {
        let agent = world.agent("north").await;
        let (top, bottom) = (agent.list(1).await, agent.list(2).await);
        agent.link(top, bottom).await;
        let call = make_call(&agent, top).await;
        let refusal =
            format!("409 listing_locked: bottom listing {bottom} is locked; unlock it first");
        manners::assert_lockable(&world, &agent, bottom, &call, &refusal).await;
        // It forbids the other end nothing, and is in the way even if nothing is to change.
        agent.lock(bottom, true).await;
        let chain = agent.chain_of(top).await;
        uncheck(&agent, &chain, true).await.assert_success();
        assert_eq!(uncheck(&agent, &chain, false).await.failure(), refusal);
    }
}

story! {
    async fn a_key_makes_an_uncheck_repeatable(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        let path = call.path.replace("/uncheck", "/check");
        let elsewhere = Call::post(path, json!({"reason": "Checked", "top": true}));
        manners::assert_keyed(&world, &agent, &call, &elsewhere).await;
    }
}

story! {
    async fn a_key_makes_one_uncheck_of_many_calls_at_once(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let call = make_call(&agent, alone).await;
        manners::assert_once(&agent, &call).await;
        assert_eq!(agent.history(alone).await.len(), 4);
    }
}
