//! A client of webhook management.

use std::sync::Arc;

use http::{Method, Request};
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::process::Node;

/// The holder of an API key.
pub(crate) struct Webhooks {
    connection: Connection,
    api_key: String,
}

impl Webhooks {
    pub(crate) async fn open(node: &Node, participant: &str) -> Self {
        Self::open_with(node, node.api_key(participant)).await
    }

    /// The holder of this API key.
    pub(crate) async fn open_with(node: &Node, api_key: &str) -> Self {
        let (tls, _token) = node.sign_in(None).await;
        Self {
            connection: Connection::open(node.base_address(), Arc::clone(&tls)).await,
            api_key: api_key.to_owned(),
        }
    }

    /// Subscribes to a type of event and returns the subscription's id.
    pub(crate) async fn subscribe(&mut self, callback_url: &str, event_type: &str) -> String {
        let body = json!({
            "participantName": "Benchmark",
            "callbackUrl": callback_url,
            "events": [event_type],
        });
        let answer = self.send(Method::POST, "/subscribe", Some(&body)).await;
        answer["subscriptionId"].as_str().unwrap().to_owned()
    }

    /// Replays all events since a time to a subscription and returns the number of deliveries.
    pub(crate) async fn replay(&mut self, subscription: &str, since: &str) -> u64 {
        let path = format!("/subscriptions/{subscription}/replay");
        let body = json!({ "since": since });
        let answer = self.send(Method::POST, &path, Some(&body)).await;
        answer["deliveries"].as_u64().unwrap()
    }

    /// Removes a subscription and its pending deliveries.
    pub(crate) async fn unsubscribe(&mut self, subscription: &str) {
        let path = format!("/subscriptions/{subscription}");
        self.send(Method::DELETE, &path, None).await;
    }

    /// Removes all subscriptions.
    pub(crate) async fn unsubscribe_all(&mut self) {
        let listed = self.send(Method::GET, "/subscriptions", None).await;
        for subscription in listed["data"].as_array().unwrap() {
            let id = subscription["subscriptionId"].as_str().unwrap();
            self.unsubscribe(id).await;
        }
    }

    async fn send(&mut self, method: Method, path: &str, body: Option<&Value>) -> Value {
        let (status, body) = self.try_send(method, path, body).await;
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(&body));
        if body.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request, which may be refused.
    pub(crate) async fn try_send(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> (u16, Bytes) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1/webhook{path}"))
            .header("host", "localhost")
            .header("x-api-key", &self.api_key)
            .header("content-type", "application/json")
            .body(Full::from(body))
            .unwrap();
        self.connection.send(request).await
    }
}
