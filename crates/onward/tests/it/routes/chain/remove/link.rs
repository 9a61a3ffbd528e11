//! `POST /api/v1/chain/remove/link`: S-42 to S-44.

mod refusals;

use serde_json::json;

use crate::story;
use crate::test_server::BEGINNING;

story! {
    async fn a_broken_link_leaves_two_chains(server) {
        let agent = server.agent("north").await;
        let [seller, buyer] = agent.list_each([1001, 1002]).await;
        agent.link(seller, buyer).await;
        let chain = agent.chain_of(seller).await;
        server.clock.advance(60);
        agent.unlink(seller, buyer).await.assert_success();
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
    async fn one_side_is_enough_and_everybody_sees_the_break_at_once(server) {
        let [north, south] = server.two_agents().await;
        let (seller, buyer) = (north.list(1001).await, south.list(1002).await);
        north.link(seller, buyer).await;
        let lender = server.lender().await;
        let (chain, text) = lender.describe_chain(1002).await;
        assert_eq!(text, "IN_CHAIN 2: 1002 buys 1001, 1001");
        server.clock.advance(5);
        // The agent of either side may break a link of the other agent.
        south.unlink(seller, buyer).await.assert_success();
        assert_eq!(north.chain_of(seller).await, chain);
        for (agent, listing, uprn) in [(&north, seller, 1001), (&south, buyer, 1002)] {
            let (chain, text) = lender.describe_chain(uprn).await;
            assert_eq!(text, format!("NOT_IN_CHAIN 1: {uprn}"));
            let lines = agent.history(listing).await;
            let line = json!({
                "action": "link.broken", "at": BEGINNING + 5, "by": "south Ltd",
                "chain_link_id": chain, "detail": {"seller": seller, "buyer": buyer},
            });
            assert_eq!((lines.len(), &lines[2]), (3, &line));
        }
        assert_eq!(server.events().await, []);
    }
}
