//! Real processes that are started, killed and started again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use observe::clock::Clock;
use server::config::Config;

use super::requests::issuer;
use crate::commands::program::{Finished, find_ports};
use crate::test_server::{At, Node, Registration};

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
    client: Registration,
    running: Vec<Option<(usize, Node)>>,
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
    pub(super) fn new(config: Config, folder: PathBuf, client: Registration, count: usize) -> Self {
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
        let mut config = self.config.clone();
        config.base_url = issuer(node);
        // The certificate is not for that name.
        config.trusted_proxies = vec!["127.0.0.254".parse().unwrap()];
        // What has ended stays to be counted, however far the clock moves.
        config.delivery_retention_days = 36_500;
        let process = Node::start_on(self.ports[slot], &self.folder, config).await;
        let entrance = Entrance {
            node,
            base_url: process.url(At::Base, ""),
            listing_url: process.url(At::Listing, ""),
            token: self
                .client
                .request_token(&process.url(At::Auth, ""), Clock::System.now_seconds())
                .await,
        };
        self.running[slot] = Some((node, process));
        self.entrances.lock().unwrap().push(entrance);
    }

    /// Ends a node at once, as a loss of power would; its callers find out by themselves.
    pub(super) async fn kill(&mut self, slot: usize) {
        let (node, mut process) = self.running[slot].take().unwrap();
        let finished = process.kill().await;
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
        for (node, mut process) in running {
            let finished = process.stop().await;
            assert_eq!(finished.status, Some(0), "{}", finished.err);
            self.read_log(node, &finished);
        }
    }

    fn read_log(&mut self, node: usize, finished: &Finished) {
        for line in finished.err.lines() {
            // On a busy machine the store may answer late. The node is not ready meanwhile.
            let is_late = line.contains("the store did not answer within");
            if is_late {
                continue;
            }
            if line.contains("ERROR") || line.contains("panicked") {
                self.errors.push(format!("node {node}: {line}"));
            } else if let Some((_time, text)) = line.split_once("WARN") {
                let text = text.trim().chars().take(100).collect();
                *self.warnings.entry(text).or_default() += 1;
            }
        }
    }
}
