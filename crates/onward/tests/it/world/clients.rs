//! Registered clients of a story, with their certificates and keys.

use std::path::Path;
use std::sync::Arc;

use chain::ids::BranchId;
use observe::clock::Clock;
use onward::commands::client::register_client;
use reqwest::Identity;
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use storage::clients::StoredClient;
use storage::participants;

use super::{Answer, Assertion, At, BEGINNING, World};

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Id of the organisation that runs the service.
pub(crate) const OPERATOR_ID: &str = "7a1e0c52-4f0d-4c1e-9a55-0d2f7f1b6c11";

/// A client as the test drives it.
#[derive(Clone)]
pub(crate) struct TestClient {
    pub(crate) id: String,
    pub(crate) key: Arc<SigningKey>,
    /// Certificate and private key, PEM.
    pub(crate) identity: String,
    /// Presents the certificate.
    pub(crate) http: reqwest::Client,
}

/// An HTTP client that trusts the story's authority.
pub(crate) fn http_client(world: &World, identity: Option<&str>) -> reqwest::Client {
    client_trusting(world.directory.path(), identity)
}

/// An HTTP client that trusts the authority in this folder.
pub(super) fn client_trusting(folder: &Path, identity: Option<&str>) -> reqwest::Client {
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let ca = std::fs::read(folder.join("ca.pem")).unwrap();
    let mut builder = reqwest::Client::builder()
        .tls_certs_only([reqwest::Certificate::from_pem(&ca).unwrap()])
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none());
    if let Some(pem) = identity {
        builder = builder.identity(Identity::from_pem(pem.as_bytes()).unwrap());
    }
    builder.build().unwrap()
}

impl World {
    /// A certificate of the story's authority with its key, PEM.
    pub(crate) fn issue_certificate(&self, name: &str) -> String {
        let folder = self.directory.path();
        self.authority
            .ensure_client_certificate(folder, name, "Test Ltd")
            .unwrap();
        let read = |ending: &str| std::fs::read_to_string(folder.join(format!("{name}.{ending}")));
        read("pem").unwrap() + &read("key").unwrap()
    }

    /// Registers a client with an ES256 key and these scopes.
    pub(crate) async fn register(&self, name: &str, scopes: &[&str]) -> TestClient {
        self.register_as(name, scopes, |_client| {}).await
    }

    /// Registers a client of this profile, whose name follows its own.
    pub(crate) async fn register_in(
        &self,
        profile: &str,
        name: &str,
        scopes: &[&str],
    ) -> TestClient {
        let name = format!("{name}-{profile}");
        let change = |client: &mut StoredClient| profile.clone_into(&mut client.profile);
        self.register_as(&name, scopes, change).await
    }

    /// Registers a client after `change` has had its way with the registration.
    pub(crate) async fn register_as(
        &self,
        name: &str,
        scopes: &[&str],
        change: impl FnOnce(&mut StoredClient),
    ) -> TestClient {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let mut stored = StoredClient {
            id: format!("https://rp.example/{name}"),
            participant: format!("{name} Ltd"),
            name: name.to_owned(),
            profile: "sector".to_owned(),
            jwks: json!({"keys": [key.public_key().to_jwk()]}).to_string(),
            jwks_uri: None,
            assertion_algorithm: None,
            certificate_bound: true,
            certificate_subject: Vec::new(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            branches: Vec::<BranchId>::new(),
            is_active: true,
            token_generation: 0,
            created_at: BEGINNING,
        };
        change(&mut stored);
        let id = stored.id.clone();
        let registered = self
            .storage
            .write(move |write| register_client(write, &stored));
        registered.await.unwrap();
        let identity = self.issue_certificate(name);
        TestClient {
            id,
            key: Arc::new(key),
            http: http_client(self, Some(&identity)),
            identity,
        }
    }

    /// A token for these scopes (none named: all), bound to the client's certificate.
    pub(crate) async fn token(&self, client: &TestClient, scope: Option<&str>) -> String {
        let now = Clock::Manual(self.clock.clone()).now_seconds();
        let assertion = client
            .assertion()
            .claim("iat", json!(now))
            .claim("exp", json!(now + 120))
            .sign(&client.key);
        let answer = self.request_token(client, &assertion, scope).await;
        let body = answer.json();
        let token = body["access_token"].as_str();
        token
            .unwrap_or_else(|| panic!("no token: {body}"))
            .to_owned()
    }

    /// Sends a token request with this assertion over the client's connection.
    pub(crate) async fn request_token(
        &self,
        client: &TestClient,
        assertion: &str,
        scope: Option<&str>,
    ) -> Answer {
        let mut form = vec![
            ("grant_type", "client_credentials"),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", assertion),
        ];
        form.extend(scope.map(|scope| ("scope", scope)));
        self.post_token(&client.http, &form).await
    }

    /// Introspects or revokes a token, with a fresh assertion.
    pub(crate) async fn ask_about(&self, client: &TestClient, path: &str, token: &str) -> Answer {
        let now = Clock::Manual(self.clock.clone()).now_seconds();
        let assertion = client
            .assertion()
            .claim("iat", json!(now))
            .claim("exp", json!(now + 120))
            .sign(&client.key);
        let form = [
            ("token", token),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", &assertion),
        ];
        let request = client.http.post(self.url(At::Auth, path)).form(&form);
        Answer::read(request.send().await.unwrap()).await
    }

    /// Makes an organisation the one that runs the service.
    pub(crate) async fn make_operator(&self, name: &str) {
        let name = name.to_owned();
        let made = self.storage.write(move |write| {
            participants::ensure_participant(write, &name, OPERATOR_ID, BEGINNING)?;
            let mut made = participants::find_participant(write, &name)?.unwrap();
            made.is_operator = true;
            participants::update_participant(write, &made)
        });
        made.await.unwrap();
    }

    /// Posts any form to the token endpoint.
    pub(crate) async fn post_token(&self, http: &reqwest::Client, form: &[(&str, &str)]) -> Answer {
        let request = http.post(self.url(At::Auth, "/token")).form(form);
        Answer::read(request.send().await.unwrap()).await
    }

    /// Asks for chains with a fresh token.
    pub(crate) async fn query(&self, client: &TestClient, form: &[(&str, &str)]) -> Answer {
        let token = self.token(client, None).await;
        self.query_with(client, &token, form).await
    }

    /// Asks for chains with this token.
    pub(crate) async fn query_with(
        &self,
        client: &TestClient,
        token: &str,
        form: &[(&str, &str)],
    ) -> Answer {
        let url = self.url(At::Base, "/api/v1/standard/chains");
        let request = client.http.post(url).bearer_auth(token).form(form);
        Answer::read(request.send().await.unwrap()).await
    }
}

impl TestClient {
    /// A right assertion of this client, to be changed by the test.
    pub(crate) fn assertion(&self) -> Assertion {
        Assertion::of(&self.id, &self.key)
    }

    /// A right token request at this time.
    pub(crate) fn token_form(&self, now: i64) -> [(&'static str, String); 3] {
        let assertion = self.assertion().claim("iat", json!(now));
        let assertion = assertion.claim("exp", json!(now + 120)).sign(&self.key);
        [
            ("grant_type", "client_credentials".to_owned()),
            ("client_assertion_type", ASSERTION_TYPE.to_owned()),
            ("client_assertion", assertion),
        ]
    }
}
