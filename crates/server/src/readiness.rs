//! Whether this node should receive requests, and why not.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use edge::tls::ExpiringFile;
use edge::tls::live::LiveTls;
use observe::clock::Clock;
use storage::{Storage, StorageError};
use tokens::registry::Registry;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::limits;
use crate::metrics::Metrics;

/// The reasons why a node is not ready, each with a text for the operator. Empty: it is ready.
pub(crate) type Faults = BTreeMap<Reason, String>;

/// A reason why a node is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The store cannot be read or written.
    Store,
    /// The keys in the store cannot be unsealed.
    SigningKeys,
    /// The certificate of the server has expired, is not valid yet or is for another host, or the
    /// authorities of clients cannot be used.
    Certificate,
    /// Every revocation list has expired or is of another authority, so that every client certificate
    /// is refused.
    RevocationList,
}

/// Checks this node, at most once a second for all who ask.
#[derive(Debug)]
pub(crate) struct Readiness {
    parts: Checked,
    last: Mutex<LastCheck>,
}

/// The parts of a node that a check looks at.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Time, for certificates.
    pub clock: Clock,
    /// The store that a check writes.
    pub storage: Storage,
    /// The registry that a check reads, with the signing keys.
    pub registry: Arc<Registry>,
    /// The certificates in use.
    pub tls: Arc<LiveTls>,
    /// The metrics that show the reasons.
    pub metrics: Arc<Metrics>,
}

#[derive(Debug, Default)]
struct LastCheck {
    ended_at: Option<Instant>,
    faults: Arc<Faults>,
    /// The use of the store that has not ended. No further one begins meanwhile.
    probing: Option<JoinHandle<Result<(), StorageError>>>,
}

impl Reason {
    /// All reasons.
    pub(crate) const ALL: [Self; 4] = [
        Self::Store,
        Self::SigningKeys,
        Self::Certificate,
        Self::RevocationList,
    ];

    /// The name in metrics, answers and log lines.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::SigningKeys => "signing_keys",
            Self::Certificate => "certificate",
            Self::RevocationList => "revocation_list",
        }
    }

    /// The reason that the expiry of this file is. `None`: it is none.
    fn of_expiry(file: ExpiringFile) -> Option<Self> {
        match file {
            ExpiringFile::Certificate => Some(Self::Certificate),
            ExpiringFile::ClientCrl => Some(Self::RevocationList),
            ExpiringFile::ClientCa => None,
        }
    }
}

impl Readiness {
    /// Checks these parts. No check has run yet.
    pub(crate) fn new(parts: Checked) -> Self {
        Self {
            parts,
            last: Mutex::default(),
        }
    }

    /// The faults of this node, not older than a second. Answers within a second whatever the store
    /// does.
    pub(crate) async fn faults(&self) -> Arc<Faults> {
        let mut last = self.last.lock().await;
        let is_fresh = |at: Instant| at.elapsed() < limits::READINESS_KEPT;
        if !last.ended_at.is_some_and(is_fresh) {
            let faults = self.check(&mut last).await;
            self.report(&last.faults, &faults);
            last.faults = Arc::new(faults);
            last.ended_at = Some(Instant::now());
        }
        Arc::clone(&last.faults)
    }

    async fn check(&self, last: &mut LastCheck) -> Faults {
        let mut faults = self.unusable_files();
        let (storage, registry) = (self.parts.storage.clone(), Arc::clone(&self.parts.registry));
        let begin = || tokio::spawn(use_store(storage, registry));
        // The task stays in `last` during the wait, because the caller may go away.
        let probing = last.probing.get_or_insert_with(begin);
        let ended = timeout(limits::READINESS_TIMEOUT, probing).await;
        if ended.is_ok() {
            last.probing = None;
        }
        let fault = match ended {
            Ok(Ok(Ok(()))) => return faults,
            Ok(Ok(Err(error @ StorageError::Corrupt(_)))) => {
                (Reason::SigningKeys, error.to_string())
            }
            Ok(Ok(Err(error))) => (Reason::Store, error.to_string()),
            Ok(Err(_panic)) => (Reason::Store, StorageError::Stopped.to_string()),
            Err(_elapsed) => {
                let limit = limits::READINESS_TIMEOUT.as_millis();
                (
                    Reason::Store,
                    format!("the store did not answer within {limit} ms"),
                )
            }
        };
        faults.extend([fault]);
        faults
    }

    fn unusable_files(&self) -> Faults {
        let mut faults = self.expired_files();
        let found = self.parts.tls.faults();
        for (reason, texts) in [
            (Reason::Certificate, found.certificates),
            (Reason::RevocationList, found.revocation_lists),
        ] {
            if !texts.is_empty() {
                faults.entry(reason).or_insert_with(|| texts.join("; "));
            }
        }
        faults
    }

    fn expired_files(&self) -> Faults {
        let now = self.parts.clock.now_seconds();
        let (settings, _revision) = self.parts.tls.current();
        let endings = settings.endings.iter();
        endings
            .filter(|ending| ending.refuses_all(now))
            .filter_map(|ending| Some((Reason::of_expiry(ending.file)?, ending.warning(now)?)))
            .collect()
    }

    /// Logs the beginning and the end of each fault, and shows them in the metrics.
    fn report(&self, before: &Faults, after: &Faults) {
        for reason in Reason::ALL {
            let name = reason.as_str();
            self.parts
                .metrics
                .note_fault(name, after.contains_key(&reason));
            match (before.get(&reason), after.get(&reason)) {
                (None, Some(detail)) => {
                    let event = "not_ready";
                    tracing::error!(event, reason = name, "this node is not ready: {detail}");
                }
                (Some(_), None) => {
                    let event = "fault_ended";
                    tracing::info!(event, reason = name, "this fault has ended");
                }
                (None, None) | (Some(_), Some(_)) => {}
            }
        }
    }
}

/// Uses the store as requests do: it reads clients and keys, and writes.
async fn use_store(storage: Storage, registry: Arc<Registry>) -> Result<(), StorageError> {
    registry.snapshot().await?;
    storage.probe().await
}

/// Checks this node until `stop` turns true, so that the log and the metrics show each fault even if
/// nobody asks.
pub(crate) async fn watch(readiness: Arc<Readiness>, mut stop: watch::Receiver<bool>) {
    loop {
        let is_ready = readiness.faults().await.is_empty();
        let pause = if is_ready {
            limits::READINESS_INTERVAL
        } else {
            Duration::from_secs(1)
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
    }
}
