//! What `/metrics` shows, in Prometheus' text form.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use crate::delivery::policy;

/// Labels of a finished request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    /// Which address answered: `base`, `auth`, `directory`, `listing`, `ops`.
    pub door: &'static str,
    /// HTTP status.
    pub status: u16,
}

/// Labels of an attempt to deliver an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct AttemptLabels {
    /// `delivered`, `refused` (with a status) or `failed` (without one).
    pub result: &'static str,
}

/// All counters of the program.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests answered.
    pub requests: Family<RequestLabels, Counter>,
    /// Seconds from the first byte of a request to its answer.
    pub request_seconds: Histogram,
    /// Signatures made.
    pub signatures: Counter,
    /// Answers whose signature was reused (S-13).
    pub signatures_reused: Counter,
    /// Chain documents built from the store's rows.
    pub documents_built: Counter,
    /// Signatures of events made.
    pub event_signatures: Counter,
    /// Attempts to deliver an event, by what came of them.
    pub attempts: Family<AttemptLabels, Counter>,
    /// Seconds that attempts took.
    pub attempt_seconds: Histogram,
    /// Seconds from recording an event to its delivery.
    pub delivery_seconds: Histogram,
    /// Open connections.
    pub connections: Gauge,
    /// TLS handshakes that failed.
    pub handshakes_failed: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("onward");
        let requests = Family::default();
        let request_seconds = Histogram::new(exponential_buckets(0.000_25, 2.0, 16));
        let signatures = Counter::default();
        let signatures_reused = Counter::default();
        let documents_built = Counter::default();
        let event_signatures = Counter::default();
        let attempts = Family::default();
        let attempt_seconds = Histogram::new(exponential_buckets(0.001, 2.0, 15));
        let delivery_seconds = Histogram::new(exponential_buckets(0.002, 2.0, 24));
        let connections = Gauge::default();
        let handshakes_failed = Counter::default();
        registry.register("requests", "Requests answered", requests.clone());
        registry.register(
            "request_seconds",
            "Seconds until a request was answered",
            request_seconds.clone(),
        );
        registry.register("signatures", "Signatures made", signatures.clone());
        registry.register(
            "signatures_reused",
            "Answers whose signature was reused",
            signatures_reused.clone(),
        );
        registry.register(
            "documents_built",
            "Chain documents built from rows",
            documents_built.clone(),
        );
        registry.register(
            "event_signatures",
            "Signatures of events made",
            event_signatures.clone(),
        );
        registry.register(
            "delivery_attempts",
            "Attempts to deliver an event",
            attempts.clone(),
        );
        registry.register(
            "delivery_attempt_seconds",
            "Seconds that attempts took",
            attempt_seconds.clone(),
        );
        registry.register(
            "delivery_seconds",
            "Seconds from recording an event to its delivery",
            delivery_seconds.clone(),
        );
        registry.register("connections", "Open connections", connections.clone());
        registry.register(
            "handshakes_failed",
            "TLS handshakes that failed",
            handshakes_failed.clone(),
        );
        Self {
            registry,
            requests,
            request_seconds,
            signatures,
            signatures_reused,
            documents_built,
            event_signatures,
            attempts,
            attempt_seconds,
            delivery_seconds,
            connections,
            handshakes_failed,
        }
    }
}

impl Metrics {
    /// Counts an attempt that took so long, of a delivery that was owed for so
    /// many milliseconds.
    pub fn note_attempt(&self, result: &policy::Result, took: Duration, owed: i64) {
        let labels = AttemptLabels {
            result: match (result.is_success, result.status) {
                (true, _) => "delivered",
                (false, Some(_)) => "refused",
                (false, None) => "failed",
            },
        };
        self.attempts.get_or_create(&labels).inc();
        self.attempt_seconds.observe(took.as_secs_f64());
        if result.is_success {
            let owed = u32::try_from(owed.max(0)).unwrap_or(u32::MAX);
            self.delivery_seconds.observe(f64::from(owed) / 1000.0);
        }
    }

    /// The text of `/metrics`.
    pub fn render(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _written = encode(&mut text, &self.registry);
        text
    }
}
