//! A key store of others, which publishes the key set of a service (S-76).

use std::sync::{Arc, Mutex};

use http::Response;
use http::request::Parts;
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};
use server::config::Config;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::template::RECEIVER;
use super::{TestServer, https};

/// The path of the key set.
const PATH: &str = "/organisation/application.jwks";

/// A running key store; it ends when it is dropped.
pub(crate) struct KeyStore {
    pub(crate) url: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

struct State {
    shown: Mutex<Shown>,
    calls: Mutex<Vec<String>>,
    /// While it is true, nothing is answered.
    held: watch::Sender<bool>,
}

/// What the key store answers at the address of the key set.
#[derive(Clone)]
pub(crate) enum Shown {
    /// These keys.
    Keys(Vec<Value>),
    /// Another status than 200, and these keys elsewhere.
    Redirect(Vec<Value>),
    /// A body as it is.
    Body(Vec<u8>),
    /// A status without a body.
    Status(u16),
}

impl TestServer {
    /// Starts a key store, and the same deployment again with its address.
    pub(crate) async fn with_key_store(self, shown: Shown) -> (Self, KeyStore) {
        let state = Arc::new(State {
            shown: Mutex::new(shown),
            calls: Mutex::default(),
            held: watch::Sender::new(false),
        });
        let kept = Arc::clone(&state);
        let tls = https::acceptor(self.directory.path(), RECEIVER);
        let converse = move |stream| {
            let state = Arc::clone(&kept);
            https::serve(stream, move |parts, _body| {
                answer(Arc::clone(&state), parts)
            })
        };
        let (port, task) = https::listen_tls(tls, converse).await;
        let store = KeyStore {
            url: format!("https://localhost:{port}{PATH}"),
            state,
            task,
        };
        (Box::pin(self.reconfigure(store.settings())).await, store)
    }

    /// The keys that the service publishes itself.
    pub(crate) async fn own_keys(&self) -> Vec<Value> {
        let set: Value = serde_json::from_slice(&self.jwks().await).unwrap();
        set["keys"].as_array().unwrap().clone()
    }
}

impl KeyStore {
    /// The settings of a service whose keys it publishes.
    pub(crate) fn settings(&self) -> impl FnOnce(&mut Config) + use<> {
        let url = self.url.clone();
        move |config| {
            config.published_jwks_url = url;
            config
                .published_jwks_ca_file
                .clone_from(&config.client_ca_file);
        }
    }

    /// Answers so from now on.
    pub(crate) fn show(&self, shown: Shown) {
        *self.state.shown.lock().unwrap() = shown;
    }

    /// Answers nothing from now on, or everything again.
    pub(crate) fn hold(&self, is_held: bool) {
        self.state.held.send_replace(is_held);
    }

    /// The paths that were called.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.state.calls.lock().unwrap().clone()
    }

    /// Waits until the service asks for the keys again, after so many seconds.
    pub(crate) async fn wait_for_call(&self, server: &TestServer, seconds: i64) {
        let before = self.calls().len();
        server.clock.advance(seconds);
        let is_called = async || self.calls().len() > before;
        server.wait_until("the keys are fetched", is_called).await;
    }

    /// Waits until the service has compared its keys with the present answer to the end. That takes two calls,
    /// each after so many seconds.
    pub(crate) async fn wait_for_comparison(&self, server: &TestServer, seconds: i64) {
        for _time in 0..2 {
            self.wait_for_call(server, seconds).await;
        }
    }
}

impl Drop for KeyStore {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(state: Arc<State>, parts: Parts) -> Response<Full<Bytes>> {
    let path = parts.uri.path().to_owned();
    state.calls.lock().unwrap().push(path.clone());
    let mut held = state.held.subscribe();
    drop(held.wait_for(|is_held| !is_held).await);
    let shown = state.shown.lock().unwrap().clone();
    let set = |keys: Vec<Value>| json!({ "keys": keys }).to_string().into_bytes();
    let (status, body) = match shown {
        Shown::Keys(keys) => (200, set(keys)),
        Shown::Redirect(keys) => (if path == PATH { 307 } else { 200 }, set(keys)),
        Shown::Body(body) => (200, body),
        Shown::Status(status) => (status, Vec::new()),
    };
    let response = Response::builder().status(status);
    let response = response.header("location", "/elsewhere");
    response.body(Full::new(Bytes::from(body))).unwrap()
}
