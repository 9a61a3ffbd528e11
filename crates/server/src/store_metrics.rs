//! The metrics of the store and of the signing keys in it.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicU64};

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use storage::framework::{DirectoryState, find_directory};
use storage::state_log::{LogFigures, find_figures};
use storage::{DatabaseFigures, Read, Storage, StorageError, keys};

/// Gauges of the store and of the keys in it.
#[derive(Debug, Default)]
pub(crate) struct StoreMetrics {
    bytes: Family<EngineLabels, Gauge>,
    free_bytes: Gauge,
    disk_bytes: Gauge,
    archiving_failed: Gauge,
    waiting: Family<WaitingLabels, Gauge>,
    key_age: Family<PurposeLabels, Gauge<f64, AtomicU64>>,
    log_entries: Gauge,
    log_signed_at: Gauge,
    log_waiting: Gauge,
    log_unwitnessed: Gauge,
    has_witnesses: bool,
    has_framework: bool,
    /// When the metrics were first read. Unix seconds; 0: never.
    first_read_at: AtomicI64,
    framework_directory_age: Gauge,
    framework_kept: Gauge,
    framework_calls: Family<ResultLabels, Counter>,
}

/// The results of calls to the framework's issuer, in the order of their counts.
const CALL_RESULTS: [&str; 3] = ["answered", "refused", "away"];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ResultLabels {
    /// One of [`CALL_RESULTS`].
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EngineLabels {
    /// `sqlite` or `postgres`.
    engine: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WaitingLabels {
    /// `read` or `write`.
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PurposeLabels {
    /// `provenance`, `event` or `token`.
    purpose: String,
}

/// The figures that one read of the store finds.
#[derive(Debug)]
pub(crate) struct Stored {
    database: Option<DatabaseFigures>,
    signing_since: Vec<(String, i64)>,
    state_log: Option<LogFigures>,
    framework: Option<DirectoryState>,
}

impl Stored {
    pub(crate) fn read(read: &mut Read<'_>) -> Result<Self, StorageError> {
        Ok(Self {
            database: read.database_figures()?,
            signing_since: keys::list_signing_since(read)?,
            state_log: find_figures(read)?,
            framework: find_directory(read)?,
        })
    }
}

impl StoreMetrics {
    /// New gauges. `has_witnesses` says whether witnesses are asked to cosign the log, and `has_framework` whether
    /// there is a framework.
    pub(crate) fn new(has_witnesses: bool, has_framework: bool) -> Self {
        let metrics = Self {
            has_witnesses,
            has_framework,
            ..Self::default()
        };
        metrics.note_framework_calls([0; 3]);
        metrics
    }

    /// Adds the metrics to a registry.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let help = "The size of the store with its log, in bytes";
        registry.register("store_bytes", help, self.bytes.clone());
        let help = "Bytes that are free on the disk of an SQLite store";
        registry.register("store_disk_free_bytes", help, self.free_bytes.clone());
        let help = "The size of the disk of an SQLite store, in bytes";
        registry.register("store_disk_bytes", help, self.disk_bytes.clone());
        let help = "1 if PostgreSQL's newest attempt to archive its log failed";
        let archiving = self.archiving_failed.clone();
        registry.register("store_archiving_failed", help, archiving);
        let help = "Reads and writes of the store that wait for a thread";
        registry.register("store_jobs_waiting", help, self.waiting.clone());
        let help = "How long the signing key of each purpose has signed, in seconds";
        registry.register("signing_key_age_seconds", help, self.key_age.clone());
        let help = "Entries of the log of states that its newest checkpoint shows";
        registry.register("state_log_entries", help, self.log_entries.clone());
        let help = "When the newest checkpoint of the log of states was signed, in Unix seconds";
        let name = "state_log_checkpoint_timestamp_seconds";
        registry.register(name, help, self.log_signed_at.clone());
        let help = "How long the oldest state waits for a checkpoint that shows it, in seconds";
        registry.register("state_log_waiting_seconds", help, self.log_waiting.clone());
        let help = "How long the newest checkpoint waits for its witnesses, in seconds";
        let unwitnessed = self.log_unwitnessed.clone();
        registry.register("state_log_unwitnessed_seconds", help, unwitnessed);
        let help = "The age of the last adopted answer of the framework's directory, in seconds";
        let age = self.framework_directory_age.clone();
        registry.register("framework_directory_age_seconds", help, age);
        let help = "Members that the framework's directory did not list, and that stay";
        let kept = self.framework_kept.clone();
        registry.register("framework_members_kept", help, kept);
        let help = "Calls to the framework's introspection endpoint";
        registry.register("framework_calls", help, self.framework_calls.clone());
    }

    /// Shows the figures. Without `stored`, those of the last read stay.
    pub(crate) fn note(&self, storage: &Storage, stored: Option<Stored>, now: i64) {
        let figures = storage.figures();
        self.note_waiting("read", figures.waiting_reads);
        self.note_waiting("write", figures.waiting_writes);
        let labels = EngineLabels {
            engine: figures.engine,
        };
        if let Some(files) = figures.files {
            self.bytes.get_or_create(&labels).set(clamp(files.bytes));
            self.free_bytes.set(clamp(files.free_bytes));
            self.disk_bytes.set(clamp(files.disk_bytes));
        }
        let Some(stored) = stored else {
            return;
        };
        if let Some(database) = stored.database {
            self.bytes.get_or_create(&labels).set(database.bytes);
            let failed = i64::from(database.is_archiving_failed);
            self.archiving_failed.set(failed);
        }
        for (purpose, since) in stored.signing_since {
            let age = i32::try_from(now - since).unwrap_or(i32::MAX);
            let labels = PurposeLabels { purpose };
            self.key_age.get_or_create(&labels).set(f64::from(age));
        }
        if let Some(log) = stored.state_log {
            self.log_entries.set(log.entries);
            self.log_signed_at.set(log.signed_at);
            let waiting = log.waiting_since.map_or(0, |since| now - since);
            self.log_waiting.set(waiting.max(0));
            let unwitnessed = log.unwitnessed_since.filter(|_| self.has_witnesses);
            let unwitnessed = unwitnessed.map_or(0, |since| now - since);
            self.log_unwitnessed.set(unwitnessed.max(0));
        }
        if let Some(directory) = stored.framework.filter(|_| self.has_framework) {
            // Without any adopted answer the age counts from the first reading of the metrics.
            let _known = self
                .first_read_at
                .compare_exchange(0, now, Relaxed, Relaxed);
            let first_read_at = self.first_read_at.load(Relaxed);
            let adopted_at = Some(directory.adopted_at).filter(|at| *at > 0);
            let age = now - adopted_at.unwrap_or(first_read_at);
            self.framework_directory_age.set(age.max(0));
            self.framework_kept.set(directory.kept_though_missing);
        }
    }

    /// Shows the calls of this node to the framework's issuer.
    pub(crate) fn note_framework_calls(&self, calls: [u64; 3]) {
        for (result, calls) in CALL_RESULTS.into_iter().zip(calls) {
            let counter = self.framework_calls.get_or_create(&ResultLabels { result });
            counter.inc_by(calls.saturating_sub(counter.get()));
        }
    }

    fn note_waiting(&self, kind: &'static str, count: usize) {
        let waiting = self.waiting.get_or_create(&WaitingLabels { kind });
        waiting.set(i64::try_from(count).unwrap_or(i64::MAX));
    }
}

fn clamp(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
