//! The opened store and keys, and the contexts that are made of them.

use std::num::NonZeroU32;
use std::sync::Arc;

use chain_queries::ChainQueries;
use chain_queries::access_log::AccessLog;
use chain_queries::answer::Answers;
use chain_queries::sealer::Sealer;
use chain_queries::turns::QueryTurns;
use console_routes::Console;
use console_routes::guard::Site;
use console_routes::open_id::OpenId;
use console_routes::person_limits::PersonLimits;
use delivery::DeliveryContext;
use delivery::wake::Wake;
use edge::drain::Drain;
use edge::tls::live::LiveTls;
use listing_management::ListingManagement;
use oauth::directory::Directory;
use observe::clock::Clock;
use observe::outage::Outage;
use outbound::client::{OutboundClient, OutboundSettings};
use signing::authenticator::Authenticator;
use state_log::witnesses::Witnesses;
use storage::{OpenOptions, Opening, Storage, StoreUrl};
use tokens::client_keys::PublishedKeys;
use tokens::context::TokenContext;
use tokens::framework::Framework;
use tokens::rate_limit::RateLimits;
use tokens::registry::Registry;
use tokens::signers::Signers;
use uuid::Uuid;
use webhooks::WebhookManagement;
use webhooks::paced::Paced;
use webhooks::running::Running;

use crate::announcement::Announcement;
use crate::chosen_addresses::{open_sign_in, open_witnesses, outbound_settings};
use crate::config::Config;
use crate::framework;
use crate::housekeeping::{Housekeeping, Overdue};
use crate::limits;
use crate::metrics::{Metrics, Watched};
use crate::optional_file::read_optional;
use crate::published_keys::{KeyWatch, PublishedKeyFaults, PublishedKeySet};
use crate::readiness::{Checked, Readiness};
use crate::router::Contexts;
use crate::routes::health::Operations;
use crate::sandbox::SandboxParts;
use crate::start_error::StartError;

/// The purpose of the key that makes the secrets of share links.
const SHARE_LINKS: &str = "secrets of share links, version 1";

/// The opened store and keys, before anything is served.
#[derive(Debug)]
pub struct Foundation {
    /// Settings.
    pub config: Arc<Config>,
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// Clients and keys, cached by revision.
    pub registry: Arc<Registry>,
    /// The threads that sign.
    pub signers: Arc<Signers>,
    /// Calls addresses that others chose.
    pub outbound: OutboundClient,
    /// Keeps which client was shown which property.
    pub(crate) accesses: Arc<AccessLog>,
    pub(crate) overdue: Overdue,
    /// The other address of the key set (S-76); `None`: there is none.
    pub published_keys: Option<Arc<PublishedKeySet>>,
    published_key_faults: PublishedKeyFaults,
    /// The client of the OpenID provider; `None`: nobody signs in with one.
    sign_in: Option<Arc<OpenId>>,
    /// The framework that somebody else runs; `None`: there is none.
    pub(crate) framework: Option<Arc<Framework>>,
    /// Makes the secrets of share links.
    share_secrets: Arc<Authenticator>,
    /// The witnesses of the log of states.
    pub(crate) witnesses: Option<Arc<Witnesses>>,
    /// The parts of a sandbox.
    sandbox: Option<SandboxParts>,
}

/// Opens the store that the settings name, for a command that no request waits for. Blocks.
pub fn open_storage(config: &Config, opening: Opening) -> Result<Storage, StartError> {
    open(config, opening, true)
}

fn open(config: &Config, opening: Opening, long_statements: bool) -> Result<Storage, StartError> {
    let url: StoreUrl = config.store.parse()?;
    let postgres_ca_pem = read_optional("store_ca_file", &config.store_ca_file)?;
    let password = read_optional("store_password_file", &config.store_password_file)?;
    let password = password.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    let options = OpenOptions {
        opening,
        connections: config.store_connections,
        postgres_ca_pem,
        postgres_plaintext: config.store_plaintext,
        postgres_password: password,
        long_statements,
        seal: crate::SEAL,
    };
    Ok(Storage::open(&url, &options)?)
}

impl Foundation {
    /// Opens store and keys. Blocks.
    pub fn open(config: Config, clock: Clock, opening: Opening) -> Result<Self, StartError> {
        Self::open_with_sandbox(config, clock, opening, None)
    }

    /// As [`Foundation::open`], with the parts of a sandbox.
    pub(crate) fn open_with_sandbox(
        config: Config,
        clock: Clock,
        opening: Opening,
        sandbox: Option<SandboxParts>,
    ) -> Result<Self, StartError> {
        // Faults outside the store must show before the store is upgraded.
        let sealing = config.key_safe().open()?;
        let outbound = OutboundClient::open(OutboundSettings {
            disturbance: sandbox.as_ref().and_then(|parts| parts.disturbance.clone()),
            ..outbound_settings(&config)?
        })?;
        let published_keys = PublishedKeySet::open(&config)?.map(Arc::new);
        let sign_in = open_sign_in(&config, &sealing.sealing, &clock)?;
        let witnesses = open_witnesses(&config)?;
        let share_secrets = sealing.sealing.derive_authenticator(SHARE_LINKS)?;
        let storage = open(&config, opening, false)?;
        let registry = Arc::new(Registry::open(
            storage.clone(),
            sealing,
            &config.published_jwks_url,
        )?);
        let signers = Signers::start(config.signing_threads).map_err(StartError::Threads)?;
        let signers = Arc::new(signers);
        let framework = framework::open(&config, &clock, &signers, &registry)?;
        let accesses = AccessLog::new(storage.clone(), config.access_log_days);
        Ok(Self {
            config: Arc::new(config),
            clock,
            storage,
            registry,
            signers,
            outbound,
            accesses: Arc::new(accesses),
            overdue: Overdue::default(),
            published_keys,
            published_key_faults: PublishedKeyFaults::default(),
            sign_in,
            framework,
            share_secrets: Arc::new(share_secrets),
            witnesses,
            sandbox,
        })
    }

    fn webhooks(
        &self,
        wake: &Arc<Wake>,
        tokens: &Arc<TokenContext>,
        rate_limits: Option<Arc<RateLimits>>,
    ) -> WebhookManagement {
        WebhookManagement {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            outbound: self.outbound.clone(),
            wake: Arc::clone(wake),
            tokens: Arc::clone(tokens),
            replays: Running::default(),
            paced: Paced::default(),
            rate_limits,
            simulations: per_minute(&self.config, self.config.simulations_per_minute),
            watch_changes: per_minute(&self.config, self.config.watch_changes_per_minute),
            changing: Running::default(),
            quotas: self.config.webhook_quotas(),
            delivery_retention_days: self.config.delivery_retention_days,
            simulate_known_properties: self.config.simulate_known_properties,
        }
    }

    fn console(&self, queries: &Arc<ChainQueries>, management: &Arc<ListingManagement>) -> Console {
        Console {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            url: self.config.console_url.clone(),
            jwks_url: self.config.urls().jwks_url(),
            site: Site::new(&self.config.console_url, &self.config.urls().jwks_url()),
            queries: Arc::clone(queries),
            management: Arc::clone(management),
            open_id: self.sign_in.clone(),
            share_secrets: Arc::clone(&self.share_secrets),
            people: person_limits(&self.config),
            streams: Arc::default(),
            entry: self.sandbox.as_ref().map(|parts| parts.entry.clone()),
        }
    }

    /// What is wrong with the framework, as warnings.
    pub async fn find_framework_faults(&self) -> Vec<String> {
        match &self.framework {
            Some(one) => {
                framework::find_faults(one, &self.config, &self.clock, &self.storage).await
            }
            None => Vec::new(),
        }
    }

    fn token_context(&self, rate_limits: Option<Arc<RateLimits>>) -> TokenContext {
        TokenContext {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            signers: Arc::clone(&self.signers),
            outbound: self.outbound.clone(),
            client_keys: PublishedKeys::default(),
            rate_limits,
            framework: self.framework.clone(),
            settings: self.config.tokens(),
        }
    }

    pub(crate) fn delivery_context(
        &self,
        wake: Arc<Wake>,
        metrics: Arc<delivery::metrics::Metrics>,
    ) -> DeliveryContext {
        DeliveryContext {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            signers: Arc::clone(&self.signers),
            outbound: self.outbound.clone(),
            wake,
            metrics,
            issuer: self.config.base_url.clone(),
            concurrency: self.config.callback_concurrency,
        }
    }

    /// This node as it announces itself.
    pub(crate) fn announcement(&self) -> Announcement {
        let fingerprints = self.registry.key_fingerprints();
        Announcement::new(self.clock.clone(), self.storage.clone(), fingerprints)
    }

    /// Compares the keys with the other address of the key set. `None`: there is none.
    pub(crate) fn key_watch(&self) -> Option<KeyWatch> {
        Some(KeyWatch {
            published: Arc::clone(self.published_keys.as_ref()?),
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            faults: self.published_key_faults.clone(),
        })
    }

    /// The parts that sealing uses.
    pub(crate) fn sealer(&self) -> Sealer {
        Sealer {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            node: Uuid::new_v4().to_string(),
        }
    }

    /// The parts that the removal of old rows uses.
    pub fn housekeeping(&self) -> Housekeeping {
        Housekeeping {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            key_retention_days: self.config.key_retention_days,
            delivery_retention_days: self.config.delivery_retention_days,
            access_log_days: self.config.access_log_days,
            sealed_retention_days: self.config.sealed_retention_days,
            overdue: self.overdue.clone(),
        }
    }

    /// Registers all metrics of this node.
    pub(crate) fn metrics(
        &self,
        edge: &edge::metrics::Metrics,
        delivery: &Arc<delivery::metrics::Metrics>,
    ) -> Arc<Metrics> {
        let delivery = Arc::clone(delivery);
        let watched = Watched {
            accesses_lost: &self.accesses.lost,
            overdue: &self.overdue,
            published_keys: &self.published_key_faults,
            witnesses: self.witnesses.as_deref(),
            has_framework: self.framework.is_some(),
        };
        Arc::new(Metrics::new(edge, delivery, &watched))
    }

    /// The parts that the checks of readiness look at.
    pub(crate) fn checked(
        &self,
        tls: &Arc<LiveTls>,
        metrics: &Arc<Metrics>,
        drain: &Arc<Drain>,
    ) -> Checked {
        Checked {
            clock: self.clock.clone(),
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            tls: Arc::clone(tls),
            metrics: Arc::clone(metrics),
            drain: Arc::clone(drain),
            clock_difference_max: i64::from(self.config.clock_difference_max_seconds) * 1000,
        }
    }

    pub(crate) fn contexts(
        &self,
        wake: &Arc<Wake>,
        drain: &Arc<Drain>,
        readiness: &Arc<Readiness>,
        metrics: &Arc<Metrics>,
    ) -> Contexts {
        let (clock, storage) = (&self.clock, &self.storage);
        let urls = Arc::new(self.config.urls());
        let rate_limits = rate_limits(&self.config);
        let tokens = Arc::new(self.token_context(rate_limits.clone()));
        let signers = Arc::clone(&self.signers);
        let queries = Arc::new(ChainQueries {
            clock: clock.clone(),
            storage: storage.clone(),
            tokens: Arc::clone(&tokens),
            answers: Answers::new(self.config.answers(), signers, Arc::clone(&metrics.answers)),
            accesses: Arc::clone(&self.accesses),
            state_log: self.state_log(),
            turns: QueryTurns::new(limits::CLIENTS_TAKING_TURNS_MAX),
        });
        let management = Arc::new(ListingManagement {
            clock: clock.clone(),
            storage: storage.clone(),
            tokens: Arc::clone(&tokens),
            wake: Arc::clone(wake),
            foreign_links: self.config.foreign_links,
            quotas: self.config.quotas(),
            forecasts: Arc::default(),
            offer_idle_seconds: self.config.offer_idle_seconds(),
        });
        Contexts {
            config: Arc::clone(&self.config),
            console: Arc::new(self.console(&queries, &management)),
            layer: self.sandbox.as_ref().and_then(|parts| parts.layer.clone()),
            state_log: Arc::clone(&queries.state_log),
            queries,
            webhooks: Arc::new(self.webhooks(wake, &tokens, rate_limits)),
            directory: Arc::new(Directory::new(storage.clone(), Arc::clone(&urls))),
            urls,
            management,
            operations: Arc::new(Operations {
                clock: clock.clone(),
                storage: storage.clone(),
                readiness: Arc::clone(readiness),
                drain: Arc::clone(drain),
                metrics: Arc::clone(metrics),
                framework: self.framework.clone(),
                overviews_outage: Outage::new("the subscriptions cannot be read for the metrics"),
            }),
            tokens,
        }
    }
}

/// A limit that `rate_limit_enabled` lifts.
fn per_minute(config: &Config, amount: u32) -> Option<RateLimits> {
    let per_minute = NonZeroU32::new(amount)?;
    let is_limited = config.rate_limit_enabled;
    is_limited.then(|| RateLimits::per_minute(per_minute))
}

fn rate_limits(config: &Config) -> Option<Arc<RateLimits>> {
    let per_second = NonZeroU32::new(config.rate_limit_per_second)?;
    let burst = NonZeroU32::new(config.rate_limit_burst)?;
    (config.rate_limit_enabled).then(|| Arc::new(RateLimits::new(per_second, burst)))
}

fn person_limits(config: &Config) -> Option<PersonLimits> {
    let per_second = NonZeroU32::new(config.person_requests_per_second)?;
    (config.rate_limit_enabled).then(|| PersonLimits::new(per_second))
}
