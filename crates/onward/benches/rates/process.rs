//! Runs the server under test as a separate process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use client::sandbox::{SandboxFile, load};
use http::Request;
use http_body_util::Full;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jws;
use signing::key::SigningKey;
use tokio::process::{Child, Command};

use crate::connection::Connection;

/// Clock ticks a second in `/proc/PID/stat`, on every Linux.
const TICKS: f64 = 100.0;

/// The options of a server under test.
#[derive(Clone)]
pub(crate) struct Settings<'a> {
    /// The sandbox's folder.
    pub(crate) directory: &'a Path,
    /// The number of generated listings.
    pub(crate) listings: u64,
    /// A PostgreSQL URL; `None` for SQLite.
    pub(crate) store: Option<String>,
    /// Settings by name, without the prefix `ONWARD_`.
    pub(crate) overrides: &'a [(&'a str, &'a str)],
}

impl<'a> Settings<'a> {
    /// The settings for a folder and a number of listings, on the engine that
    /// `ONWARD_BENCH_STORE` names.
    pub(crate) fn new(directory: &'a Path, listings: u64) -> Self {
        Self {
            directory,
            listings,
            store: std::env::var("ONWARD_BENCH_STORE").ok(),
            overrides: &[],
        }
    }
}

/// A running server process.
pub(crate) struct Node {
    child: Child,
    first_port: u16,
    sandbox: SandboxFile,
    directory: PathBuf,
}

impl Node {
    /// Starts `onward sandbox` and waits until every listener serves.
    pub(crate) async fn start(settings: &Settings<'_>) -> Self {
        Self::start_as(Command::new(env!("CARGO_BIN_EXE_onward")), settings).await
    }

    /// Starts it by this command, which adds its own arguments.
    pub(crate) async fn start_as(mut command: Command, settings: &Settings<'_>) -> Self {
        let first_port = free_port();
        command
            .args(["sandbox", "--dir"])
            .arg(settings.directory)
            .args(["--listings", &settings.listings.to_string()])
            .args(["--port", &first_port.to_string()])
            .stdout(std::process::Stdio::null())
            .kill_on_drop(true);
        if let Some(store) = &settings.store {
            command.args(["--store", store]);
        }
        let mut overrides = settings.overrides.iter();
        if !overrides.any(|(name, _value)| name.starts_with("RATE_LIMIT")) {
            command.arg("--no-rate-limit");
        }
        for (name, value) in settings.overrides {
            command.env(format!("ONWARD_{name}"), value);
        }
        let published = settings.directory.join("sandbox.json");
        drop(std::fs::remove_file(&published));
        let mut child = command.spawn().unwrap();
        while !published.exists() {
            assert!(child.try_wait().unwrap().is_none(), "the sandbox ended");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self {
            child,
            first_port,
            sandbox: load(settings.directory).unwrap(),
            directory: settings.directory.to_owned(),
        }
    }

    /// Serves the same store from another process on other ports.
    pub(crate) async fn start_beside(&self, overrides: &[(&str, &str)]) -> Self {
        let first = free_port();
        let mut command = Command::new(env!("CARGO_BIN_EXE_onward"));
        command
            .args(["serve", "--set", "rate_limit_enabled=false", "--config"])
            .arg(&self.sandbox.config_file)
            .env("ONWARD_LOG", "warn")
            .kill_on_drop(true);
        let sockets = ["base", "auth", "directory", "listing", "ops"];
        for (socket, port) in sockets.iter().zip(first..) {
            command.args(["--set", &format!("listen_{socket}=127.0.0.1:{port}")]);
        }
        for (name, value) in overrides {
            command.env(format!("ONWARD_{name}"), value);
        }
        let mut child = command.spawn().unwrap();
        while std::net::TcpStream::connect(("127.0.0.1", first + 4)).is_err() {
            assert!(child.try_wait().unwrap().is_none(), "the server ended");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self {
            child,
            first_port: first,
            sandbox: self.sandbox.clone(),
            directory: self.directory.clone(),
        }
    }

    pub(crate) async fn stop(mut self) {
        self.child.kill().await.unwrap();
    }

    /// All UPRNs of the made-up data.
    pub(crate) fn read_uprns(&self) -> Vec<u64> {
        let text = std::fs::read_to_string(self.directory.join("sample.ndjson")).unwrap();
        let listed = text
            .lines()
            .filter(|line| line.starts_with("{\"type\":\"listing\""));
        listed
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["uprn"]
                    .as_u64()
                    .unwrap()
            })
            .collect()
    }

    /// The path of the configuration.
    pub(crate) fn config_file(&self) -> &Path {
        &self.sandbox.config_file
    }

    /// The address of the console's page of people.
    pub(crate) fn console_url(&self) -> &str {
        &self.sandbox.console_url
    }

    /// The socket of the base listener.
    pub(crate) fn base_address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.first_port))
    }

    /// The CPU seconds that the server has used.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        cpu_seconds(&self.child.id().unwrap().to_string())
    }

    /// The resident memory, now and at its peak.
    pub(crate) fn memory(&self) -> String {
        let find = |name| self.status_kibibytes(name) / 1024;
        format!("{} MiB, at most {} MiB", find("VmRSS"), find("VmHWM"))
    }

    /// The resident memory now, in KiB.
    pub(crate) fn resident_kibibytes(&self) -> u64 {
        self.status_kibibytes("VmRSS")
    }

    fn status_kibibytes(&self, name: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id().unwrap());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn open_files(&self) -> usize {
        let path = format!("/proc/{}/fd", self.child.id().unwrap());
        std::fs::read_dir(path).unwrap().count()
    }

    /// Raises the server's limit of open files as far as the machine allows, and returns the limit.
    pub(crate) fn raise_limit(&self, files: u64) -> u64 {
        raise_limit(self.child.id().unwrap(), files)
    }

    /// The socket of the listing listener.
    pub(crate) fn listing_address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.first_port + 3))
    }

    /// The CPU seconds that the signing threads have used.
    pub(crate) fn signing_seconds(&self) -> f64 {
        let process = self.child.id().unwrap();
        let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
        let ids = tasks.map(|task| task.unwrap().file_name().into_string().unwrap());
        let paths = ids.map(|id| format!("{process}/task/{id}"));
        let is_signer = |path: &String| {
            let name = std::fs::read_to_string(format!("/proc/{path}/comm"));
            name.is_ok_and(|name| name.starts_with("onward-signer"))
        };
        paths.filter(is_signer).map(|path| cpu_seconds(&path)).sum()
    }

    pub(crate) fn api_key(&self, participant: &str) -> &str {
        let mut keys = self.sandbox.api_keys.iter();
        let found = keys.find(|key| key.participant_name == participant);
        &found.unwrap().key
    }

    /// The TLS settings of a subscriber; the sandbox trusts its certificate.
    pub(crate) fn subscriber_tls(&self) -> Arc<rustls::ServerConfig> {
        let callback = &self.sandbox.callback;
        let chain = CertificateDer::pem_file_iter(&callback.certificate_file).unwrap();
        let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_file(&callback.key_file).unwrap();
        let tls = rustls::ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        Arc::new(tls)
    }

    /// The first branch of one of the sandbox's clients.
    pub(crate) fn branch_of(&self, name: &str) -> u64 {
        self.sandbox.client(Some(name)).unwrap().branches[0]
    }

    /// An access token of a sandbox client, and TLS settings that present its certificate. `None`
    /// names the lender.
    pub(crate) async fn sign_in(&self, name: Option<&str>) -> (Arc<rustls::ClientConfig>, String) {
        let caller = self.sandbox.client(name).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(&self.sandbox.ca_file).unwrap() {
            roots.add(certificate.unwrap()).unwrap();
        }
        let chain = CertificateDer::pem_file_iter(&caller.certificate_file).unwrap();
        let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
        let key = PrivateKeyDer::from_pem_file(&caller.key_file).unwrap();
        let tls = rustls::ClientConfig::builder()
            .with_root_certificates(roots)
            .with_client_auth_cert(chain, key)
            .unwrap();
        let tls = Arc::new(tls);
        let pem = std::fs::read_to_string(&caller.assertion_key_file).unwrap();
        let algorithm = Algorithm::parse(&caller.assertion_alg).unwrap();
        let key = SigningKey::from_pkcs8_pem(&pem, algorithm).unwrap();
        let now = observe::clock::Clock::System.now_seconds();
        let claims = json!({
            "iss": caller.client_id, "sub": caller.client_id, "aud": self.sandbox.auth_url,
            "iat": now, "exp": now + 60, "jti": uuid::Uuid::new_v4().to_string(),
        });
        let assertion = jws::sign_compact("JWT", &key, &claims).unwrap();
        let form = format!(
            "grant_type=client_credentials&client_assertion={assertion}&client_assertion_type=\
             urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
        );
        let request = Request::post("/token")
            .header("host", "localhost")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Full::from(form))
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], self.first_port + 1));
        let mut connection = Connection::open(address, Arc::clone(&tls)).await;
        let (status, body) = connection.send(request).await;
        assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
        let body: Value = serde_json::from_slice(&body).unwrap();
        (tls, body["access_token"].as_str().unwrap().to_owned())
    }
}

/// Raises this process's limit of open files as far as the machine allows, and returns the limit.
pub(crate) fn raise_own_limit(files: u64) -> u64 {
    raise_limit(std::process::id(), files)
}

/// The standard library cannot set this limit, so this calls a program of util-linux.
fn raise_limit(process: u32, files: u64) -> u64 {
    let path = format!("/proc/{process}/limits");
    let read = || {
        let limits = std::fs::read_to_string(&path).unwrap();
        let line = limits
            .lines()
            .find(|line| line.starts_with("Max open files"));
        let soft = line.unwrap().split_whitespace().nth(3).unwrap();
        soft.parse().unwrap_or(u64::MAX)
    };
    if read() < files {
        let limit = format!("--nofile={files}:");
        let process = process.to_string();
        let raising = std::process::Command::new("prlimit")
            .args(["--pid", &process, &limit])
            .status();
        if !raising.is_ok_and(|status| status.success()) {
            println!("the limit of open files could not be raised");
        }
    }
    read()
}

/// The CPU seconds that this process has used.
pub(crate) fn own_cpu_seconds() -> f64 {
    cpu_seconds("self")
}

fn cpu_seconds(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // Fields are counted from behind the name, which may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks = |index: usize| fields[index].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / TICKS
}

/// The first of five ports that are free now.
fn free_port() -> u16 {
    let is_free = |port: u16| std::net::TcpListener::bind(("127.0.0.1", port)).is_ok();
    let first = 20_000 + u16::try_from(std::process::id() % 20_000).unwrap();
    (first..60_000)
        .step_by(5)
        .find(|first| (0..5).all(|offset| is_free(first + offset)))
        .unwrap()
}
