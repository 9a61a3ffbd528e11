//! `POST /api/v1/chain/add/link`: S-41 to S-43.

mod refusals;

use serde_json::json;

use crate::story;
use crate::test_server::BEGINNING;

story! {
    async fn two_listings_become_one_chain_seller_above_buyer(server) {
        let agent = server.agent("north").await;
        let [seller, buyer] = agent.list_each([1001, 1002]).await;
        let chain = agent.chain_of(seller).await;
        let addresses = [
            agent.attributes(buyer).await["address_id"].clone(),
            agent.attributes(seller).await["address_id"].clone(),
        ];
        server.clock.advance(60);
        let answer = agent.link(seller, buyer).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        assert_eq!(answer.header("content-type"), "application/json");
        let listing = |id: i64, number: usize, uprn: i64| {
            json!({"id": id, "type": "listing", "attributes": {
                "address_id": addresses[number],
                "branch_id": agent.branch(),
                "price": 250_000,
                // Equal lengths: the seller's id survives (S-42).
                "chain_link_id": chain,
                "is_locked": false,
                "full_address": format!("{uprn} High Street, Leeds, LS1 4AP"),
                "address_street_name": "High Street",
                "address_area": "Leeds",
                "address_postal_code": "LS1 4AP",
                "created_at": BEGINNING,
                "updated_at": BEGINNING + 60,
            }})
        };
        let expected = json!({"data": [listing(buyer, 0, 1002), listing(seller, 1, 1001)]});
        assert_eq!(answer.json(), expected);
        assert_eq!(agent.members(buyer).await, [buyer, seller]);
        for (id, number, uprn) in [(buyer, 0, 1002), (seller, 1, 1001)] {
            let read = agent.attributes(id).await;
            let shown = listing(id, number, uprn)["attributes"].clone();
            for (name, value) in shown.as_object().unwrap() {
                assert_eq!(read[name], *value, "{name}");
            }
        }
    }
}

story! {
    async fn one_side_is_enough_and_everybody_sees_the_link_at_once(server) {
        let [north, south] = server.two_agents().await;
        let (seller, buyer) = (north.list(1001).await, south.list(1002).await);
        let chain = north.chain_of(seller).await;
        let lender = server.lender().await;
        assert_eq!(lender.describe_chain(1001).await.1, "NOT_IN_CHAIN 1: 1001");
        assert_eq!(lender.describe_chain(1002).await.1, "NOT_IN_CHAIN 1: 1002");
        server.clock.advance(5);
        assert_eq!(south.link(seller, buyer).await.status, 200);
        for uprn in [1001, 1002] {
            let text = "IN_CHAIN 2: 1002 buys 1001, 1001".to_owned();
            assert_eq!(lender.describe_chain(uprn).await, (chain.clone(), text));
        }
        let line = json!({
            "action": "link.added", "at": BEGINNING + 5, "by": "south Ltd", "chain_link_id": chain,
            "detail": {"seller": seller, "buyer": buyer},
        });
        for (agent, listing) in [(&north, seller), (&south, buyer)] {
            let lines = agent.history(listing).await;
            assert_eq!((lines.len(), &lines[1]), (2, &line));
        }
        assert_eq!(server.events().await, []);
        let below = north.list(1003).await;
        assert_eq!(north.link(buyer, below).await.status, 200);
        assert_eq!(south.members(buyer).await, [below, buyer, seller]);
    }
}
