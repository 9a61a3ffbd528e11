//! Clients of listing and chain management with any number of branches, and their tokens.

use chain::ids::BranchId;
use http::Method;
use observe::clock::Clock;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::world::{Answer, At, TestClient, World};

/// A client with a token that may call on each node.
#[derive(Clone)]
pub(crate) struct BranchHolder {
    pub(crate) client: TestClient,
    pub(crate) token: String,
    /// Of the branches whose listings are the caller's.
    pub(crate) branches: Vec<i64>,
    /// The organisation's name.
    pub(crate) participant: String,
}

impl BranchHolder {
    /// Registers a client with these branches, which exist already.
    pub(crate) async fn new(world: &World, name: &str, branches: &[i64]) -> Self {
        Self::with_scopes(world, name, &["listing"], branches).await
    }

    /// Registers a client with any scopes.
    pub(crate) async fn with_scopes(
        world: &World,
        name: &str,
        scopes: &[&str],
        branches: &[i64],
    ) -> Self {
        let register = world.register_as(name, scopes, |stored| {
            stored.branches = branches.iter().copied().map(BranchId).collect();
        });
        let client = register.await;
        let mut holder = Self {
            client,
            token: String::new(),
            branches: branches.to_vec(),
            participant: format!("{name} Ltd"),
        };
        holder.renew(world).await;
        holder
    }

    /// Gets a new token, by the clock of the story.
    pub(crate) async fn renew(&mut self, world: &World) {
        let now = Clock::Manual(world.clock.clone()).now_seconds();
        let assertion = self.client.assertion();
        let assertion = assertion.claim("iat", json!(now));
        let assertion = assertion.claim("exp", json!(now + 120));
        let assertion = assertion.sign(&self.client.key);
        let answer = world.request_token(&self.client, &assertion, None).await;
        let body = answer.json();
        let token = body["access_token"].as_str();
        token
            .unwrap_or_else(|| panic!("{body}"))
            .clone_into(&mut self.token);
    }

    /// A request to the first node with the token.
    pub(crate) fn request(&self, world: &World, method: Method, path: &str) -> RequestBuilder {
        self.request_to(method, &world.url(At::Listing, path))
    }

    /// A request to any URL with the token.
    pub(crate) fn request_to(&self, method: Method, url: &str) -> RequestBuilder {
        let request = self.client.http.request(method, url);
        request.bearer_auth(&self.token)
    }

    /// Reads a path of the first node.
    pub(crate) async fn read(&self, world: &World, path: &str) -> Answer {
        let request = self.request(world, Method::GET, path);
        Answer::read(request.send().await.unwrap()).await
    }
}

/// The code of a refusal, after its shape was checked (S-40).
pub(crate) fn refusal(answer: &Answer) -> (u16, String) {
    let body = answer.json();
    assert_eq!(answer.header("content-type"), "application/json", "{body}");
    assert_eq!(body["success"], false, "{body}");
    assert_eq!(body["data"], json!([]), "{body}");
    let errors = body["errors"].as_array().unwrap();
    assert!(!errors.is_empty(), "{body}");
    for error in errors {
        assert!(error["detail"].is_string(), "{body}");
    }
    if let [only] = errors.as_slice() {
        // What is wrong with a field is told with the field's name before it.
        let told = body["message"].as_str().unwrap();
        let detail = only["detail"].as_str().unwrap();
        let field = only["field"].as_str().unwrap_or_default();
        assert!(
            told == detail || told == format!("{field}: {detail}"),
            "{body}"
        );
    }
    let code = errors[0]["code"].as_str().unwrap().to_owned();
    (answer.status, code)
}

/// Document 2's simple success response.
pub(crate) fn simple_success() -> Value {
    json!({"message": "success", "success": true, "data": [], "errors": []})
}
