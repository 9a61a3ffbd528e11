//! A fake server that publishes a key set and takes subscriptions, and the folder of its sandbox.

use std::future::ready;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use observe::clock::Clock;
use provision::authority::Authority;
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jws::sign_compact;
use signing::key::SigningKey;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::test_server::{client_trusting, https};

pub(super) struct FakeServer {
    directory: tempfile::TempDir,
    base_url: String,
    plain_url: String,
    key: SigningKey,
    caller: reqwest::Client,
    requests: Requests,
    /// Whether what is forwarded is answered with success.
    pub(super) takes_forwarded: Arc<AtomicBool>,
    has_subscription: Arc<AtomicBool>,
}

/// Paths and bodies, as they came.
type Requests = Arc<Mutex<Vec<(String, Value)>>>;

impl FakeServer {
    pub(super) async fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let authority = Authority::ensure(path, Clock::System.now_seconds()).unwrap();
        for name in ["server", "callback"] {
            authority.issue_server_certificate(path, name).unwrap();
        }
        let key = SigningKey::generate(Algorithm::Rs256).unwrap();
        let answers = Answers {
            key_set: json!({"keys": [key.public_key().to_jwk()]}),
            requests: Requests::default(),
            takes_forwarded: Arc::default(),
            has_subscription: Arc::default(),
        };
        let requests = Arc::clone(&answers.requests);
        let takes_forwarded = Arc::clone(&answers.takes_forwarded);
        let has_subscription = Arc::clone(&answers.has_subscription);
        let plain = answers.clone();
        let tls = https::acceptor(path, "server");
        let (port, _task) =
            https::listen_tls(tls, move |stream| answers.clone().serve(stream)).await;
        let (plain_port, _task) = https::listen(move |stream| plain.clone().serve(stream)).await;
        let base_url = format!("https://localhost:{port}");
        std::fs::write(path.join("sandbox.json"), sandbox(&base_url).to_string()).unwrap();
        Self {
            plain_url: format!("http://127.0.0.1:{plain_port}"),
            caller: client_trusting(path, None),
            base_url,
            directory,
            key,
            requests,
            takes_forwarded,
            has_subscription,
        }
    }

    /// From now on, the receiver is subscribed already.
    pub(super) fn has_subscription(&self) {
        self.has_subscription.store(true, Ordering::SeqCst);
    }

    /// The sandbox's folder.
    pub(super) fn directory(&self) -> &str {
        self.directory.path().to_str().unwrap()
    }

    /// Where it answers with TLS; also the issuer of its events.
    pub(super) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Where it answers without TLS.
    pub(super) fn plain_url(&self) -> &str {
        &self.plain_url
    }

    /// A signed event with this id.
    pub(super) fn sign(&self, event_id: &str) -> String {
        self.sign_claims(&self.base_url, event_id)
    }

    /// A signed event of another service.
    pub(super) fn sign_for(&self, issuer: &str) -> String {
        self.sign_claims(issuer, "e-9")
    }

    /// A signed event of a type that a later version adds.
    pub(super) fn sign_of_later_type(&self) -> String {
        let mut claims = claims(&self.base_url, "e-1");
        claims["eventType"] = json!("offer.made");
        claims["data"] = json!({"offer": 1});
        sign_compact("JWT", &self.key, &claims).unwrap()
    }

    fn sign_claims(&self, issuer: &str, event_id: &str) -> String {
        sign_compact("JWT", &self.key, &claims(issuer, event_id)).unwrap()
    }

    /// Delivers a token; the status of the answer.
    pub(super) async fn deliver(&self, url: &str, token: &str) -> u16 {
        self.deliver_as(url, "application/jwt", token).await
    }

    pub(super) async fn deliver_as(&self, url: &str, media_type: &str, token: &str) -> u16 {
        let request = self.caller.post(url).header("content-type", media_type);
        let answer = request.body(token.to_owned()).send().await.unwrap();
        answer.status().as_u16()
    }

    /// Asks without delivering anything; the status of the answer.
    pub(super) async fn get(&self, url: &str) -> u16 {
        let answer = self.caller.get(url).send().await.unwrap();
        answer.status().as_u16()
    }

    /// The bodies that came to this path.
    pub(super) fn bodies(&self, path: &str) -> Vec<Value> {
        let requests = self.requests.lock().unwrap();
        let same = requests.iter().filter(|(other, _)| other == path);
        same.map(|(_, body)| body.clone()).collect()
    }
}

#[derive(Clone)]
struct Answers {
    key_set: Value,
    requests: Requests,
    takes_forwarded: Arc<AtomicBool>,
    has_subscription: Arc<AtomicBool>,
}

impl Answers {
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
        let answer = move |parts: Parts, body: Bytes| ready(self.clone().answer(&parts, &body));
        https::serve(stream, answer).await;
    }

    fn answer(self, parts: &Parts, body: &Bytes) -> Response<Full<Bytes>> {
        let path = parts.uri.path().to_owned();
        let key = parts.headers.get("x-api-key");
        let has_key = key.is_some_and(|key| key == "key-1");
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let is_wrong = body["label"] == "Nonsense";
        let request = (path.clone(), body.clone());
        self.requests.lock().unwrap().push(request);
        let simulated = json!({"eventId": "sim_1",
            "deliveries": [{"subscriptionId": "s-1", "deliveryId": "9"}]});
        let (status, answer) = match path.as_str() {
            "/jwks" => (200, self.key_set),
            "/forwarded" if self.takes_forwarded.load(Ordering::SeqCst) => (200, Value::Null),
            "/api/v1/webhook/subscribe" if has_key => (
                if self.has_subscription.load(Ordering::SeqCst) {
                    200
                } else {
                    201
                },
                json!({
                    "subscriptionId": "s-1", "participantName": body["participantName"],
                    "callbackUrl": body["callbackUrl"], "events": body["events"],
                    "status": "active", "createdAt": "2026-11-20T10:00:00Z",
                    "updatedAt": "2026-11-20T10:00:00Z"
                }),
            ),
            "/api/v1/webhook/subscriptions/s-1" if has_key && parts.method == Method::DELETE => {
                (204, Value::Null)
            }
            "/api/v1/webhook/simulate" if is_wrong => {
                (422, json!({"title": "Unprocessable Content"}))
            }
            "/api/v1/webhook/simulate" if has_key => (202, simulated),
            _ => (500, Value::Null),
        };
        let mut response = Response::new(Full::from(answer.to_string()));
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        response
    }
}

fn sandbox(base_url: &str) -> Value {
    json!({
        "base_url": base_url, "auth_url": base_url, "jwks_url": format!("{base_url}/jwks"),
        "directory_url": base_url, "listing_base_url": base_url, "ops_url": base_url,
        "ca_file": "ca.pem", "config_file": "onward.toml", "clients": [],
        "api_keys": [{"participantName": "Example Lender", "key": "key-1"}],
        "callback": {"certificate_file": "callback.pem", "key_file": "callback.key"},
        "samples": {"uprn_in_chain": 1, "uprn_split": 2, "uprn_alone": 3, "address": "",
                    "listing_id": 4, "branch_id": 5}
    })
}

/// The claims of a milestone's event.
fn claims(issuer: &str, event_id: &str) -> Value {
    let now = Clock::System.now_seconds();
    json!({
        "iss": issuer, "iat": now, "exp": now + 300, "eventId": event_id,
        "eventType": "milestone.updated", "eventTimestamp": "2026-11-20T10:00:00Z",
        "propertyId": "42", "uprn": "7",
        "data": {"milestone": {"label": "SSTC", "date": "2026-11-20"}}
    })
}
