//! The nodes that serve one store: the test's own on SQLite, two processes on PostgreSQL.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use http::Method;
use observe::clock::Clock;
use serde_json::Value;

use crate::query::versions::without_question;
use crate::test_server::{Addresses, Answer, Client, Node, TestServer, send};

/// How long any one request may take before it counts as lost.
const REQUEST_SECONDS_MAX: u64 = 60;
const PROCESSES: usize = 2;

/// What serves the store.
pub(super) struct Nodes {
    addresses: Vec<Addresses>,
    clock: Clock,
    /// Each document that a query answered, without the question, by chain.
    answered: Mutex<BTreeMap<String, BTreeSet<String>>>,
}

impl Nodes {
    /// Starts the nodes; those that are processes are the second part.
    pub(super) async fn start(server: &TestServer) -> (Self, Vec<Node>) {
        let mut processes = Vec::new();
        if !server.config.store.starts_with("postgres") {
            let nodes = Self {
                addresses: vec![Addresses::new(|at| server.url(at, ""))],
                clock: Clock::Manual(server.clock.clone()),
                answered: Mutex::default(),
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
            answered: Mutex::default(),
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
        let shown = in_time(self.at(node, lender).shown_chain(uprn)).await;
        let document = without_question(shown.clone()).to_string();
        let chain = shown["chainId"].as_str().unwrap().to_owned();
        let mut answered = self.answered.lock().unwrap();
        answered.entry(chain).or_default().insert(document);
        shown
    }

    /// Each document that any query answered is a sealed version of its chain (S-60). The versions of a chain
    /// have no gaps. Waits in vain for a document that is none. Returns how many documents there are.
    pub(super) async fn compare_with_versions(&self, auditor: &Client) -> usize {
        let answered = std::mem::take(&mut *self.answered.lock().unwrap());
        let auditor = self.at(0, auditor);
        for (chain, documents) in &answered {
            let mut missing = documents.clone();
            let mut known = 0;
            while !missing.is_empty() {
                // The present version is sealed soon.
                let next = i64::try_from(known + 1).unwrap();
                let versions = in_time(auditor.wait_for_version(chain, next)).await;
                let numbers = versions.iter().map(|one| one.0);
                assert!(
                    numbers.eq((1..).take(versions.len())),
                    "{chain}: {versions:?}"
                );
                for (version, _time) in &versions[known..] {
                    let document = in_time(auditor.read_version(chain, *version)).await;
                    missing.remove(&document.to_string());
                }
                known = versions.len();
            }
        }
        answered.values().map(BTreeSet::len).sum()
    }
}

async fn in_time<T>(asking: impl Future<Output = T>) -> T {
    let patience = Duration::from_secs(REQUEST_SECONDS_MAX);
    tokio::time::timeout(patience, asking).await.unwrap()
}
