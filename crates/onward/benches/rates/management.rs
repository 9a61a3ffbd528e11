//! Measures listing and chain management with durable writes: every write is on disk before it is
//! answered.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http::Method;
use serde_json::json;

use crate::agent::{Agent, Call};
use crate::connection::Connection;
use crate::load::{join_all, now};
use crate::process::{Node, Settings};
use crate::{engine, median, percentile, read_setting};

/// Writers or readers at once in the parallel runs.
const MANY: usize = 64;
/// The links that are removed and added again in the middle of a chain, for each length.
const LINKS: usize = 40;

pub(crate) async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    let seconds = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 2));
    println!(
        "listing and chain management, {listings} listings on {}",
        engine()
    );
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings::new(directory.path(), listings);
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
        // Each date differs, so each call is a change with an event.
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

struct Rate {
    per_second: f64,
    cpu_microseconds: f64,
    latencies: Vec<f64>,
}

impl Agent {
    /// Sends the next request as soon as an answer arrives.
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

    /// Removes the middle link of a chain of this length and adds it again.
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

fn pick(ids: &[i64], number: i64) -> i64 {
    ids[usize::try_from(number).unwrap() % ids.len()]
}
