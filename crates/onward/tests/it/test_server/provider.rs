//! A fake OpenID provider, which signs everybody in as the same account and counts its calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Response;
use http::request::Parts;
use http_body_util::Full;
use hyper::body::Bytes;
use observe::clock::{Clock, ManualClock};
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jws;
use signing::key::SigningKey;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::template::RECEIVER;
use super::{PATIENCE, TestServer, https};

/// The subject of the account.
pub(crate) const SUBJECT: &str = "kim";

/// A running provider; it ends when it is dropped.
pub(crate) struct Provider {
    pub(crate) issuer: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

struct State {
    clock: ManualClock,
    key: SigningKey,
    calls: Mutex<Calls>,
    /// While it is true, nothing is answered.
    held: watch::Sender<bool>,
    /// While it is true, each answer is 500.
    is_broken: watch::Sender<bool>,
}

#[derive(Default)]
struct Calls {
    by_path: HashMap<String, usize>,
    under_way: usize,
    most_under_way: usize,
}

impl TestServer {
    /// Starts a provider, and the same deployment again with this provider for sign-in.
    pub(crate) async fn with_provider(self) -> (Self, Provider) {
        let state = Arc::new(State {
            clock: self.clock.clone(),
            key: SigningKey::generate(Algorithm::Es256).unwrap(),
            calls: Mutex::default(),
            held: watch::Sender::new(false),
            is_broken: watch::Sender::new(false),
        });
        let (kept, issuer) = (Arc::clone(&state), Arc::new(Mutex::new(String::new())));
        let named = Arc::clone(&issuer);
        let tls = https::acceptor(self.directory.path(), RECEIVER);
        let converse = move |stream| {
            let (state, issuer) = (Arc::clone(&kept), named.lock().unwrap().clone());
            https::serve(stream, move |parts, body| {
                answer(Arc::clone(&state), issuer.clone(), parts, body)
            })
        };
        let (port, task) = https::listen_tls(tls, converse).await;
        let url = format!("https://localhost:{port}");
        url.clone_into(&mut issuer.lock().unwrap());
        let provider = Provider {
            issuer: url.clone(),
            state,
            task,
        };
        let ca_file = self.directory.path().join("ca.pem").display().to_string();
        let set = |config: &mut server::config::Config| {
            config.sign_in_issuer = url;
            config.sign_in_ca_file = ca_file;
        };
        (Box::pin(self.reconfigure(set)).await, provider)
    }
}

impl Provider {
    /// Answers nothing from now on, or everything again.
    pub(crate) fn hold(&self, is_held: bool) {
        self.state.held.send_replace(is_held);
    }

    /// Fails from now on, or answers again.
    pub(crate) fn fail(&self, is_broken: bool) {
        self.state.is_broken.send_replace(is_broken);
    }

    /// How often this path was called.
    pub(crate) fn calls(&self, path: &str) -> usize {
        let calls = self.state.calls.lock().unwrap();
        calls.by_path.get(path).copied().unwrap_or_default()
    }

    /// How many calls were under way at once, at most.
    pub(crate) fn most_under_way(&self) -> usize {
        self.state.calls.lock().unwrap().most_under_way
    }

    /// Waits until a path was called so often.
    pub(crate) async fn wait_for(&self, path: &str, count: usize) {
        let waiting = async {
            while self.calls(path) < count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let ended = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(
            ended.is_ok(),
            "{path} was called {} times",
            self.calls(path)
        );
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    state: Arc<State>,
    issuer: String,
    parts: Parts,
    body: Bytes,
) -> Response<Full<Bytes>> {
    let path = parts.uri.path().to_owned();
    {
        let mut calls = state.calls.lock().unwrap();
        *calls.by_path.entry(path.clone()).or_default() += 1;
        calls.under_way += 1;
        calls.most_under_way = calls.most_under_way.max(calls.under_way);
    }
    let mut held = state.held.subscribe();
    drop(held.wait_for(|is_held| !is_held).await);
    state.calls.lock().unwrap().under_way -= 1;
    let document = match path.as_str() {
        _any if *state.is_broken.borrow() => None,
        "/.well-known/openid-configuration" => Some(json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/jwks"),
        })),
        "/jwks" => Some(json!({"keys": [state.key.public_key().to_jwk()]})),
        "/token" => Some(token(&state, &issuer, &body)),
        _other => None,
    };
    let status = if document.is_some() { 200 } else { 500 };
    let body = document.unwrap_or_default().to_string();
    let response = Response::builder().status(status);
    response.body(Full::new(Bytes::from(body))).unwrap()
}

/// The code that a browser brings back is the nonce of its sign-in.
fn token(state: &State, issuer: &str, body: &[u8]) -> Value {
    let mut fields = form_urlencoded::parse(body);
    let (_name, nonce) = fields.find(|(name, _value)| name == "code").unwrap();
    let now = Clock::Manual(state.clock.clone()).now_seconds();
    let claims = json!({
        "iss": issuer, "aud": "onward", "sub": SUBJECT, "nonce": nonce,
        "iat": now, "exp": now + 300,
    });
    json!({"id_token": jws::sign_compact("JWT", &state.key, &claims).unwrap()})
}
