//! Nodes as processes that are stopped, killed and started again where they were.

use std::path::Path;

use observe::telemetry::LogFormat;
use server::config::Config;

use crate::commands::program::{Finished, Program, find_ports, listen_from};

use super::At;

/// One node.
pub(crate) struct Node {
    /// Its first port; four more follow, in the order of [`At`].
    first_port: u16,
    /// Its configuration file.
    pub(crate) file: String,
    program: Option<Program>,
}

impl Node {
    /// Starts a node with a configuration file of its own, on ports of its own.
    pub(crate) async fn start(folder: &Path, config: Config) -> Self {
        Self::start_on(find_ports(), folder, config).await
    }

    /// The same on five ports from this one on.
    pub(crate) async fn start_on(first_port: u16, folder: &Path, mut config: Config) -> Self {
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
    pub(crate) async fn resume(&mut self) {
        assert!(self.program.is_none(), "it runs");
        let file = self.file.clone();
        let starting = tokio::task::spawn_blocking(move || {
            let mut program = Program::start(&["serve", "--config", &file]);
            program.wait_for("serving");
            program
        });
        self.program = Some(starting.await.unwrap());
    }

    /// Asks it to stop, and waits until it has drained.
    pub(crate) async fn stop(&mut self) -> Finished {
        self.end_with("TERM").await
    }

    /// Asks it to stop without draining.
    pub(crate) async fn stop_at_once(&mut self) -> Finished {
        self.end_with("INT").await
    }

    /// Ends it as a loss of power would.
    pub(crate) async fn kill(&mut self) -> Finished {
        let finished = self.end_with("KILL").await;
        assert_eq!(finished.status, None, "{}", finished.err);
        finished
    }

    /// Sends it a signal, such as `STOP`.
    pub(crate) fn signal(&self, name: &str) {
        self.program.as_ref().unwrap().signal(name);
    }

    async fn end_with(&mut self, signal: &'static str) -> Finished {
        let program = self.program.take().unwrap();
        let stopping = tokio::task::spawn_blocking(move || {
            program.signal(signal);
            program.wait()
        });
        stopping.await.unwrap()
    }

    pub(crate) fn port(&self, at: At) -> u16 {
        self.first_port + u16::try_from(at.index()).unwrap()
    }

    /// A URL of this node itself, past the balancer.
    pub(crate) fn url(&self, at: At, path: &str) -> String {
        format!("{}://127.0.0.1:{}{path}", at.scheme(), self.port(at))
    }
}
