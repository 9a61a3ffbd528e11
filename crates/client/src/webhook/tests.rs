//! Tests of the calls of webhook management.

use serde_json::{Value, json};

use super::WebhookClient;
use super::wire::{Simulation, SubscriptionRequest};
use crate::fake_server::{FakeServer, Reply, Request};
use crate::{ClientError, EventType, Trust};

fn reply(request: &Request, earlier: usize) -> Reply {
    let subscription = json!({
        "subscriptionId": "s-1", "participantName": "Example Lender",
        "callbackUrl": "https://example.com/events", "events": ["fallthrough"],
        "status": "active", "createdAt": "2026-11-21T10:00:00Z",
        "updatedAt": "2026-11-21T10:00:00Z", "addedLater": 1
    });
    let simulated = json!({
        "eventId": "sim_1", "deliveries": [{"subscriptionId": "s-1", "deliveryId": "8"}]
    });
    let conflict = json!({"title": "Conflict", "detail": "No active subscription"});
    match (request.line.as_str(), earlier) {
        ("POST /api/v1/webhook/subscribe", 0) => Reply::json(201, &subscription),
        ("POST /api/v1/webhook/subscribe", _) => Reply::json(200, &subscription),
        ("POST /api/v1/webhook/simulate", 0) => Reply::json(202, &simulated),
        ("POST /api/v1/webhook/simulate", 1) => Reply::json(409, &conflict),
        ("POST /api/v1/webhook/simulate", 2) => Reply::empty(429, "Retry-After: 2"),
        ("GET /api/v1/webhook/subscriptions", _) => {
            Reply::json(200, &json!({"data": [subscription]}))
        }
        ("GET /api/v1/webhook/subscriptions/s-1/deliveries", _) => Reply::json(200, &log()),
        ("DELETE /api/v1/webhook/subscriptions/s-1", 0) => Reply::empty(204, ""),
        ("DELETE /api/v1/webhook/subscriptions/s-1", _) => Reply::empty(404, ""),
        _ => Reply::empty(202, ""),
    }
}

/// A log with one delivery that the receiver refused.
fn log() -> Value {
    json!({"data": [{
        "deliveryId": "8", "status": "waiting", "addedLater": 1,
        "attempts": [{"number": 1, "status": 500, "error": null, "answer": "no\u{1b}t now"}]
    }], "meta": {}})
}

async fn start() -> (FakeServer, WebhookClient) {
    let server = FakeServer::start(reply).await;
    let client = WebhookClient::new(server.address(), " key-1\n", &server.trust()).unwrap();
    (server, client)
}

#[tokio::test]
async fn a_subscription_is_made_then_replaced() {
    let (server, client) = start().await;
    let wish = SubscriptionRequest {
        participant_name: "Example Lender".to_owned(),
        callback_url: "https://example.com/events".to_owned(),
        events: vec![EventType::FallThrough, EventType::MilestoneUpdated],
    };
    let made = client.subscribe(&wish).await.unwrap();
    assert!(made.is_new);
    assert_eq!(made.subscription.subscription_id, "s-1");
    assert!(!client.subscribe(&wish).await.unwrap().is_new);

    let request = &server.requests()[0];
    assert_eq!(request.header("x-api-key"), "key-1");
    assert!(!request.has_certificate);
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let expected = json!({
        "participantName": "Example Lender", "callbackUrl": "https://example.com/events",
        "events": ["fallthrough", "milestone.updated"]
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_simulation_sends_only_the_given_members() {
    let (server, client) = start().await;
    let simulation = Simulation {
        event_type: EventType::MilestoneUpdated,
        property_id: None,
        uprn: Some("100023336956".to_owned()),
        date: None,
        label: None,
        change: None,
        subscription_id: None,
    };
    let simulated = client.simulate(&simulation).await.unwrap();
    assert_eq!(simulated.event_id, "sim_1");
    assert_eq!(simulated.deliveries[0].delivery_id, "8");
    let expected = r#"{"eventType":"milestone.updated","uprn":"100023336956"}"#;
    assert_eq!(server.requests()[0].body, expected);

    for expected in [
        "409 Conflict: No active subscription; subscribe first",
        "the rate limit is reached: wait 2 s",
        "it does not have the documented form",
    ] {
        let error = client.simulate(&simulation).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_subscription_is_listed_with_its_deliveries_and_deleted() {
    let (server, client) = start().await;
    let listed = client.list_subscriptions().await.unwrap();
    assert_eq!(listed[0].subscription_id, "s-1");
    let deliveries = client.list_deliveries("s-1").await.unwrap();
    let attempt = &deliveries[0].attempts[0];
    let seen = (attempt.status, attempt.answer.as_deref());
    assert_eq!(seen, (Some(500), Some("noU+001Bt now")));
    client.delete_subscription("s-1").await.unwrap();
    let error = client.delete_subscription("s-1").await.unwrap_err();
    assert!(matches!(error, ClientError::Webhook(_)), "{error}");
    let has_key = |key: &str| key == "key-1";
    let requests = server.requests();
    assert!(requests.iter().all(|one| has_key(one.header("x-api-key"))));
}

#[test]
fn unusable_addresses_and_keys_are_refused_without_showing_the_key() {
    for (address, key, expected) in [
        ("http://a", "secret", "not a plain https"),
        ("https://user@a", "secret", "not a plain https"),
        ("https://:password@a", "secret", "not a plain https"),
        ("https://a", "secret\u{1}", "the API key cannot be used"),
    ] {
        let error = WebhookClient::new(address, key, &Trust::System).unwrap_err();
        assert!(matches!(error, ClientError::Credential { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains(expected) && !text.contains("secret"),
            "{text}"
        );
    }
}
