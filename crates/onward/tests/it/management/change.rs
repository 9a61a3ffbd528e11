//! `PATCH` and `DELETE /api/v1/listing/{id}`: S-47, S-52, S-53.

use http::Method;
use serde_json::{Value, json};

use crate::{sqlite_story, story};

story! {
    async fn each_member_can_be_changed_alone(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(1001).await;
        let lender = server.lender().await;
        let path = format!("/listing/{listing}");
        for body in [
            json!({"price": 5}),
            json!({"is_locked": true}),
            json!({"tenure": "freehold"}),
            json!({"transaction_type": ["auction"]}),
            json!({"parties": {"sellerConveyancer": "Tarn LLP"}}),
            json!({"parties": {"buyerConveyancer": "Dale"}}),
            json!({"is_locked": false, "price": 6}),
        ] {
            server.clock.advance(1);
            let before = agent.attributes(listing).await;
            let answer = agent.patch(&path, body.clone()).await;
            assert_eq!((answer.status, answer.json()), (200, agent.get(&path).await.json()));
            let mut expected = before.clone();
            for (name, value) in body.as_object().unwrap() {
                if let Some(parties) = value.as_object() {
                    expected[name].as_object_mut().unwrap().extend(parties.clone());
                } else {
                    expected[name] = value.clone();
                }
            }
            expected["updated_at"] = json!(before["updated_at"].as_i64().unwrap() + 1);
            assert_eq!(answer.json()["data"]["attributes"], expected, "{body}");
        }
        let property = lender.shown_property(1001).await;
        assert_eq!(property["tenure"], "freehold");
        assert_eq!(property["transactionType"], json!(["auction"]));
        assert_eq!(property["participants"], json!({"sellingAgent": "branch north",
            "sellerConveyancer": "Tarn LLP", "buyerConveyancer": "Dale"}));
        assert_eq!(server.event_lines().await, [] as [&str; 0]);
        assert_eq!(agent.history_lines(listing).await.len(), 8);
        // The same values again change nothing.
        server.clock.advance(9);
        let before = agent.attributes(listing).await;
        let answer = agent.patch(&path, json!({"price": 6, "is_locked": false})).await;
        assert_eq!((answer.status, &answer.json()["data"]["attributes"]), (200, &before));
        assert_eq!(agent.history_lines(listing).await.len(), 8);
    }
}

sqlite_story! {
    async fn wrong_values_are_named(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let before = agent.see_all().await;
        let refusals = agent.refusals(Method::PATCH, &format!("/listing/{listing}"), [
            json!({}), json!({"colour": "red"}), json!({"address_id": 1}), json!({"branch_id": 1}),
            json!({"price": null}), json!({"is_locked": null}), json!({"price": "5"}),
            json!({"price": -1}), json!({"price": 1_000_000_000_001_i64}),
            json!({"is_locked": "true"}), json!({"is_locked": 1}), json!({"tenure": "rented"}),
            json!({"transaction_type": ["gift"]}), json!({"parties": "Tarn LLP"}),
            json!({"parties": {"sellerConveyancer": "a\nb"}}),
            json!({"price": 5, "external_id": "N/1"}),
            json!({"price": -1, "is_locked": 1, "tenure": "x"}),
        ]).await;
        assert_shown!(refusals, @r#"
        422 value_invalid (body): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked
          {}
        422 value_invalid (body), value_invalid (colour): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked; colour: is not known here; known are external_id, is_locked, parties, price, tenure, transaction_type
          {"colour":"red"}
        422 value_invalid (body), value_invalid (address_id): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked; address_id: is not known here; known are external_id, is_locked, parties, price, tenure, transaction_type
          {"address_id":1}
        422 value_invalid (body), value_invalid (branch_id): body: says nothing: send at least one of price, tenure, transaction_type, parties, is_locked; branch_id: is not known here; known are external_id, is_locked, parties, price, tenure, transaction_type
          {"branch_id":1}
        422 value_invalid (price): price: must not be null; leave it out to keep its value
          {"price":null}
        422 value_invalid (is_locked): is_locked: must not be null; leave it out to keep its value
          {"is_locked":null}
        422 value_invalid (price): price: must be an integer from 0 to 1000000000000
          {"price":"5"}  {"price":-1}  {"price":1000000000001}
        422 value_invalid (is_locked): is_locked: must be true or false
          {"is_locked":"true"}  {"is_locked":1}
        422 value_invalid (tenure): tenure: must be one of freehold, leasehold, commonhold, shareoffreehold
          {"tenure":"rented"}
        422 value_invalid (transaction_type): transaction_type: must be of auction, buy_to_let, freehold_enfranchisement, power_of_attorney, probate, repossession, shared_ownership
          {"transaction_type":["gift"]}
        422 value_invalid (parties): parties: must be an object
          {"parties":"Tarn LLP"}
        422 value_invalid (parties.sellerConveyancer): parties.sellerConveyancer: has the character U+000A, which texts must not have
          {"parties":{"sellerConveyancer":"a\nb"}}
        422 value_invalid (external_id): the external_id of a listing cannot be changed
          {"external_id":"N/1","price":5}
        422 value_invalid (price), value_invalid (tenure), value_invalid (is_locked): price: must be an integer from 0 to 1000000000000; tenure: must be one of freehold, leasehold, commonhold, shareoffreehold; is_locked: must be true or false
          {"is_locked":1,"price":-1,"tenure":"x"}
        "#);
        assert_eq!(agent.see_all().await, before);
    }
}

story! {
    async fn the_branch_s_own_id_may_be_repeated_but_not_changed(server) {
        let agent = server.agent("north").await;
        agent.list(1).await;
        let body = json!({"address_id": 1, "branch_id": agent.branch(), "price": 1,
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
    async fn a_withdrawn_listing_is_no_chain_any_more(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let older = agent.list(1).await;
        server.clock.advance(1);
        let newer = agent.list(1).await;
        let chains = [agent.chain_of(older).await, agent.chain_of(newer).await];
        assert_eq!(lender.shown_chain(1).await["chainId"], chains[1]);
        agent.record(newer, "sstc", "2026-11-20").await;
        let events = server.event_lines().await;
        agent.withdraw(newer).await;
        // The one before is the current one again (S-6).
        assert_eq!(lender.shown_chain(1).await["chainId"], chains[0]);
        agent.withdraw(older).await;
        assert_eq!(lender.shown_chain(1).await, Value::Null);
        assert_eq!(server.event_lines().await, events);
        for chain in chains {
            let failure = agent.get(&format!("/chain/{chain}/listings")).await.failure();
            assert!(failure.starts_with("404 chain_unknown: "), "{failure}");
        }
        let history = agent.history_lines(newer).await;
        let withdrawn = format!("listing.withdrawn {{\"id\":{newer}}}");
        assert_eq!(history[history.len() - 2..], [withdrawn, "current.lost {}".to_owned()]);
        // It can be linked no more.
        let other = agent.list(2).await;
        assert_eq!(
            agent.link(newer, other).await.failure(),
            format!("404 listing_unknown (seller): seller listing {newer} does not exist")
        );
    }
}

story! {
    async fn no_link_break_or_check_on_a_locked_listing(server) {
        let [north, south] = server.two_agents().await;
        let (bottom, top, further) = (north.list(1).await, south.list(2).await, north.list(3).await);
        north.link(top, bottom).await;
        south.lock(top, true).await;
        let chain = north.chain_of(bottom).await;
        let link = |seller, buyer| json!({"seller": seller, "buyer": buyer});
        let shortcut = |rest: &str| format!("/listing/chain/{bottom}/{rest}");
        let ends = ["check", "uncheck"].map(|verb| format!("/chain/{chain}/{verb}"));
        let before = [north.see_all().await, south.see_all().await];
        server.clock.advance(1);
        let mut refused = Vec::new();
        for (path, body, side) in [
            ("/chain/add/link".to_owned(), link(further, top), "buyer"),
            ("/chain/remove/link".to_owned(), link(top, bottom), "seller"),
            (ends[0].clone(), json!({"reason": "Checked", "top": true}), ""),
            (ends[1].clone(), json!({"reason": "Not EOC", "top": true}), ""),
            (shortcut("check/top"), json!({}), ""),
            (shortcut("uncheck/top"), json!({}), ""),
            (shortcut(&format!("add/top/{further}")), json!({}), "buyer"),
        ] {
            let answer = north.send_with_key(("POST", &path), "locked", &body).await;
            let (field, side) = match side {
                "" => (String::new(), "top"),
                side => (format!(" ({side})"), side),
            };
            let expected = format!(
                "409 listing_locked{field}: {side} listing {top} is locked; unlock it first"
            );
            assert_eq!(answer.failure(), expected, "{path}");
            refused.push((path, body, expected));
        }
        assert_eq!([north.see_all().await, south.see_all().await], before);
        // The other end, and another listing's link, are free.
        north.mark(bottom, "check/bottom").await;
        north.mark(bottom, &format!("add/bottom/{further}")).await;
        south.lock(top, false).await;
        // The refusal is kept under its key; without the key the call succeeds.
        for (path, body, expected) in &refused[1..6] {
            let kept = north.send_with_key(("POST", path), "locked", body).await;
            assert_eq!((kept.failure(), kept.is_replayed()), (expected.clone(), true), "{path}");
        }
        for (path, body, _expected) in &refused[2..6] {
            north.post(path, body.clone()).await.assert_success();
        }
        north.unlink(top, bottom).await.assert_success();
        // As the buyer as well.
        north.lock(bottom, true).await;
        let failure = north.link(top, bottom).await.failure();
        assert_eq!(failure, format!("409 listing_locked (buyer): buyer listing {bottom} is locked; unlock it first"));
        // A locked listing can be withdrawn when nothing is linked to it.
        south.lock(top, true).await;
        south.withdraw(top).await;
    }
}
