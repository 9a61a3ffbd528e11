//! `GET /api/v1/chain/{chain_link_id}/listings`: a chain, bottom to top.

use http::Method;
use serde_json::json;

use crate::routes::chain::assert_chain_ids;
use crate::story;
use crate::world::manners::{self, Call};
use crate::world::{Agent, BEGINNING};

/// Reads the chain of a listing.
async fn make_call(agent: &Agent, listing: i64) -> Call {
    let chain = agent.chain_of(listing).await;
    Call::new(Method::GET, format!("/chain/{chain}/listings"))
}

story! {
    async fn a_chain_of_two_agents_runs_bottom_to_top(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, bottom) = (north.list(1001).await, south.list(1002).await);
        world.clock.advance(5);
        north.link(top, bottom).await;
        north.lock(top, true).await;
        let chain = north.chain_of(top).await;
        let listing = |agent: &Agent, id: i64, address: i64, uprn: i64, is_locked: bool| {
            json!({"id": id, "type": "listing", "attributes": {
                "address_id": address,
                "branch_id": agent.branch,
                "price": 250_000,
                "chain_link_id": chain,
                "is_locked": is_locked,
                "full_address": format!("{uprn} High Street, Leeds, LS1 4AP"),
                "address_street_name": "High Street",
                "address_area": "Leeds",
                "address_postal_code": "LS1 4AP",
                "created_at": BEGINNING,
                "updated_at": BEGINNING + 5,
            }})
        };
        let expected = json!({"data": [
            listing(&south, bottom, 2, 1002, false),
            listing(&north, top, 1, 1001, true),
        ]});
        // Both read the same, whatever the query string holds.
        for (agent, query) in [(&north, ""), (&south, "?includes=milestones&page=x")] {
            let answer = agent.get(&format!("/chain/{chain}/listings{query}")).await;
            assert_eq!((answer.status, answer.json()), (200, expected.clone()));
            assert_eq!(answer.header("content-type"), "application/json");
        }
    }
}

story! {
    async fn a_listing_alone_is_a_chain(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        assert_eq!(agent.members(alone).await, [alone]);
    }
}

story! {
    async fn a_split_chain_runs_by_the_longest_way_from_a_bottom_then_by_id(world) {
        let agent = world.agent("north").await;
        // 6 and 3 are bottoms; 5 is two above 6 by way of 4, and next to 3.
        let links = [(4, 6), (5, 4), (5, 3), (2, 6), (1, 5)];
        let ids = world.import_sales("north", 1..=6, &links).await;
        let [l1, l2, l3, l4, l5, l6] = ids[..] else { panic!() };
        assert_eq!(agent.members(l1).await, [l3, l6, l2, l4, l5, l1]);
    }
}

story! {
    async fn who_has_no_listing_in_the_chain_does_not_read_it(world) {
        let agent = world.agent("north").await;
        let other = world.agent("south").await;
        assert_chain_ids(&agent, &other, async |asker, id| {
            asker.get(&format!("/chain/{id}/listings")).await
        })
        .await;
    }
}

story! {
    async fn who_left_the_chain_does_not_read_it_any_more(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, middle, bottom) = (south.list(1).await, south.list(2).await, north.list(3).await);
        south.link(top, middle).await;
        north.link(middle, bottom).await;
        let call = make_call(&south, top).await;
        assert_eq!(manners::send(call.by(&north)).await.status, 200);
        let body = json!({"seller": middle, "buyer": bottom});
        south.post("/chain/remove/link", body).await.assert_success();
        let answer = manners::send(call.by(&north)).await;
        assert_eq!(manners::code(&answer), "403 not_your_branch");
        assert!(!String::from_utf8_lossy(&answer.body).contains("High Street"));
        assert_eq!(manners::send(call.by(&south)).await.status, 200);
    }
}

story! {
    async fn none_but_an_agent_may_read_a_chain(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_guarded(&world, &agent, &call).await;
    }
}

story! {
    async fn a_chain_is_read_with_get(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        manners::assert_one_method(&world, &agent, &call).await;
    }
}

story! {
    async fn an_id_is_the_same_in_capitals(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let chain = agent.chain_of(alone).await.to_uppercase();
        let answer = agent.get(&format!("/chain/{chain}/listings")).await;
        assert_eq!(answer.json()["data"][0]["id"], alone);
    }
}

story! {
    async fn past_the_rate_limit_no_chain_is_read(world) {
        let agent = world.agent("north").await;
        let call = make_call(&agent, agent.list(1).await).await;
        world = world.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_per_second = 1;
            config.rate_limit_burst = 3;
        }).await;
        let agent = agent.after_restart(&world);
        let first = manners::send(call.by(&agent)).await;
        assert_eq!(first.status, 200);
        assert_eq!(first.header("ratelimit"), "\"client\";r=2;t=1");
        let mut answers = vec![first];
        while answers.len() < 100 && answers.last().unwrap().status == 200 {
            answers.push(manners::send(call.by(&agent)).await);
        }
        assert!(answers.len() > 3, "{}", answers.len());
        let refused = answers.pop().unwrap();
        assert_eq!(
            refused.failure(),
            "429 rate_limited: Wait 1 s. The field RateLimit of each answer says how many requests are left."
        );
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(refused.header("ratelimit-policy"), "\"client\";q=3;w=3");
        assert_eq!(refused.header("ratelimit"), "\"client\";r=0;t=1");
    }
}
