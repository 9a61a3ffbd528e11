//! Who may ask for a break, how, and how often.

use serde_json::json;

use super::unlink;
use crate::routes::chain::assert_link_values;
use crate::story;
use crate::world::Agent;
use crate::world::manners::{self, Call};

const PATH: &str = "/chain/remove/link";

/// A break that can be made.
async fn make_call(agent: &Agent) -> Call {
    let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
    assert_eq!(agent.link(seller, buyer).await.status, 200);
    Call::post(PATH, json!({"seller": seller, "buyer": buyer}))
}

story! {
    async fn none_but_an_agent_may_break_a_link(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn a_break_is_a_post(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_one_method(&world, &agent, &call).await;
    }
}

story! {
    async fn a_break_is_one_json_object(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_json_only(&agent, &call).await;
    }
}

story! {
    async fn both_sides_are_ids(world) {
        let agent = world.agent("north").await;
        assert_link_values(&agent, PATH).await;
    }
}

story! {
    async fn a_locked_side_keeps_its_link(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        let buyer = call.body.as_ref().unwrap()["buyer"].as_i64().unwrap();
        let refusal =
            format!("409 listing_locked (buyer): buyer listing {buyer} is locked; unlock it first");
        manners::assert_lockable(&world, &agent, buyer, &call, &refusal).await;
    }
}

story! {
    async fn anothers_locked_seller_keeps_its_link(world) {
        let agent = world.agent("north").await;
        let south = world.agent("south").await;
        let (seller, buyer) = (south.list(1).await, agent.list(2).await);
        agent.link(seller, buyer).await;
        south.lock(seller, true).await;
        assert_eq!(
            unlink(&agent, seller, buyer).await.failure(),
            format!(
                "409 listing_locked (seller): seller listing {seller} is locked; unlock it first"
            )
        );
    }
}

story! {
    async fn a_key_makes_a_break_repeatable(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        let elsewhere = Call::post("/chain/add/link", call.body.clone().unwrap());
        manners::assert_keyed(&world, &agent, &call, &elsewhere).await;
    }
}

story! {
    async fn a_key_makes_one_break_of_many_calls_at_once(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_once(&agent, &call).await;
        let seller = call.body.unwrap()["seller"].as_i64().unwrap();
        assert_eq!(agent.history(seller).await.len(), 3);
    }
}
