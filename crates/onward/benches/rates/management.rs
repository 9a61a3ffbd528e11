//! How fast listing and chain management is, durably: every write is on disk
//! before it is answered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http::{Method, Request};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::connection::Connection;
use crate::load::{join_all, now};
use crate::process::{Node, Settings};
use crate::{engine, median, read_setting};

/// The sandbox's client that manages listings.
const AGENT: &str = "Example Agent";
/// Writers and readers at once in the runs of many.
const MANY: usize = 64;
/// Links broken and added again in the middle of a chain, for each length.
const LINKS: usize = 40;

/// Measures and prints.
pub(crate) async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    let seconds = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 2));
    println!(
        "listing and chain management, {listings} listings on {}",
        engine()
    );
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        directory: directory.path(),
        listings,
        store: std::env::var("ONWARD_BENCH_STORE").ok(),
        overrides: &[],
    };
    let node = Node::start(&settings).await;
    let agent = Agent::open(&node).await;
    let mut connection = agent.connect().await;
    let mut own = Vec::new();
    for number in 0..200 {
        own.push(agent.list(&mut connection, number).await);
    }
    for connections in [1, MANY] {
        let read = |number: i64| Call {
            method: Method::GET,
            path: format!("/listing/{}", pick(&own, number)),
            body: None,
        };
        report(
            "listing read",
            connections,
            agent.run(&node, connections, seconds, read).await,
        );
    }
    for connections in [1, MANY] {
        // Another date each time, so that each is a change with an event.
        let record = |number: i64| Call {
            method: Method::PUT,
            path: format!("/listing/{}/milestone/searches_ordered", pick(&own, number)),
            body: Some(json!({ "completed_at": 1_700_000_000 + number * 86_400 % 900_000_000 })),
        };
        report(
            "milestone recorded",
            connections,
            agent.run(&node, connections, seconds, record).await,
        );
    }
    for length in [2, 10, 100] {
        agent.relink(&mut connection, length).await;
    }
    node.stop().await;
}

/// One request.
struct Call {
    method: Method,
    path: String,
    body: Option<Value>,
}

/// A client of scope `listing`, signed in.
struct Agent {
    address: SocketAddr,
    tls: Arc<rustls::ClientConfig>,
    token: String,
    branch: u64,
}

struct Rate {
    per_second: f64,
    cpu_microseconds: f64,
    latencies: Vec<f64>,
}

impl Agent {
    async fn open(node: &Node) -> Self {
        let (tls, token) = node.sign_in(Some(AGENT)).await;
        Self {
            address: node.listing_address(),
            tls,
            token,
            branch: node.branch_of(AGENT),
        }
    }

    async fn connect(&self) -> Connection {
        Connection::open(self.address, Arc::clone(&self.tls)).await
    }

    /// Sends a request; the answer must be a success.
    async fn send(&self, connection: &mut Connection, call: Call) -> Value {
        let body = call.body.map(|body| body.to_string()).unwrap_or_default();
        let request = Request::builder()
            .method(call.method)
            .uri(format!("/api/v1{}", call.path))
            .header("host", "localhost")
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .body(Full::from(body))
            .unwrap();
        let (status, body) = connection.send(request).await;
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    /// Lists a new property; the listing's id.
    async fn list(&self, connection: &mut Connection, number: usize) -> i64 {
        let address = json!({
            "line1": format!("{} Benchmark Street {}", number + 1, uuid::Uuid::new_v4()),
            "postTown": "Leeds", "postcode": "LS1 4AP",
        });
        let body = json!({"address": address, "branch_id": self.branch, "price": 250_000});
        let call = Call {
            method: Method::POST,
            path: "/listing".to_owned(),
            body: Some(body),
        };
        let answer = self.send(connection, call).await;
        answer["data"]["id"].as_i64().unwrap()
    }

    /// Calls as fast as the answers come.
    async fn run(
        &self,
        node: &Node,
        connections: usize,
        length: Duration,
        call: impl Fn(i64) -> Call,
    ) -> Rate {
        let mut open = Vec::new();
        for _connection in 0..connections {
            open.push(self.connect().await);
        }
        let counter = AtomicI64::new(0);
        let (counter, call) = (&counter, &call);
        let cpu_before = node.cpu_seconds();
        let begun = now();
        let callers = open.into_iter().map(|mut connection| async move {
            let mut seen = Vec::new();
            while begun.elapsed() < length {
                let number = counter.fetch_add(1, Ordering::Relaxed);
                let sent = now();
                self.send(&mut connection, call(number)).await;
                seen.push(sent.elapsed().as_secs_f64() * 1e3);
            }
            seen
        });
        let latencies: Vec<f64> = join_all(callers).await.into_iter().flatten().collect();
        let answers = latencies.len() as f64;
        Rate {
            per_second: answers / begun.elapsed().as_secs_f64(),
            cpu_microseconds: (node.cpu_seconds() - cpu_before) / answers * 1e6,
            latencies,
        }
    }

    /// Breaks the middle link of a chain of this length and adds it again.
    async fn relink(&self, connection: &mut Connection, length: usize) {
        let mut chain = Vec::new();
        for number in 0..length {
            chain.push(self.list(connection, number).await);
        }
        let link = |path: &str, at: usize| Call {
            method: Method::POST,
            path: path.to_owned(),
            body: Some(json!({ "buyer": chain[at - 1], "seller": chain[at] })),
        };
        for at in 1..length {
            self.send(connection, link("/chain/add/link", at)).await;
        }
        let mut seen = [Vec::new(), Vec::new()];
        for _round in 0..LINKS {
            for (path, seen) in ["/chain/remove/link", "/chain/add/link"]
                .iter()
                .zip(&mut seen)
            {
                let sent = now();
                self.send(connection, link(path, length / 2)).await;
                seen.push(sent.elapsed().as_secs_f64() * 1e3);
            }
        }
        for (name, seen) in ["link broken", "link added"].iter().zip(seen) {
            println!(
                "{name:<20} in a chain of {length:>3}   p50 {:>6.1} ms  p99 {:>6.1} ms",
                median(seen.clone()),
                percentile(seen, 0.99)
            );
        }
    }
}

fn report(name: &str, connections: usize, rate: Rate) {
    println!(
        "{name:<20} {connections:>3} at once {:>8.0} /s {:>6.0} µs CPU each   p50 {:>6.1} ms  p99 {:>6.1} ms",
        rate.per_second,
        rate.cpu_microseconds,
        median(rate.latencies.clone()),
        percentile(rate.latencies, 0.99)
    );
}

fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() as f64 * share) as usize).min(values.len() - 1)]
}

fn pick(ids: &[i64], number: i64) -> i64 {
    ids[usize::try_from(number).unwrap() % ids.len()]
}
