//! Agents of a story: clients that manage listings and chains.

use chain::ids::BranchId;
use http::Method;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use storage::{StorageError, branch, participants};

use super::{Answer, At, BEGINNING, TestClient, World};

/// A client with scope `listing`, a branch of its own, and a token.
#[derive(Clone)]
pub(crate) struct Agent {
    pub(crate) client: TestClient,
    pub(crate) token: String,
    /// Its branch's id.
    pub(crate) branch: i64,
    url: String,
}

impl World {
    /// Registers an agent with one branch, `branch <name>`.
    pub(crate) async fn agent(&self, name: &str) -> Agent {
        let branch = self.ensure_branch(name).await;
        self.agent_of(name, &[branch]).await
    }

    /// Registers an agent of these branches, which are there already.
    pub(crate) async fn agent_of(&self, name: &str, branches: &[i64]) -> Agent {
        let client = self
            .register_as(name, &["listing"], |stored| {
                stored.branches = branches.iter().copied().map(BranchId).collect();
            })
            .await;
        Agent {
            token: self.token(&client, None).await,
            url: self.url(At::Listing, ""),
            branch: branches.first().copied().unwrap_or_default(),
            client,
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

impl Agent {
    /// The same agent on another node.
    pub(crate) fn on_node(&self, world: &World, node: usize) -> Self {
        Self {
            url: world.url_of_node(node, At::Listing, ""),
            ..self.clone()
        }
    }

    /// The same agent after the server was started again.
    pub(crate) fn after_restart(&self, world: &World) -> Self {
        Self {
            url: world.url(At::Listing, ""),
            ..self.clone()
        }
    }

    /// The same agent with a new token, once the clock has moved.
    pub(crate) async fn renewed(&self, world: &World) -> Self {
        Self {
            token: world.token(&self.client, None).await,
            ..self.clone()
        }
    }

    /// A request with the token; `path` begins after `/api/v1`.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/api/v1{path}", self.url);
        self.client
            .http
            .request(method, url)
            .bearer_auth(&self.token)
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
        let body = json!({"address": address, "branch_id": self.branch, "price": 250_000});
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

impl Answer {
    /// Status, code and field of each error, and the message of a failure of
    /// listing and chain management: `409 buyer_has_seller (buyer): buyer …`.
    pub(crate) fn failure(&self) -> String {
        let body = self.json();
        assert_eq!(self.header("content-type"), "application/json", "{body}");
        assert_eq!(body["success"], false, "{body}");
        assert_eq!(body["data"], json!([]), "{body}");
        let errors = body["errors"].as_array().unwrap();
        assert!(!errors.is_empty(), "{body}");
        let codes: Vec<String> = errors
            .iter()
            .map(|error| {
                let code = error["code"].as_str().unwrap();
                let field = error["field"].as_str();
                field.map_or_else(|| code.to_owned(), |field| format!("{code} ({field})"))
            })
            .collect();
        let message = body["message"].as_str().unwrap();
        format!("{} {}: {message}", self.status, codes.join(", "))
    }

    /// Fails the story unless this is the simple success response.
    #[track_caller]
    pub(crate) fn assert_success(&self) {
        let expected = json!({"message": "success", "success": true, "data": [], "errors": []});
        assert_eq!((self.status, self.json()), (200, expected));
    }
}

/// Sends a request and reads the whole answer.
pub(crate) async fn send(request: RequestBuilder) -> Answer {
    Answer::read(request.send().await.unwrap()).await
}
