//! What `/metrics` shows, in Prometheus' text form.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Labels of a finished request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct RequestLabels {
    /// Which address answered: `base`, `auth`, `directory`, `listing`, `ops`.
    pub door: &'static str,
    /// HTTP status.
    pub status: u16,
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
            connections,
            handshakes_failed,
        }
    }
}

impl Metrics {
    /// The text of `/metrics`.
    pub fn render(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _written = encode(&mut text, &self.registry);
        text
    }
}
