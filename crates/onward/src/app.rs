//! What every request may use: settings, store, keys, caches, clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use observe::clock::Clock;
use outbound::client::OutboundClient;
use storage::Storage;
use uuid::{Builder, Uuid, Variant};

use crate::answer::Answers;
use crate::config::Config;
use crate::delivery::Deliveries;
use crate::directory::Directory;
use crate::leaving::Leaving;
use crate::metrics::Metrics;
use crate::oauth::client_keys::PublishedKeys;
use crate::problem::Problem;
use crate::rate_limit::{Allowance, RateLimits};
use crate::registry::{Client, Registry};
use crate::signers::Signers;
use crate::webhooks::running_replays::RunningReplays;

/// The program's parts, shared by all requests.
#[derive(Debug)]
pub struct App {
    /// Settings.
    pub config: Config,
    /// Time.
    pub clock: Clock,
    /// Everything kept.
    pub storage: Storage,
    /// Clients and keys, cached by revision.
    pub registry: Registry,
    /// Key sets that clients publish themselves.
    pub client_keys: PublishedKeys,
    /// The threads that sign.
    pub signers: Arc<Signers>,
    /// Chain documents and their signatures.
    pub answers: Answers,
    /// The participant directory.
    pub directory: Directory,
    /// Talks to subscribers.
    pub outbound: OutboundClient,
    /// Wakes the delivery of events.
    pub deliveries: Arc<Deliveries>,
    /// Which API keys have a replay under way.
    pub replays: RunningReplays,
    /// Requests counted for each caller.
    pub rate_limits: Option<RateLimits>,
    /// Whether it is about to stop.
    pub leaving: Leaving,
    /// What the operator sees.
    pub metrics: Arc<Metrics>,
    /// Names for requests.
    pub request_ids: RequestIds,
}

/// Makes ids in the form of a UUID: the first half is drawn once for each
/// process, the second counts. They name requests in logs and protect nothing,
/// so that no random numbers need to be fetched for each.
#[derive(Debug)]
pub struct RequestIds {
    process: u64,
    next: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> Self {
        let (process, first) = Uuid::new_v4().as_u64_pair();
        Self {
            process,
            next: AtomicU64::new(first),
        }
    }
}

impl RequestIds {
    /// The next id.
    pub fn make(&self) -> String {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Builder::from_u128(u128::from(self.process) << 64 | u128::from(number))
            .with_variant(Variant::RFC4122)
            .into_uuid()
            .to_string()
    }
}

impl App {
    /// Puts the parts together and starts the threads that sign.
    pub fn start(
        config: Config,
        clock: Clock,
        storage: Storage,
        registry: Registry,
        outbound: OutboundClient,
    ) -> std::io::Result<Arc<Self>> {
        let metrics = Arc::new(Metrics::default());
        let signers = Arc::new(Signers::start(config.signing_threads)?);
        Ok(Arc::new(Self {
            answers: Answers::new(&config, Arc::clone(&signers), Arc::clone(&metrics)),
            signers,
            outbound,
            deliveries: Arc::default(),
            replays: RunningReplays::default(),
            directory: Directory::default(),
            client_keys: PublishedKeys::default(),
            rate_limits: RateLimits::new(&config),
            config,
            clock,
            storage,
            registry,
            metrics,
            leaving: Leaving::default(),
            request_ids: RequestIds::default(),
        }))
    }

    /// Counts a request for its client (S-14), unless `allowance` says that it
    /// was counted.
    pub fn count(&self, client: &Client, allowance: &mut Option<Allowance>) -> Result<(), Problem> {
        let Some(limits) = &self.rate_limits else {
            return Ok(());
        };
        let counted = || limits.count(&client.id);
        allowance.get_or_insert_with(counted).check()
    }
}
