//! `GET /api/v1/chain/{chain_link_id}/listings`: a chain, bottom to top.

use serde_json::json;

use crate::story;
use crate::test_server::{BEGINNING, Client};

story! {
    async fn a_chain_of_two_agents_runs_bottom_to_top(server) {
        let [north, south] = server.two_agents().await;
        let (top, bottom) = (north.list(1001).await, south.list(1002).await);
        server.clock.advance(5);
        north.link(top, bottom).await;
        north.lock(top, true).await;
        let chain = north.chain_of(top).await;
        let listing = |agent: &Client, id: i64, address: i64, uprn: i64, is_locked: bool| {
            json!({"id": id, "type": "listing", "attributes": {
                "address_id": address,
                "branch_id": agent.branch(),
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
        for agent in [&north, &south] {
            let answer = agent.get(&format!("/chain/{chain}/listings")).await;
            assert_eq!((answer.status, answer.json()), (200, expected.clone()));
            assert_eq!(answer.header("content-type"), "application/json");
        }
    }
}
