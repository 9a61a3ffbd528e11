//! `POST /api/v1/webhook/simulate` (S-33).

use serde_json::{Value, json};

use crate::model::catalogue::LABELS;
use crate::test_server::{BEGINNING, Receiver, Reply, TestServer, send};
use crate::{sqlite_story, story};

/// Simulates; the event's claims without the id, which differs in each run.
async fn simulate(server: &TestServer, key: &str, receiver: &Receiver, body: Value) -> Value {
    let before = receiver.received().len();
    let answer = server.post_webhook(key, "/simulate", body).await;
    assert_eq!(answer.status, 202, "{}", answer.json());
    let arrived = receiver.wait_for(before + 1).await.remove(before);
    let (mut claims, _kid) = arrived.verify(&server.key_set().await);
    let event_id = claims["eventId"].take();
    assert_eq!(event_id, answer.json()["eventId"]);
    assert!(event_id.as_str().unwrap().starts_with("sim_"));
    assert_eq!(arrived.header("webhook-id"), event_id.as_str().unwrap());
    claims
}

story! {
    async fn a_test_event_differs_from_a_real_one_by_its_id_and_one_claim(server) {
        server = server.reconfigure(|config| config.simulate_known_properties = true).await;
        let (receiver, key, subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        let listing = agent.list(100_023).await;
        let address = agent.attributes(listing).await["address_id"].to_string();
        let common = json!({
            "iss": "https://localhost:8440", "iat": 1_795_255_200, "exp": 1_795_255_500,
            "eventId": null, "eventTimestamp": "2026-11-21T10:00:00Z", "simulated": true,
        });
        let sstc = |label: &str, date: &str| json!({"milestone": {"label": label, "date": date}});
        let fall_through = json!({"fallThroughDate": "2026-01-31"});
        for (body, property, uprn, data) in [
            (json!({"eventType": "milestone.updated", "uprn": "100023"}),
                address.as_str(), "100023", sstc("SSTC", "2026-11-21")),
            (json!({"eventType": "milestone.updated", "propertyId": address,
                "label": "Completion Date Set", "date": "2027-02-01"}),
                &address, "100023", sstc("Completion Date Set", "2027-02-01")),
            (json!({"eventType": "fallthrough", "propertyId": "77", "date": "2026-01-31"}),
                "77", "0", fall_through.clone()),
            (json!({"eventType": "fallthrough", "uprn": "000999", "date": "2026-01-31"}),
                "0", "999", fall_through.clone()),
            // Both are taken as they are, though they do not belong together.
            (json!({"eventType": "fallthrough", "propertyId": "77", "uprn": "100023",
                "date": "2026-01-31"}), "77", "100023", fall_through),
        ] {
            let mut expected = common.clone();
            expected["eventType"] = body["eventType"].clone();
            expected["propertyId"] = json!(property);
            expected["uprn"] = json!(uprn);
            expected["data"] = data;
            assert_eq!(simulate(&server, &key, &receiver, body).await, expected);
        }
        assert_eq!(server.deliveries(&key, &subscription).await.len(), 5);
        // Nothing was recorded, and nothing of it is in the outbox of real events.
        assert_eq!(agent.history(listing).await.len(), 1);
    }
}

story! {
    /// Nobody may hold a signed event about a real sale that never happened (S-33).
    async fn a_property_with_a_current_listing_is_refused(server) {
        let (receiver, key, _) = server.subscriber().await;
        let agent = server.agent("north").await;
        let [listed, withdrawn] = agent.list_each([100_023, 100_024]).await;
        let mut ids = Vec::new();
        for listing in [listed, withdrawn] {
            ids.push(agent.attributes(listing).await["address_id"].to_string());
        }
        agent.withdraw(withdrawn).await;
        let detail = "names a property with a current listing: simulate another one, or use a \
                      test system";
        for (members, refused) in [
            (json!({"uprn": "100023"}), vec!["uprn"]),
            (json!({"propertyId": ids[0]}), vec!["propertyId"]),
            (json!({"propertyId": ids[0], "uprn": "100023"}), vec!["propertyId", "uprn"]),
            // Whichever number a receiver reads, it must not name a sale.
            (json!({"propertyId": "77", "uprn": "100023"}), vec!["uprn"]),
            (json!({"propertyId": ids[1], "uprn": "100024"}), vec![]),
        ] {
            let mut body = members;
            body["eventType"] = json!("fallthrough");
            let answer = server.post_webhook(&key, "/simulate", body).await;
            if refused.is_empty() {
                assert_eq!(answer.status, 202, "{}", answer.json());
                continue;
            }
            let expected: Vec<_> = refused.iter().map(|name| format!("{name}: {detail}")).collect();
            assert_eq!(answer.wrong_values(), expected);
        }
        receiver.wait_for(1).await;
        assert_eq!(receiver.received().len(), 1);
    }
}

sqlite_story! {
    async fn every_label_but_fall_through_can_be_simulated(server) {
        let (receiver, key, _) = server.subscriber().await;
        for (_key, label) in &*LABELS {
            let body = json!({"eventType": "milestone.updated", "uprn": "5", "label": label});
            if *label == "Fall Through" {
                let answer = server.post_webhook(&key, "/simulate", body).await;
                let said = answer.wrong_values();
                assert_eq!(said.len(), 1);
                // The refusal lists the labels.
                assert!(answer.problem().contains("Mortgage Offered, Enquiries Opened"), "{said:?}");
                continue;
            }
            let claims = simulate(&server, &key, &receiver, body).await;
            assert_eq!(claims["data"]["milestone"]["label"], *label);
        }
        // Today is a date in London: 2027-07-01T23:30:00Z is the 2nd there already.
        server.clock.advance(1_814_484_600 - BEGINNING);
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let claims = simulate(&server, &key, &receiver, body).await;
        assert_eq!(claims["eventTimestamp"], "2027-07-01T23:30:00Z");
        assert_eq!(claims["data"]["fallThroughDate"], "2027-07-02");
    }
}

story! {
    async fn a_test_event_reaches_the_caller_s_own_active_subscriptions_only(server) {
        let (all, key, receives_all) = server.subscriber().await;
        let (milestones, gone) = (server.receiver().await, server.receiver().await);
        let (theirs, _, _) = server.subscriber().await;
        let answer = milestones.subscribe_to(&server, &key, &["milestone.updated"]).await;
        assert_eq!(answer.status, 201);
        gone.answer_always(Reply::status(410));
        let disabled = server.subscribe(&key, &gone).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5",
            "callbackUrl": theirs.url});
        let first = server.post_webhook(&key, "/simulate", body.clone()).await.json();
        assert_eq!(first["deliveries"].as_array().unwrap().len(), 2);
        all.wait_for(1).await;
        server.wait_until_disabled(&key, &disabled).await;
        let second = server.post_webhook(&key, "/simulate", body).await.json();
        let deliveries = second["deliveries"].as_array().unwrap();
        assert_eq!(deliveries.len(), 1, "{second}");
        assert_eq!(deliveries[0]["subscriptionId"], receives_all);
        all.wait_for(2).await;
        let log = server.wait_for_state(&key, &receives_all, "delivered").await;
        assert_eq!(log["deliveryId"], deliveries[0]["deliveryId"]);
        assert_eq!(log["eventId"], second["eventId"]);
        assert_eq!(milestones.received().len(), 0);
        assert_eq!(theirs.received().len(), 0);
        assert_eq!(gone.received().len(), 1);
    }
}

story! {
    async fn without_a_subscription_that_receives_it_there_is_a_conflict(server) {
        let receiver = server.receiver().await;
        let key = server.api_key("Example Lender").await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let said = "409 conflict: No active subscription of yours hears this type of event about \
                    this property.";
        let answer = server.post_webhook(&key, "/simulate", body.clone()).await;
        assert_eq!(answer.problem(), said);
        receiver.subscribe_to(&server, &key, &["milestone.updated"]).await;
        let answer = server.post_webhook(&key, "/simulate", body.clone()).await;
        assert_eq!(answer.problem(), said);
        // Wrong values come before the state.
        let wrong = json!({"eventType": "fallthrough"});
        assert_eq!(server.post_webhook(&key, "/simulate", wrong).await.status, 422);
    }
}

sqlite_story! {
    async fn every_wrong_field_is_named(server) {
        let (receiver, key, _) = server.subscriber().await;
        let refused = async |body: Value| {
            server.post_webhook(&key, "/simulate", body).await.wrong_values()
        };
        assert_eq!(refused(json!({})).await, [
            "eventType: is missing",
            "propertyId: is missing: send propertyId or uprn",
        ]);
        let several = json!({"eventType": "sale", "uprn": "x", "date": "tomorrow"});
        assert_eq!(refused(several).await, [
            "eventType: must be one of `milestone.updated`, `fallthrough`, `chain.changed`",
            "uprn: must be digits, a number from 1 to 999999999999",
            "date: must be a date YYYY-MM-DD in the years 1900 to 2200",
        ]);
        let labelled = json!({"eventType": "fallthrough", "uprn": "5", "label": "Fall Through"});
        assert_eq!(refused(labelled).await, ["label: does not go with a fallthrough: leave it out"]);
        let changed = json!({"eventType": "fallthrough", "uprn": "5", "change": "sold"});
        assert_eq!(refused(changed).await, [
            "change: goes with a chain.changed only: leave it out",
            "change: must be one of `linked`, `unlinked`, `checked`, `unchecked`, `current`",
        ]);
        let dated = json!({"eventType": "chain.changed", "uprn": "5", "date": "2026-11-21", "label": "SSTC"});
        assert_eq!(refused(dated).await, [
            "label: does not go with a chain.changed: leave it out",
            "date: does not go with a chain.changed: leave it out",
        ]);
        for (field, value) in [
            ("eventType", json!(5)),
            ("eventType", json!("Milestone.Updated")),
            ("eventType", json!("")),
            ("uprn", json!("")),
            ("uprn", json!("0")),
            ("uprn", json!("1234567890123")),
            ("uprn", json!("-5")),
            ("uprn", json!(" 5")),
            ("uprn", json!(5.5)),
            ("uprn", json!(["5"])),
            ("propertyId", json!("0")),
            ("propertyId", json!("9007199254740992")),
            ("propertyId", json!("abc")),
            ("date", json!("2026-02-30")),
            ("date", json!("20261121")),
            ("date", json!("2026-11-21T00:00:00Z")),
            ("date", json!(20_261_121)),
            ("label", json!("sstc")),
            ("label", json!("Valuation Booked")),
            ("label", json!("")),
            ("label", json!(2)),
        ] {
            let mut body = json!({"eventType": "milestone.updated", "uprn": "5"});
            body[field] = value.clone();
            let errors = refused(body).await;
            assert_eq!(errors.len(), 1, "{field} {value}: {errors:?}");
            assert!(errors[0].starts_with(&format!("{field}: ")), "{value}: {errors:?}");
        }
        assert_eq!(receiver.received().len(), 0);
    }
}

sqlite_story! {
    async fn an_idempotency_key_means_nothing_here(server) {
        let (receiver, key, _) = server.subscriber().await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let mut ids = std::collections::BTreeSet::new();
        // Neither is it honoured, nor is a wrong one refused.
        for sent in ["k1", "k1", "a b", ""] {
            let request = server.webhook_request(("POST", "/simulate")).header("x-api-key", &key);
            let answer = send(request.header("idempotency-key", sent).json(&body)).await;
            assert_eq!(answer.status, 202, "{sent:?}: {}", answer.json());
            assert_eq!(answer.header("idempotency-replayed"), "");
            ids.insert(answer.json()["eventId"].to_string());
        }
        assert_eq!(ids.len(), 4);
        receiver.wait_for(4).await;
    }
}

story! {
    async fn a_test_event_can_go_to_one_subscription(server) {
        let (first, key, first_id) = server.subscriber().await;
        let (theirs, _, their_id) = server.subscriber().await;
        let second = server.receiver().await;
        let second_id = server.subscribe(&key, &second).await;
        let body = |id: &str| json!({"eventType": "fallthrough", "uprn": "5", "subscriptionId": id});
        let answer = server.post_webhook(&key, "/simulate", body(&second_id)).await.json();
        let deliveries = answer["deliveries"].as_array().unwrap();
        assert_eq!(deliveries.len(), 1, "{answer}");
        assert_eq!(deliveries[0]["subscriptionId"], second_id);
        second.wait_for(1).await;
        assert_eq!((first.received().len(), theirs.received().len()), (0, 0));
        for unknown in [their_id.as_str(), "", "x", "00000000-0000-4000-8000-000000000000"] {
            let answer = server.post_webhook(&key, "/simulate", body(unknown)).await;
            let said = "404 not-found: There is no such subscription of yours.";
            assert_eq!(answer.problem(), said, "{unknown}");
        }
        second.answer_always(Reply::status(410));
        server.post_webhook(&key, "/simulate", body(&second_id)).await;
        server.wait_until_disabled(&key, &second_id).await;
        let answer = server.post_webhook(&key, "/simulate", body(&second_id)).await;
        assert_eq!(answer.status, 409);
        assert_eq!(server.deliveries(&key, &first_id).await.len(), 0);
    }
}

story! {
    async fn a_watch_lets_a_test_event_through_or_not(server) {
        server = server.reconfigure(|config| config.simulate_known_properties = true).await;
        let key = server.api_key("lender Ltd").await;
        server.register("lender", &["transaction-status"]).await;
        let agent = server.agent("north").await;
        let [below, above] = agent.list_each([11, 12]).await;
        agent.link(above, below).await;
        let mut ids = Vec::new();
        for (reach, uprns) in [("property", json!(["11", "999"])), ("chain", json!(["11"]))] {
            let receiver = server.receiver().await;
            let body = json!({
                "participantName": "Example Lender", "callbackUrl": receiver.url,
                "events": ["fallthrough"], "watch": {"reach": reach, "uprns": uprns},
            });
            let made = server.post_webhook(&key, "/subscribe", body).await;
            assert_eq!(made.status, 201, "{}", made.json());
            ids.push((made.json()["subscriptionId"].clone(), receiver));
        }
        let (property, chain) = (&ids[0].0, &ids[1].0);
        for (uprn, expected) in [
            ("11", vec![property, chain]),
            ("12", vec![chain]),
            ("999", vec![property]),
            ("13", vec![]),
        ] {
            let body = json!({"eventType": "fallthrough", "uprn": uprn});
            let answer = server.post_webhook(&key, "/simulate", body).await;
            if expected.is_empty() {
                assert_eq!(answer.status, 409, "{uprn}");
                continue;
            }
            let answer = answer.json();
            let went = answer["deliveries"].as_array().unwrap().iter();
            let went: Vec<_> = went.map(|one| &one["subscriptionId"]).collect();
            assert_eq!(went, expected, "{uprn}");
        }
    }
}

story! {
    async fn a_change_of_a_chain_is_simulated_for_those_who_may_see_chains(server) {
        server = server.reconfigure(|config| config.simulate_known_properties = true).await;
        let agent = server.agent("north").await;
        let [below, above] = agent.list_each([22, 21]).await;
        agent.link(above, below).await;
        let key = server.api_key("lender Ltd").await;
        let receiver = server.receiver().await;
        let changed = |members: Value| {
            let mut body = json!({"eventType": "chain.changed", "uprn": "5"});
            body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            body
        };
        // Without the right it is refused, whoever subscribes.
        let refused = server.post_webhook(&key, "/simulate", changed(json!({}))).await;
        assert_eq!((refused.status, refused.json()["type"].clone()),
            (403, json!("urn:onward:problem:not-allowed")));
        server.register("lender", &["transaction-status"]).await;
        let nobody = server.post_webhook(&key, "/simulate", changed(json!({}))).await;
        assert_eq!(nobody.status, 409);
        let made = receiver.subscribe_to(&server, &key, &["chain.changed"]).await;
        assert_eq!(made.status, 201);
        let claims = simulate(&server, &key, &receiver, changed(json!({}))).await;
        assert_eq!((&claims["eventType"], &claims["simulated"]), (&json!("chain.changed"), &json!(true)));
        let data = &claims["data"];
        assert_eq!((&data["change"], &data["uprns"]), (&json!("linked"), &json!(["5"])));
        data["chainId"].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
        let claims = simulate(&server, &key, &receiver, changed(json!({"change": "current"}))).await;
        assert_eq!(claims["data"]["change"], "current");
        // Of a sale, the sandbox's events name the real chain.
        let claims = simulate(&server, &key, &receiver, changed(json!({"uprn": "22"}))).await;
        assert_eq!(claims["data"]["chainId"], agent.chain_of(above).await);
        assert_eq!(claims["data"]["uprns"], json!(["21", "22"]));
    }
}
