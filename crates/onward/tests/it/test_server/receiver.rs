//! A fake HTTPS receiver, which answers as the test asks it to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Response;
use http::request::Parts;
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::template::RECEIVER;
use super::{Answer, PATIENCE, TestServer, https};

/// A running receiver; it ends when it is dropped.
pub(crate) struct Receiver {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    received: Vec<Received>,
    /// Answers to the next requests; 200 when none is left.
    answers: VecDeque<Reply>,
    /// What answers when no other is left.
    usual: Option<Reply>,
    /// While it is true, nothing is answered.
    held: watch::Sender<bool>,
}

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: String,
}

/// How a request is answered.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    /// 200 with this body.
    pub(crate) fn with_body(body: &str) -> Self {
        Self {
            body: body.to_owned(),
            ..Self::status(200)
        }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl Received {
    /// The claims of the JWT, whose signature is not looked at here.
    pub(crate) fn claims(&self) -> Value {
        self.part(1)
    }

    /// One part of the JWT.
    pub(crate) fn part(&self, index: usize) -> Value {
        let part = self.body.split('.').nth(index).unwrap();
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    }

    /// A header field, empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default()
    }
}

impl TestServer {
    /// Starts a receiver with a certificate of the test's authority.
    pub(crate) async fn receiver(&self) -> Receiver {
        let state = Arc::new(Mutex::new(State::default()));
        let kept = Arc::clone(&state);
        let tls = https::acceptor(self.directory.path(), RECEIVER);
        let converse = move |stream| {
            let state = Arc::clone(&kept);
            https::serve(stream, move |parts, body| {
                answer(Arc::clone(&state), parts, body)
            })
        };
        let (port, task) = https::listen_tls(tls, converse).await;
        Receiver {
            url: format!("https://localhost:{port}/events"),
            state,
            task,
        }
    }

    /// Issues an API key.
    pub(crate) async fn api_key(&self, participant: &str) -> String {
        let (storage, participant) = (self.storage.clone(), participant.to_owned());
        let now = self.now();
        let issuing = tokio::task::spawn_blocking(move || {
            onward::registration::issue_key(&storage, &participant, now)
        });
        issuing.await.unwrap().unwrap().1
    }

    /// A call of webhook management; `path` begins after `/api/v1/webhook`.
    pub(crate) async fn webhook(
        &self,
        key: &str,
        (method, path): (&str, &str),
        body: Option<&Value>,
    ) -> Answer {
        let mut request = self
            .webhook_request((method, path))
            .header("x-api-key", key);
        if let Some(body) = body {
            request = request.json(body);
        }
        super::send(request).await
    }

    /// Subscribes a receiver to both types of event; the subscription's id.
    pub(crate) async fn subscribe(&self, key: &str, receiver: &Receiver) -> String {
        let body = json!({
            "participantName": "Example Lender", "callbackUrl": receiver.url,
            "events": ["milestone.updated", "fallthrough"],
        });
        let answer = self.webhook(key, ("POST", "/subscribe"), Some(&body)).await;
        assert!([200, 201].contains(&answer.status), "{}", answer.json());
        answer.json()["subscriptionId"].as_str().unwrap().to_owned()
    }
}

impl TestServer {
    /// Waits until the newest delivery of a subscription was tried so often, as
    /// the log says; the delivery.
    pub(crate) async fn wait_for_attempts(
        &self,
        key: &str,
        subscription: &str,
        count: usize,
    ) -> Value {
        let newest = async || self.deliveries(key, subscription).await.into_iter().next();
        let is_tried = async || {
            let attempts = newest().await.map(|delivery| delivery["attempts"].clone());
            attempts.is_some_and(|made| made.as_array().is_some_and(|made| made.len() >= count))
        };
        self.wait_until("it is tried", is_tried).await;
        newest().await.unwrap()
    }
}

impl Receiver {
    /// Answers the next requests so, in this order.
    pub(crate) fn answer(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state.lock().unwrap().answers.extend(replies);
    }

    /// Answers so from now on.
    pub(crate) fn answer_always(&self, reply: Reply) {
        self.state.lock().unwrap().usual = Some(reply);
    }

    /// Answers nothing from now on, or everything again.
    pub(crate) fn hold(&self, is_held: bool) {
        self.state.lock().unwrap().held.send_replace(is_held);
    }

    /// What came so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.state.lock().unwrap().received.clone()
    }

    /// Waits until so many requests came, and gives all of them.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Received> {
        let waiting = async {
            loop {
                let received = self.received();
                if received.len() >= count {
                    return received;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting)
            .await
            .unwrap_or_else(|_| panic!("{count} were awaited, came: {:?}", self.received()))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(state: Arc<Mutex<State>>, parts: Parts, body: Bytes) -> Response<Full<Bytes>> {
    let mut held = {
        let mut state = state.lock().unwrap();
        state.received.push(Received {
            headers: parts.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        });
        state.held.subscribe()
    };
    // The sender lives as long as the state.
    drop(held.wait_for(|is_held| !is_held).await);
    let mut state = state.lock().unwrap();
    let usual = state.usual.clone();
    let reply = state.answers.pop_front().or(usual);
    let reply = reply.unwrap_or_else(|| Reply::status(200));
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    response.body(Full::new(Bytes::from(reply.body))).unwrap()
}
