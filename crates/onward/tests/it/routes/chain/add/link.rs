//! `POST /api/v1/chain/add/link`: S-41 to S-43.

mod chains;
mod ends;
mod refusals;
mod requests;

use serde_json::json;

use crate::story;
use crate::world::BEGINNING;

story! {
    async fn two_listings_become_one_chain_seller_above_buyer(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        let chain = agent.chain_of(seller).await;
        let addresses = [
            agent.attributes(buyer).await["address_id"].clone(),
            agent.attributes(seller).await["address_id"].clone(),
        ];
        world.clock.advance(60);
        let answer = agent.link(seller, buyer).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        assert_eq!(answer.header("content-type"), "application/json");
        let listing = |id: i64, number: usize, uprn: i64| {
            json!({"id": id, "type": "listing", "attributes": {
                "address_id": addresses[number],
                "branch_id": agent.branch,
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
            let read = agent.get(&format!("/listing/{id}")).await.json();
            assert_eq!(read["data"], listing(id, number, uprn));
        }
    }
}

story! {
    async fn each_reader_sees_the_link_at_once(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        let chain = agent.chain_of(seller).await;
        let lender = world.lender().await;
        for (uprn, text) in [(1001, "NOT_IN_CHAIN 1: 1001"), (1002, "NOT_IN_CHAIN 1: 1002")] {
            assert_eq!(world.told(&lender, uprn).await.1, text);
        }
        assert_eq!(agent.link(seller, buyer).await.status, 200);
        for uprn in [1001, 1002] {
            let text = "IN_CHAIN 2: 1002 buys 1001, 1001".to_owned();
            assert_eq!(world.told(&lender, uprn).await, (chain.clone(), text));
        }
    }
}

story! {
    async fn both_listings_remember_the_link_and_no_event_is_sent(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (seller, buyer) = (north.list(1001).await, south.list(1002).await);
        world.clock.advance(5);
        assert_eq!(south.link(seller, buyer).await.status, 200);
        let line = json!({
            "action": "link.added", "at": BEGINNING + 5, "by": "south Ltd",
            "chain_link_id": north.chain_of(seller).await,
            "detail": {"seller": seller, "buyer": buyer},
        });
        for (agent, listing) in [(&north, seller), (&south, buyer)] {
            let lines = agent.history(listing).await;
            assert_eq!((lines.len(), &lines[1]), (2, &line));
        }
        assert_eq!(world.events().await, []);
    }
}

story! {
    async fn one_listing_of_the_caller_is_enough_on_either_side(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (ours, theirs) = (north.list(1).await, south.list(2).await);
        assert_eq!(north.link(theirs, ours).await.status, 200);
        let more = north.list(3).await;
        assert_eq!(south.link(more, theirs).await.status, 200);
        for agent in [(&north, ours), (&south, theirs)] {
            assert_eq!(agent.0.members(agent.1).await, [ours, theirs, more]);
        }
    }
}

story! {
    async fn another_node_adds_to_the_chain_as_it_is_now(world) {
        let north = world.agent("north").await;
        let (top, middle, bottom) = (north.list(1).await, north.list(2).await, north.list(3).await);
        let node = world.start_node().await;
        let elsewhere = north.on_node(&world, node);
        assert_eq!(north.link(top, middle).await.status, 200);
        assert_eq!(elsewhere.link(middle, bottom).await.status, 200);
        assert_eq!(north.members(top).await, [bottom, middle, top]);
    }
}

story! {
    async fn milestones_stay_with_their_listing(world) {
        let agent = world.agent("north").await;
        let (seller, buyer) = (agent.list(1001).await, agent.list(1002).await);
        assert_eq!(agent.record(buyer, "sstc", "2026-06-01").await.status, 200);
        let read = async || {
            let of = |listing: i64| format!("/listing/{listing}/relationships/milestones");
            [agent.get(&of(seller)).await.json(), agent.get(&of(buyer)).await.json()]
        };
        let before = read().await;
        world.clock.advance(60);
        assert_eq!(agent.link(seller, buyer).await.status, 200);
        assert_eq!(read().await, before);
        let body = json!({"seller": seller, "buyer": buyer});
        agent.post("/chain/remove/link", body).await.assert_success();
        assert_eq!(read().await, before);
        // Of the milestone alone.
        assert_eq!(world.events().await.len(), 1);
    }
}
