//! `POST /api/v1/listing`: new listings (S-12, S-40, S-52).

use serde_json::{Value, json};

use crate::story;
use crate::test_server::{BEGINNING, Client};

/// A body with this address.
pub(super) fn body(agent: &Client, address: &Value) -> Value {
    json!({"address": address, "branch_id": agent.branch(), "price": 250_000})
}

pub(super) fn mill_house() -> Value {
    json!({"line1": "Flat 2", "line2": "Mill House", "line3": "14 Example Road",
        "line4": "Headingley", "postTown": "Leeds", "postcode": "ls63ab", "uprn": 1001})
}

/// The body with a member that is different; null takes it out.
pub(super) fn with(body: &Value, member: &str, value: Value) -> Value {
    let mut body = body.clone();
    let members = body.as_object_mut().unwrap();
    if value.is_null() {
        members.remove(member);
    } else {
        members.insert(member.to_owned(), value);
    }
    body
}

story! {
    async fn a_listing_with_every_member(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let mut body = body(&agent, &mill_house());
        body["external_id"] = json!("N/1");
        body["tenure"] = json!("leasehold");
        body["transaction_type"] = json!(["probate", "auction"]);
        body["parties"] = json!({"sellerConveyancer": "Tarn LLP", "buyerConveyancer": " Dale "});
        let answer = agent.post("/listing", body).await;
        let mut shown = answer.json();
        let listing = shown["data"]["id"].as_i64().unwrap();
        assert_eq!(answer.status, 201);
        assert_eq!(answer.header("location"), format!("/api/v1/listing/{listing}"));
        assert_eq!(agent.get(&format!("/listing/{listing}")).await.json(), shown);
        let chain = shown["data"]["attributes"]["chain_link_id"].take();
        assert_eq!(shown, json!({"data": {
            "id": listing,
            "type": "listing",
            "attributes": {
                "address_id": 1,
                "branch_id": agent.branch(),
                "price": 250_000,
                "chain_link_id": null,
                "is_locked": false,
                "full_address":
                    "Flat 2, Mill House, 14 Example Road, Headingley, Leeds, LS6 3AB",
                "address_street_name": "Example Road",
                "address_area": "Headingley",
                "address_postal_code": "LS6 3AB",
                "created_at": BEGINNING,
                "updated_at": BEGINNING,
                "is_current": true,
                "uprn": 1001,
                "external_id": "N/1",
                "tenure": "leasehold",
                "transaction_type": ["probate", "auction"],
                "parties": {"sellerConveyancer": "Tarn LLP", "buyerConveyancer": "Dale"},
            },
        }}));
        let seen = lender.shown_chain(1001).await;
        assert_eq!(seen["chainId"], chain);
        assert_eq!(seen["chainSummary"], json!({"chainType": "NOT_IN_CHAIN", "chainLength": 1}));
        let property = &seen["properties"][0];
        assert_eq!(property["address"], json!({
            "line1": "Flat 2", "line2": "Mill House", "line3": "14 Example Road",
            "line4": "Headingley", "postTown": "Leeds", "postcode": "LS6 3AB",
            "displayAddress": "Flat 2, Mill House, 14 Example Road, Headingley, Leeds, LS6 3AB",
        }));
        assert_eq!(property["participants"], json!({"sellingAgent": "branch north",
            "sellerConveyancer": "Tarn LLP", "buyerConveyancer": "Dale"}));
        assert_eq!(property["tenure"], "leasehold");
        assert_eq!(property["transactionType"], json!(["probate", "auction"]));
        assert_eq!(property["id"], 1);
        assert_eq!(agent.history_lines(listing).await.len(), 1);
        // A listing is no milestone.
        assert_eq!(server.event_lines().await, [] as [&str; 0]);
    }
}

story! {
    async fn by_the_id_of_an_address(server) {
        let [agent, south] = server.two_agents().await;
        let first = agent.list(1001).await;
        let address = agent.attributes(first).await["address_id"].clone();
        server.clock.advance(1);
        let body = json!({"address_id": address, "branch_id": south.branch(), "price": 0});
        let answer = south.post("/listing", body).await;
        assert_eq!(answer.status, 201);
        let second = answer.listing();
        assert_ne!(first, second);
        assert_ne!(agent.chain_of(first).await, south.chain_of(second).await);
        assert_eq!(answer.json()["data"]["attributes"]["address_id"], address);
        // The current listing is the newest one (S-6).
        let lender = server.lender().await;
        let seller = lender.shown_property(1001).await["participants"]["sellingAgent"].clone();
        assert_eq!(seller, "branch south");
        let unknown = json!({"address_id": 999, "branch_id": agent.branch(), "price": 0});
        assert_eq!(
            agent.post("/listing", unknown).await.failure(),
            "404 address_unknown (address_id): address 999 does not exist"
        );
    }
}

story! {
    async fn a_known_uprn_is_that_property_as_it_is(server) {
        let [agent, south] = server.two_agents().await;
        agent.post("/listing", body(&agent, &mill_house())).await;
        let other = json!({"line1": "1 Elsewhere", "postTown": "York", "postcode": "YO1 7HH",
            "uprn": 1001});
        let answer = south.post("/listing", body(&south, &other)).await;
        assert_eq!(answer.status, 201);
        let shown = answer.json()["data"]["attributes"].clone();
        assert_eq!(shown["address_id"], 1);
        assert_eq!(
            shown["full_address"],
            "Flat 2, Mill House, 14 Example Road, Headingley, Leeds, LS6 3AB"
        );
    }
}

story! {
    async fn without_a_uprn_a_placeholder_is_assigned_or_the_known_address_used(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let plot = |line1: &str| json!({"line1": line1, "postTown": "Leeds",
            "postcode": "LS2 8BB"});
        let mut numbers = Vec::new();
        for (line1, address_id) in [
            ("Plot 7", 1),
            ("Plot 8", 2),
            // The same place, written otherwise.
            ("PLOT  7,", 1),
            ("Plot 9", 3),
        ] {
            let answer = agent.post("/listing", body(&agent, &plot(line1))).await;
            assert_eq!(answer.status, 201, "{line1}");
            let shown = answer.json()["data"]["attributes"].clone();
            assert_eq!(shown["address_id"], address_id, "{line1}");
        }
        let found = agent.post("/address/filter", json!({"full_address": "LS2 8BB"})).await.json();
        for address in found["data"].as_array().unwrap() {
            numbers.push(address["attributes"]["uprn"].as_i64().unwrap());
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 3, "{numbers:?}");
        for number in numbers {
            assert!((900_000_000_000..=999_999_999_999).contains(&number), "{number}");
            assert_eq!(lender.shown_property(number).await["uprn"], number);
        }
        // An address that two properties share is neither of them.
        for uprn in [1, 2] {
            let known = with(&plot("Plot 10"), "uprn", json!(uprn));
            assert_eq!(agent.post("/listing", body(&agent, &known)).await.status, 201);
        }
        let answer = agent.post("/listing", body(&agent, &plot("Plot 10"))).await.json();
        assert_eq!(answer["data"]["attributes"]["address_id"], 6);
    }
}

story! {
    async fn the_branch_s_own_id_makes_it_the_same_listing(server) {
        let [agent, south] = server.two_agents().await;
        let mut first = body(&agent, &mill_house());
        first["external_id"] = json!("N/1");
        let created = agent.post("/listing", first.clone()).await;
        let listing = created.listing();
        let chain = agent.chain_of(listing).await;
        server.clock.advance(9);
        let updated = agent.post("/listing", with(&first, "price", json!(7))).await;
        assert_eq!(updated.status, 200);
        let shown = updated.json()["data"].clone();
        assert_eq!(shown["id"], listing);
        assert_eq!(shown["attributes"]["price"], 7);
        assert_eq!(shown["attributes"]["created_at"], BEGINNING);
        assert_eq!(shown["attributes"]["updated_at"], BEGINNING + 9);
        assert_eq!(agent.chain_of(listing).await, chain);
        let history = agent.history_lines(listing).await;
        assert!(history[1].starts_with("listing.updated "), "{history:?}");
        // The same again changes nothing.
        server.clock.advance(9);
        let again = agent.post("/listing", with(&first, "price", json!(7))).await;
        assert_eq!((again.status, again.json()), (200, updated.json()));
        assert_eq!(agent.history_lines(listing).await, history);
        // Another branch's ids are its own.
        let mut theirs = body(&south, &mill_house());
        theirs["external_id"] = json!("N/1");
        let theirs = south.post("/listing", theirs).await;
        assert_eq!(theirs.status, 201);
        assert_ne!(theirs.json()["data"]["id"], listing);
        // The id of a withdrawn listing is not used again.
        agent.withdraw(listing).await;
        let failure = agent.post("/listing", first).await.failure();
        assert!(failure.starts_with("409 listing_withdrawn"), "{failure}");
        assert!(failure.contains(&listing.to_string()) || failure.contains("N/1"), "{failure}");
        assert_eq!(agent.get(&format!("/listing/{listing}")).await.status, 404);
    }
}

story! {
    async fn the_branch_has_to_be_the_caller_s(server) {
        let [agent, south] = server.two_agents().await;
        let mut theirs = body(&south, &mill_house());
        theirs["external_id"] = json!("S/1");
        assert_eq!(south.post("/listing", theirs.clone()).await.status, 201);
        assert_eq!(
            agent.post("/listing", theirs).await.failure(),
            format!("403 not_your_branch: branch {} is not one of yours", south.branch())
        );
        let mut unknown = body(&agent, &mill_house());
        unknown["branch_id"] = json!(999);
        assert_eq!(
            agent.post("/listing", unknown).await.failure(),
            "404 branch_unknown (branch_id): branch 999 does not exist"
        );
    }
}

story! {
    async fn a_listing_can_be_locked_from_the_beginning(server) {
        let agent = server.agent("north").await;
        let locked = with(&body(&agent, &mill_house()), "is_locked", json!(true));
        let created = agent.post("/listing", locked).await;
        assert_eq!(created.status, 201);
        assert_eq!(created.json()["data"]["attributes"]["is_locked"], true);
        let other = agent.list(2).await;
        let refused = agent.link(created.listing(), other).await.refusal();
        assert_eq!(refused, (409, "listing_locked".to_owned()));
    }
}

story! {
    async fn a_listing_that_moves_loses_its_end_checks(server) {
        let agent = server.agent("north").await;
        let mut first = body(&agent, &mill_house());
        first["external_id"] = json!("N/1");
        let listing = agent.post("/listing", first.clone()).await.listing();
        agent.close_chain(listing).await;
        let lender = server.lender().await;
        assert_eq!(lender.shown_property(1001).await["isTopClosed"], true);
        // The same home keeps them.
        assert_eq!(agent.post("/listing", with(&first, "price", json!(7))).await.status, 200);
        assert_eq!(lender.shown_property(1001).await["isBottomClosed"], true);
        first["address"]["uprn"] = json!(1002);
        assert_eq!(agent.post("/listing", first).await.status, 200);
        let property = lender.shown_property(1002).await;
        assert_eq!((&property["isTopClosed"], &property["isBottomClosed"]), (&json!(false), &json!(false)));
    }
}
