//! A load generator that presents a client certificate.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::process::Node;

/// The properties to query, with an address and credentials.
pub(crate) struct Target {
    address: std::net::SocketAddr,
    tls: Arc<rustls::ClientConfig>,
    token: String,
    uprns: Vec<u64>,
}

/// The measurements of a run at full speed.
pub(crate) struct Figures {
    answers: u64,
    wall: Duration,
    cpu_seconds: f64,
}

/// The latencies of a run at a fixed rate, each counted from the time when its request was due.
pub(crate) struct Latencies(Vec<Duration>);

impl Target {
    /// Gets an access token for the sandbox's lender.
    pub(crate) async fn open(node: &Node, uprns: Vec<u64>) -> Self {
        let (tls, token) = node.sign_in(None).await;
        Self {
            address: node.base_address(),
            tls,
            token,
            uprns,
        }
    }

    async fn connect(&self) -> Connection {
        Connection::open(self.address, Arc::clone(&self.tls)).await
    }

    fn uprn(&self, number: u64) -> u64 {
        // A fixed mix, so that neighbours in the file are not queried in a row.
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        self.uprns[usize::try_from(mixed).unwrap() % self.uprns.len()]
    }
}

/// Sends the next request as soon as an answer arrives.
pub(crate) async fn throughput(
    node: &Node,
    target: &Target,
    connections: usize,
    length: Duration,
) -> Figures {
    let counter = Arc::new(AtomicU64::new(0));
    let mut open = Vec::new();
    for _connection in 0..connections {
        open.push(target.connect().await);
    }
    let cpu_before = node.cpu_seconds();
    let begun = now();
    let askers = open.into_iter().map(|mut connection| {
        let counter = Arc::clone(&counter);
        async move {
            while begun.elapsed() < length {
                let number = counter.fetch_add(1, Ordering::Relaxed);
                connection.query(&target.token, target.uprn(number)).await;
            }
        }
    });
    join_all(askers).await;
    Figures {
        answers: counter.load(Ordering::Relaxed),
        wall: begun.elapsed(),
        cpu_seconds: node.cpu_seconds() - cpu_before,
    }
}

/// Sends requests at a fixed rate, even while earlier answers are missing.
pub(crate) async fn latency(
    target: &Target,
    connections: usize,
    rate: u64,
    length: Duration,
) -> Latencies {
    let mut open = Vec::new();
    for _connection in 0..connections {
        open.push(target.connect().await);
    }
    at_rate(
        open,
        rate,
        length,
        async |connection: &mut Connection, number| {
            connection.query(&target.token, target.uprn(number)).await;
        },
    )
    .await
}

/// Sends requests at a fixed rate over these connections. A request has a number.
pub(crate) async fn at_rate(
    open: Vec<Connection>,
    rate: u64,
    length: Duration,
    send: impl AsyncFn(&mut Connection, u64),
) -> Latencies {
    let total = rate * length.as_secs();
    let counter = AtomicU64::new(0);
    let (counter, send) = (&counter, &send);
    // The clock starts after the handshakes, which are not part of a request's latency.
    let begun = now();
    let askers = open.into_iter().map(|mut connection| async move {
        let mut seen = Vec::new();
        loop {
            let number = counter.fetch_add(1, Ordering::Relaxed);
            if number >= total {
                return seen;
            }
            let due = begun + Duration::from_secs_f64(number as f64 / rate as f64);
            tokio::time::sleep_until(due.into()).await;
            send(&mut connection, number).await;
            seen.push(due.elapsed());
        }
    });
    let mut all: Vec<_> = join_all(askers).await.into_iter().flatten().collect();
    all.sort();
    Latencies(all)
}

impl Figures {
    /// Answers per second of the server's CPU time.
    pub(crate) fn per_cpu_second(&self) -> f64 {
        self.answers as f64 / self.cpu_seconds
    }

    /// Answers per second of elapsed time.
    pub(crate) fn per_second(&self) -> f64 {
        self.answers as f64 / self.wall.as_secs_f64()
    }
}

impl Latencies {
    /// The seconds within which this share of the requests was answered.
    pub(crate) fn at(&self, share: f64) -> f64 {
        let index = (self.0.len() as f64 * share) as usize;
        self.0[index.min(self.0.len() - 1)].as_secs_f64()
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p99] = [0.5, 0.99].map(|share| self.at(share) * 1e3);
        write!(formatter, "p50 {p50:.1} ms  p99 {p99:.1} ms")
    }
}

/// Runs all futures to their ends and returns their results.
pub(crate) async fn join_all<F>(work: impl Iterator<Item = F>) -> Vec<F::Output>
where
    F: Future,
{
    let mut pending: Vec<_> = work.map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = pending.iter().map(|_work| None).collect();
    std::future::poll_fn(|context| {
        let mut is_ready = true;
        for (work, done) in pending.iter_mut().zip(&mut done) {
            if done.is_none() {
                match work.as_mut().poll(context) {
                    std::task::Poll::Ready(output) => *done = Some(output),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
