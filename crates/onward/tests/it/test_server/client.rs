//! The clients of the tests: each has a registration and a token, and calls one node.

use chain::ids::BranchId;
use http::Method;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use storage::{StorageError, branch, participants};

use super::{Answer, At, BEGINNING, Registration, TestServer, described};

/// A registered client with a token.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) registration: Registration,
    pub(crate) token: String,
    /// The ids of its branches.
    pub(crate) branches: Vec<i64>,
    pub(crate) node: Addresses,
}

/// Where one node answers.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    pub(crate) base: String,
    pub(crate) auth: String,
    pub(crate) listing: String,
}

impl Addresses {
    /// The addresses of the node whose URLs `url` makes.
    pub(crate) fn new(url: impl Fn(At) -> String) -> Self {
        Self {
            base: url(At::Base),
            auth: url(At::Auth),
            listing: url(At::Listing),
        }
    }
}

impl TestServer {
    /// Registers an agent, who manages listings, with one branch, `branch <name>`.
    pub(crate) async fn agent(&self, name: &str) -> Client {
        let branch = self.ensure_branch(name).await;
        self.agent_of(name, &[branch]).await
    }

    /// Registers an agent of these branches, which exist already.
    pub(crate) async fn agent_of(&self, name: &str, branches: &[i64]) -> Client {
        self.client(name, &["listing"], branches).await
    }

    /// Registers a lender, who may ask for chains.
    pub(crate) async fn lender(&self) -> Client {
        self.client("lender", &["transaction-status"], &[]).await
    }

    /// Registers a client with these scopes and branches, and gets it a token.
    pub(crate) async fn client(&self, name: &str, scopes: &[&str], branches: &[i64]) -> Client {
        let registering = self.register_as(name, scopes, |stored| {
            stored.branches = branches.iter().copied().map(BranchId).collect();
        });
        let client = self.sign_in(registering.await).await;
        Client {
            branches: branches.to_vec(),
            ..client
        }
    }

    /// Gets a registered client a token.
    pub(crate) async fn sign_in(&self, registration: Registration) -> Client {
        Client {
            token: self.token(&registration, None).await,
            branches: Vec::new(),
            node: Addresses::new(|at| self.url(at, "")),
            registration,
        }
    }

    /// The id of the branch with this reference, which is made if it is not there.
    async fn ensure_branch(&self, reference: &str) -> i64 {
        let reference = reference.to_owned();
        let ensured = self.storage.write(move |write| {
            if let Some(found) = branch::find_branch_by_reference(write, &reference)? {
                return Ok(found.id);
            }
            let organisation = uuid::Uuid::new_v4().to_string();
            let participant = format!("{reference} Ltd");
            let participant =
                participants::ensure_participant(write, &participant, &organisation, BEGINNING)?;
            let name = format!("branch {reference}");
            branch::insert_branch(write, participant, &reference, &name)
        });
        let ensured: Result<_, StorageError> = ensured.await;
        ensured.unwrap().0
    }

    /// The id of a branch by its reference.
    pub(crate) async fn branch_id(&self, reference: &str) -> i64 {
        let reference = reference.to_owned();
        let found = self
            .storage
            .read(move |read| branch::find_branch_by_reference(read, &reference));
        found.await.unwrap().unwrap().id.0
    }
}

impl Client {
    /// The same client on another node of the test server.
    pub(crate) fn on_node(&self, server: &TestServer, node: usize) -> Self {
        Self {
            node: Addresses::new(|at| server.url_of_node(node, at, "")),
            ..self.clone()
        }
    }

    /// The same client after the server was started again.
    pub(crate) fn after_restart(&self, server: &TestServer) -> Self {
        Self {
            node: Addresses::new(|at| server.url(at, "")),
            ..self.clone()
        }
    }

    /// The same client with a new token, once the clock has moved.
    pub(crate) async fn renewed(&self, server: &TestServer) -> Self {
        Self {
            token: server.token(&self.registration, None).await,
            ..self.clone()
        }
    }

    /// The id of its first branch.
    pub(crate) fn branch(&self) -> i64 {
        self.branches[0]
    }

    /// A request with the token to listing and chain management; `path` begins after `/api/v1`.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare_request(method, path).bearer_auth(&self.token)
    }

    /// The same without a token.
    pub(crate) fn bare_request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/api/v1{path}", self.node.listing);
        self.registration.http.request(method, url)
    }

    /// Reads.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await
    }

    /// Writes with a JSON body.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::POST, path).json(&body)).await
    }

    /// Writes without a body.
    pub(crate) async fn post_nothing(&self, path: &str) -> Answer {
        send(self.request(Method::POST, path)).await
    }

    /// Changes.
    pub(crate) async fn patch(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::PATCH, path).json(&body)).await
    }

    /// Records.
    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        send(self.request(Method::PUT, path).json(&body)).await
    }

    /// Withdraws.
    pub(crate) async fn delete(&self, path: &str) -> Answer {
        send(self.request(Method::DELETE, path)).await
    }

    /// Lists a property of this UPRN; the listing's id.
    pub(crate) async fn list(&self, uprn: i64) -> i64 {
        let address = json!({"line1": format!("{uprn} High Street"), "postTown": "Leeds",
            "postcode": "LS1 4AP", "uprn": uprn});
        let body = json!({"address": address, "branch_id": self.branch(), "price": 250_000});
        let answer = self.post("/listing", body).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        answer.json()["data"]["id"].as_i64().unwrap()
    }

    /// Links two listings; the status and code of the answer.
    pub(crate) async fn link(&self, seller: i64, buyer: i64) -> Answer {
        let body = json!({"seller": seller, "buyer": buyer});
        self.post("/chain/add/link", body).await
    }

    /// Records a milestone on a date.
    pub(crate) async fn record(&self, listing: i64, key: &str, date: &str) -> Answer {
        let path = format!("/listing/{listing}/milestone/{key}");
        self.put(&path, json!({"date": date})).await
    }

    /// The chain that one of its listings is in.
    pub(crate) async fn chain_of(&self, listing: i64) -> String {
        let answer = self.get(&format!("/listing/{listing}")).await.json();
        let id = answer["data"]["attributes"]["chain_link_id"].as_str();
        id.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

/// Sends a request and reads the whole answer. A refusal must be a described one.
pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let (client, request) = request.build_split();
    let request = request.unwrap();
    let (method, path) = (request.method().clone(), request.url().path().to_owned());
    let answer = Answer::read(client.execute(request).await.unwrap()).await;
    Box::pin(described::check(&method, &path, &answer)).await;
    answer
}
