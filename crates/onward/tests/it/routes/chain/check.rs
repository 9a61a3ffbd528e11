//! `POST /api/v1/chain/{chain_link_id}/check`: S-43, S-44, S-53.

mod requests;

use serde_json::json;

use crate::story;
use crate::world::manners::all_of;
use crate::world::{Agent, Answer, BEGINNING};

/// Checks an end of a chain by its id.
async fn check(agent: &Agent, chain: &str, top: bool) -> Answer {
    let body = json!({"reason": "Checked", "top": top});
    agent.post(&format!("/chain/{chain}/check"), body).await
}

story! {
    async fn each_end_is_checked_by_itself(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        agent.link(seller, buyer).await;
        let chain = agent.chain_of(seller).await;
        let lender = world.lender().await;
        let told = world.told(&lender, 1001).await.1;
        assert_eq!(told, "IN_CHAIN 2: 1002 buys 1001, 1001");

        check(&agent, &chain, true).await.assert_success();
        assert_eq!(agent.checked_ends(buyer).await, "top");
        let told = world.told(&lender, 1001).await;
        assert_eq!(told, (chain.clone(), "IN_CHAIN 2: 1002 buys 1001, 1001 top".to_owned()));

        check(&agent, &chain, false).await.assert_success();
        assert_eq!(agent.checked_ends(seller).await, "top bottom");
        let told = world.told(&lender, 1002).await.1;
        assert_eq!(told, "IN_CHAIN 2: 1002 bottom buys 1001, 1001 top");
    }
}

story! {
    async fn bottom_alone(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1001).await;
        check(&agent, &agent.chain_of(alone).await, false).await.assert_success();
        assert_eq!(agent.checked_ends(alone).await, "bottom");
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 1001).await.1, "NOT_IN_CHAIN 1: 1001 bottom");
    }
}

story! {
    async fn the_listing_at_the_end_remembers_who_checked_it_and_why(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, bottom) = (north.list(1).await, south.list(2).await);
        north.link(top, bottom).await;
        let chain = north.chain_of(top).await;
        world.clock.advance(60);
        // Another agent's end: a listing anywhere in the chain is enough (S-47).
        check(&south, &chain, true).await.assert_success();
        let line = json!({
            "action": "end.checked", "at": BEGINNING + 60, "by": "south Ltd",
            "chain_link_id": chain, "detail": {"end": "top", "reason": "Checked"},
        });
        let lines = north.history(top).await;
        assert_eq!((lines.len(), &lines[2]), (3, &line));
        assert_eq!(south.history(bottom).await.len(), 2);
        assert_eq!(world.events().await, []);

        check(&south, &chain, false).await.assert_success();
        let last = south.history(bottom).await.pop().unwrap();
        assert_eq!(last["detail"], json!({"end": "bottom", "reason": "Checked"}));
    }
}

story! {
    async fn a_checked_end_stays_as_it_is(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let chain = agent.chain_of(alone).await;
        check(&agent, &chain, true).await.assert_success();
        let before = all_of(&agent).await;
        world.clock.advance(1);
        check(&agent, &chain, true).await.assert_success();
        assert_eq!(all_of(&agent).await, before);
    }
}

story! {
    async fn with_several_tops_all_are_checked(world) {
        let agent = world.agent("north").await;
        // Sale 1 pays for 2 and 3.
        let ids = world.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        check(&agent, &chain, true).await.assert_success();
        assert_eq!(agent.checked_ends(ids[0]).await, "top");
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 1).await.1, "SPLIT_CHAIN 3: 1 buys 2 buys 3, 2 top, 3 top");
        let lines = [agent.history(ids[0]).await, agent.history(ids[1]).await, agent.history(ids[2]).await];
        let checks = lines.map(|lines| {
            lines.iter().filter(|line| line["action"] == "end.checked").count()
        });
        assert_eq!(checks, [0, 1, 1]);
    }
}

story! {
    async fn with_several_bottoms_one_checked_already_the_others_follow(world) {
        let agent = world.agent("north").await;
        // Sales 1 and 2 pay for 3.
        world.import_sales("north", [1, 2, 3], &[]).await;
        world.import(r#"{"type":"end_check","branch":"north","listing":"1","end":"bottom"}"#).await;
        let ids = world.import_sales("north", [1, 2, 3], &[(3, 1), (3, 2)]).await;
        assert_eq!(agent.checked_ends(ids[2]).await, "");
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 3).await.1, "SPLIT_CHAIN 3: 1 bottom buys 3, 2 buys 3, 3");
        check(&agent, &agent.chain_of(ids[2]).await, false).await.assert_success();
        assert_eq!(agent.checked_ends(ids[2]).await, "bottom");
        assert_eq!(
            world.told(&lender, 3).await.1,
            "SPLIT_CHAIN 3: 1 bottom buys 3, 2 bottom buys 3, 3"
        );
        let actions = |lines: Vec<serde_json::Value>| {
            lines.iter().filter(|line| line["action"] == "end.checked").count()
        };
        assert_eq!(actions(agent.history(ids[1]).await), 1);
        assert_eq!(actions(agent.history(ids[0]).await), 0);
    }
}
