//! A whole server of a test's own: store, certificates, clock, node, clients.

mod answer;
mod assertion;
mod browser;
mod bystander;
mod client;
mod closed;
mod database;
mod described;
mod fake_framework;
pub(crate) mod https;
mod key_store;
pub(crate) mod manners;
mod node;
mod provider;
mod receiver;
mod registration;
mod subscriber;
mod template;
mod views;

use std::path::{Path, PathBuf};
use std::time::Duration;

use console_routes::Entry;
use import::{self, BadRow, ImportReport, Observer};
use observe::clock::{Clock, ManualClock};
use provision::authority::Authority;
use provision::files;
use server::config::Config;
use server::lifecycle::Server;
use server::sandbox::SandboxParts;
use storage::Storage;

pub(crate) use self::answer::{Answer, simple_success};
pub(crate) use self::assertion::Assertion;
pub(crate) use self::browser::{Browser, Page};

pub(crate) use self::bystander::Bystander;
pub(crate) use self::client::{Addresses, Client, send};
pub(crate) use self::closed::ClosedTestServer;
pub(crate) use self::database::Database;
pub(crate) use self::fake_framework::{
    FRAMEWORK, FakeFramework, FrameworkReply, Member, organisation, trust,
};
pub(crate) use self::key_store::Shown;
pub(crate) use self::node::Node;
pub(crate) use self::provider::{Provider, SUBJECT};
pub(crate) use self::receiver::{Received, Receiver, Reply};
pub(crate) use self::registration::{
    ASSERTION_TYPE, OPERATOR_ID, Registration, client_trusting, http_client, token_form,
};
pub(crate) use self::subscriber::status_text;
use self::template::Template;
pub(crate) use self::views::property_of;

/// 2026-11-21T10:00:00Z, when every test begins.
pub(crate) const BEGINNING: i64 = 1_795_255_200;

/// How long a test waits for anything before it fails: longer than a slow machine needs.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Names under which the server is known, whatever its sockets are.
pub(crate) const BASE_URL: &str = "https://localhost:8440";
pub(crate) const AUTH_URL: &str = "https://localhost:8441";
pub(crate) const CONSOLE_URL: &str = "http://localhost:8445";

/// The secret of the page of people.
pub(crate) const ENTRY: &str = "entry-of-a-test";

/// A running Onward.
pub(crate) struct TestServer {
    pub(crate) clock: ManualClock,
    pub(crate) config: Config,
    pub(crate) storage: Storage,
    pub(crate) authority: Authority,
    pub(crate) node: Server,
    pub(crate) directory: tempfile::TempDir,
    /// Trusts the authority and shows no certificate.
    http: reqwest::Client,
    other_nodes: Vec<Server>,
    database: Option<Database>,
}

/// The server's addresses by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Base,
    Auth,
    Directory,
    Listing,
    Ops,
    Console,
}

impl TestServer {
    pub(crate) async fn on_sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().to_owned();
        let writing = tokio::task::spawn_blocking(move || Template::get().write_store(&folder));
        let store = writing.await.unwrap();
        Self::begin(directory, store, None, |_config| {}).await
    }

    /// None where no PostgreSQL was started for the tests.
    pub(crate) async fn on_postgres() -> Option<Self> {
        Some(Self::on_database(Database::create_store().await?).await)
    }

    /// On a database of any PostgreSQL server.
    pub(crate) async fn on_database(database: Database) -> Self {
        let store = database.url.clone();
        let directory = tempfile::tempdir().unwrap();
        Self::begin(directory, store, Some(database), |_config| {}).await
    }

    /// Stops the server and starts it again with other settings.
    pub(crate) async fn reconfigure(self, change: impl FnOnce(&mut Config)) -> Self {
        let Self {
            directory,
            node,
            config,
            database,
            storage,
            ..
        } = self;
        node.stop().await;
        drop(storage);
        Box::pin(Self::begin(directory, config.store, database, change)).await
    }

    async fn begin(
        directory: tempfile::TempDir,
        store: String,
        database: Option<Database>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let clock = ManualClock::at(BEGINNING);
        let path = directory.path().to_owned();
        let mut config = make_config(&path, store);
        change(&mut config);
        let authority = tokio::task::spawn_blocking(move || {
            if !path.join("ca.pem").exists() {
                Template::get().write_files(&path);
            }
            Authority::ensure(&path, Clock::System.now_seconds()).unwrap()
        })
        .await
        .unwrap();
        let time = Clock::Manual(clock.clone());
        let entry = Entry {
            secret: ENTRY.to_owned(),
            samples: Vec::new(),
        };
        let parts = SandboxParts {
            entry,
            layer: None,
            disturbance: None,
        };
        let node = Server::start_sandbox(config.clone(), time, parts);
        let node = node.await.unwrap();
        Self {
            clock,
            config,
            storage: node.foundation.storage.clone(),
            authority,
            node,
            http: client_trusting(directory.path(), None),
            directory,
            other_nodes: Vec::new(),
            database,
        }
    }

    /// Ends everything that the test began.
    pub(crate) async fn end(self) {
        self.node.stop().await;
        for node in self.other_nodes {
            node.stop().await;
        }
        drop(self.storage);
        if let Some(database) = self.database {
            database.remove().await;
        }
    }

    /// Starts another node on the same store; its number, counted from 1.
    pub(crate) async fn start_node(&mut self) -> usize {
        let time = Clock::Manual(self.clock.clone());
        let node = Server::start(self.config.clone(), time).await.unwrap();
        self.other_nodes.push(node);
        self.other_nodes.len()
    }

    /// Stops the node that was started last.
    pub(crate) async fn stop_newest_node(&mut self) {
        self.other_nodes.pop().unwrap().stop().await;
    }

    /// A URL that reaches this node, with its real port.
    pub(crate) fn url(&self, at: At, path: &str) -> String {
        url_of(&self.node, at, path)
    }

    /// Where a public address of the settings is reached in this test.
    pub(crate) fn reach(&self, public: &str) -> String {
        let config = &self.config;
        let addresses = [
            (&config.base_url, At::Base),
            (&config.auth_url, At::Auth),
            (&config.directory_url, At::Directory),
            (&config.listing_base_url, At::Listing),
        ];
        let found = addresses.into_iter().find_map(|(address, at)| {
            let path = public.strip_prefix(address.as_str())?;
            Some(self.url(at, path))
        });
        found.unwrap_or_else(|| panic!("{public} is at none of the addresses"))
    }

    /// A URL that reaches another node.
    pub(crate) fn url_of_node(&self, node: usize, at: At, path: &str) -> String {
        url_of(&self.other_nodes[node - 1], at, path)
    }

    /// Imports lines of NDJSON, all of which must be good.
    pub(crate) async fn import(&self, lines: &str) -> ImportReport {
        let (report, refused) = self.import_with_refusals(lines).await;
        assert_eq!(refused, Vec::<String>::new());
        report
    }

    /// Imports lines of NDJSON; the refusals as `line: reason`.
    pub(crate) async fn import_with_refusals(&self, lines: &str) -> (ImportReport, Vec<String>) {
        let path = self
            .directory
            .path()
            .join(format!("{}.ndjson", uuid::Uuid::new_v4()));
        files::write(&path, lines).unwrap();
        self.import_files(vec![path]).await
    }

    /// Imports files; the refusals as `line: reason`.
    pub(crate) async fn import_files(&self, paths: Vec<PathBuf>) -> (ImportReport, Vec<String>) {
        let storage = self.storage.clone();
        let clock = Clock::Manual(self.clock.clone());
        tokio::task::spawn_blocking(move || {
            let mut refusals = Refusals(Vec::new());
            let report = import::import_files(&storage, &clock, &paths, &mut refusals).unwrap();
            (report, refusals.0)
        })
        .await
        .unwrap()
    }

    /// The server's published key set.
    pub(crate) async fn jwks(&self) -> Vec<u8> {
        let client = http_client(self, None);
        let response = client
            .get(self.url(At::Directory, "/jwks"))
            .send()
            .await
            .unwrap();
        response.bytes().await.unwrap().to_vec()
    }
}

struct Refusals(Vec<String>);

impl Observer for Refusals {
    fn begin(&mut self, _file: &str, _total_bytes: Option<u64>) {}
    fn advance(&mut self, _bytes_read: u64, _rows: u64) {}
    fn refuse(&mut self, bad: &BadRow) {
        self.0.push(format!("{}: {}", bad.line, bad.reason));
    }
}

/// A URL that reaches this node.
pub(crate) fn url_of(node: &Server, at: At, path: &str) -> String {
    let address = node.addresses[at.index()].unwrap();
    format!("{}://{address}{path}", at.scheme())
}

impl At {
    /// The place among a node's addresses.
    const fn index(self) -> usize {
        match self {
            Self::Base => 0,
            Self::Auth => 1,
            Self::Directory => 2,
            Self::Listing => 3,
            Self::Ops => 4,
            Self::Console => 5,
        }
    }

    const fn scheme(self) -> &'static str {
        if matches!(self, Self::Ops | Self::Console) {
            "http"
        } else {
            "https"
        }
    }
}

fn make_config(directory: &Path, store: String) -> Config {
    let file = |name: &str| directory.join(name).display().to_string();
    let any = "127.0.0.1:0".parse().unwrap();
    Config {
        store,
        key_encryption_key_file: file(template::KEY_ENCRYPTION_KEY),
        state_log_checkpoint_file: file("log-checkpoint"),
        certificate_file: file("server.pem"),
        private_key_file: file("server.key"),
        client_ca_file: file("ca.pem"),
        base_url: BASE_URL.to_owned(),
        auth_url: AUTH_URL.to_owned(),
        listen_base: any,
        listen_auth: any,
        listen_directory: any,
        listen_listing: any,
        listen_ops: any,
        console_url: CONSOLE_URL.to_owned(),
        listen_console: any,
        callback_allowed_networks: vec!["127.0.0.0/8".to_owned(), "::1/128".to_owned()],
        callback_ca_file: file("ca.pem"),
        rate_limit_enabled: false,
        // Each connection of PostgreSQL is a process of its own.
        store_connections: 2,
        // Few tests read this log, and each of them says how long it is kept.
        access_log_days: 0,
        // No balancer has to notice.
        drain_seconds: 0,
        ..Config::of_template().unwrap()
    }
}
