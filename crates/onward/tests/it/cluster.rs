//! Several nodes on one PostgreSQL: real processes behind a real balancer (`HAProxy`), under load,
//! while nodes are restarted, keys are rotated and the database goes away.
//!
//! Whoever calls sends one request after the other on connections of both versions of HTTP, some
//! kept and some new. A request that was sent must be answered; only a connection that nobody uses
//! may be closed. `docs/scaling.md` shows the balancer's configuration that is used here.

mod balancer;
mod beside_import;
mod failover;
mod load;
mod outage;
mod postgres_server;
mod proxy;
mod rolling;
mod rotation;
mod shared;
mod unconfirmed;
mod workers;

use std::collections::BTreeSet;
use std::time::Duration;

use observe::clock::Stopwatch;
use storage::events;

use self::balancer::Balancer;
use self::load::Past;
use crate::test_server::{ClosedTestServer, Node, PATIENCE, Receiver, Registration, TestServer};

/// Properties that are asked for, each with a listing on which one recorder records.
const UPRNS: [i64; 3] = [1, 2, 3];

/// Two nodes behind a balancer, and those who call them.
struct Cluster {
    closed: ClosedTestServer,
    nodes: Vec<Node>,
    balancer: Balancer,
    cast: Cast,
}

/// Who calls, and who receives events.
struct Cast {
    lender: Registration,
    agent: Registration,
    /// Listings of [`UPRNS`], in the same order.
    listings: Vec<i64>,
    receiver: Receiver,
}

impl Cluster {
    /// None where no PostgreSQL was started for the tests.
    async fn start_on_postgres() -> Option<Self> {
        Some(Self::start(TestServer::on_postgres().await?).await)
    }

    /// Starts everything on the test server's store, and stops its own node.
    async fn start(server: TestServer) -> Self {
        let lender = server.register("lender", &["transaction-status"]).await;
        let (receiver, _key, _subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        let mut listings = Vec::new();
        for uprn in UPRNS {
            listings.push(agent.list(uprn).await);
        }
        let mut config = server.config.clone();
        // The balancer asks five times a second, and believes the second answer.
        config.drain_seconds = 3;
        // All connections come from the balancer.
        config.connections_per_address_max = 0;
        let folder = server.directory.path().to_owned();
        let closed = server.close().await;
        let mut nodes = Vec::new();
        for _node in 0..2 {
            nodes.push(Node::start(&folder, config.clone()).await);
        }
        let balancer = Balancer::start(&folder, &nodes).await;
        balancer.wait_until_all_are_up().await;
        Self {
            closed,
            nodes,
            balancer,
            cast: Cast {
                lender,
                agent: agent.registration,
                listings,
                receiver,
            },
        }
    }

    fn ca(&self) -> Vec<u8> {
        std::fs::read(self.closed.directory.path().join("ca.pem")).unwrap()
    }

    /// Stops a node as whoever runs it would, and starts it again; then the balancer knows.
    async fn restart(&mut self, node: usize) {
        let finished = self.nodes[node].stop().await;
        assert_eq!(finished.status, Some(0), "{}", finished.err);
        let served = self.nodes[node].resume();
        served.await;
        self.balancer.wait_until_all_are_up().await;
    }

    /// Waits until the subscriber has each acknowledged recording, ends everything, and
    /// looks for each in the store.
    async fn end(mut self, past: &Past) {
        let wanted: BTreeSet<(i64, String)> = past.recorded.iter().cloned().collect();
        assert_eq!(wanted.len(), past.recorded.len(), "no two are the same");
        let since = Stopwatch::start();
        loop {
            let delivered = self.delivered();
            if wanted.is_subset(&delivered) {
                break;
            }
            let missing: Vec<_> = wanted.difference(&delivered).collect();
            assert!(since.elapsed() < PATIENCE, "not delivered: {missing:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        for node in &mut self.nodes {
            let finished = node.stop_at_once().await;
            assert!(!finished.err.contains("panicked"), "{}", finished.err);
        }
        let store = self.closed.open_store().await;
        let stored = store.read(|read| events::list_events(read, 0, i64::MAX));
        let stored = stored.await.unwrap().into_iter();
        let stored: BTreeSet<_> = stored
            .map(|one| (one.listing.0, one.date.to_string()))
            .collect();
        let lost: Vec<_> = wanted.difference(&stored).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        drop(store);
        self.closed.end().await;
    }

    /// Listing and date of each recording that the subscriber received.
    fn delivered(&self) -> BTreeSet<(i64, String)> {
        let received = self.cast.receiver.received();
        let all = received.iter().map(|event| {
            let claims = event.claims();
            let uprn: i64 = claims["uprn"].as_str().unwrap().parse().unwrap();
            let place = UPRNS.iter().position(|one| *one == uprn).unwrap();
            let date = claims["data"]["milestone"]["date"].as_str().unwrap();
            (self.cast.listings[place], date.to_owned())
        });
        all.collect()
    }
}
