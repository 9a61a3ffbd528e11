//! Subscribers of a test: what every call of webhook management asks of them.

use http::header;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use signing::jwk::JwkSet;
use signing::jws::Unverified;

use super::receiver::Received;
use super::{Answer, At, PATIENCE, Receiver, TestServer, send};

const UNKNOWN: &str = "401 api-key-invalid: The API key is not known, has ended or was revoked.";

impl TestServer {
    /// A call of webhook management without a key; `path` begins after `/api/v1/webhook`.
    pub(crate) fn webhook_request(&self, (method, path): (&str, &str)) -> RequestBuilder {
        let url = self.url(At::Base, &format!("/api/v1/webhook{path}"));
        self.http.request(method.parse().unwrap(), url)
    }

    /// Posts JSON to webhook management.
    pub(crate) async fn post_webhook(&self, key: &str, path: &str, body: Value) -> Answer {
        self.webhook(key, ("POST", path), Some(&body)).await
    }

    /// A receiver, an API key, and a subscription of this receiver to all events.
    pub(crate) async fn subscriber(&self) -> (Receiver, String, String) {
        let receiver = self.receiver().await;
        let key = self.api_key("Example Lender").await;
        let subscription = self.subscribe(&key, &receiver).await;
        (receiver, key, subscription)
    }

    /// Simulates an event of a property; the answer.
    pub(crate) async fn simulate(&self, key: &str, event_type: &str, uprn: i64) -> Value {
        let body = json!({"eventType": event_type, "uprn": uprn.to_string()});
        let answer = self.post_webhook(key, "/simulate", body).await;
        assert_eq!(answer.status, 202, "{}", answer.json());
        answer.json()
    }

    /// Ends an API key.
    pub(crate) async fn revoke_api_key(&self, key: &str) {
        let id: i64 = key.split('_').nth(1).unwrap().parse().unwrap();
        let now = self.now();
        let revoked = self
            .storage
            .write(move |write| storage::api_keys::revoke_api_key(write, id, now));
        assert!(revoked.await.unwrap().is_some());
    }

    /// One subscription as its owner sees it.
    pub(crate) async fn subscription(&self, key: &str, subscription: &str) -> Value {
        let path = format!("/subscriptions/{subscription}");
        let answer = self.webhook(key, ("GET", &path), None).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()
    }

    /// `active`, or `disabled` with its reason.
    pub(crate) async fn status_of(&self, key: &str, subscription: &str) -> String {
        let shown = self.subscription(key, subscription).await;
        status_text(&shown)
    }

    /// Waits until a subscription is disabled because its receiver answered 410.
    pub(crate) async fn wait_until_disabled(&self, key: &str, subscription: &str) {
        let is_disabled = async || self.status_of(key, subscription).await == "disabled gone";
        self.wait_until("it is disabled", is_disabled).await;
    }

    /// The deliveries of a subscription, the newest first.
    pub(crate) async fn deliveries(&self, key: &str, subscription: &str) -> Vec<Value> {
        let path = format!("/subscriptions/{subscription}/deliveries?per_page=100");
        let answer = self.webhook(key, ("GET", &path), None).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()["data"].as_array().unwrap().clone()
    }

    /// Waits until something is so; `wanted` names it.
    pub(crate) async fn wait_until(&self, wanted: &str, mut is_so: impl AsyncFnMut() -> bool) {
        let waiting = async {
            while !is_so().await {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        };
        let outcome = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(outcome.is_ok(), "waited in vain until {wanted}");
    }

    /// Waits until the newest delivery of a subscription ended so; the delivery.
    pub(crate) async fn wait_for_state(&self, key: &str, subscription: &str, state: &str) -> Value {
        self.wait_until(state, async || {
            let deliveries = self.deliveries(key, subscription).await;
            deliveries
                .first()
                .is_some_and(|newest| newest["status"] == state)
        })
        .await;
        self.deliveries(key, subscription).await.remove(0)
    }

    /// Fails the test unless this call needs a key that counts, and names its methods.
    pub(crate) async fn assert_key_is_needed(&self, path: &str, methods: &str) {
        let method = methods.split(',').next().unwrap();
        let key = self.api_key("Keyless Ltd").await;
        let revoked = self.api_key("Revoked Ltd").await;
        self.revoke_api_key(&revoked).await;
        let none = send(self.webhook_request((method, path))).await;
        let said = "401 one-credential: Send your API key";
        assert!(none.problem().starts_with(said), "{}", none.problem());
        let twice = self
            .webhook_request((method, path))
            .header("x-api-key", &key);
        let twice = send(twice.header("x-api-key", &key)).await;
        assert_eq!(
            twice.problem(),
            "401 api-key-invalid: Send one X-Api-Key field only."
        );
        for wrong in wrong_keys(&key, &revoked) {
            let answer = self.webhook(&wrong, (method, path), None).await;
            assert_eq!(answer.problem(), UNKNOWN, "{wrong}");
            assert_eq!(answer.header("www-authenticate"), "ApiKey");
        }
        // A bearer token is no API key.
        let bearer = self.webhook_request((method, path)).bearer_auth(&key);
        assert_eq!(send(bearer).await.status, 401);
        self.assert_methods(&key, path, methods).await;
    }

    async fn assert_methods(&self, key: &str, path: &str, methods: &str) {
        let allowed = methods.replace("GET", "GET,HEAD");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if allowed.split(',').any(|name| name == method) {
                continue;
            }
            let keyless = send(self.webhook_request((method, path))).await;
            assert_eq!(keyless.status, 401, "{method} {path}");
            let answer = self.webhook(key, (method, path), None).await;
            let said = "405 method-not-allowed: Use one of the methods that the field Allow names.";
            assert_eq!(answer.problem(), said, "{method} {path}");
            let mut shown: Vec<_> = answer.header("allow").split(',').map(str::trim).collect();
            shown.sort_unstable();
            let mut expected: Vec<_> = allowed.split(',').collect();
            expected.sort_unstable();
            assert_eq!(shown, expected, "{method} {path}");
        }
    }

    /// Fails the test unless this call reads nothing but an object in JSON of a sane size.
    pub(crate) async fn assert_json_is_needed(&self, key: &str, path: &str) {
        let post = |kind: &'static str, body: Vec<u8>| {
            let request = self
                .webhook_request(("POST", path))
                .header("x-api-key", key);
            send(request.header(header::CONTENT_TYPE, kind).body(body))
        };
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jwt",
            "json",
        ] {
            let answer = post(kind, b"{}".to_vec()).await;
            let said = "415 media-type-unsupported: Send the body as application/json.";
            assert_eq!(answer.problem(), said, "{kind}");
        }
        for body in ["", "{", "[]", "null", "\"{}\"", "{} {}"] {
            let answer = post("application/json", body.into()).await;
            assert!(
                answer.problem().starts_with("400 body-malformed: "),
                "{body}"
            );
        }
        let large = json!({"filler": "x".repeat(64 * 1024)}).to_string();
        let answer = post("application/json", large.into()).await;
        assert_eq!(
            answer.problem(),
            "413 body-too-large: The limit is 65536 bytes."
        );
        let answer = post("Application/JSON; charset=utf-8", b"{}".to_vec()).await;
        assert_eq!(answer.status, 422);
    }

    /// Fails the test unless this call answers for a foreign subscription as for an unknown one.
    pub(crate) async fn assert_only_own(&self, method: &str, after: &str, body: Option<&Value>) {
        let receiver = self.receiver().await;
        let (owner, other) = (
            self.api_key("Owner Ltd").await,
            self.api_key("Other Ltd").await,
        );
        let theirs = self.subscribe(&owner, &receiver).await;
        let unknown = uuid::Uuid::new_v4().to_string();
        for reference in [theirs.as_str(), &unknown, "1", "0", "%20", "a%2Fb", "%00"] {
            let path = format!("/subscriptions/{reference}{after}");
            let answer = self.webhook(&other, (method, &path), body).await;
            let said = "404 not-found: There is no such subscription of yours.";
            assert_eq!(answer.problem(), said, "{method} {path}");
        }
        assert_eq!(self.status_of(&owner, &theirs).await, "active");
        assert_eq!(receiver.received().len(), 0);
    }

    /// The published keys, parsed.
    pub(crate) async fn key_set(&self) -> JwkSet {
        JwkSet::parse(&self.jwks().await).unwrap()
    }
}

/// `active`, or `disabled` with its reason, as one subscription is shown.
pub(crate) fn status_text(shown: &Value) -> String {
    let status = shown["status"].as_str().unwrap();
    match shown["disabledReason"].as_str() {
        Some(reason) => format!("{status} {reason}"),
        None => status.to_owned(),
    }
}

/// Keys that do not count: revoked, of another id, with another secret, and of no form at all.
fn wrong_keys(key: &str, revoked: &str) -> Vec<String> {
    let (id, secret) = key
        .strip_prefix("onward_")
        .unwrap()
        .split_once('_')
        .unwrap();
    let flipped = if secret.starts_with('A') { "B" } else { "A" };
    vec![
        revoked.to_owned(),
        format!("onward_999_{secret}"),
        format!("onward_{id}_{flipped}{}", &secret[1..]),
        format!("onward_{id}_{}", &secret[1..]),
        format!("onward_{id}_{secret}A"),
        format!("onward_{id}_"),
        format!("onward_{id}"),
        format!("onward_-{id}_{secret}"),
        format!("onward_99999999999999999999_{secret}"),
        format!("Onward_{id}_{secret}"),
        format!("{id}_{secret}"),
        secret.to_owned(),
        String::new(),
        "' or 1=1 --".to_owned(),
    ]
}

impl Answer {
    /// `pointer: detail` of each value that was refused.
    #[track_caller]
    pub(crate) fn wrong_values(&self) -> Vec<String> {
        assert!(
            self.problem().starts_with("422 values-invalid: "),
            "{}",
            self.problem()
        );
        let body = self.json();
        let errors = body["errors"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        errors
            .iter()
            .map(|error| format!("{}: {}", text(&error["pointer"]), text(&error["detail"])))
            .collect()
    }
}

impl Receiver {
    /// Subscribes to these types only; the answer.
    pub(crate) async fn subscribe_to(
        &self,
        server: &TestServer,
        key: &str,
        events: &[&str],
    ) -> Answer {
        let body = json!({
            "participantName": "Example Lender", "callbackUrl": self.url, "events": events,
        });
        server.post_webhook(key, "/subscribe", body).await
    }
}

impl Received {
    /// The claims under a signature of one of these keys, and the key's id.
    #[track_caller]
    pub(crate) fn verify(&self, keys: &JwkSet) -> (Value, String) {
        let token = Unverified::parse(&self.body).unwrap();
        let kid = token.kid().unwrap().to_owned();
        let mut fitting = keys.keys().iter().filter(|key| key.kid() == Some(&kid));
        let key = fitting
            .next()
            .unwrap_or_else(|| panic!("{kid} is not published"));
        let claims = token.verify(key).unwrap().claims().clone();
        (Value::Object(claims), kid)
    }
}
