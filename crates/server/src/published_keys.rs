//! Compares the service's keys with the key set at `published_jwks_url` (S-76).

use std::sync::Arc;
use std::time::Duration;

use observe::clock::Clock;
use observe::outage::Outage;
use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use signing::jwk::JwkError;
use signing::keyring::{Keyring, Purpose};
use storage::{Storage, StorageError};
use tokens::registry::Registry;
use tokens::shown_keys::{self, Comparison, KeyFault, ShownFault};
use tokio::sync::watch;

use crate::chosen_addresses::open_client;
use crate::config::Config;
use crate::limits;
use crate::start_error::StartError;

/// How often a node asks itself whether a comparison is due.
const TICK: Duration = Duration::from_secs(1);
/// The fault of a key set that cannot be read.
const UNREADABLE: &str = "unreadable";

/// The other address that publishes the key set.
#[derive(Debug)]
pub struct PublishedKeySet {
    /// The address, as the settings name it.
    pub address: String,
    url: CallbackUrl,
    client: OutboundClient,
}

/// Why the keys cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The key set cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The answer is no key set.
    #[error("{0}")]
    NoKeySet(#[from] JwkError),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Counts the faults that the last comparison found, by their names.
#[derive(Debug, Clone)]
pub(crate) struct PublishedKeyFaults(pub(crate) Family<FaultLabels, Gauge>);

/// Labels of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct FaultLabels {
    fault: &'static str,
}

/// The parts of the comparison that a node repeats.
#[derive(Debug)]
pub(crate) struct KeyWatch {
    pub(crate) published: Arc<PublishedKeySet>,
    pub(crate) clock: Clock,
    pub(crate) storage: Storage,
    pub(crate) registry: Arc<Registry>,
    pub(crate) faults: PublishedKeyFaults,
}

impl PublishedKeySet {
    /// The address of `published_jwks_url`. `None`: the setting is empty.
    pub fn open(config: &Config) -> Result<Option<Self>, StartError> {
        let address = &config.published_jwks_url;
        if address.is_empty() {
            return Ok(None);
        }
        let url = CallbackUrl::parse_chosen(address)?;
        let plain_http = url.as_str().starts_with("http://");
        Ok(Some(Self {
            address: address.clone(),
            url,
            client: open_client(&config.published_jwks_ca_file, plain_http)?,
        }))
    }

    /// Fetches the key set and compares the keys with it.
    pub async fn compare(&self, keyring: &Keyring) -> Result<Comparison, CompareError> {
        let fetching = self
            .client
            .fetch(&self.url, limits::PUBLISHED_KEYS_BYTES_MAX);
        Ok(shown_keys::compare(keyring, &fetching.await?)?)
    }
}

impl Default for PublishedKeyFaults {
    fn default() -> Self {
        let faults = Self(Family::default());
        faults.note(&[]);
        faults.note_unreadable(false);
        faults
    }
}

impl PublishedKeyFaults {
    fn note(&self, faults: &[KeyFault]) {
        for fault in ShownFault::ALL {
            let count = faults.iter().filter(|one| one.fault == fault).count();
            self.set(fault.as_str(), i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    fn note_unreadable(&self, is_unreadable: bool) {
        self.set(UNREADABLE, i64::from(is_unreadable));
    }

    fn set(&self, fault: &'static str, count: i64) {
        self.0.get_or_create(&FaultLabels { fault }).set(count);
    }
}

impl KeyWatch {
    /// Compares once, keeps in the store which keys are shown, and shows the faults.
    async fn look(&self, outage: &Outage) {
        let compared = self.compare().await;
        match &compared {
            Ok(comparison) => {
                self.faults.note(&comparison.faults);
                self.faults.note_unreadable(false);
            }
            Err(CompareError::Fetch(_) | CompareError::NoKeySet(_)) => {
                self.faults.note_unreadable(true);
            }
            Err(CompareError::Storage(_)) => {}
        }
        let faults = outage.note(compared).map(|comparison| comparison.faults);
        for fault in faults.unwrap_or_default() {
            tracing::error!(
                event = "published_key_fault",
                fault = fault.fault.as_str(),
                kid = fault.kid,
                address = self.published.address,
                "at published_jwks_url, {fault}"
            );
        }
    }

    async fn compare(&self) -> Result<Comparison, CompareError> {
        let snapshot = self.registry.snapshot().await?;
        let comparison = self.published.compare(&snapshot.keyring).await?;
        let (address, shown) = (&self.published.address, comparison.shown.clone());
        let now = self.clock.now_seconds();
        shown_keys::note_shown(&self.storage, address, shown, now).await?;
        // Events are signed with the keys that this node last read.
        self.registry.snapshot().await?;
        Ok(comparison)
    }

    /// How long after a comparison the next one is due, in seconds.
    fn pause(&self) -> i64 {
        let known = self.registry.known();
        let waits = |purpose| known.keyring.current(purpose).is_err();
        if waits(Purpose::Provenance) || waits(Purpose::Event) {
            limits::UNSHOWN_KEY_PAUSE_SECONDS
        } else {
            limits::PUBLISHED_KEYS_PAUSE_SECONDS
        }
    }
}

/// Compares at once, then once an hour, and once a minute while a key that should sign was never shown, until
/// `stop` turns true.
pub(crate) async fn run(watch: KeyWatch, mut stop: watch::Receiver<bool>) {
    let outage = Outage::new("the key set at published_jwks_url cannot be read");
    let mut last = None;
    loop {
        let now = watch.clock.now_seconds();
        // A clock that was set back must not stop the comparisons.
        let is_due = last.is_none_or(|last| now < last || now - last >= watch.pause());
        let turn = async {
            if is_due {
                watch.look(&outage).await;
            }
            tokio::time::sleep(TICK).await;
        };
        tokio::select! {
            () = turn => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
        if is_due {
            last = Some(now);
        }
    }
}
