//! Starts, drains and stops the server.

use std::net::SocketAddr;
use std::sync::Arc;

use chain_queries::{access_log, sealer};
use console_routes::streams;
use delivery::dispatcher;
use delivery::wake::Wake;
use edge::connection;
use edge::tls::live::{self, LiveTls, ReloadReason};
use edge::{Edge, FailedAccepts, FailedHandshakes, SpareFiles};
use observe::clock::Clock;
use state_log::sequencer;
use storage::{Opening, StorageError};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::config::{Config, seconds};
use crate::endpoints::open_endpoints;
use crate::foundation::Foundation;
use crate::metrics::Metrics;
use crate::readiness::Readiness;
use crate::sandbox::SandboxParts;
use crate::start_error::StartError;
use crate::{announcement, framework, housekeeping, operator_log, published_keys, readiness};

/// The parts of the program that a node runs.
#[derive(Debug)]
enum Part {
    /// All.
    Whole,
    /// All, and the parts of a sandbox.
    Sandbox(SandboxParts),
    /// All but the delivery of events and the log of states.
    WithoutDeliveries,
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    /// The opened store and keys.
    pub foundation: Arc<Foundation>,
    /// Connections, certificates and draining.
    pub edge: Arc<Edge>,
    /// The signal that wakes the delivery of events.
    pub wake: Arc<Wake>,
    /// The addresses of the sockets, in the order of `Listener::ALL`; `None`: not served.
    pub addresses: [Option<SocketAddr>; 6],
    tls: Arc<LiveTls>,
    metrics: Arc<Metrics>,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl Server {
    /// As [`Server::start_on`], and upgrades an older store.
    pub async fn start(config: Config, clock: Clock) -> Result<Self, StartError> {
        Self::start_on(config, clock, Opening::Upgrade).await
    }

    /// As [`Server::start`], with the parts of a sandbox. Everybody who knows the address of its page of
    /// people can be any of them.
    pub async fn start_sandbox(
        config: Config,
        clock: Clock,
        parts: SandboxParts,
    ) -> Result<Self, StartError> {
        let part = Part::Sandbox(parts);
        Self::begin(config, clock, Opening::Upgrade, part).await
    }

    /// Opens store, keys and sockets, and begins to serve. Either all listeners are served or none.
    pub async fn start_on(
        config: Config,
        clock: Clock,
        opening: Opening,
    ) -> Result<Self, StartError> {
        Self::begin(config, clock, opening, Part::Whole).await
    }

    /// As [`Server::start_on`], but this node leases no lanes, so that it sends no events, and appends nothing to the log.
    pub async fn start_without_deliveries(
        config: Config,
        clock: Clock,
        opening: Opening,
    ) -> Result<Self, StartError> {
        Self::begin(config, clock, opening, Part::WithoutDeliveries).await
    }

    async fn begin(
        config: Config,
        clock: Clock,
        opening: Opening,
        part: Part,
    ) -> Result<Self, StartError> {
        let sends_events = !matches!(part, Part::WithoutDeliveries);
        let sandbox = part.into_sandbox();
        let opening = move || open(config, clock, opening, sandbox);
        let opening = tokio::task::spawn_blocking(opening).await;
        let (foundation, tls) = opening.unwrap_or(Err(StorageError::Stopped.into()))?;
        let edge = Arc::new(new_edge(&foundation));
        let wake = Arc::<Wake>::default();
        let delivery_metrics = Arc::<delivery::metrics::Metrics>::default();
        let metrics = foundation.metrics(&edge.metrics, &delivery_metrics);
        let checked = foundation.checked(&tls, &metrics, &edge.drain);
        let readiness = Arc::new(Readiness::new(checked));
        // A fault shows in the log before the first request.
        readiness.faults().await;
        let log = foundation.state_log();
        if sends_events {
            sequencer::check_before_serving(&log).await;
        }
        let contexts = foundation.contexts(&wake, &edge.drain, &readiness, &metrics);
        let (endpoints, addresses) = open_endpoints(&contexts, &tls, &metrics).await?;
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for endpoint in endpoints {
            tasks.spawn(connection::serve(
                endpoint,
                Arc::clone(&edge),
                stopped.clone(),
            ));
        }
        watch_certificates(&mut tasks, &edge, &tls, &stopped);
        tasks.spawn(readiness::watch(readiness, stopped.clone()));
        tasks.spawn(streams::run(
            Arc::clone(&contexts.console.streams),
            foundation.storage.clone(),
            foundation.clock.clone(),
            Arc::clone(&edge.drain),
            stopped.clone(),
        ));
        let delivering = foundation.delivery_context(Arc::clone(&wake), delivery_metrics);
        if sends_events {
            tasks.spawn(dispatcher::run(delivering, stopped.clone()));
            // A trial of a copy must not change the checkpoint outside the store.
            tasks.spawn(state_log::run(log, stopped.clone()));
        }
        spawn_keepers(&mut tasks, &foundation, &stopped);
        Ok(Self {
            foundation,
            edge,
            wake,
            addresses,
            tls,
            metrics,
            stop,
            tasks,
        })
    }

    /// Reads the certificate files again. New connections get the new certificates.
    pub async fn reload_certificates(&self) {
        let (edge, tls) = (Arc::clone(&self.edge), Arc::clone(&self.tls));
        let reading = move || live::reload(&edge, &tls, ReloadReason::Operator);
        // This fails only when the program ends.
        drop(tokio::task::spawn_blocking(reading).await);
    }

    /// Shows in the metrics whether a reload refused the settings. Returns whether it refused them
    /// before.
    pub fn note_settings(&self, are_refused: bool) -> bool {
        self.metrics.settings_refused.set(i64::from(are_refused)) == 1
    }

    /// Drains for `drain_seconds`, so that clients move to other nodes before this one stops. The
    /// node reports that it is not ready, and still answers, because a balancer learns of it only
    /// at its next check. In the second half answers close their connections.
    pub async fn drain(&self) {
        let half = seconds(self.foundation.config.drain_seconds) / 2;
        if half.is_zero() {
            return;
        }
        self.edge.drain.begin();
        tokio::time::sleep(half).await;
        self.edge.drain.close_connections();
        tokio::time::sleep(half).await;
    }

    /// Accepts nothing new, lets open requests end, and closes.
    pub async fn stop(mut self) {
        // An error means that all tasks have ended already.
        let _all_ended = self.stop.send(true);
        while self.tasks.join_next().await.is_some() {}
        if let Err(error) = self.foundation.accesses.store().await {
            tracing::error!(%error, "the last accesses could not be stored");
        }
    }
}

impl Part {
    /// The parts of a sandbox.
    fn into_sandbox(self) -> Option<SandboxParts> {
        match self {
            Self::Sandbox(parts) => Some(parts),
            Self::Whole | Self::WithoutDeliveries => None,
        }
    }
}

/// Opens what blocks a thread: the store, keys and certificates.
fn open(
    config: Config,
    clock: Clock,
    opening: Opening,
    sandbox: Option<SandboxParts>,
) -> Result<(Arc<Foundation>, Arc<LiveTls>), StartError> {
    let foundation = Foundation::open_with_sandbox(config, clock, opening, sandbox)?;
    let tls = LiveTls::open(&foundation.config.edge(), Clock::System.now_seconds())?;
    Ok((Arc::new(foundation), Arc::new(tls)))
}

fn new_edge(foundation: &Foundation) -> Edge {
    Edge {
        clock: foundation.clock.clone(),
        metrics: Arc::default(),
        failed_handshakes: FailedHandshakes::default(),
        failed_accepts: FailedAccepts::default(),
        spare_files: SpareFiles::open(),
        drain: Arc::default(),
        settings: foundation.config.edge(),
    }
}

/// Starts the tasks that look at the files of certificates.
fn watch_certificates(
    tasks: &mut JoinSet<()>,
    edge: &Arc<Edge>,
    tls: &Arc<LiveTls>,
    stopped: &watch::Receiver<bool>,
) {
    let watching = live::watch_files(Arc::clone(edge), Arc::clone(tls), stopped.clone());
    tasks.spawn(watching);
    let warning = live::watch_endings(Arc::clone(edge), Arc::clone(tls), stopped.clone());
    tasks.spawn(warning);
}

/// Starts the tasks that keep the store in order.
fn spawn_keepers(
    tasks: &mut JoinSet<()>,
    foundation: &Foundation,
    stopped: &watch::Receiver<bool>,
) {
    let announcing = announcement::run(foundation.announcement(), stopped.clone());
    tasks.spawn(announcing);
    let accesses = Arc::clone(&foundation.accesses);
    tasks.spawn(access_log::run(accesses, stopped.clone()));
    let (clock, storage) = (&foundation.clock, &foundation.storage);
    let framework = foundation.framework.as_deref();
    if let Some(reader) = framework.and_then(|one| framework::directory_reader(one, clock, storage))
    {
        tasks.spawn(framework::run(reader, stopped.clone()));
    }
    tasks.spawn(sealer::run(foundation.sealer(), stopped.clone()));
    if let Some(watch) = foundation.key_watch() {
        tasks.spawn(published_keys::run(watch, stopped.clone()));
    }
    let storage = foundation.storage.clone();
    tasks.spawn(operator_log::run(storage, stopped.clone()));
    tasks.spawn(housekeeping::run(
        foundation.housekeeping(),
        stopped.clone(),
    ));
}
