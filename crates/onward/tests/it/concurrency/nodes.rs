//! The nodes that serve one store: the test's own on SQLite, two processes on PostgreSQL.

use std::time::Duration;

use http::Method;
use observe::clock::Clock;
use serde_json::Value;

use crate::test_server::{Addresses, Answer, Client, Node, TestServer, send};

/// How long any one request may take before it counts as lost.
const REQUEST_SECONDS_MAX: u64 = 60;
const PROCESSES: usize = 2;

/// What serves the store.
pub(super) struct Nodes {
    addresses: Vec<Addresses>,
    clock: Clock,
}

impl Nodes {
    /// Starts the nodes; those that are processes are the second part.
    pub(super) async fn start(server: &TestServer) -> (Self, Vec<Node>) {
        let mut processes = Vec::new();
        if !server.config.store.starts_with("postgres") {
            let nodes = Self {
                addresses: vec![Addresses::new(|at| server.url(at, ""))],
                clock: Clock::Manual(server.clock.clone()),
            };
            return (nodes, processes);
        }
        for _process in 0..PROCESSES {
            processes.push(Node::start(server.directory.path(), server.config.clone()).await);
        }
        let addresses = processes
            .iter()
            .map(|node| Addresses::new(|at| node.url(at, "")));
        let nodes = Self {
            addresses: addresses.collect(),
            clock: Clock::System,
        };
        (nodes, processes)
    }

    pub(super) fn count(&self) -> usize {
        self.addresses.len()
    }

    /// The node after this one; the same where there is no other.
    pub(super) fn other(&self, node: usize) -> usize {
        (node + 1) % self.count()
    }

    /// Gets a client a token that is good at all nodes.
    pub(super) async fn admit(&self, client: Client) -> Client {
        let now = self.clock.now_seconds();
        let token = client
            .registration
            .request_token(&self.addresses[0].auth, now);
        Client {
            token: token.await,
            ..client
        }
    }

    fn at(&self, node: usize, client: &Client) -> Client {
        Client {
            node: self.addresses[node].clone(),
            ..client.clone()
        }
    }

    /// Calls listing and chain management at one node; `path` begins after `/api/v1`.
    pub(super) async fn call(
        &self,
        node: usize,
        client: &Client,
        (method, path): (Method, &str),
        body: Option<Value>,
    ) -> Answer {
        let request = self.at(node, client).request(method, path);
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        in_time(send(request)).await
    }

    /// Reads at one node; must succeed.
    pub(super) async fn read(&self, node: usize, client: &Client, path: &str) -> Value {
        let answer = self.call(node, client, (Method::GET, path), None).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        answer.json()
    }

    /// Document 1's chain of a property, as one node answers it.
    pub(super) async fn query(&self, node: usize, lender: &Client, uprn: i64) -> Value {
        in_time(self.at(node, lender).shown_chain(uprn)).await
    }
}

async fn in_time<T>(asking: impl Future<Output = T>) -> T {
    let patience = Duration::from_secs(REQUEST_SECONDS_MAX);
    tokio::time::timeout(patience, asking).await.unwrap()
}
