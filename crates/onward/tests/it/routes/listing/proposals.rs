//! `GET /api/v1/listing/{id}/proposals`, and links that both branches have to ask for (S-47).

use chain::consent::ForeignLinks;
use serde_json::{Value, json};

use crate::story;
use crate::test_server::{Answer, BEGINNING, Client, TestServer};

const DAY_SECONDS: i64 = 86_400;

async fn confirming(server: TestServer) -> TestServer {
    let set = |config: &mut server::config::Config| {
        config.foreign_links = ForeignLinks::Confirmed;
    };
    server.reconfigure(set).await
}

async fn unlink(agent: &Client, seller: i64, buyer: i64) -> Answer {
    let body = json!({"seller": seller, "buyer": buyer});
    agent.post("/chain/remove/link", body).await
}

async fn proposals(agent: &Client, listing: i64) -> Vec<Value> {
    let answer = agent.get(&format!("/listing/{listing}/proposals")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.page().1
}

/// How many listings are in the chain of one of the agent's listings.
async fn chain_length(agent: &Client, listing: i64) -> usize {
    let chain = agent.chain_of(listing).await;
    let answer = agent.get(&format!("/chain/{chain}/listings")).await;
    answer.json()["data"].as_array().unwrap().len()
}

story! {
    async fn a_link_to_another_branch_is_proposed_and_confirmed(server) {
        server = confirming(server).await;
        let [north, south] = server.two_agents().await;
        let third = server.agent("third").await;
        let (seller, buyer) = (north.list(1).await, south.list(2).await);
        let proposed = north.link(seller, buyer).await;
        let proposal = json!({"id": 1, "type": "link_proposal", "attributes": {
            "seller": seller, "buyer": buyer, "proposed_by": "seller",
            "created_at": BEGINNING, "expires_at": BEGINNING + 30 * DAY_SECONDS,
        }});
        assert_eq!((proposed.status, proposed.json()), (202, json!({"data": proposal})));
        let again = north.link(seller, buyer).await;
        assert_eq!((again.status, again.json()), (202, json!({"data": proposal})));
        // Both sides read it; nothing else shows it, and it gives no right.
        assert_eq!(proposals(&north, seller).await, vec![proposal.clone()]);
        assert_eq!(proposals(&south, buyer).await, [proposal]);
        for (agent, listing) in [(&north, seller), (&south, buyer)] {
            assert_eq!(chain_length(agent, listing).await, 1);
            // Its own history tells each branch.
            assert_eq!(agent.history(listing).await.len(), 2);
        }
        let theirs = south.chain_of(buyer).await;
        assert_eq!(north.get(&format!("/chain/{theirs}/history")).await.status, 403);
        assert_eq!(north.get(&format!("/listing/{buyer}/proposals")).await.status, 403);
        assert_eq!(third.link(seller, buyer).await.status, 403);
        assert_eq!(unlink(&third, seller, buyer).await.status, 403);

        let confirmed = south.link(seller, buyer).await;
        assert_eq!(confirmed.status, 200, "{}", confirmed.json());
        assert_eq!(chain_length(&north, seller).await, 2);
        assert_eq!(proposals(&north, seller).await, Vec::<Value>::new());
        // Each side still breaks it alone.
        assert_eq!(unlink(&north, seller, buyer).await.status, 200);
        assert_eq!(unlink(&north, seller, buyer).await.refusal(), (409, "not_linked".to_owned()));
    }
}

story! {
    async fn either_side_withdraws_a_proposal_and_it_ends_by_itself(server) {
        server = confirming(server).await;
        let [north, south] = server.two_agents().await;
        let (seller, buyer) = (north.list(1).await, south.list(2).await);
        for withdrawing in [&north, &south] {
            assert_eq!(south.link(seller, buyer).await.status, 202);
            assert_eq!(unlink(withdrawing, seller, buyer).await.status, 200);
            assert_eq!(proposals(&south, buyer).await, Vec::<Value>::new());
            assert_eq!(north.link(seller, buyer).await.status, 202, "it is a new proposal");
            assert_eq!(unlink(withdrawing, seller, buyer).await.status, 200);
        }
        assert_eq!(south.link(seller, buyer).await.status, 202);
        server.clock.advance(30 * DAY_SECONDS);
        let (north, south) = (north.renewed(&server).await, south.renewed(&server).await);
        assert_eq!(proposals(&north, seller).await, Vec::<Value>::new());
        assert_eq!(north.link(seller, buyer).await.status, 202, "the old one is over");
        assert_eq!(proposals(&north, seller).await[0]["attributes"]["proposed_by"], "seller");
        // So does a listing that moves to another property.
        let moved = |uprn: i64| json!({"branch_id": south.branch(), "external_id": "s", "price": 1,
            "address": {"line1": format!("{uprn} Mill Lane"), "postTown": "York",
                "postcode": "YO1 7HH", "uprn": uprn}});
        let moving = south.post("/listing", moved(50)).await.json();
        let moving = moving["data"]["id"].as_i64().unwrap();
        assert_eq!(south.link(seller, moving).await.status, 202);
        assert_eq!(south.post("/listing", moved(51)).await.status, 200);
        assert_eq!(proposals(&south, moving).await, Vec::<Value>::new());
        // A withdrawn listing takes its proposals with it.
        assert_eq!(south.delete(&format!("/listing/{buyer}")).await.status, 200);
        assert_eq!(proposals(&north, seller).await, Vec::<Value>::new());
        assert_eq!(north.link(seller, buyer).await.status, 404);
    }
}

story! {
    /// S-41 holds when a link is proposed, and again when it is confirmed.
    async fn a_proposal_is_checked_again_when_it_is_confirmed(server) {
        server = confirming(server).await;
        let [north, south] = server.two_agents().await;
        let (seller, other) = (north.list(1).await, north.list(2).await);
        let buyer = south.list(3).await;
        assert_eq!(south.link(seller, buyer).await.status, 202);
        assert_eq!(north.link(seller, other).await.status, 200, "both are its own");
        let taken = (409, "seller_has_buyer".to_owned());
        assert_eq!(north.link(seller, buyer).await.refusal(), taken);
        assert_eq!(proposals(&south, buyer).await.len(), 1, "it is still there");
        assert_eq!(unlink(&north, seller, other).await.status, 200);
        assert_eq!(north.link(seller, buyer).await.status, 200);
        // The first of the checks comes before any proposal.
        let late = south.list(4).await;
        assert_eq!(south.link(seller, late).await.refusal(), taken);
        assert_eq!(proposals(&south, late).await, Vec::<Value>::new());
    }
}

story! {
    async fn an_end_of_a_chain_is_proposed_to_like_any_listing(server) {
        server = confirming(server).await;
        let [north, south] = server.two_agents().await;
        let (anchor, added) = (north.list(1).await, south.list(2).await);
        let path = format!("/listing/chain/{anchor}/add/top/{added}");
        let proposed = north.post_nothing(&path).await;
        assert_eq!(proposed.status, 202, "{}", proposed.json());
        assert_eq!(proposed.json()["data"]["attributes"]["proposed_by"], "buyer");
        let back = format!("/listing/chain/{added}/add/bottom/{anchor}");
        assert_eq!(south.post_nothing(&back).await.status, 200);
        assert_eq!(chain_length(&north, anchor).await, 2);
        for (agent, path) in [(&north, &path), (&south, &back)] {
            let again = agent.post_nothing(path).await.refusal();
            assert_eq!(again, (403, "not_your_branch".to_owned()));
        }
    }
}

story! {
    async fn a_branch_has_so_many_open_proposals(server) {
        server = confirming(server).await;
        let [north, south] = server.two_agents().await;
        let seller = north.list(1).await;
        let mut last = 0;
        for uprn in 0..100 {
            last = south.list(1000 + uprn).await;
            assert_eq!(north.link(seller, last).await.status, 202);
        }
        let one_more = south.list(2000).await;
        let refused = north.link(seller, one_more).await;
        assert_eq!(refused.refusal(), (409, "too_many_proposals".to_owned()));
        assert_eq!(south.link(seller, one_more).await.status, 202, "another branch has its own");
        assert_eq!(unlink(&north, seller, last).await.status, 200);
        let path = format!("/listing/{seller}/proposals?per_page=100&page=2");
        assert_eq!(north.get(&path).await.page(), ("100 100 2 1".to_owned(), vec![]));
        assert_eq!(north.link(seller, last).await.status, 202);
    }
}
