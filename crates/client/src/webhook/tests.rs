//! Tests of the calls of webhook management, against a small service in the same process.

use serde_json::{Value, json};

use super::WebhookClient;
use super::wire::{Simulation, SubscriptionWish};
use crate::event::EventType;
use crate::stand_in::{Reply, Request, Service};
use crate::{ClientError, Trust};

const ID: &str = "6a3f0c9e-0000-4000-8000-000000000001";

fn subscription() -> Value {
    json!({
        "subscriptionId": ID, "participantName": "Example Lender",
        "callbackUrl": "https://example.com/events", "events": ["fallthrough"],
        "status": "active", "createdAt": "2026-11-21T10:00:00Z",
        "updatedAt": "2026-11-21T10:00:00Z", "addedLater": 1
    })
}

fn answer(request: &Request, earlier: usize) -> Reply {
    let below = request.line.replace("/api/v1/webhook/", "");
    let (status, body) = match below.replace(ID, "ID").as_str() {
        "POST subscribe" if earlier == 0 => ("201 Created", subscription()),
        "POST subscribe" | "GET subscriptions/ID" | "POST subscriptions/ID/enable" => {
            ("200 OK", subscription())
        }
        "GET subscriptions" => ("200 OK", json!({"data": [subscription()]})),
        "DELETE subscriptions/ID" => ("204 No Content", Value::Null),
        "POST subscriptions/ID/replay" => (
            "202 Accepted",
            json!({"deliveries": 3, "nextSince": "2026-11-20T09:00:00Z"}),
        ),
        "POST subscriptions/ID/deliveries/7/redeliver" => (
            "202 Accepted",
            json!({"deliveryId": "7", "status": "waiting"}),
        ),
        "GET subscriptions/ID/deliveries?page=2" => (
            "200 OK",
            json!({"data": [{
            "deliveryId": "7", "eventId": "e-1", "eventType": "fallthrough", "propertyId": "1",
            "status": "waiting", "createdAt": "2026-11-21T10:00:00Z",
            "attempts": [{"number": 1, "at": "2026-11-21T10:00:00Z", "durationMilliseconds": 12,
                          "status": null, "error": "connect"}]
        }], "meta": {}}),
        ),
        "POST simulate" if earlier == 0 => (
            "202 Accepted",
            json!({
                "eventId": "sim_1", "deliveries": [{"subscriptionId": ID, "deliveryId": "8"}]
            }),
        ),
        "POST simulate" => (
            "409 Conflict",
            json!({
                "title": "Conflict", "detail": "No active subscription", "status": 409
            }),
        ),
        _ => ("404 Not Found", json!({"title": "Not found"})),
    };
    Reply {
        status,
        headers: "Content-Type: application/json\r\n",
        body: if body.is_null() {
            Vec::new()
        } else {
            body.to_string().into_bytes()
        },
    }
}

async fn start() -> (Service, WebhookClient) {
    let service = Service::start(answer).await;
    let client = WebhookClient::new(service.address(), " key-1\n", &service.trust()).unwrap();
    (service, client)
}

#[tokio::test]
async fn a_subscription_is_made_then_replaced() {
    let (service, client) = start().await;
    let wish = SubscriptionWish {
        participant_name: "Example Lender".to_owned(),
        callback_url: "https://example.com/events".to_owned(),
        events: vec![EventType::FallThrough, EventType::MilestoneUpdated],
    };
    let made = client.subscribe(&wish).await.unwrap();
    assert!(made.is_new);
    assert_eq!(made.subscription.subscription_id, ID);
    assert!(!client.subscribe(&wish).await.unwrap().is_new);

    let request = &service.requests()[0];
    assert_eq!(request.line, "POST /api/v1/webhook/subscribe");
    assert_eq!(request.api_key, "key-1");
    assert!(!request.has_certificate);
    let body: Value = serde_json::from_str(&request.body).unwrap();
    let expected = json!({
        "participantName": "Example Lender", "callbackUrl": "https://example.com/events",
        "events": ["fallthrough", "milestone.updated"]
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn a_simulation_sends_only_what_is_given() {
    let (service, client) = start().await;
    let simulation = Simulation {
        event_type: EventType::MilestoneUpdated,
        property_id: None,
        uprn: Some("100023336956".to_owned()),
        date: None,
        label: None,
    };
    let simulated = client.simulate(&simulation).await.unwrap();
    assert_eq!(simulated.event_id, "sim_1");
    assert_eq!(simulated.deliveries[0].delivery_id, "8");
    let body = &service.requests()[0].body;
    assert_eq!(
        body,
        r#"{"eventType":"milestone.updated","uprn":"100023336956"}"#
    );

    let error = client.simulate(&simulation).await.unwrap_err();
    assert!(matches!(error, ClientError::Webhook(_)), "{error}");
    let text = error.to_string();
    assert!(
        text.starts_with("409 Conflict: No active subscription; subscribe"),
        "{text}"
    );
}

#[tokio::test]
async fn subscriptions_are_looked_after() {
    let (service, client) = start().await;
    assert_eq!(client.list_subscriptions().await.unwrap().len(), 1);
    let shown = client.show_subscription(ID).await.unwrap();
    assert_eq!(
        (shown.status.as_str(), shown.disabled_reason),
        ("active", None)
    );
    client.enable_subscription(ID).await.unwrap();
    let page = client.list_deliveries(ID, 2).await.unwrap();
    assert_eq!(page.data[0].attempts[0].error.as_deref(), Some("connect"));
    client.redeliver(ID, "7").await.unwrap();
    let replayed = client.replay(ID, "2026-11-20T00:00:00Z").await.unwrap();
    assert_eq!(replayed.deliveries, 3);
    assert_eq!(replayed.next_since.as_deref(), Some("2026-11-20T09:00:00Z"));
    client.delete_subscription(ID).await.unwrap();
    let replay = &service.requests()[5];
    assert_eq!(replay.body, r#"{"since":"2026-11-20T00:00:00Z"}"#);

    let error = client
        .show_subscription("other")
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("404 Not found; list the subscriptions"),
        "{error}"
    );
    let before = service.requests().len();
    for id in ["", "../subscribe", "a/b", "a?b", "%2e"] {
        let error = client.delete_subscription(id).await.unwrap_err();
        assert!(matches!(error, ClientError::Credential { .. }), "{error}");
    }
    assert_eq!(service.requests().len(), before);
}

#[test]
fn what_cannot_work_is_refused_and_the_key_is_never_shown() {
    let refuse = |base_url, key| {
        let error = WebhookClient::new(base_url, key, &Trust::System)
            .unwrap_err()
            .to_string();
        assert!(!error.contains("secret"), "{error}");
        error
    };
    for address in ["http://a", "https://user@a", "https://:password@a"] {
        assert!(refuse(address, "secret").contains("not a plain https"));
    }
    assert!(refuse("https://a", "secret\u{1}").contains("the API key cannot be used"));
}
