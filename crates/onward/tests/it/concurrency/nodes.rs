//! The nodes that serve one store: the story's own on SQLite, two processes on PostgreSQL.

use std::time::Duration;

use http::Method;
use observe::clock::Clock;
use serde_json::Value;

use crate::world::{Answer, At, Node, TestClient, World};

/// How long any one request may take before it counts as lost.
const REQUEST_SECONDS_MAX: u64 = 60;
const PROCESSES: usize = 2;

/// What serves the store.
pub(super) struct Nodes {
    /// Base, token and listing address of each node.
    addresses: Vec<[String; 3]>,
    clock: Clock,
}

/// The processes among them.
pub(super) struct Processes(Vec<Node>);

/// A client with a token that is good on each node.
#[derive(Clone)]
pub(super) struct Member {
    client: TestClient,
    token: String,
    pub(super) branches: Vec<i64>,
}

impl Nodes {
    pub(super) async fn start(world: &World) -> (Self, Processes) {
        if !world.config.store.starts_with("postgres") {
            let url = |at| world.url(at, "");
            let nodes = Self {
                addresses: vec![[url(At::Base), url(At::Auth), url(At::Listing)]],
                clock: Clock::Manual(world.clock.clone()),
            };
            return (nodes, Processes(Vec::new()));
        }
        let mut nodes = Self {
            addresses: Vec::new(),
            clock: Clock::System,
        };
        let mut processes = Vec::new();
        for _process in 0..PROCESSES {
            let node = Node::start(world.directory.path(), world.config.clone()).await;
            let url = |at| node.url(at, "");
            nodes
                .addresses
                .push([url(At::Base), url(At::Auth), url(At::Listing)]);
            processes.push(node);
        }
        (nodes, Processes(processes))
    }

    pub(super) fn count(&self) -> usize {
        self.addresses.len()
    }

    /// The node after this one; the same where there is no other.
    pub(super) fn other(&self, node: usize) -> usize {
        (node + 1) % self.count()
    }

    /// Gets a client a token.
    pub(super) async fn admit(&self, client: TestClient, branches: &[i64]) -> Member {
        let now = self.clock.now_seconds();
        let form = client.token_form(now);
        let url = format!("{}/token", self.addresses[0][1]);
        let answer = client.http.post(url).form(&form).send().await.unwrap();
        let body = Answer::read(answer).await.json();
        let token = body["access_token"].as_str();
        Member {
            token: token.unwrap_or_else(|| panic!("{body}")).to_owned(),
            client,
            branches: branches.to_vec(),
        }
    }

    /// Calls listing and chain management at one node; `path` begins after `/api/v1`.
    pub(super) async fn call(
        &self,
        node: usize,
        member: &Member,
        (method, path): (Method, &str),
        body: Option<Value>,
    ) -> Answer {
        let url = format!("{}/api/v1{path}", self.addresses[node][2]);
        let request = member.client.http.request(method, url);
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        finish(request.bearer_auth(&member.token)).await
    }

    /// Reads at one node; must succeed.
    pub(super) async fn read(&self, node: usize, member: &Member, path: &str) -> Value {
        let answer = self.call(node, member, (Method::GET, path), None).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.json());
        answer.json()
    }

    /// Document 1's chain of a property, as one node answers it.
    pub(super) async fn query(&self, node: usize, lender: &Member, uprn: i64) -> Value {
        let url = format!("{}/api/v1/standard/chains", self.addresses[node][0]);
        let uprn = uprn.to_string();
        let form = [("inputType", "uprn"), ("value[]", uprn.as_str())];
        let request = lender.client.http.post(url).bearer_auth(&lender.token);
        finish(request.form(&form)).await.chains().remove(0)
    }
}

impl Processes {
    /// Ends the processes.
    pub(super) async fn stop(self) {
        for mut node in self.0 {
            let finished = node.stop().await;
            assert_eq!(finished.status, Some(0), "{}", finished.err);
        }
    }
}

async fn finish(request: reqwest::RequestBuilder) -> Answer {
    let patience = Duration::from_secs(REQUEST_SECONDS_MAX);
    let sent = tokio::time::timeout(patience, request.send());
    Answer::read(sent.await.unwrap().unwrap()).await
}
