//! `POST /api/v1/webhook/simulate` (S-33).

use serde_json::{Value, json};

use crate::story;
use crate::world::{World, send};

/// Simulates; the event's claims without what differs in each run.
async fn heard(world: &World, key: &str, receiver: &crate::world::Receiver, body: Value) -> Value {
    let before = receiver.received().len();
    let answer = world.post_webhook(key, "/simulate", body).await;
    assert_eq!(answer.status, 202, "{}", answer.json());
    let arrived = receiver.wait_for(before + 1).await.remove(before);
    let (mut claims, _kid) = arrived.verify(&world.key_set().await);
    let event_id = claims["eventId"].take();
    assert_eq!(event_id, answer.json()["eventId"]);
    assert!(event_id.as_str().unwrap().starts_with("sim_"));
    assert_eq!(arrived.header("webhook-id"), event_id.as_str().unwrap());
    claims
}

story! {
    async fn a_test_event_looks_like_a_real_one(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let agent = world.agent("north").await;
        let listing = agent.list(100_023).await;
        let address = agent.attributes(listing).await["address_id"].to_string();
        let common = json!({
            "iss": "https://localhost:8440", "iat": 1_795_255_200, "exp": 1_795_255_500,
            "eventId": null, "eventTimestamp": "2026-11-21T10:00:00Z",
        });
        let expected = |kind: &str, (property, uprn): (&str, &str), data: Value| {
            let mut claims = common.clone();
            claims["eventType"] = json!(kind);
            claims["propertyId"] = json!(property);
            claims["uprn"] = json!(uprn);
            claims["data"] = data;
            claims
        };
        let sstc = |date: &str| json!({"milestone": {"label": "SSTC", "date": date}});
        let body = json!({"eventType": "milestone.updated", "uprn": "100023"});
        let claims = heard(&world, &key, &receiver, body).await;
        let ids = (address.as_str(), "100023");
        assert_eq!(claims, expected("milestone.updated", ids, sstc("2026-11-21")));
        let body = json!({"eventType": "milestone.updated", "propertyId": address,
            "label": "Completion Date Set", "date": "2027-02-01"});
        let claims = heard(&world, &key, &receiver, body).await;
        let data = json!({"milestone": {"label": "Completion Date Set", "date": "2027-02-01"}});
        assert_eq!(claims, expected("milestone.updated", ids, data));
        let body = json!({"eventType": "fallthrough", "propertyId": "77", "date": "2026-01-31"});
        let claims = heard(&world, &key, &receiver, body).await;
        let data = json!({"fallThroughDate": "2026-01-31"});
        assert_eq!(claims, expected("fallthrough", ("77", "0"), data.clone()));
        let body = json!({"eventType": "fallthrough", "uprn": "000999", "date": "2026-01-31"});
        let claims = heard(&world, &key, &receiver, body).await;
        assert_eq!(claims, expected("fallthrough", ("0", "999"), data.clone()));
        // Both are taken as they are, though they do not belong together.
        let body = json!({"eventType": "fallthrough", "propertyId": "77", "uprn": "100023",
            "date": "2026-01-31"});
        let claims = heard(&world, &key, &receiver, body).await;
        assert_eq!(claims, expected("fallthrough", ("77", "100023"), data));
        assert_eq!(world.deliveries(&key, &subscription).await.len(), 5);
        // Nothing was recorded, and nothing of it is in the outbox of real events.
        assert_eq!(agent.history(listing).await.len(), 1);
    }
}

story! {
    async fn every_label_but_fall_through_can_be_simulated(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        world.subscribe(&key, &receiver).await;
        for (_key, label) in crate::delivery::LABELS {
            let body = json!({"eventType": "milestone.updated", "uprn": "5", "label": label});
            if *label == "Fall Through" {
                let answer = world.post_webhook(&key, "/simulate", body).await;
                assert_eq!(answer.wrong_values().len(), 1);
                continue;
            }
            let claims = heard(&world, &key, &receiver, body).await;
            assert_eq!(claims["data"]["milestone"]["label"], *label);
        }
    }
}

story! {
    async fn today_is_that_of_london(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        world.subscribe(&key, &receiver).await;
        // 2027-07-01T23:30:00Z, when it is the 2nd in London already.
        world.clock.advance(1_814_484_600 - crate::world::BEGINNING);
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let claims = heard(&world, &key, &receiver, body).await;
        assert_eq!(claims["eventTimestamp"], "2027-07-01T23:30:00Z");
        assert_eq!(claims["data"]["fallThroughDate"], "2027-07-02");
    }
}

story! {
    async fn it_reaches_the_caller_s_own_active_subscriptions_only(world) {
        let (all, milestones, gone, theirs) = (
            world.receiver().await, world.receiver().await,
            world.receiver().await, world.receiver().await,
        );
        let key = world.api_key("Example Lender").await;
        let other = world.api_key("Example Lender").await;
        let heard_all = world.subscribe(&key, &all).await;
        let answer = milestones.subscribe_to(&world, &key, &["milestone.updated"]).await;
        assert_eq!(answer.status, 201);
        world.subscribe(&other, &theirs).await;
        gone.answer_always(crate::world::Reply::status(410));
        let disabled = world.subscribe(&key, &gone).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5",
            "callbackUrl": theirs.url});
        let first = world.post_webhook(&key, "/simulate", body.clone()).await.json();
        assert_eq!(first["deliveries"].as_array().unwrap().len(), 2);
        all.wait_for(1).await;
        world.wait_until("it is disabled", async || {
            world.status_of(&key, &disabled).await == "disabled gone"
        }).await;
        let second = world.post_webhook(&key, "/simulate", body).await.json();
        let deliveries = second["deliveries"].as_array().unwrap();
        assert_eq!(deliveries.len(), 1, "{second}");
        assert_eq!(deliveries[0]["subscriptionId"], heard_all);
        all.wait_for(2).await;
        let log = world.wait_for_state(&key, &heard_all, "delivered").await;
        assert_eq!(log["deliveryId"], deliveries[0]["deliveryId"]);
        assert_eq!(log["eventId"], second["eventId"]);
        assert_eq!(milestones.received().len(), 0);
        assert_eq!(theirs.received().len(), 0);
        assert_eq!(gone.received().len(), 1);
    }
}

story! {
    async fn without_a_subscription_that_hears_it_there_is_a_conflict(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let said = "409 conflict: No active subscription of this API key hears this type of event.";
        let answer = world.post_webhook(&key, "/simulate", body.clone()).await;
        assert_eq!(answer.problem(), said);
        receiver.subscribe_to(&world, &key, &["milestone.updated"]).await;
        let answer = world.post_webhook(&key, "/simulate", body.clone()).await;
        assert_eq!(answer.problem(), said);
        // Wrong values come before the state.
        let wrong = json!({"eventType": "fallthrough"});
        assert_eq!(world.post_webhook(&key, "/simulate", wrong).await.status, 422);
    }
}

story! {
    async fn it_needs_a_key_and_a_json_object(world) {
        world.assert_key_is_needed("/simulate", "POST").await;
        let key = world.api_key("Example Lender").await;
        world.assert_json_is_needed(&key, "/simulate").await;
    }
}

story! {
    async fn every_wrong_field_is_named(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        world.subscribe(&key, &receiver).await;
        let refused = async |body: Value| {
            world.post_webhook(&key, "/simulate", body).await.wrong_values()
        };
        assert_eq!(refused(json!({})).await, [
            "eventType: is missing",
            "propertyId: is missing: send propertyId or uprn",
        ]);
        let several = json!({"eventType": "sale", "uprn": "x", "date": "tomorrow"});
        assert_eq!(refused(several).await, [
            "eventType: must be `milestone.updated` or `fallthrough`",
            "uprn: must be digits, a number from 1 to 999999999999",
            "date: must be a date YYYY-MM-DD in the years 1900 to 2200",
        ]);
        let labelled = json!({"eventType": "fallthrough", "uprn": "5", "label": "Fall Through"});
        assert_eq!(refused(labelled).await, ["label: does not go with a fallthrough: leave it out"]);
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

story! {
    async fn an_idempotency_key_means_nothing_here(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        world.subscribe(&key, &receiver).await;
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        let mut ids = std::collections::BTreeSet::new();
        // Neither is it honoured, nor is a wrong one refused.
        for sent in ["k1", "k1", "a b", ""] {
            let request = world.webhook_request(("POST", "/simulate")).header("x-api-key", &key);
            let answer = send(request.header("idempotency-key", sent).json(&body)).await;
            assert_eq!(answer.status, 202, "{sent:?}: {}", answer.json());
            assert_eq!(answer.header("idempotency-replayed"), "");
            ids.insert(answer.json()["eventId"].to_string());
        }
        assert_eq!(ids.len(), 4);
        receiver.wait_for(4).await;
    }
}
