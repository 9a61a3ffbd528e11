//! `POST /api/v1/chain/remove/link`: S-42 to S-44.

mod chains;
mod refusals;
mod requests;

use serde_json::json;

use crate::story;
use crate::world::{Agent, Answer, BEGINNING};

/// Breaks a link.
async fn unlink(agent: &Agent, seller: i64, buyer: i64) -> Answer {
    let body = json!({"seller": seller, "buyer": buyer});
    agent.post("/chain/remove/link", body).await
}

story! {
    async fn a_broken_link_leaves_two_chains(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        agent.link(seller, buyer).await;
        let chain = agent.chain_of(seller).await;
        world.clock.advance(60);
        unlink(&agent, seller, buyer).await.assert_success();
        // Equal lengths: the part that holds the seller listing keeps the id (S-42).
        assert_eq!(agent.chain_of(seller).await, chain);
        let fresh = uuid::Uuid::parse_str(&agent.chain_of(buyer).await).unwrap();
        assert_eq!(fresh.get_version_num(), 4);
        assert_ne!(fresh.to_string(), chain);
        assert_eq!(agent.members(seller).await, [seller]);
        assert_eq!(agent.members(buyer).await, [buyer]);
        for listing in [seller, buyer] {
            let attributes = agent.attributes(listing).await;
            assert_eq!(attributes["created_at"], BEGINNING);
            assert_eq!(attributes["updated_at"], BEGINNING + 60);
        }
    }
}

story! {
    async fn each_reader_sees_the_break_at_once(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        agent.link(seller, buyer).await;
        let lender = world.lender().await;
        let (chain, text) = world.told(&lender, 1002).await;
        assert_eq!(text, "IN_CHAIN 2: 1002 buys 1001, 1001");
        unlink(&agent, seller, buyer).await.assert_success();
        let alone = "NOT_IN_CHAIN 1: 1001".to_owned();
        assert_eq!(world.told(&lender, 1001).await, (chain, alone));
        let alone = "NOT_IN_CHAIN 1: 1002".to_owned();
        let fresh = agent.chain_of(buyer).await;
        assert_eq!(world.told(&lender, 1002).await, (fresh, alone));
    }
}

story! {
    async fn both_listings_remember_the_break_and_no_event_is_sent(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (seller, buyer) = (north.list(1001).await, south.list(1002).await);
        north.link(seller, buyer).await;
        world.clock.advance(5);
        // Whoever has one side may break what the other one made.
        unlink(&south, seller, buyer).await.assert_success();
        for (agent, listing) in [(&north, seller), (&south, buyer)] {
            let lines = agent.history(listing).await;
            let line = json!({
                "action": "link.broken", "at": BEGINNING + 5, "by": "south Ltd",
                "chain_link_id": agent.chain_of(listing).await,
                "detail": {"seller": seller, "buyer": buyer},
            });
            assert_eq!((lines.len(), &lines[2]), (3, &line));
        }
        assert_eq!(world.events().await, []);
    }
}

story! {
    async fn what_was_broken_can_be_linked_again_either_way_round(world) {
        let agent = world.agent("north").await;
        let (one, other) = (agent.list(1).await, agent.list(2).await);
        for (seller, buyer) in [(one, other), (other, one), (one, other)] {
            assert_eq!(agent.link(seller, buyer).await.status, 200);
            assert_eq!(agent.members(one).await, [buyer, seller]);
            unlink(&agent, seller, buyer).await.assert_success();
        }
    }
}
