//! Nodes as processes that are stopped and started again where they were.

use std::path::Path;

use observe::telemetry::LogFormat;
use server::config::Config;

use crate::commands::program::{Finished, Program, find_ports, listen_from};
use crate::world::At;

/// One node.
pub(super) struct Node {
    /// Its first port; four more follow, in the order of [`At`].
    first_port: u16,
    /// Its configuration file.
    pub(super) file: String,
    program: Option<Program>,
}

impl Node {
    /// Starts a node with a configuration file of its own, on ports of its own.
    pub(super) async fn start(folder: &Path, mut config: Config) -> Self {
        let first_port = find_ports();
        config.log_format = LogFormat::Text;
        listen_from(&mut config, first_port);
        let file = folder.join(format!("node-{first_port}.toml"));
        std::fs::write(&file, toml::to_string(&config).unwrap()).unwrap();
        let mut node = Self {
            first_port,
            file: file.display().to_string(),
            program: None,
        };
        node.resume().await;
        node
    }

    /// Starts it again.
    pub(super) async fn resume(&mut self) {
        assert!(self.program.is_none(), "it runs");
        let file = self.file.clone();
        let starting = tokio::task::spawn_blocking(move || {
            let mut program = Program::start(&["serve", "--config", &file]);
            program.wait_for("serving");
            program
        });
        self.program = Some(starting.await.unwrap());
    }

    /// Asks it to stop, and waits until it has.
    pub(super) async fn stop(&mut self) -> Finished {
        self.end_with("TERM").await
    }

    /// The same without leave-taking.
    pub(super) async fn stop_at_once(&mut self) -> Finished {
        self.end_with("INT").await
    }

    /// Ends it as a loss of power would.
    pub(super) async fn kill(&mut self) {
        let program = self.program.take().unwrap();
        let killing = tokio::task::spawn_blocking(move || program.kill());
        assert_eq!(killing.await.unwrap().status, None);
    }

    async fn end_with(&mut self, signal: &'static str) -> Finished {
        let program = self.program.take().unwrap();
        let stopping = tokio::task::spawn_blocking(move || {
            program.signal(signal);
            program.wait()
        });
        stopping.await.unwrap()
    }

    pub(super) fn port(&self, at: At) -> u16 {
        let offset = match at {
            At::Base => 0,
            At::Auth => 1,
            At::Directory => 2,
            At::Listing => 3,
            At::Ops => 4,
        };
        self.first_port + offset
    }

    /// A URL of this node itself, past the balancer.
    pub(super) fn url(&self, at: At, path: &str) -> String {
        let scheme = if matches!(at, At::Ops) {
            "http"
        } else {
            "https"
        };
        format!("{scheme}://127.0.0.1:{}{path}", self.port(at))
    }
}
