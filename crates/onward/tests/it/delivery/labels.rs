//! What is recorded, and which event it makes (S-38).

use serde_json::{Value, json};

use crate::model::catalogue::{KINDS, Kind, LABELS};
use crate::story;
use crate::test_server::{Client, Receiver, TestServer};

/// Records a milestone whose event is awaited last: what came before it is all there is.
async fn all_so_far(agent: &Client, listing: i64, receiver: &Receiver) -> Vec<Value> {
    agent.record(listing, "completion", "1999-12-31").await;
    let is_last = |claims: &Value| claims["data"]["milestone"]["date"] == "1999-12-31";
    for count in 1.. {
        let arrived = receiver.wait_for(count).await;
        let claims: Vec<Value> = arrived
            .iter()
            .map(crate::test_server::Received::claims)
            .collect();
        if claims.last().is_some_and(is_last) {
            return claims[..claims.len() - 1].to_vec();
        }
    }
    Vec::new()
}

async fn begin(server: &TestServer) -> (Receiver, Client, i64) {
    let (receiver, _key, _subscription) = server.subscriber().await;
    let agent = server.agent("north").await;
    let listing = agent.list(100_023).await;
    (receiver, agent, listing)
}

story! {
    async fn each_of_the_18_labels_makes_exactly_its_event(server) {
        let (receiver, agent, listing) = begin(&server).await;
        let property = agent.attributes(listing).await["address_id"].to_string();
        for (index, (key, _label)) in LABELS.iter().enumerate() {
            let date = format!("2026-10-{:02}", index + 1);
            let answer = agent.record(listing, key, &date).await;
            assert_eq!(answer.status, 200, "{key}: {}", answer.json());
        }
        let arrived = receiver.wait_for(LABELS.len()).await;
        let keys = server.key_set().await;
        let mut ids = std::collections::BTreeSet::new();
        for (index, ((_key, label), request)) in LABELS.iter().zip(&arrived).enumerate() {
            let date = format!("2026-10-{:02}", index + 1);
            let (mut claims, kid) = request.verify(&keys);
            let header = request.part(0);
            assert_eq!(header, json!({"typ": "JWT", "alg": "RS256", "kid": kid}));
            assert_eq!(request.header("content-type"), "application/jwt");
            let event_id = claims["eventId"].take();
            ids.insert(event_id.as_str().unwrap().to_owned());
            let (event_type, content) = if *label == "Fall Through" {
                ("fallthrough", json!({"fallThroughDate": date}))
            } else {
                ("milestone.updated", json!({"milestone": {"label": label, "date": date}}))
            };
            assert_eq!(claims, json!({
                "iss": "https://localhost:8440", "iat": 1_795_255_200, "exp": 1_795_255_500,
                "eventId": null, "eventType": event_type, "eventTimestamp": "2026-11-21T10:00:00Z",
                "propertyId": property, "uprn": "100023", "data": content,
            }));
        }
        assert_eq!(ids.len(), LABELS.len());
        assert_eq!(all_so_far(&agent, listing, &receiver).await.len(), LABELS.len());
    }
}

story! {
    async fn types_outside_of_document_1_make_none(server) {
        let (receiver, agent, listing) = begin(&server).await;
        for Kind { key, .. } in KINDS.iter().filter(|kind| kind.label.is_none()) {
            let answer = agent.record(listing, key, "2026-11-01").await;
            assert_eq!(answer.status, 200, "{key}: {}", answer.json());
        }
        assert_eq!(all_so_far(&agent, listing, &receiver).await, Vec::<Value>::new());
        assert_eq!((KINDS.len(), LABELS.len()), (28, 18));
    }
}

story! {
    async fn a_changed_date_makes_another_event_and_the_same_one_does_not(server) {
        let (receiver, agent, listing) = begin(&server).await;
        for date in ["2026-11-01", "2026-11-01", "2026-11-02", "2026-11-02", "2026-11-01"] {
            agent.record(listing, "sstc", date).await;
            agent.record(listing, "fall_through", date).await;
        }
        // The same civil date in London, as a moment.
        let path = format!("/listing/{listing}/milestone/sstc");
        let answer = agent.put(&path, json!({"completed_at": 1_793_534_400})).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        let sent = all_so_far(&agent, listing, &receiver).await;
        let sent: Vec<&Value> = sent.iter().map(|claims| &claims["data"]).collect();
        let mut expected = Vec::new();
        for date in ["2026-11-01", "2026-11-02", "2026-11-01"] {
            expected.push(json!({"milestone": {"label": "SSTC", "date": date}}));
            expected.push(json!({"fallThroughDate": date}));
        }
        assert_eq!(sent, expected.iter().collect::<Vec<_>>());
    }
}

story! {
    async fn withdrawing_and_reopening_make_none_and_recording_anew_does(server) {
        let (receiver, agent, listing) = begin(&server).await;
        agent.record(listing, "enquiries_opened", "2026-11-01").await;
        agent.record(listing, "enquiries_closed", "2026-11-02").await;
        let reopened = agent.post_nothing(&format!("/listing/{listing}/reopen-enquiries")).await;
        reopened.assert_success();
        let path = format!("/listing/{listing}/milestone/enquiries_opened");
        assert!(agent.delete(&path).await.status < 300);
        agent.record(listing, "enquiries_opened", "2026-11-01").await;
        let sent = all_so_far(&agent, listing, &receiver).await;
        let sent: Vec<&Value> = sent.iter().map(|claims| &claims["data"]["milestone"]).collect();
        assert_eq!(sent, [
            &json!({"label": "Enquiries Opened", "date": "2026-11-01"}),
            &json!({"label": "Enquiries Closed", "date": "2026-11-02"}),
            &json!({"label": "Enquiries Opened", "date": "2026-11-01"}),
        ]);
    }
}

story! {
    async fn what_is_refused_makes_none(server) {
        let (receiver, agent, listing) = begin(&server).await;
        let other = server.agent("south").await;
        assert_eq!(other.record(listing, "sstc", "2026-11-01").await.status, 403);
        assert_eq!(agent.record(listing, "sstc", "2026-02-30").await.status, 422);
        assert_eq!(agent.record(listing, "sold", "2026-11-01").await.status, 404);
        // One key, one record, one event.
        let path = format!("/listing/{listing}/milestone/sstc");
        for _time in 0..3 {
            let put = agent.request(http::Method::PUT, &path).header("idempotency-key", "k1");
            let answer = crate::test_server::send(put.json(&json!({"date": "2026-11-03"}))).await;
            assert_eq!(answer.status, 200);
        }
        assert_eq!(all_so_far(&agent, listing, &receiver).await.len(), 1);
    }
}

story! {
    async fn each_subscription_hears_the_types_it_asked_for(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let (milestones, falls, both) =
            (server.receiver().await, server.receiver().await, server.receiver().await);
        let key = server.api_key("One Ltd").await;
        let other = server.api_key("Other Ltd").await;
        milestones.subscribe_to(&server, &key, &["milestone.updated"]).await;
        falls.subscribe_to(&server, &other, &["fallthrough"]).await;
        both.subscribe_to(&server, &other, &["fallthrough", "milestone.updated"]).await;
        agent.record(listing, "sstc", "2026-11-01").await;
        agent.record(listing, "fall_through", "2026-11-02").await;
        agent.record(listing, "exchange", "2026-11-03").await;
        both.wait_for(3).await;
        let types = |arrived: Vec<crate::test_server::Received>| -> Vec<String> {
            arrived.iter().map(|one| one.claims()["eventType"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(types(milestones.wait_for(2).await), ["milestone.updated"; 2]);
        assert_eq!(types(falls.wait_for(1).await), ["fallthrough"]);
        // One signature for all subscribers of an event.
        assert_eq!(both.received()[1].body, falls.received()[0].body);
        assert_eq!(both.received()[0].body, milestones.received()[0].body);
    }
}
