//! A witness of a test: the real decisions behind a server that can misbehave.

use std::sync::{Arc, Mutex};

use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use log::TreeHead;
use log::checkpoint::SignedCheckpoint;
use log::note::{LogKey, VerifierKey, WitnessKey};
use log::witness::AddCheckpoint;
use observe::clock::Clock;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use witness::{Directory, Witness};

use crate::test_server::{TestServer, https};

/// How it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Honest,
    /// 503 to everything.
    Down,
    /// 503 to requests for a cosignature.
    Unwilling,
    /// It knows no log any more, and cosigns.
    Forgetful,
    /// It signs with another key of its name.
    WrongKey,
    /// It signs another checkpoint.
    WrongText,
    Redirecting,
    /// Its answer never ends.
    Endless,
    /// It never answers.
    Silent,
    /// It claims to have seen a larger tree.
    Ahead,
}

/// A running witness; it ends when it is dropped.
pub(super) struct FakeWitness {
    /// Its line in settings and policies.
    pub(super) line: String,
    pub(super) key: VerifierKey,
    state: Arc<State>,
    task: JoinHandle<()>,
}

struct State {
    name: String,
    folder: tempfile::TempDir,
    key: WitnessKey,
    witness: Mutex<Option<Witness>>,
    manner: Mutex<Manner>,
    /// The method of each request, with the status of its answer.
    calls: Mutex<Vec<String>>,
}

impl FakeWitness {
    /// Starts one that knows the logs of this server.
    pub(super) async fn start(name: &str, server: &TestServer) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = Directory::hold(folder.path()).unwrap().key(name).unwrap();
        let verifier = key.verifier().clone();
        let state = Arc::new(State {
            name: name.to_owned(),
            folder,
            key,
            witness: Mutex::new(None),
            manner: Mutex::new(Manner::Honest),
            calls: Mutex::default(),
        });
        let kept = Arc::clone(&state);
        let (port, task) = https::listen(move |stream| converse(stream, Arc::clone(&kept))).await;
        let witness = Self {
            line: format!("witness {name} {verifier} http://127.0.0.1:{port}"),
            key: verifier,
            state,
            task,
        };
        witness.know(server).await;
        witness
    }

    /// Gives it the keys of all logs of the server.
    pub(super) async fn know(&self, server: &TestServer) {
        let listing = server.storage.read(storage::state_log::list_verifiers);
        let logs: Result<_, storage::StorageError> = listing.await;
        let logs: Vec<_> = logs.unwrap();
        let logs = logs.iter().map(|(_, key)| VerifierKey::parse(key).unwrap());
        let logs = logs.collect();
        let mut witness = self.state.witness.lock().unwrap();
        // One at a time has the directory.
        drop(witness.take());
        let directory = Directory::hold(self.state.folder.path()).unwrap();
        let key = directory.key(&self.state.name).unwrap();
        *witness = Some(Witness::open(directory, key, logs).unwrap());
    }

    pub(super) fn be(&self, manner: Manner) {
        *self.state.manner.lock().unwrap() = manner;
    }

    /// The requests since the last call of this.
    pub(super) fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.state.calls.lock().unwrap())
    }

    pub(super) fn count_calls(&self) -> usize {
        self.state.calls.lock().unwrap().len()
    }

    /// Whether it cosigned this checkpoint.
    pub(super) fn has_cosigned(&self, checkpoint: &str) -> bool {
        let signed = SignedCheckpoint::parse(checkpoint);
        signed.is_ok_and(|signed| signed.verify(&self.key).unwrap().is_some())
    }
}

impl Drop for FakeWitness {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(mut stream: TcpStream, state: Arc<State>) {
    let manner = *state.manner.lock().unwrap();
    match manner {
        Manner::Silent => {
            state.calls.lock().unwrap().push("silent".to_owned());
            std::future::pending::<()>().await;
        }
        Manner::Endless => {
            state.calls.lock().unwrap().push("endless".to_owned());
            let mut part = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n".to_vec();
            while stream.write_all(&part).await.is_ok() {
                part = vec![b'x'; 8192];
            }
        }
        Manner::Honest
        | Manner::Down
        | Manner::Unwilling
        | Manner::Forgetful
        | Manner::WrongKey
        | Manner::WrongText
        | Manner::Redirecting
        | Manner::Ahead => {
            https::serve(stream, move |parts, body| {
                let answered = answer(&state, manner, &parts, &body);
                let call = format!("{} {}", parts.method, answered.status().as_u16());
                state.calls.lock().unwrap().push(call);
                std::future::ready(answered)
            })
            .await;
        }
    }
}

fn answer(state: &State, manner: Manner, parts: &Parts, body: &Bytes) -> Response<Full<Bytes>> {
    let is_asked_to_cosign = parts.method == Method::POST;
    let (status, text) = match manner {
        Manner::Down => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
        Manner::Unwilling if is_asked_to_cosign => (StatusCode::SERVICE_UNAVAILABLE, String::new()),
        Manner::Forgetful if !is_asked_to_cosign => (StatusCode::NOT_FOUND, String::new()),
        Manner::Redirecting => (StatusCode::TEMPORARY_REDIRECT, String::new()),
        Manner::Ahead if is_asked_to_cosign => (StatusCode::CONFLICT, "1000000\n".to_owned()),
        Manner::WrongKey | Manner::WrongText if is_asked_to_cosign => {
            (StatusCode::OK, state.sign_wrongly(manner, body))
        }
        Manner::Honest
        | Manner::Unwilling
        | Manner::Forgetful
        | Manner::WrongKey
        | Manner::WrongText
        | Manner::Ahead
        | Manner::Endless
        | Manner::Silent => state.answer_honestly(parts, body),
    };
    // So each request has a connection of its own.
    let response = Response::builder().header("connection", "close");
    let response = response.header("location", "/elsewhere").status(status);
    response.body(Full::from(text)).unwrap()
}

impl State {
    fn answer_honestly(&self, parts: &Parts, body: &Bytes) -> (StatusCode, String) {
        let witness = self.witness.lock().unwrap();
        let witness = witness.as_ref().unwrap();
        if parts.uri.path() == "/add-checkpoint" {
            let now = Clock::System.now_seconds().unsigned_abs();
            let answer = witness.add_checkpoint(body, now).unwrap();
            return (answer.status, answer.body);
        }
        let hash = parts.uri.path().trim_start_matches('/');
        let hash = hash.strip_suffix("/checkpoint").unwrap();
        match witness.checkpoint(hash) {
            Some(checkpoint) => (StatusCode::OK, checkpoint),
            None => (StatusCode::NOT_FOUND, String::new()),
        }
    }

    fn sign_wrongly(&self, manner: Manner, body: &Bytes) -> String {
        let call = AddCheckpoint::parse(std::str::from_utf8(body).unwrap()).unwrap();
        let now = Clock::System.now_seconds().unsigned_abs();
        let line = if manner == Manner::WrongKey {
            let other = WitnessKey::from_seed(&self.name, &[9; 32]).unwrap();
            call.checkpoint.cosign(&other, now)
        } else {
            let origin = &call.checkpoint.checkpoint().origin;
            let log = LogKey::from_seed(origin, &[1; 32]).unwrap();
            let head = TreeHead {
                size: 1,
                root: [1; 32],
            };
            let other = SignedCheckpoint::sign(head, &log).unwrap();
            other.cosign(&self.key, now)
        };
        line.unwrap().to_string()
    }
}
