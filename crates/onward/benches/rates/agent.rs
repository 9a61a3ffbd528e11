//! The sandbox's client that manages listings, with an access token.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{Method, Request};
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::process::Node;

/// The client's name in the sandbox.
const AGENT: &str = "Example Agent";

/// A request to listing management.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
}

/// A client with the scope `listing` and an access token.
pub(crate) struct Agent {
    address: SocketAddr,
    tls: Arc<rustls::ClientConfig>,
    token: String,
    branch: u64,
}

impl Agent {
    pub(crate) async fn open(node: &Node) -> Self {
        Self::open_as(node, AGENT).await
    }

    /// Another client of the sandbox.
    pub(crate) async fn open_as(node: &Node, name: &str) -> Self {
        let (tls, token) = node.sign_in(Some(name)).await;
        Self {
            address: node.listing_address(),
            tls,
            token,
            branch: node.branch_of(name),
        }
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open(self.address, Arc::clone(&self.tls)).await
    }

    /// Sends a request and checks that the answer is a success.
    pub(crate) async fn send(&self, connection: &mut Connection, call: Call) -> Value {
        let (status, body) = self.try_send(connection, call, None).await;
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    /// Sends a request, which may be refused, with an `Idempotency-Key` or without.
    pub(crate) async fn try_send(
        &self,
        connection: &mut Connection,
        call: Call,
        key: Option<&str>,
    ) -> (u16, Bytes) {
        let body = call.body.map(|body| body.to_string()).unwrap_or_default();
        let mut request = Request::builder()
            .method(call.method)
            .uri(format!("/api/v1{}", call.path))
            .header("host", "localhost")
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        connection
            .send(request.body(Full::from(body)).unwrap())
            .await
    }

    /// Lists a new property and returns the listing's id.
    pub(crate) async fn list(&self, connection: &mut Connection, number: usize) -> i64 {
        let address = json!({
            "line1": format!("{} Benchmark Street {}", number + 1, uuid::Uuid::new_v4()),
            "postTown": "Leeds", "postcode": "LS1 4AP",
        });
        let body = json!({"address": address, "branch_id": self.branch, "price": 250_000});
        let call = Call {
            method: Method::POST,
            path: "/listing".to_owned(),
            body: Some(body),
        };
        let answer = self.send(connection, call).await;
        answer["data"]["id"].as_i64().unwrap()
    }
}
