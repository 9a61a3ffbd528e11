//! The metrics that `/metrics` shows: its own, and the metrics of the crates `edge` and
//! `delivery`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::extract::MatchedPath;
use chain_queries::metrics::AnswerMetrics;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use state_log::witnesses::Witnesses;

use crate::housekeeping::Overdue;
use crate::process_metrics::ProcessMetrics;
use crate::published_keys::PublishedKeyFaults;
use crate::store_metrics::StoreMetrics;

/// Labels of an answered request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    /// The listener that answered: `base`, `auth`, `directory`, `listing`, `ops`.
    pub door: &'static str,
    /// HTTP status of the answer.
    pub status: u16,
}

/// Labels of a fault that keeps the node from being ready.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FaultLabels {
    /// Names it.
    reason: &'static str,
}

/// Labels of the duration of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct DurationLabels {
    /// The listener that answered, as in [`RequestLabels`].
    pub door: &'static str,
    /// The pattern of the path.
    pub route: Route,
}

/// The pattern of a path as a label, without a copy of its text. Empty: there is nothing at the path.
#[derive(Debug, Clone)]
pub(crate) struct Route(pub Option<MatchedPath>);

impl Route {
    fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", MatchedPath::as_str)
    }
}

impl PartialEq for Route {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Route {}

impl Hash for Route {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl EncodeLabelValue for Route {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> fmt::Result {
        self.as_str().encode(encoder)
    }
}

/// Counters of requests and signed answers, and the registry of all counters.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    /// Metrics without the prefix of this program.
    process: Registry,
    /// Figures of deliveries.
    pub delivery: Arc<delivery::metrics::Metrics>,
    /// 1 if the store can be read and written.
    pub store_up: Gauge,
    /// 1 if this node should receive requests.
    pub ready: Gauge,
    /// 1 while the settings in the file cannot be used, so that older ones are in use.
    pub settings_refused: Gauge,
    faults: Family<FaultLabels, Gauge>,
    clock_lead: Gauge<f64, AtomicU64>,
    /// Number of answered requests.
    pub requests: Family<RequestLabels, Counter>,
    /// Seconds from the end of a request's header to the head of its answer.
    pub request_seconds: Family<DurationLabels, Histogram, fn() -> Histogram>,
    /// Counters of signed answers.
    pub answers: Arc<AnswerMetrics>,
    /// Figures of the store.
    pub store: StoreMetrics,
}

/// Figures that parts of the node keep for the metrics.
pub(crate) struct Watched<'p> {
    /// Accesses that the log of accesses lacks.
    pub accesses_lost: &'p Counter,
    /// The age of the oldest rows past their retention.
    pub overdue: &'p Overdue,
    /// What `published_jwks_url` does not show as it is.
    pub published_keys: &'p PublishedKeyFaults,
    /// The witnesses of the log. `None`: there are none.
    pub witnesses: Option<&'p Witnesses>,
    /// Whether there is a framework.
    pub has_framework: bool,
}

impl Metrics {
    /// Registers the metrics of this crate and of the given parts.
    pub(crate) fn new(
        edge: &edge::metrics::Metrics,
        delivery: Arc<delivery::metrics::Metrics>,
        watched: &Watched<'_>,
    ) -> Self {
        let mut registry = Registry::with_prefix("onward");
        let help = "Accesses that the log of accesses lacks";
        registry.register("accesses_lost", help, watched.accesses_lost.clone());
        let help = "How long the oldest row of a kind is there after its retention";
        registry.register("overdue_row_seconds", help, watched.overdue.0.clone());
        let help = "Keys that published_jwks_url does not show as they are, by fault";
        registry.register(
            "published_key_faults",
            help,
            watched.published_keys.0.clone(),
        );
        edge.register(&mut registry);
        delivery.register(&mut registry);
        let version = vec![("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "The version of this program", Info::new(version));
        let answers = Arc::<AnswerMetrics>::default();
        answers.register(&mut registry);
        let requests = Family::default();
        registry.register("requests", "Requests answered", requests.clone());
        let request_seconds = Family::new_with_constructor(new_durations as fn() -> Histogram);
        registry.register(
            "request_seconds",
            "Seconds from the end of a request's header to the head of its answer",
            request_seconds.clone(),
        );
        let [store_up, ready, settings_refused] = <[Gauge; 3]>::default();
        let help = "1 if the store could be read and written, within the last second";
        registry.register("store_up", help, store_up.clone());
        let help = "1 if this node should receive requests, as /health/ready says";
        registry.register("ready", help, ready.clone());
        let help = "1 while the settings cannot be used, and older ones are in use";
        registry.register("settings_refused", help, settings_refused.clone());
        let faults = Family::default();
        let help = "1 while this keeps the node from being ready";
        registry.register("fault", help, Family::clone(&faults));
        let clock_lead = Gauge::default();
        let help = "How far this clock is ahead of the store's time, in seconds";
        registry.register("clock_lead_seconds", help, Gauge::clone(&clock_lead));
        let store = StoreMetrics::new(watched.witnesses.is_some(), watched.has_framework);
        store.register(&mut registry);
        if let Some(witnesses) = watched.witnesses {
            witnesses.register(&mut registry);
        }
        let mut process = Registry::default();
        process.register_collector(Box::new(ProcessMetrics));
        Self {
            registry,
            process,
            delivery,
            store_up,
            ready,
            settings_refused,
            faults,
            clock_lead,
            requests,
            request_seconds,
            answers,
            store,
        }
    }

    /// Shows how far the clock is ahead of the store's time, in milliseconds.
    pub(crate) fn note_clock_lead(&self, milliseconds: i64) {
        let lead = Duration::from_millis(milliseconds.unsigned_abs()).as_secs_f64();
        self.clock_lead
            .set(if milliseconds < 0 { -lead } else { lead });
    }

    /// Shows whether there is a fault.
    pub(crate) fn note_fault(&self, reason: &'static str, is_there: bool) {
        let labels = FaultLabels { reason };
        self.faults.get_or_create(&labels).set(i64::from(is_there));
    }

    /// Renders all metrics in `OpenMetrics`.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _written = encode_registry(&mut text, &self.process)
            .and_then(|()| encode_registry(&mut text, &self.registry))
            .and_then(|()| encode_eof(&mut text));
        text
    }
}

fn new_durations() -> Histogram {
    Histogram::new(exponential_buckets(0.000_25, 2.0, 16))
}
