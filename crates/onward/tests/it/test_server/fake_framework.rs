//! A framework of a test: an introspection endpoint and a directory that answer as the test says, and count.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::Response;
use http::request::Parts;
use http_body_util::Full;
use hyper::body::Bytes;
use observe::clock::Clock;
use provision::authority::Authority;
use serde_json::{Value, json};
use server::config::Config;
use signing::algorithm::Algorithm;
use signing::certificate::{Thumbprint, read_file};
use signing::key::SigningKey;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{BEGINNING, PATIENCE, TestServer, client_trusting, https};

/// The issuer of the framework's tokens.
pub(crate) const FRAMEWORK: &str = "https://framework.example";
/// The organisation of the service in the framework.
pub(crate) const OUR_ORGANISATION: &str = "00000000-0000-4000-8000-000000000000";

/// A running framework; it ends when it is dropped.
pub(crate) struct FakeFramework {
    state: Arc<State>,
    /// Of its authority, which issues members' certificates.
    pub(crate) folder: PathBuf,
    port: u16,
    task: JoinHandle<()>,
}

struct State {
    /// What the introspection endpoint answers about each token, else that it is not active.
    answers: Mutex<HashMap<String, FrameworkReply>>,
    directory: Mutex<String>,
    directory_reads: Mutex<usize>,
    /// The tokens that it was asked about.
    asked: Mutex<Vec<String>>,
    /// While it is true, nothing is answered.
    held: watch::Sender<bool>,
    /// While it is true, each answer is 500.
    is_away: watch::Sender<bool>,
}

/// An answer of the introspection endpoint.
#[derive(Clone)]
pub(crate) struct FrameworkReply {
    pub(crate) status: u16,
    /// The name and the value of its one header field.
    pub(crate) field: (&'static str, String),
    pub(crate) body: String,
}

impl FrameworkReply {
    pub(crate) fn json(body: &Value) -> Self {
        Self {
            status: 200,
            field: ("content-type", "application/json".to_owned()),
            body: body.to_string(),
        }
    }
}

/// An application of a member of the framework.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) client_id: String,
    pub(crate) http: reqwest::Client,
    /// The thumbprint of its certificate.
    pub(crate) thumbprint: String,
}

/// An organisation as the directory lists it.
pub(crate) fn organisation(id: &str, name: &str, status: &str) -> Value {
    json!({"OrganisationId": id, "OrganisationName": name, "Status": status})
}

impl TestServer {
    /// Starts a framework with these members, and the same deployment again that trusts it.
    pub(crate) async fn with_framework(self, members: &[Value]) -> (Self, FakeFramework) {
        let folder = self.directory.path().join("framework");
        let tls = https::issue_acceptor(&folder, "framework");
        let state = Arc::new(State {
            answers: Mutex::default(),
            directory: Mutex::default(),
            directory_reads: Mutex::default(),
            asked: Mutex::default(),
            held: watch::Sender::new(false),
            is_away: watch::Sender::new(false),
        });
        let kept = Arc::clone(&state);
        let converse = move |stream| {
            let state = Arc::clone(&kept);
            https::serve(stream, move |parts, body| {
                answer(Arc::clone(&state), parts, body)
            })
        };
        let (port, task) = https::listen_tls(tls, converse).await;
        let framework = FakeFramework {
            state,
            folder,
            port,
            task,
        };
        framework.list(members);
        let settings = framework.settings(self.directory.path());
        let server = self.reconfigure(settings).await;
        server.wait_for_directory(BEGINNING).await;
        (server, framework)
    }

    /// Waits until an answer of the directory was adopted at this time.
    pub(crate) async fn wait_for_directory(&self, at: i64) {
        let waiting = async {
            loop {
                let finding = self.storage.read(storage::framework::find_directory);
                if finding
                    .await
                    .unwrap()
                    .is_some_and(|found| found.adopted_at >= at)
                {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let ended = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(ended.is_ok(), "the directory was not adopted");
    }

    /// Waits until a reading of the directory that began at this time has failed.
    pub(crate) async fn wait_for_try(&self, framework: &FakeFramework, count: usize) {
        let waiting = async {
            while framework.directory_reads() < count {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let ended = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(ended.is_ok(), "the directory was not read");
    }

    /// An application of this organisation, with a certificate of the authority in this folder.
    pub(crate) fn member(&self, folder: &Path, name: &str, organisation: &str) -> Member {
        let authority = Authority::ensure(folder, Clock::System.now_seconds()).unwrap();
        authority
            .ensure_member_certificate(folder, name, organisation)
            .unwrap();
        let read = |ending: &str| std::fs::read_to_string(folder.join(format!("{name}.{ending}")));
        let certificate = read("pem").unwrap();
        let der = read_file(certificate.as_bytes()).unwrap();
        let identity = certificate + &read("key").unwrap();
        Member {
            client_id: format!("https://rp.framework.example/{name}"),
            http: client_trusting(self.directory.path(), Some(&identity)),
            thumbprint: Thumbprint::of_der(&der).to_base64url(),
        }
    }
}

/// Writes the files of a framework's client into the folder of its authority, and a file of both authorities.
pub(crate) fn trust(config: &mut Config, own: &Path, folder: &Path) {
    let path = |name: &str| folder.join(name).display().to_string();
    let authorities = [own.join("ca.pem"), folder.join("ca.pem")];
    let authorities = authorities.map(|file| std::fs::read_to_string(file).unwrap());
    std::fs::write(folder.join("all.pem"), authorities.concat()).unwrap();
    config.client_ca_file = path("all.pem");
    config.framework_ca_file = path("ca.pem");
    config.framework_scopes = vec!["transaction-status".to_owned()];
}

impl FakeFramework {
    fn settings(&self, own: &Path) -> impl FnOnce(&mut Config) + use<> {
        let authority = Authority::ensure(&self.folder, Clock::System.now_seconds()).unwrap();
        authority
            .ensure_member_certificate(&self.folder, "us", OUR_ORGANISATION)
            .unwrap();
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        std::fs::write(
            self.folder.join("assertion.key"),
            key.to_pkcs8_pem().unwrap(),
        )
        .unwrap();
        let (folder, own, port) = (self.folder.clone(), own.to_owned(), self.port);
        move |config| {
            let path = |name: &str| folder.join(name).display().to_string();
            trust(config, &own, &folder);
            config.framework_issuer = FRAMEWORK.to_owned();
            config.framework_introspection_url = format!("https://localhost:{port}/introspect");
            config.framework_directory_url = format!("https://localhost:{port}/participants");
            config.framework_organisation_id = OUR_ORGANISATION.to_owned();
            config.framework_client_id = "https://rp.framework.example/us".to_owned();
            config.framework_certificate_file = path("us.pem");
            config.framework_certificate_key_file = path("us.key");
            config.framework_assertion_key_file = path("assertion.key");
            config.framework_assertion_alg = "ES256".to_owned();
        }
    }

    /// Lists these members from now on, and the service itself.
    pub(crate) fn list(&self, members: &[Value]) {
        let mut all = vec![organisation(OUR_ORGANISATION, "Us", "Active")];
        all.extend_from_slice(members);
        *self.state.directory.lock().unwrap() = Value::from(all).to_string();
    }

    /// Answers with this text as the directory from now on.
    pub(crate) fn show_directory(&self, text: &str) {
        text.clone_into(&mut self.state.directory.lock().unwrap());
    }

    /// Answers so about a token from now on.
    pub(crate) fn reply(&self, token: &str, reply: FrameworkReply) {
        let mut answers = self.state.answers.lock().unwrap();
        answers.insert(token.to_owned(), reply);
    }

    /// A right answer about an active token of this member.
    pub(crate) fn active(member: &Member, now: i64) -> Value {
        json!({
            "active": true,
            "client_id": member.client_id,
            "scope": "transaction-status",
            "exp": now + 3600,
            "cnf": {"x5t#S256": member.thumbprint},
        })
    }

    /// How often its directory was read.
    pub(crate) fn directory_reads(&self) -> usize {
        *self.state.directory_reads.lock().unwrap()
    }

    /// Calls a token active from now on.
    pub(crate) fn issue(&self, member: &Member, token: &str, now: i64) {
        self.reply(token, FrameworkReply::json(&Self::active(member, now)));
    }

    /// How often it was asked about tokens that begin so.
    pub(crate) fn asked(&self, beginning: &str) -> usize {
        let asked = self.state.asked.lock().unwrap();
        asked
            .iter()
            .filter(|token| token.starts_with(beginning))
            .count()
    }

    /// Waits until it was asked so often about tokens that begin so.
    pub(crate) async fn wait_for(&self, beginning: &str, count: usize) {
        let waiting = async {
            while self.asked(beginning) < count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let ended = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(
            ended.is_ok(),
            "it was asked {} times",
            self.asked(beginning)
        );
    }

    /// Answers nothing from now on, or everything again.
    pub(crate) fn hold(&self, is_held: bool) {
        self.state.held.send_replace(is_held);
    }

    /// Fails from now on, or answers again.
    pub(crate) fn go_away(&self, is_away: bool) {
        self.state.is_away.send_replace(is_away);
    }
}

impl Drop for FakeFramework {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(state: Arc<State>, parts: Parts, body: Bytes) -> Response<Full<Bytes>> {
    let is_introspection = parts.uri.path() == "/introspect";
    let mut fields = form_urlencoded::parse(&body);
    let token = fields.find(|(name, _value)| name == "token");
    let token = token
        .map(|(_name, token)| token.into_owned())
        .unwrap_or_default();
    if is_introspection {
        state.asked.lock().unwrap().push(token.clone());
    } else {
        *state.directory_reads.lock().unwrap() += 1;
    }
    let mut held = state.held.subscribe();
    drop(held.wait_for(|is_held| !is_held).await);
    let reply = if *state.is_away.borrow() {
        FrameworkReply {
            status: 500,
            ..FrameworkReply::json(&json!({}))
        }
    } else if is_introspection {
        let answers = state.answers.lock().unwrap();
        let known = answers.get(&token).cloned();
        known.unwrap_or_else(|| FrameworkReply::json(&json!({"active": false})))
    } else {
        FrameworkReply {
            body: state.directory.lock().unwrap().clone(),
            ..FrameworkReply::json(&json!([]))
        }
    };
    let response = Response::builder()
        .status(reply.status)
        .header(reply.field.0, reply.field.1);
    response.body(Full::new(Bytes::from(reply.body))).unwrap()
}
