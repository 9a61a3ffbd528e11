//! Whether this node should receive requests, and why not.

use std::collections::BTreeMap;
use std::sync::Arc;

use edge::drain::Drain;
use edge::tls::ExpiringFile;
use edge::tls::live::LiveTls;
use observe::clock::Clock;
use storage::{OwnTime, Storage, StorageError};
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
    /// Somebody removed or replaced a file of the store.
    StoreFiles,
    /// A sync of the SQLite store failed. Only a restart moves its log again.
    StoreSync,
    /// This machine's clock and the store's time differ too much.
    Clock,
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
    /// Sends callers away while there is a reason.
    pub drain: Arc<Drain>,
    /// How far the clock may differ from the store's time, in milliseconds; 0: not compared.
    pub clock_difference_max: i64,
}

#[derive(Debug, Default)]
struct LastCheck {
    ended_at: Option<Instant>,
    faults: Arc<Faults>,
    /// The use of the store that has not ended. No further one begins meanwhile.
    probing: Option<JoinHandle<Result<Option<i64>, StorageError>>>,
}

impl Reason {
    /// All reasons.
    pub(crate) const ALL: [Self; 7] = [
        Self::Store,
        Self::StoreFiles,
        Self::StoreSync,
        Self::Clock,
        Self::SigningKeys,
        Self::Certificate,
        Self::RevocationList,
    ];

    /// The name in metrics, answers and log lines.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::StoreFiles => "store_files",
            Self::StoreSync => "store_sync",
            Self::Clock => "clock",
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
        if let Err(error) = self.parts.storage.check_files() {
            faults.insert(Reason::StoreFiles, error.to_string());
            return faults;
        }
        if let Err(error) = self.parts.storage.check_syncs() {
            faults.insert(Reason::StoreSync, error.to_string());
        }
        let begin = || tokio::spawn(self.parts.store_use().run());
        // The task stays in `last` during the wait, because the caller may go away.
        let probing = last.probing.get_or_insert_with(begin);
        let ended = timeout(limits::READINESS_TIMEOUT, probing).await;
        if ended.is_ok() {
            last.probing = None;
        }
        faults.extend(match ended {
            Ok(Ok(Ok(lead))) => lead.and_then(|lead| self.clock_fault(lead)),
            Ok(Ok(Err(error @ StorageError::Corrupt(_)))) => {
                Some((Reason::SigningKeys, error.to_string()))
            }
            Ok(Ok(Err(error))) => Some((Reason::Store, error.to_string())),
            Ok(Err(_panic)) => Some((Reason::Store, StorageError::Stopped.to_string())),
            Err(_elapsed) => {
                let limit = limits::READINESS_TIMEOUT.as_millis();
                let text = format!("the store did not answer within {limit} ms");
                Some((Reason::Store, text))
            }
        });
        faults
    }

    /// Shows how far the clock is ahead of the store's time, in milliseconds. Too far is a fault.
    fn clock_fault(&self, lead: i64) -> Option<(Reason, String)> {
        self.parts.metrics.note_clock_lead(lead);
        let limit = self.parts.clock_difference_max;
        if limit == 0 || lead.abs() <= limit {
            return None;
        }
        let (seconds, where_to) = (
            (lead.abs() + 500) / 1000,
            if lead > 0 { "ahead of" } else { "behind" },
        );
        let text = format!(
            "this machine's clock is {seconds} s {where_to} the time of the store, so it refuses valid \
             tokens: correct the clock that is wrong"
        );
        Some((Reason::Clock, text))
    }

    /// Waits until the next check is due. It looks at the files of the store each second.
    async fn wait_for_next_check(&self, is_ready: bool) {
        let due = Instant::now() + limits::READINESS_INTERVAL;
        loop {
            tokio::time::sleep(limits::READINESS_KEPT).await;
            let is_due = Instant::now() >= due || self.parts.storage.check_files().is_err();
            if !is_ready || is_due {
                return;
            }
        }
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

    /// Logs the beginning and the end of each fault, shows them in the metrics, and sends callers away
    /// while there is one.
    fn report(&self, before: &Faults, after: &Faults) {
        self.parts.drain.note_faults(!after.is_empty());
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

impl Checked {
    fn store_use(&self) -> StoreUse {
        StoreUse {
            storage: self.storage.clone(),
            registry: Arc::clone(&self.registry),
            clock: self.clock.clone(),
            is_trusted: self.clock_difference_max == 0,
        }
    }
}

/// One use of the store.
struct StoreUse {
    storage: Storage,
    registry: Arc<Registry>,
    clock: Clock,
    /// Whether the clock is right whatever the store says.
    is_trusted: bool,
}

impl StoreUse {
    /// Uses the store as requests do: it reads clients and keys, and writes. Returns how far the clock
    /// is ahead of the store's time, in milliseconds.
    async fn run(self) -> Result<Option<i64>, StorageError> {
        self.registry.snapshot().await?;
        let asked_at = self.clock.now_milliseconds();
        let own = OwnTime {
            now: asked_at,
            is_trusted: self.is_trusted,
        };
        let own = Some(own).filter(|_| !self.clock.is_manual());
        let time = self.storage.probe(own).await?;
        Ok(time.map(|time| time.lead_of(asked_at, self.clock.now_milliseconds())))
    }
}

/// Checks this node until `stop` turns true, so that the log and the metrics show each fault even if
/// nobody asks.
pub(crate) async fn watch(readiness: Arc<Readiness>, mut stop: watch::Receiver<bool>) {
    loop {
        let is_ready = readiness.faults().await.is_empty();
        tokio::select! {
            () = readiness.wait_for_next_check(is_ready) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
    }
}
