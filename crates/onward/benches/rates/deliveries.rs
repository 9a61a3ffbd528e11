//! Measures how fast events reach their subscribers after they are recorded.
//!
//! This process records milestones over HTTP and receives events over HTTPS. CPU rates count only
//! the server process, without the database.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::process::{Node, Settings};
use crate::recorder::{Recorded, Recorder};
use crate::subscriber::{Manner, Receipt, Subscriber};
use crate::webhooks::Webhooks;
use crate::{engine, isolation, percentile, read_setting};

/// The numbers of subscribers, each with the number of events that it receives as fast as possible.
const BURSTS: [(usize, u64); 3] = [(1, 3_000), (10, 1_500), (100, 200)];
/// Events before a measurement, so that connections are open.
const WARM_UP_EVENTS: u64 = 64;
/// Subscribers in the run at a steady rate.
const STEADY_SUBSCRIBERS: usize = 10;
/// Events a second in runs at a steady rate.
pub(crate) const STEADY_RATE: u64 = 100;
/// Events in a backlog.
pub(crate) const BACKLOG_EVENTS: u64 = 10_000;
/// A measurement stops waiting after this time without an event.
const SILENCE_MAX: Duration = Duration::from_secs(20);

pub(crate) async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    let seconds = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 2));
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 5);
    println!("deliveries of events, {listings} listings on {}", engine());
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings::new(directory.path(), listings);
    let mut bench = Bench::open(Node::start(&settings).await).await;
    for (subscribers, events) in BURSTS {
        bench.burst(subscribers, events).await;
    }
    bench.steady(10 * seconds).await;
    bench.backlog().await;
    isolation::measure(&mut bench, rounds, 4 * seconds).await;
    println!("memory of the server: {}", bench.node.memory());
    bench.node.stop().await;
}

/// A server, a client that records milestones, and a client that subscribes.
pub(crate) struct Bench {
    pub(crate) node: Node,
    pub(crate) recorder: Recorder,
    pub(crate) webhooks: Webhooks,
    tls: Arc<rustls::ServerConfig>,
    since: String,
}

/// Subscribers with their subscriptions.
pub(crate) struct Audience {
    subscribers: Vec<Subscriber>,
    subscriptions: Vec<String>,
    receipts: UnboundedReceiver<Receipt>,
}

/// The server's CPU seconds, by use.
struct Cpu {
    all: f64,
    signing: f64,
}

impl Bench {
    pub(crate) async fn open(node: Node) -> Self {
        let now = observe::clock::Clock::System.now_seconds();
        Self {
            recorder: Recorder::open(&node).await,
            webhooks: Webhooks::open(&node, "Example Lender").await,
            tls: node.subscriber_tls(),
            since: observe::clock::to_rfc3339(now),
            node,
        }
    }

    /// Opens one subscriber for each of these manners and subscribes it.
    pub(crate) async fn subscribe(&mut self, manners: &[Manner]) -> Audience {
        let (sender, receipts) = unbounded_channel();
        let mut audience = Audience {
            subscribers: Vec::new(),
            subscriptions: Vec::new(),
            receipts,
        };
        for manner in manners {
            let opening = Subscriber::open(*manner, Arc::clone(&self.tls), sender.clone());
            let subscriber = opening.await;
            let id = self
                .webhooks
                .subscribe(&subscriber.callback_url, "milestone.updated")
                .await;
            audience.subscribers.push(subscriber);
            audience.subscriptions.push(id);
        }
        audience
    }

    /// Opens a receiver, which is not subscribed to anything.
    pub(crate) async fn receiver(&self, manner: Manner) -> Subscriber {
        let (nobody, _receipts) = unbounded_channel();
        Subscriber::open(manner, Arc::clone(&self.tls), nobody).await
    }

    pub(crate) async fn unsubscribe(&mut self, audience: Audience) {
        for subscription in &audience.subscriptions {
            self.webhooks.unsubscribe(subscription).await;
        }
    }

    /// Replays all events of this run to them and returns the number of deliveries.
    pub(crate) async fn replay(&mut self, audience: &Audience) -> usize {
        let mut pending = 0;
        for subscription in &audience.subscriptions {
            pending += self.webhooks.replay(subscription, &self.since).await;
        }
        usize::try_from(pending).unwrap()
    }

    /// Sends events until connections are open and statements are prepared.
    pub(crate) async fn warm_up(&mut self, audience: &mut Audience) {
        self.recorder.record_at_once(WARM_UP_EVENTS).await;
        let expected = WARM_UP_EVENTS as usize * audience.subscribers.len();
        audience.receive(expected).await;
    }

    /// Records and delivers, both as fast as possible.
    async fn burst(&mut self, subscribers: usize, events: u64) {
        let mut audience = self.subscribe(&vec![Manner::Healthy; subscribers]).await;
        self.warm_up(&mut audience).await;
        let before = Cpu::of(&self.node);
        let recorded = self.recorder.record_at_once(events).await;
        let deliveries = events as usize * subscribers;
        let receipts = audience.receive(deliveries).await;
        let cpu = Cpu::of(&self.node).since(&before);
        let begun = recorded.iter().map(|recorded| recorded.at).min().unwrap();
        let recording = recorded.iter().map(|recorded| recorded.at).max().unwrap() - begun;
        println!(
            "{subscribers:>3} subscribers {deliveries:>6} deliveries {:>6.0} /s   {:>5.0} µs CPU \
             each, {:>2.0} % of it signing   recorded at {:>5.0} /s",
            deliveries as f64 / (last(&receipts) - begun).as_secs_f64(),
            cpu.all / deliveries as f64 * 1e6,
            cpu.signing / cpu.all * 100.0,
            events as f64 / recording.as_secs_f64(),
        );
        self.unsubscribe(audience).await;
    }

    /// Measures the time from the commit of an event to its receipt by each subscriber.
    async fn steady(&mut self, length: Duration) {
        let healthy = [Manner::Healthy; STEADY_SUBSCRIBERS];
        let mut audience = self.subscribe(&healthy).await;
        self.warm_up(&mut audience).await;
        let before = Cpu::of(&self.node);
        let recorded = self.recorder.record_steadily(STEADY_RATE, length).await;
        let cpu = Cpu::of(&self.node).since(&before);
        let expected = recorded.len() * STEADY_SUBSCRIBERS;
        let latencies = latencies(&recorded, &audience.receive(expected).await);
        println!(
            "{STEADY_SUBSCRIBERS:>3} subscribers at {STEADY_RATE} events a second   commit to \
             receipt p50 {:.1} ms  p99 {:.1} ms   CPU {:.0} % of a core, signing {:.0} %",
            percentile(latencies.clone(), 0.5),
            percentile(latencies, 0.99),
            cpu.all / length.as_secs_f64() * 100.0,
            cpu.signing / length.as_secs_f64() * 100.0,
        );
        self.unsubscribe(audience).await;
    }

    /// Measures how fast one subscriber receives its backlog.
    async fn backlog(&mut self) {
        let missing = BACKLOG_EVENTS.saturating_sub(self.recorder.count());
        self.recorder.record_at_once(missing).await;
        let mut audience = self.subscribe(&[Manner::Healthy]).await;
        let before = Cpu::of(&self.node);
        let begun = crate::load::now();
        let pending = self.replay(&audience).await;
        let receipts = audience.receive(pending).await;
        let cpu = Cpu::of(&self.node).since(&before);
        println!(
            "  1 subscriber  {pending:>6} pending     {:>6.0} /s   {:>5.0} µs CPU each, {:>2.0} % of \
             it signing",
            pending as f64 / (last(&receipts) - begun).as_secs_f64(),
            cpu.all / pending as f64 * 1e6,
            cpu.signing / cpu.all * 100.0,
        );
        self.unsubscribe(audience).await;
    }
}

impl Audience {
    /// Waits until the healthy subscribers have received this many events.
    pub(crate) async fn receive(&mut self, count: usize) -> Vec<Receipt> {
        let mut receipts = Vec::with_capacity(count);
        while receipts.len() < count {
            let received = tokio::time::timeout(SILENCE_MAX, self.receipts.recv()).await;
            let Ok(Some(receipt)) = received else {
                println!("only {} of {count} events arrived", receipts.len());
                break;
            };
            receipts.push(receipt);
        }
        receipts
    }
}

impl Cpu {
    fn of(node: &Node) -> Self {
        Self {
            all: node.cpu_seconds(),
            signing: node.signing_seconds(),
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            all: self.all - before.all,
            signing: self.signing - before.signing,
        }
    }
}

/// The time from the commit of each event to its receipts, in milliseconds. A receipt before the
/// answer to the recording counts as 0.
pub(crate) fn latencies(recorded: &[Recorded], receipts: &[Receipt]) -> Vec<f64> {
    let commits: HashMap<u64, Instant> = recorded
        .iter()
        .map(|recorded| (recorded.number, recorded.at))
        .collect();
    receipts
        .iter()
        .filter_map(|receipt| {
            let committed = commits.get(&receipt.number)?;
            Some(
                receipt
                    .at
                    .saturating_duration_since(*committed)
                    .as_secs_f64()
                    * 1e3,
            )
        })
        .collect()
}

fn last(receipts: &[Receipt]) -> Instant {
    receipts.iter().map(|receipt| receipt.at).max().unwrap()
}
