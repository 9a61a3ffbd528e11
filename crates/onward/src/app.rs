//! What every request may use: settings, store, keys, caches, clock.

use std::sync::Arc;

use storage::Storage;

use crate::answer::Answers;
use crate::clock::Clock;
use crate::config::Config;
use crate::metrics::Metrics;
use crate::rate_limit::RateLimits;
use crate::registry::Registry;

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
    /// Chain documents and their signatures.
    pub answers: Answers,
    /// Requests counted for each caller.
    pub rate_limits: Option<RateLimits>,
    /// What the operator sees.
    pub metrics: Arc<Metrics>,
}

impl App {
    /// Puts the parts together.
    pub fn new(config: Config, clock: Clock, storage: Storage, registry: Registry) -> Arc<Self> {
        let metrics = Arc::new(Metrics::default());
        Arc::new(Self {
            answers: Answers::new(&config, Arc::clone(&metrics)),
            rate_limits: RateLimits::new(&config),
            config,
            clock,
            storage,
            registry,
            metrics,
        })
    }
}
