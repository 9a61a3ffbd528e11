//! `PATCH` and `DELETE /api/v1/listing/{id}`: S-47, S-52, S-53.

use serde_json::{Value, json};

use super::Witness;
use crate::story;
use crate::world::BEGINNING;

story! {
    async fn each_member_can_be_changed_alone(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1001).await;
        let witness = Witness::of(&world).await;
        let path = format!("/listing/{listing}");
        for (body, price, is_locked) in [
            (json!({"price": 5}), 5, false),
            (json!({"is_locked": true}), 5, true),
            (json!({"tenure": "freehold"}), 5, true),
            (json!({"transaction_type": ["auction"]}), 5, true),
            (json!({"parties": {"sellerConveyancer": "Tarn LLP"}}), 5, true),
            (json!({"parties": {"buyerConveyancer": "Dale"}}), 5, true),
            (json!({"is_locked": false, "price": 6}), 6, false),
        ] {
            world.clock.advance(1);
            let before = agent.attributes(listing).await;
            let answer = agent.patch(&path, body.clone()).await;
            assert_eq!((answer.status, answer.json()), (200, agent.get(&path).await.json()));
            let mut expected = before.clone();
            expected["price"] = json!(price);
            expected["is_locked"] = json!(is_locked);
            expected["updated_at"] = json!(before["updated_at"].as_i64().unwrap() + 1);
            assert_eq!(answer.json()["data"]["attributes"], expected, "{body}");
        }
        let property = witness.property(1001).await;
        assert_eq!(property["tenure"], "freehold");
        assert_eq!(property["transactionType"], json!(["auction"]));
        assert_eq!(property["participants"], json!({"sellingAgent": "branch north",
            "sellerConveyancer": "Tarn LLP", "buyerConveyancer": "Dale"}));
        assert_eq!(witness.events().await, [] as [&str; 0]);
        assert_eq!(agent.history_lines(listing).await.len(), 8);
    }
}

story! {
    async fn what_is_as_it_was_changes_nothing(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let path = format!("/listing/{listing}");
        world.clock.advance(9);
        let answer = agent.patch(&path, json!({"price": 250_000, "is_locked": false})).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json()["data"]["attributes"]["updated_at"], BEGINNING);
        assert_eq!(agent.history_lines(listing).await.len(), 1);
    }
}

story! {
    async fn wrong_values_are_named(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let path = format!("/listing/{listing}");
        let before = agent.attributes(listing).await;
        let mut shown = String::new();
        for body in [
            json!({}),
            json!({"colour": "red"}),
            json!({"address_id": 1}),
            json!({"branch_id": 1}),
            json!({"price": "5"}),
            json!({"price": -1}),
            json!({"price": null}),
            json!({"price": 1_000_000_000_001_i64}),
            json!({"is_locked": "true"}),
            json!({"is_locked": 1}),
            json!({"is_locked": null}),
            json!({"tenure": "rented"}),
            json!({"transaction_type": ["gift"]}),
            json!({"parties": "Tarn LLP"}),
            json!({"parties": {"sellerConveyancer": "a\nb"}}),
            json!({"price": 5, "external_id": "N/1"}),
            json!({"price": -1, "is_locked": 1, "tenure": "x"}),
        ] {
            let answer = agent.patch(&path, body.clone()).await;
            shown += &[&body.to_string(), "\n  ", &answer.failure(), "\n"].concat();
        }
        assert_eq!(agent.attributes(listing).await, before);
        assert_eq!(agent.history_lines(listing).await.len(), 1);
        assert_shown!(shown, @r#"
        {}
          422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
        {"colour":"red"}
          422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
        {"address_id":1}
          422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
        {"branch_id":1}
          422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
        {"price":"5"}
          422 value_invalid (price): price: must be an integer from 0 to 1000000000000
        {"price":-1}
          422 value_invalid (price): price: must be an integer from 0 to 1000000000000
        {"price":null}
          422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
        {"price":1000000000001}
          422 value_invalid (price): price: must be an integer from 0 to 1000000000000
        {"is_locked":"true"}
          422 value_invalid (is_locked): is_locked: must be true or false
        {"is_locked":1}
          422 value_invalid (is_locked): is_locked: must be true or false
        {"is_locked":null}
          422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
        {"tenure":"rented"}
          422 value_invalid (tenure): tenure: must be one of freehold, leasehold, commonhold, shareoffreehold
        {"transaction_type":["gift"]}
          422 value_invalid (transaction_type): transaction_type: must be of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
        {"parties":"Tarn LLP"}
          422 value_invalid (parties): parties: must be an object
        {"parties":{"sellerConveyancer":"a\nb"}}
          422 value_invalid (parties.sellerConveyancer): parties.sellerConveyancer: must have 0 to 200 characters, none of them a control character
        {"external_id":"N/1","price":5}
          422 value_invalid (external_id): the external_id of a listing cannot be changed
        {"is_locked":1,"price":-1,"tenure":"x"}
          422 value_invalid (price), value_invalid (tenure), value_invalid (is_locked): price: must be an integer from 0 to 1000000000000; tenure: must be one of freehold, leasehold, commonhold, shareoffreehold; is_locked: must be true or false
        "#);
    }
}

story! {
    async fn the_branch_s_own_id_may_be_repeated_but_not_changed(world) {
        let agent = world.agent("north").await;
        agent.list(1).await;
        let body = json!({"address_id": 1, "branch_id": agent.branch, "price": 1,
            "external_id": "N/1"});
        let listing = agent.post("/listing", body).await.json()["data"]["id"].clone();
        let path = format!("/listing/{listing}");
        let same = agent.patch(&path, json!({"external_id": "N/1", "price": 5})).await;
        assert_eq!(same.status, 200);
        assert_eq!(same.json()["data"]["attributes"]["price"], 5);
        let failure = agent.patch(&path, json!({"external_id": "N/2", "price": 6})).await.failure();
        assert!(failure.starts_with("422 value_invalid (external_id): "), "{failure}");
    }
}

story! {
    async fn only_the_listing_s_branch_changes_or_withdraws_it(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let theirs = south.list(1).await;
        let ours = north.list(2).await;
        north.link(theirs, ours).await;
        let before = south.get(&format!("/listing/{theirs}")).await.json();
        let path = format!("/listing/{theirs}");
        let refused = format!(
            "403 not_your_branch: listing {theirs} does not belong to one of your branches"
        );
        assert_eq!(north.patch(&path, json!({"price": 5})).await.failure(), refused);
        assert_eq!(north.delete(&path).await.failure(), refused);
        assert_eq!(south.get(&path).await.json(), before);
        let unknown = "404 listing_unknown: listing 999 does not exist";
        assert_eq!(north.patch("/listing/999", json!({"price": 5})).await.failure(), unknown);
        assert_eq!(north.delete("/listing/999").await.failure(), unknown);
        let gone = north.list(3).await;
        let path = format!("/listing/{gone}");
        north.delete(&path).await.assert_success();
        let unknown = format!("404 listing_unknown: listing {gone} does not exist");
        assert_eq!(north.patch(&path, json!({"price": 5})).await.failure(), unknown);
        assert_eq!(north.delete(&path).await.failure(), unknown);
    }
}

story! {
    async fn a_withdrawn_listing_is_no_chain_any_more(world) {
        let agent = world.agent("north").await;
        let witness = Witness::of(&world).await;
        let older = agent.list(1).await;
        world.clock.advance(1);
        let newer = agent.list(1).await;
        let chains = [agent.chain_of(older).await, agent.chain_of(newer).await];
        assert_eq!(witness.chain(1).await["chainId"], chains[1]);
        agent.record(newer, "sstc", "2026-11-20").await;
        let events = witness.events().await;
        agent.delete(&format!("/listing/{newer}")).await.assert_success();
        // The one before is the current one again (S-6).
        assert_eq!(witness.chain(1).await["chainId"], chains[0]);
        agent.delete(&format!("/listing/{older}")).await.assert_success();
        assert_eq!(witness.chain(1).await, Value::Null);
        assert_eq!(witness.events().await, events);
        for chain in chains {
            let failure = agent.get(&format!("/chain/{chain}/listings")).await.failure();
            assert!(failure.starts_with("404 chain_unknown: "), "{failure}");
        }
        let history = agent.history_lines(newer).await;
        let withdrawn = format!("listing.withdrawn {{\"id\":{newer}}}");
        assert_eq!(history.last().unwrap(), &withdrawn);
        // It can be linked no more.
        let other = agent.list(2).await;
        assert_eq!(
            agent.link(newer, other).await.failure(),
            format!("404 listing_unknown (seller): seller listing {newer} does not exist")
        );
    }
}

story! {
    async fn a_linked_listing_cannot_be_withdrawn(world) {
        let agent = world.agent("north").await;
        let [bottom, middle, top] = [agent.list(1).await, agent.list(2).await, agent.list(3).await];
        agent.link(middle, bottom).await;
        agent.link(top, middle).await;
        for listing in [bottom, middle, top] {
            let failure = agent.delete(&format!("/listing/{listing}")).await.failure();
            assert!(failure.starts_with("409 listing_linked: "), "{failure}");
            assert!(failure.contains(&format!("listing {listing} ")), "{failure}");
            assert_eq!(agent.get(&format!("/listing/{listing}")).await.status, 200);
        }
        let link = json!({"seller": top, "buyer": middle});
        agent.post("/chain/remove/link", link).await.assert_success();
        agent.delete(&format!("/listing/{top}")).await.assert_success();
        let failure = agent.delete(&format!("/listing/{middle}")).await.failure();
        assert!(failure.starts_with("409 listing_linked: "), "{failure}");
    }
}

story! {
    async fn no_link_break_or_check_on_a_locked_listing(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let (bottom, top, further) = (north.list(1).await, south.list(2).await, north.list(3).await);
        north.link(top, bottom).await;
        let path = format!("/listing/{top}");
        south.patch(&path, json!({"is_locked": true})).await;
        let chain = north.chain_of(bottom).await;
        let link = json!({"seller": top, "buyer": bottom});
        let check = |top: bool, reason: &str| json!({"reason": reason, "top": top});
        let shortcut = |rest: &str| format!("/listing/chain/{bottom}/{rest}");
        for answer in [
            north.link(further, top).await,
            north.post("/chain/remove/link", link.clone()).await,
            north.post(&format!("/chain/{chain}/check"), check(true, "Checked")).await,
            north.post(&format!("/chain/{chain}/uncheck"), check(true, "Not EOC")).await,
            north.post_nothing(&shortcut("check/top")).await,
            north.post_nothing(&shortcut("uncheck/top")).await,
            north.post_nothing(&shortcut(&format!("add/top/{further}"))).await,
        ] {
            let failure = answer.failure();
            assert!(failure.starts_with("409 listing_locked"), "{failure}");
            assert!(failure.contains(&format!("listing {top} is locked")), "{failure}");
        }
        // The other end, and another listing's link, are free.
        north.post_nothing(&shortcut("check/bottom")).await.assert_success();
        north.post_nothing(&shortcut(&format!("add/bottom/{further}"))).await.assert_success();
        south.patch(&path, json!({"is_locked": false})).await;
        north.post_nothing(&shortcut("check/top")).await.assert_success();
        north.post("/chain/remove/link", link).await.assert_success();
        // As the buyer as well.
        north.patch(&format!("/listing/{bottom}"), json!({"is_locked": true})).await;
        let failure = north.link(top, bottom).await.failure();
        assert_eq!(failure, format!("409 listing_locked (buyer): buyer listing {bottom} is locked; unlock it first"));
        // A locked one can still be withdrawn when nothing is linked to it.
        south.patch(&path, json!({"is_locked": true})).await;
        south.delete(&path).await.assert_success();
    }
}
