//! Registered clients of a test, with their certificates and keys.

use std::path::Path;
use std::sync::Arc;

use chain::ids::BranchId;
use observe::clock::Clock;
use onward::registration::register_client;
use reqwest::Identity;
use serde_json::json;
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use storage::clients::StoredClient;
use storage::participants;

use super::{Answer, Assertion, At, BEGINNING, TestServer};

pub(crate) const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Id of the organisation that runs the service.
pub(crate) const OPERATOR_ID: &str = "7a1e0c52-4f0d-4c1e-9a55-0d2f7f1b6c11";

/// A client as the test drives it.
#[derive(Clone)]
pub(crate) struct Registration {
    pub(crate) id: String,
    /// The name of its organisation.
    pub(crate) participant: String,
    pub(crate) key: Arc<SigningKey>,
    /// Certificate and private key, PEM.
    pub(crate) identity: String,
    /// Presents the certificate.
    pub(crate) http: reqwest::Client,
}

/// An HTTP client that trusts the test's authority.
pub(crate) fn http_client(server: &TestServer, identity: Option<&str>) -> reqwest::Client {
    client_trusting(server.directory.path(), identity)
}

/// An HTTP client that trusts the authority in this folder.
pub(crate) fn client_trusting(folder: &Path, identity: Option<&str>) -> reqwest::Client {
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

impl TestServer {
    /// A certificate of the test's authority with its key, PEM.
    pub(crate) fn issue_certificate(&self, name: &str) -> String {
        let folder = self.directory.path();
        self.authority
            .ensure_client_certificate(folder, name, "Test Ltd")
            .unwrap();
        let read = |ending: &str| std::fs::read_to_string(folder.join(format!("{name}.{ending}")));
        read("pem").unwrap() + &read("key").unwrap()
    }

    /// Registers a client with an ES256 key and these scopes.
    pub(crate) async fn register(&self, name: &str, scopes: &[&str]) -> Registration {
        self.register_as(name, scopes, |_client| {}).await
    }

    /// Registers a client of this profile, whose name follows its own.
    pub(crate) async fn register_in(
        &self,
        profile: &str,
        name: &str,
        scopes: &[&str],
    ) -> Registration {
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
    ) -> Registration {
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
            accepted_certificate: Vec::new(),
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            introspects: Vec::new(),
            branches: Vec::<BranchId>::new(),
            is_active: true,
            of_framework: false,
            organisation_id: String::new(),
            token_generation: 0,
            created_at: BEGINNING,
        };
        change(&mut stored);
        let (id, participant) = (stored.id.clone(), stored.participant.clone());
        let registered = self
            .storage
            .write(move |write| register_client(write, &stored));
        registered.await.unwrap();
        let identity = self.issue_certificate(name);
        Registration {
            id,
            participant,
            key: Arc::new(key),
            http: http_client(self, Some(&identity)),
            identity,
        }
    }

    /// A token for these scopes (none named: all), bound to the client's certificate.
    pub(crate) async fn token(&self, client: &Registration, scope: Option<&str>) -> String {
        let assertion = client.assertion_at(self.now());
        let answer = self.request_token(client, &assertion, scope).await;
        answer.access_token()
    }

    /// The time by the test's clock.
    pub(crate) fn now(&self) -> i64 {
        Clock::Manual(self.clock.clone()).now_seconds()
    }

    /// Sends a token request with this assertion over the client's connection.
    pub(crate) async fn request_token(
        &self,
        client: &Registration,
        assertion: &str,
        scope: Option<&str>,
    ) -> Answer {
        let mut form = token_form(assertion).to_vec();
        form.extend(scope.map(|scope| ("scope", scope)));
        self.post_token(&client.http, &form).await
    }

    /// Introspects or revokes a token, with a fresh assertion.
    pub(crate) async fn ask_about(&self, client: &Registration, path: &str, token: &str) -> Answer {
        let assertion = client.assertion_at(self.now());
        let form = [
            ("token", token),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", &assertion),
        ];
        let request = client.http.post(self.url(At::Auth, path)).form(&form);
        super::send(request).await
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
        super::send(request).await
    }

    /// Asks for chains with a fresh token.
    pub(crate) async fn query(&self, client: &Registration, form: &[(&str, &str)]) -> Answer {
        let token = self.token(client, None).await;
        self.query_with(client, &token, form).await
    }

    /// Asks for chains with this token.
    pub(crate) async fn query_with(
        &self,
        client: &Registration,
        token: &str,
        form: &[(&str, &str)],
    ) -> Answer {
        let url = self.url(At::Base, "/api/v1/standard/chains");
        let request = client.http.post(url).bearer_auth(token).form(form);
        super::send(request).await
    }
}

impl Registration {
    /// A right assertion of this client, to be changed by the test.
    pub(crate) fn assertion(&self) -> Assertion {
        Assertion::of(&self.id, &self.key)
    }

    /// A right assertion of this time, signed.
    pub(crate) fn assertion_at(&self, now: i64) -> String {
        let assertion = self.assertion().claim("iat", json!(now));
        assertion.claim("exp", json!(now + 120)).sign(&self.key)
    }

    /// Gets a token at the authorization server of this address, by the time of that server.
    pub(crate) async fn request_token(&self, auth_url: &str, now: i64) -> String {
        let request = self.http.post(format!("{auth_url}/token"));
        let request = request.form(&token_form(&self.assertion_at(now)));
        super::send(request).await.access_token()
    }
}

/// A form that asks for a token with this assertion.
pub(crate) fn token_form(assertion: &str) -> [(&'static str, &str); 3] {
    [
        ("grant_type", "client_credentials"),
        ("client_assertion_type", ASSERTION_TYPE),
        ("client_assertion", assertion),
    ]
}

impl Answer {
    /// The token of an answer that grants one.
    pub(crate) fn access_token(&self) -> String {
        let body = self.json();
        let token = body["access_token"].as_str();
        token
            .unwrap_or_else(|| panic!("no token: {body}"))
            .to_owned()
    }
}
