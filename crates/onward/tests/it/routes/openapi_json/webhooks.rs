//! Real answers of webhook management hold to its document.

use serde_json::{Value, json};

use super::{Described, strict};
use crate::sqlite_story;
use crate::test_server::{Answer, At, Receiver, Reply, TestServer};

const UNKNOWN: &str = "7c1f86f4-5a4e-4c0e-9d0b-6f1f4c5a2d10";

/// A subscriber, and the document that describes its answers.
struct Checker<'a> {
    server: &'a TestServer,
    described: Described,
    key: String,
}

impl<'a> Checker<'a> {
    async fn new(server: &'a TestServer) -> Self {
        Self {
            server,
            described: Described::new(server, At::Base, "/api/v1/webhook").await,
            key: server.api_key("Example Lender").await,
        }
    }

    async fn ask(&mut self, call: &str, fill: &[&str], body: Value) -> Answer {
        let (method, path) = Described::fill(call, fill);
        let body = Some(&body).filter(|body| !body.is_null());
        let answer = self
            .server
            .webhook(&self.key, (method.as_str(), &path), body)
            .await;
        self.described.check(call, &answer);
        answer
    }

    /// Subscribes; the subscription's id.
    async fn subscribe(&mut self, receiver: &Receiver) -> String {
        let wish = wish(&receiver.url);
        let answer = self.ask("POST /subscribe", &[], wish).await.json();
        answer["subscriptionId"].as_str().unwrap().to_owned()
    }
}

fn wish(url: &str) -> Value {
    json!({"participantName": "Example Lender", "callbackUrl": url,
        "events": ["milestone.updated", "fallthrough"]})
}

sqlite_story! {
    async fn every_success(server) {
        let receiver = server.receiver().await;
        let mut checker = Checker::new(&server).await;
        let id = checker.subscribe(&receiver).await;
        assert_eq!(checker.subscribe(&receiver).await, id);
        let delivery = deliver(&mut checker, &receiver, &id).await;
        for list in ["/subscriptions", "/subscriptions/{id}"] {
            let fill = if list.contains('{') { &[id.as_str()][..] } else { &[] };
            for method in ["GET", "HEAD"] {
                checker.ask(&format!("{method} {list}"), fill, Value::Null).await;
            }
        }
        // An id is the same in capital letters.
        let shouted = id.to_uppercase();
        let enable = "POST /subscriptions/{id}/enable";
        let enabled = checker.ask(enable, &[&shouted], Value::Null).await;
        assert_eq!(enabled.json()["status"], "active");
        checker.ask("POST /subscriptions/{id}/retry", &[&shouted], Value::Null).await;
        let since = json!({"since": "2026-11-01T00:00:00Z"});
        checker.ask("POST /subscriptions/{id}/replay", &[&id], since).await;
        let redeliver = "POST /subscriptions/{id}/deliveries/{delivery}/redeliver";
        checker.ask(redeliver, &[&id, &delivery], Value::Null).await;
        let watch = "/subscriptions/{id}/watch";
        let body = json!({"uprns": [1], "reach": "property"});
        checker.ask(&format!("PUT {watch}"), &[&id], body).await;
        checker.ask(&format!("PATCH {watch}"), &[&id], json!({"add": [2]})).await;
        for method in ["GET", "HEAD"] {
            let page = format!("{method} {watch}?per_page=1");
            checker.ask(&page, &[&id], Value::Null).await;
        }
        // An attempt that gets no answer has no status.
        let unreached = json!({"participantName": "a", "events": "fallthrough",
            "callbackUrl": "https://localhost:1/"});
        let made = checker.ask("POST /subscribe", &[], unreached).await.json();
        let unreached = made["subscriptionId"].as_str().unwrap();
        let event = json!({"eventType": "fallthrough", "uprn": "100023"});
        checker.ask("POST /simulate", &[], event).await;
        let logged = server.wait_for_attempts(&checker.key, unreached, 1).await;
        assert_eq!(logged["attempts"][0]["status"], Value::Null);
        checker.ask("GET /subscriptions/{id}/deliveries", &[unreached], Value::Null).await;
        let pending = logged["deliveryId"].as_str().unwrap();
        let cancel = "POST /subscriptions/{id}/deliveries/{delivery}/cancel";
        checker.ask(cancel, &[unreached, pending], Value::Null).await;
        let elsewhere = json!({"callbackUrl": format!("{}?moved", receiver.url)});
        checker.ask("PATCH /subscriptions/{id}", &[&id], elsewhere).await;
        checker.ask("DELETE /subscriptions/{id}", &[&id], Value::Null).await;
        checker.described.assert_every_success_was_seen();
    }
}

/// Three events: one arrives, one is answered with 500, and after one that is
/// answered with 410 the subscription is disabled. The last delivery's id.
async fn deliver(checker: &mut Checker<'_>, receiver: &Receiver, id: &str) -> String {
    receiver.answer([Reply::status(200), Reply::status(500), Reply::status(410)]);
    let deliveries = "/subscriptions/{id}/deliveries";
    let mut delivery = String::new();
    // Of different properties, so that none waits for another.
    for property in 1..=3 {
        let event = json!({"eventType": "milestone.updated", "propertyId": property,
            "label": "SSTC", "date": "2026-11-20"});
        let simulated = checker.ask("POST /simulate", &[], event).await.json();
        let id_of_delivery = simulated["deliveries"][0]["deliveryId"].as_str();
        delivery = id_of_delivery.unwrap().to_owned();
        let server = checker.server;
        server.wait_for_attempts(&checker.key, id, 1).await;
        for method in ["GET", "HEAD"] {
            let call = format!("{method} {deliveries}?per_page=2");
            checker.ask(&call, &[id], Value::Null).await;
        }
    }
    let show = "GET /subscriptions/{id}";
    let shown = checker.ask(show, &[id], Value::Null).await;
    assert_eq!(shown.json()["disabledReason"], "gone");
    delivery
}

sqlite_story! {
    async fn refusals_of_every_status(server) {
        let receiver = server.receiver().await;
        let mut checker = Checker::new(&server).await;
        let simulate = "POST /simulate";
        let event = json!({"eventType": "fallthrough", "uprn": "100023"});
        assert_eq!(checker.ask(simulate, &[], event).await.status, 409);
        let id = checker.subscribe(&receiver).await;
        let (subscribe, replay) = ("POST /subscribe", "POST /subscriptions/{id}/replay");
        let deliveries = "GET /subscriptions/{id}/deliveries";
        let redeliver = "POST /subscriptions/{id}/deliveries/{delivery}/redeliver";
        let own: [&str; 1] = [&id];
        for (call, fill, body, status) in [
            (subscribe, &[][..], json!({}), 422),
            (subscribe, &[], wish("http://localhost/"), 422),
            (subscribe, &[], Value::Null, 415),
            (subscribe, &[], json!([]), 400),
            (subscribe, &[], "a".repeat(70_000).into(), 413),
            (simulate, &[], json!({"eventType": "fallthrough"}), 422),
            (simulate, &[], json!({"eventType": "fallthrough", "uprn": 1, "label": "SSTC"}), 422),
            (replay, &own, json!({"since": "today"}), 422),
            (replay, &[UNKNOWN], json!({"since": "2026-11-01T00:00:00Z"}), 404),
            ("GET /subscriptions/{id}", &[UNKNOWN], Value::Null, 404),
            ("GET /subscriptions/{id}", &["%00"], Value::Null, 404),
            ("GET /subscriptions/{id}", &["%FF"], Value::Null, 404),
            ("DELETE /subscriptions/{id}", &[UNKNOWN], Value::Null, 404),
            ("POST /subscriptions/{id}/enable", &[UNKNOWN], Value::Null, 404),
            ("POST /subscriptions/{id}/retry", &[UNKNOWN], Value::Null, 404),
            ("PATCH /subscriptions/{id}/watch", &own, json!({"add": [2]}), 409),
            ("GET /subscriptions/{id}/watch", &own, Value::Null, 409),
            ("PATCH /subscriptions/{id}", &own, json!({}), 422),
            ("PATCH /subscriptions/{id}", &[UNKNOWN], json!({"callbackUrl": "https://localhost:1/"}), 404),
            ("PUT /subscriptions/{id}/watch", &own, json!({"uprns": [1]}), 422),
            ("PUT /subscriptions/{id}/watch", &[UNKNOWN], json!({"uprns": [], "reach": "chain"}), 404),
            (subscribe, &[], json!({"participantName": "a", "callbackUrl": "https://localhost/",
                "events": ["chain.changed"]}), 403),
            (redeliver, &[&id, "7"], Value::Null, 404),
            (redeliver, &[&id, "x"], Value::Null, 404),
            ("POST /subscriptions/{id}/deliveries/{delivery}/cancel", &[&id, "7"], Value::Null, 404),
            (deliveries, &[UNKNOWN], Value::Null, 404),
            ("GET /subscriptions/{id}/deliveries?page=0", &own, Value::Null, 422),
            ("GET /subscriptions/{id}/deliveries?page=%FF", &own, Value::Null, 422),
        ] {
            let answer = checker.ask(call, fill, body).await;
            assert_eq!(answer.status, status, "{call} {}", String::from_utf8_lossy(&answer.body));
        }
        receiver.answer([Reply::status(410)]);
        let event = json!({"eventType": "fallthrough", "uprn": "100023"});
        checker.ask(simulate, &[], event).await;
        server.wait_for_attempts(&checker.key, &id, 1).await;
        let since = json!({"since": "2026-11-01T00:00:00Z"});
        assert_eq!(checker.ask(replay, &[&id], since).await.status, 409);
        let disabled = checker.ask(redeliver, &[&id, "1"], Value::Null).await;
        assert_eq!(disabled.status, 409);
        checker.key = "none".to_owned();
        for call in ["GET /subscriptions", subscribe] {
            assert_eq!(checker.ask(call, &[], Value::Null).await.status, 401);
        }
    }
}

sqlite_story! {
    /// Header and claims of each event are described under `webhooks`.
    async fn each_event_fits_its_description(server) {
        server.register("lender", &["transaction-status"]).await;
        let key = server.api_key("lender Ltd").await;
        let receiver = server.receiver().await;
        let document = super::document(&server, At::Base).await;
        let described = document["webhooks"].as_object().unwrap();
        let types: Vec<&str> = described.keys().map(String::as_str).collect();
        let subscribed = receiver.subscribe_to(&server, &key, &types).await;
        assert_eq!(subscribed.status, 201, "{}", subscribed.json());
        let agent = server.agent("north").await;
        let [below, above] = agent.list_each([1, 2]).await;
        agent.link(above, below).await;
        agent.record(above, "sstc", "2026-11-20").await;
        agent.record(above, "fall_through", "2026-11-20").await;
        for event_type in &types {
            server.simulate(&key, event_type, 99).await;
        }
        let mut seen = std::collections::BTreeMap::new();
        server.wait_until("each type arrives twice", async || {
            seen.clear();
            for one in receiver.received() {
                *seen.entry(one.claims()["eventType"].to_string()).or_insert(0) += 1;
            }
            seen.len() == types.len() && seen.values().all(|count| *count >= 2)
        }).await;
        for one in receiver.received() {
            let claims = one.claims();
            let event_type = claims["eventType"].as_str().unwrap();
            let request = &described[event_type]["post"]["requestBody"]["content"];
            let parts = &request["application/jwt"]["schema"]["contentSchema"]["prefixItems"];
            strict::check(&document, &parts[0], &one.part(0), event_type);
            strict::check(&document, &parts[1], &claims, event_type);
        }
    }
}
