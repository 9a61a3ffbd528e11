//! Real processes that are started, killed and started again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use observe::clock::Clock;
use observe::telemetry::LogFormat;
use server::config::Config;

use super::requests::issuer;
use crate::commands::program::{Finished, Program, find_ports, listen_from};
use crate::world::{Answer, TestClient};

/// Where a living node is called.
#[derive(Debug, Clone)]
pub(super) struct Entrance {
    pub(super) node: usize,
    pub(super) base_url: String,
    pub(super) listing_url: String,
    /// Good at this node only: its audience is the node's own name.
    pub(super) token: String,
}

/// The nodes that live at the moment.
pub(super) type Entrances = Arc<Mutex<Vec<Entrance>>>;

/// All processes that were ever started on the store.
pub(super) struct Nodes {
    config: Config,
    folder: PathBuf,
    client: TestClient,
    running: Vec<Option<(usize, Program)>>,
    /// The first of each node's five ports. A node comes back where it was.
    ports: Vec<u16>,
    pub(super) entrances: Entrances,
    started: usize,
    /// Processes that were killed.
    pub(super) killed: BTreeSet<usize>,
    /// What their logs say of errors.
    pub(super) errors: Vec<String>,
    /// How often their logs warn of what.
    pub(super) warnings: BTreeMap<String, usize>,
}

impl Nodes {
    /// So many nodes, none of which runs yet.
    pub(super) fn new(config: Config, folder: PathBuf, client: TestClient, count: usize) -> Self {
        Self {
            config,
            folder,
            client,
            running: (0..count).map(|_slot| None).collect(),
            ports: (0..count).map(|_slot| find_ports()).collect(),
            entrances: Entrances::default(),
            started: 0,
            killed: BTreeSet::new(),
            errors: Vec::new(),
            warnings: BTreeMap::new(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.running.len()
    }

    /// Starts every node that does not run.
    pub(super) async fn start_all(&mut self) {
        for slot in 0..self.count() {
            if self.running[slot].is_none() {
                self.start(slot).await;
            }
        }
    }

    /// Starts a node as a new process with a name of its own, so that what it sends is known.
    pub(super) async fn start(&mut self, slot: usize) {
        self.started += 1;
        let node = self.started;
        let first = self.ports[slot];
        let mut config = self.config.clone();
        config.base_url = issuer(node);
        config.log_format = LogFormat::Text;
        // What has ended stays to be counted, however far the clock moves.
        config.delivery_retention_days = 36_500;
        listen_from(&mut config, first);
        let file = self.folder.join(format!("node-{node}.toml"));
        std::fs::write(&file, toml::to_string(&config).unwrap()).unwrap();
        let file = file.display().to_string();
        let starting = tokio::task::spawn_blocking(move || {
            let mut program = Program::start(&["serve", "--config", &file]);
            program.wait_for("serving");
            program
        });
        self.running[slot] = Some((node, starting.await.unwrap()));
        let url = |offset: u16| format!("https://127.0.0.1:{}", first + offset);
        let entrance = Entrance {
            node,
            base_url: url(0),
            listing_url: url(3),
            token: self.request_token(&url(1)).await,
        };
        self.entrances.lock().unwrap().push(entrance);
    }

    async fn request_token(&self, auth_url: &str) -> String {
        let now = Clock::System.now_seconds();
        let form = self.client.token_form(now);
        let request = self.client.http.post(format!("{auth_url}/token"));
        let answer = Answer::read(request.form(&form).send().await.unwrap()).await;
        let body = answer.json();
        let token = body["access_token"].as_str();
        token.unwrap_or_else(|| panic!("{body}")).to_owned()
    }

    /// Ends a node at once, as a loss of power would; its callers find out by themselves.
    pub(super) async fn kill(&mut self, slot: usize) {
        let (node, program) = self.running[slot].take().unwrap();
        let killing = tokio::task::spawn_blocking(move || program.kill());
        let finished = killing.await.unwrap();
        assert_eq!(finished.status, None, "{}", finished.err);
        self.entrances
            .lock()
            .unwrap()
            .retain(|one| one.node != node);
        self.killed.insert(node);
        self.read_log(node, &finished);
    }

    /// Asks all nodes to stop, and waits until they have.
    pub(super) async fn stop_all(&mut self) {
        self.entrances.lock().unwrap().clear();
        let running: Vec<_> = self.running.iter_mut().filter_map(Option::take).collect();
        for (_node, program) in &running {
            program.signal("TERM");
        }
        for (node, program) in running {
            let stopping = tokio::task::spawn_blocking(move || program.wait());
            let finished = stopping.await.unwrap();
            assert_eq!(finished.status, Some(0), "{}", finished.err);
            self.read_log(node, &finished);
        }
    }

    fn read_log(&mut self, node: usize, finished: &Finished) {
        for line in finished.err.lines() {
            if line.contains("ERROR") || line.contains("panicked") {
                self.errors.push(format!("node {node}: {line}"));
            } else if let Some((_time, text)) = line.split_once("WARN") {
                let text = text.trim().chars().take(100).collect();
                *self.warnings.entry(text).or_default() += 1;
            }
        }
    }
}
