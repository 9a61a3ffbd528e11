//! `HAProxy` as a process of a test's own.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use observe::clock::Stopwatch;

use crate::commands::program::find_ports;
use crate::test_server::{At, Node, PATIENCE};

/// The addresses that are balanced, by name.
pub(super) const ADDRESSES: [(&str, At); 4] = [
    ("base", At::Base),
    ("auth", At::Auth),
    ("directory", At::Directory),
    ("listing", At::Listing),
];

/// A running `HAProxy`; it ends when it is dropped.
pub(super) struct HaProxy(Child);

/// One that passes TLS through to nodes, so that they see the callers' certificates.
pub(super) struct Balancer {
    first_port: u16,
    _process: HaProxy,
}

impl HaProxy {
    /// Starts it with this configuration.
    pub(super) fn start(folder: &Path, configuration: &str) -> Self {
        let file = folder.join("haproxy.cfg");
        std::fs::write(&file, configuration).unwrap();
        let mut command = Command::new("haproxy");
        command.args(["-db", "-q", "-f"]).arg(&file);
        let started = command.stdin(Stdio::null()).spawn();
        Self(started.expect("haproxy is installed by: scripts/test --prepare"))
    }
}

impl Drop for HaProxy {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Balancer {
    /// Starts it before these nodes.
    pub(super) async fn start(folder: &Path, nodes: &[Node]) -> Self {
        let first_port = find_ports();
        let balancer = Self {
            first_port,
            _process: HaProxy::start(folder, &configure(first_port, nodes)),
        };
        balancer.wait_for("listens", |_states| true).await;
        balancer
    }

    /// A URL that leads to whichever node the balancer chooses.
    pub(super) fn url(&self, at: At, path: &str) -> String {
        let mut ports = ADDRESSES.iter().zip(self.first_port..);
        let found = ports.find(|((_name, address), _port)| *address == at);
        let (_address, port) = found.unwrap();
        format!("https://127.0.0.1:{port}{path}")
    }

    /// Waits until new connections are led to all nodes.
    pub(super) async fn wait_until_all_are_up(&self) {
        let is_up = |states: &[String]| states.iter().all(|state| state == "UP");
        self.wait_for("all nodes are up", is_up).await;
    }

    async fn wait_for(&self, wanted: &str, is_so: impl Fn(&[String]) -> bool) {
        let since = Stopwatch::start();
        loop {
            if let Some(states) = self.states().await
                && is_so(&states)
            {
                return;
            }
            assert!(
                since.elapsed() < PATIENCE,
                "waited in vain until it {wanted}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What it thinks of the nodes, in their order; none while it does not answer.
    async fn states(&self) -> Option<Vec<String>> {
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let url = format!("http://127.0.0.1:{}/;csv", self.first_port + 4);
        let shown = http.get(url).send().await.ok()?.text().await.ok()?;
        let mut lines = shown.lines();
        let column = lines.next()?.split(',').position(|name| name == "status")?;
        let nodes = lines.filter(|line| line.starts_with("base,node"));
        let states = nodes.filter_map(|line| line.split(',').nth(column));
        Some(states.map(ToOwned::to_owned).collect())
    }
}

/// As `docs/scaling.md` has it, with quicker checks: TLS is passed through, a node is asked at one
/// place whether it is ready, and while none is, as when the database is away, all are tried,
/// because they can say `Retry-After`.
fn configure(first_port: u16, nodes: &[Node]) -> String {
    let mut text = "global\n    maxconn 4000\n\
         defaults\n    mode tcp\n    timeout connect 2s\n    timeout check 2s\n    timeout client 100s\n    \
         timeout server 100s\n    retries 3\n    option redispatch 1\n    \
         balance roundrobin\n"
        .to_owned();
    for ((name, at), port) in ADDRESSES.into_iter().zip(first_port..) {
        write!(
            text,
            "frontend {name}\n    bind 127.0.0.1:{port}\n    default_backend {name}\n\
             backend {name}\n    option httpchk GET /health/ready\n    option allbackups\n"
        )
        .unwrap();
        for (number, node) in nodes.iter().enumerate() {
            let (server, ops) = (node.port(at), node.port(At::Ops));
            let check = if name == "base" {
                format!("check port {ops} inter 200ms fall 2 rise 2")
            } else {
                format!("track base/node-{number}")
            };
            writeln!(text, "    server node-{number} 127.0.0.1:{server} {check}").unwrap();
        }
        for (number, node) in nodes.iter().enumerate() {
            let server = node.port(at);
            writeln!(text, "    server any-{number} 127.0.0.1:{server} backup").unwrap();
        }
    }
    let statistics = first_port + 4;
    write!(
        text,
        "frontend statistics\n    mode http\n    bind 127.0.0.1:{statistics}\n    \
         stats enable\n    stats uri /\n"
    )
    .unwrap();
    text
}
