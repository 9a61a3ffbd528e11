//! Who may ask for a link, how, and how often.

use serde_json::json;

use crate::routes::chain::assert_link_values;
use crate::story;
use crate::world::manners::{self, Call, code, is_replayed, set_scopes};
use crate::world::{Agent, BEGINNING};

const PATH: &str = "/chain/add/link";

/// A link that can be made.
async fn make_call(agent: &Agent) -> Call {
    let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
    Call::post(PATH, json!({"seller": seller, "buyer": buyer}))
}

story! {
    async fn none_but_an_agent_may_link(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn a_link_is_a_post(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_one_method(&world, &agent, &call).await;
    }
}

story! {
    async fn a_link_is_one_json_object(world) {
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
    async fn a_locked_side_is_not_linked(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        let seller = call.body.as_ref().unwrap()["seller"].as_i64().unwrap();
        let refusal = format!(
            "409 listing_locked (seller): seller listing {seller} is locked; unlock it first"
        );
        manners::assert_lockable(&world, &agent, seller, &call, &refusal).await;
    }
}

story! {
    async fn anothers_locked_buyer_is_not_linked_either(world) {
        let agent = world.agent("north").await;
        let south = world.agent("south").await;
        let (seller, buyer) = (agent.list(1).await, south.list(2).await);
        south.lock(buyer, true).await;
        assert_eq!(
            agent.link(seller, buyer).await.failure(),
            format!("409 listing_locked (buyer): buyer listing {buyer} is locked; unlock it first")
        );
        // A lock elsewhere in the chain is none of the link's business.
        let above = agent.list(3).await;
        agent.link(above, seller).await;
        agent.lock(above, true).await;
        south.lock(buyer, false).await;
        assert_eq!(agent.link(seller, buyer).await.status, 200);
    }
}

story! {
    async fn a_key_makes_a_link_repeatable(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        let elsewhere = Call::post("/chain/remove/link", call.body.clone().unwrap());
        manners::assert_keyed(&world, &agent, &call, &elsewhere).await;
    }
}

story! {
    async fn a_key_makes_one_link_of_many_calls_at_once(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        manners::assert_once(&agent, &call).await;
        let seller = call.body.unwrap()["seller"].as_i64().unwrap();
        assert_eq!(agent.history(seller).await.len(), 2);
    }
}

story! {
    async fn a_kept_answer_is_given_by_each_node_and_shows_the_chain_of_then(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        let first = call.send_with_key(&agent, "k").await;
        let body = call.body.clone().unwrap();
        agent.post("/chain/remove/link", body).await.assert_success();
        let node = world.start_node().await;
        let again = call.send_with_key(&agent.on_node(&world, node), "k").await;
        assert!(is_replayed(&again));
        assert_eq!(again.body, first.body);
        let seller = call.body.unwrap()["seller"].as_i64().unwrap();
        assert_eq!(agent.members(seller).await, [seller]);
    }
}

story! {
    async fn refusals_by_the_rules_are_kept_and_others_are_not(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        let call = Call::post(PATH, json!({"seller": seller, "buyer": buyer}));
        // Neither a missing scope nor an old token uses the key up.
        set_scopes(&world, &agent, &[]).await;
        assert_eq!(code(&call.send_with_key(&agent, "k").await), "403 insufficient_scope");
        set_scopes(&world, &agent, &["listing"]).await;
        world.clock.advance(600);
        assert_eq!(code(&call.send_with_key(&agent, "k").await), "401 token_invalid");
        let mut agent = agent;
        agent.token = manners::token_at(&world, &agent, 600).await;
        let answer = call.send_with_key(&agent, "k").await;
        assert_eq!((answer.status, is_replayed(&answer)), (200, false));
        // An unknown listing does, even when it exists by now.
        let next = buyer + 1;
        let early = Call::post(PATH, json!({"seller": buyer, "buyer": next}));
        let refused = early.send_with_key(&agent, "early").await;
        assert_eq!(code(&refused), "404 listing_unknown (buyer)");
        assert_eq!(agent.list(1003).await, next);
        let kept = early.send_with_key(&agent, "early").await;
        assert_eq!((kept.failure(), is_replayed(&kept)), (refused.failure(), true));
        assert_eq!(agent.link(buyer, next).await.status, 200);
        assert_eq!(agent.attributes(next).await["updated_at"], BEGINNING + 600);
    }
}

story! {
    async fn past_the_rate_limit_nothing_is_linked_and_no_key_is_used_up(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent).await;
        world = world.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_per_second = 1;
            config.rate_limit_burst = 3;
        }).await;
        let limited = agent.after_restart(&world);
        let harmless = Call::post(PATH, json!({}));
        for _request in 0..100 {
            if harmless.send_with_key(&limited, "k").await.status == 429 {
                break;
            }
        }
        let refused = call.send_with_key(&limited, "k").await;
        assert_eq!(code(&refused), "429 rate_limited");
        assert_eq!(refused.header("retry-after"), "1");
        let policy = "\"client\";q=3;w=3";
        assert_eq!(refused.header("ratelimit-policy"), policy);
        // An unknown caller is shown the limit as well.
        let mut unknown = limited.clone();
        unknown.token = "abc".to_owned();
        let answer = call.send_with_key(&unknown, "k").await;
        assert_eq!((answer.status, answer.header("ratelimit-policy")), (401, policy));
        world = world.reconfigure(|_config| {}).await;
        let answer = call.send_with_key(&agent.after_restart(&world), "k").await;
        assert_eq!((answer.status, is_replayed(&answer)), (200, false));
    }
}
