//! The metrics that `/metrics` shows: its own, and the metrics of the crates `edge` and
//! `delivery`.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use storage::lanes::LaneFigures;

/// Labels of an answered request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct RequestLabels {
    /// The listener that answered: `base`, `auth`, `directory`, `listing`, `ops`.
    pub door: &'static str,
    /// HTTP status of the answer.
    pub status: u16,
}

/// Counters of requests and signed answers, and the registry of all counters.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    delivery: Arc<delivery::metrics::Metrics>,
    store_up: Gauge,
    /// Number of answered requests.
    pub requests: Family<RequestLabels, Counter>,
    /// Seconds from the end of a request's header to the head of its answer.
    pub request_seconds: Histogram,
    /// Counters of signed answers.
    pub answers: Arc<AnswerMetrics>,
}

/// Counters of signed answers.
#[derive(Debug, Default)]
pub(crate) struct AnswerMetrics {
    /// Number of signatures made.
    pub signatures: Counter,
    /// Number of answers that reused a signature (S-13).
    pub signatures_reused: Counter,
    /// Number of chain documents built from rows of the store.
    pub documents_built: Counter,
}

impl Metrics {
    /// Registers the metrics of this crate and of the given parts.
    pub(crate) fn new(
        edge: &edge::metrics::Metrics,
        delivery: Arc<delivery::metrics::Metrics>,
    ) -> Self {
        let mut registry = Registry::with_prefix("onward");
        edge.register(&mut registry);
        delivery.register(&mut registry);
        let answers = Arc::<AnswerMetrics>::default();
        answers.register(&mut registry);
        let requests = Family::default();
        registry.register("requests", "Requests answered", requests.clone());
        let request_seconds = Histogram::new(exponential_buckets(0.000_25, 2.0, 16));
        registry.register(
            "request_seconds",
            "Seconds from the end of a request's header to the head of its answer",
            request_seconds.clone(),
        );
        let store_up = Gauge::default();
        let help = "1 if the store answered, just before these figures";
        registry.register("store_up", help, store_up.clone());
        Self {
            registry,
            delivery,
            store_up,
            requests,
            request_seconds,
            answers,
        }
    }

    /// Replaces the figures of lanes as of `now`, in Unix milliseconds. `None` means that the store
    /// does not answer.
    pub(crate) fn note_lanes(&self, lanes: Option<Vec<LaneFigures>>, now: i64) {
        self.store_up.set(i64::from(lanes.is_some()));
        self.delivery.note_lanes(lanes.unwrap_or_default(), now);
    }

    /// Renders all metrics in Prometheus' text format.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _written = encode(&mut text, &self.registry);
        text
    }
}

impl AnswerMetrics {
    fn register(&self, registry: &mut Registry) {
        let counters = [
            ("signatures", "Signatures made", &self.signatures),
            (
                "signatures_reused",
                "Answers with a reused signature",
                &self.signatures_reused,
            ),
            (
                "documents_built",
                "Chain documents built from rows",
                &self.documents_built,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
    }
}
