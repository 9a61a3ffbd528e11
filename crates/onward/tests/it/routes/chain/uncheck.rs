//! `POST /api/v1/chain/{chain_link_id}/uncheck`: S-43, S-44, S-53.

mod requests;

use serde_json::json;

use crate::story;
use crate::world::manners::all_of;
use crate::world::{Agent, Answer, BEGINNING};

/// Takes the check of an end of a chain back.
async fn uncheck(agent: &Agent, chain: &str, top: bool) -> Answer {
    let body = json!({"reason": "Not EOC", "top": top});
    agent.post(&format!("/chain/{chain}/uncheck"), body).await
}

/// Checks both ends of a listing's chain; the chain.
async fn close(agent: &Agent, listing: i64) -> String {
    let chain = agent.chain_of(listing).await;
    for top in [true, false] {
        let body = json!({"reason": "Checked", "top": top});
        let path = format!("/chain/{chain}/check");
        agent.post(&path, body).await.assert_success();
    }
    chain
}

story! {
    async fn each_end_is_unchecked_by_itself(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        agent.link(seller, buyer).await;
        let chain = close(&agent, seller).await;
        let lender = world.lender().await;
        let told = world.told(&lender, 1001).await.1;
        assert_eq!(told, "IN_CHAIN 2: 1002 bottom buys 1001, 1001 top");

        uncheck(&agent, &chain, true).await.assert_success();
        assert_eq!(agent.checked_ends(buyer).await, "bottom");
        let told = world.told(&lender, 1001).await;
        assert_eq!(told, (chain.clone(), "IN_CHAIN 2: 1002 bottom buys 1001, 1001".to_owned()));

        uncheck(&agent, &chain, false).await.assert_success();
        assert_eq!(agent.checked_ends(seller).await, "");
        let told = world.told(&lender, 1002).await.1;
        assert_eq!(told, "IN_CHAIN 2: 1002 buys 1001, 1001");
    }
}

story! {
    async fn bottom_alone(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1001).await;
        let chain = close(&agent, alone).await;
        uncheck(&agent, &chain, false).await.assert_success();
        assert_eq!(agent.checked_ends(alone).await, "top");
        let lender = world.lender().await;
        assert_eq!(world.told(&lender, 1001).await.1, "NOT_IN_CHAIN 1: 1001 top");
    }
}

story! {
    async fn the_history_keeps_each_reason_as_it_is_spelled(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (top, bottom) = (north.list(1).await, south.list(2).await);
        north.link(top, bottom).await;
        let chain = north.chain_of(top).await;
        for reason in ["Unspecified", "Not EOC", "Dont Know If EOC"] {
            close(&north, top).await;
            world.clock.advance(1);
            // Another agent's end: a listing anywhere in the chain is enough (S-47).
            let body = json!({"reason": reason, "top": true});
            south.post(&format!("/chain/{chain}/uncheck"), body).await.assert_success();
            assert_eq!(north.checked_ends(top).await, "bottom");
            let last = north.history(top).await.pop().unwrap();
            assert_eq!(last["detail"], json!({"end": "top", "reason": reason}));
        }
        let line = json!({
            "action": "end.unchecked", "at": BEGINNING + 3, "by": "south Ltd",
            "chain_link_id": chain, "detail": {"end": "top", "reason": "Dont Know If EOC"},
        });
        let lines = north.history(top).await;
        // Created, linked, three times checked and unchecked.
        assert_eq!((lines.len(), &lines[7]), (8, &line));
        // Created, linked, checked.
        assert_eq!(south.history(bottom).await.len(), 3);
        assert_eq!(world.events().await, []);

        let body = json!({"reason": "Unspecified", "top": false});
        south.post(&format!("/chain/{chain}/uncheck"), body).await.assert_success();
        let last = south.history(bottom).await.pop().unwrap();
        assert_eq!(last["detail"], json!({"end": "bottom", "reason": "Unspecified"}));
    }
}

story! {
    async fn an_unchecked_end_stays_as_it_is(world) {
        let agent = world.agent("north").await;
        let alone = agent.list(1).await;
        let chain = agent.chain_of(alone).await;
        let before = all_of(&agent).await;
        world.clock.advance(1);
        for top in [true, false] {
            uncheck(&agent, &chain, top).await.assert_success();
        }
        assert_eq!(all_of(&agent).await, before);
    }
}

story! {
    async fn with_several_tops_all_are_unchecked(world) {
        let agent = world.agent("north").await;
        // Sale 1 pays for 2 and 3; nobody checked 4, which lies above 3.
        let ids = world.import_sales("north", [1, 2, 3], &[(2, 1), (3, 1)]).await;
        let chain = close(&agent, ids[0]).await;
        let above = agent.list(4).await;
        agent.link(above, ids[2]).await;
        let lender = world.lender().await;
        assert_eq!(
            world.told(&lender, 1).await.1,
            "SPLIT_CHAIN 4: 1 bottom buys 2 buys 3, 2 top, 3 buys 4, 4"
        );
        // The chain's top is not checked as a whole, and yet there is something to take back.
        assert_eq!(agent.checked_ends(ids[0]).await, "bottom");
        uncheck(&agent, &chain, true).await.assert_success();
        assert_eq!(
            world.told(&lender, 1).await.1,
            "SPLIT_CHAIN 4: 1 bottom buys 2 buys 3, 2, 3 buys 4, 4"
        );
        let count = |lines: Vec<serde_json::Value>| {
            lines.iter().filter(|line| line["action"] == "end.unchecked").count()
        };
        assert_eq!(count(agent.history(ids[1]).await), 1);
        assert_eq!(count(agent.history(above).await), 0);
    }
}
