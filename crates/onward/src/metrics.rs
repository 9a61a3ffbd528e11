//! What `/metrics` shows, in Prometheus' text form.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use storage::lanes::LaneFigures;

use crate::delivery::policy;
use crate::tls::Ending;

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

/// Label of one of the files of certificates.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct FileLabels {
    /// The setting that names it.
    pub setting: &'static str,
}

/// Labels of one subscription's figures.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct LaneLabels {
    /// The subscription's id, as its owner knows it.
    pub subscription: String,
}

/// Figures of the lanes of all subscriptions, as they were last read.
#[derive(Debug, Default)]
struct LaneGauges {
    store_up: Gauge,
    waiting: Family<LaneLabels, Gauge>,
    oldest_seconds: Family<LaneLabels, Gauge>,
    paused: Family<LaneLabels, Gauge>,
    disabled: Family<LaneLabels, Gauge>,
}

/// All counters of the program.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    lanes: LaneGauges,
    /// Requests answered.
    pub requests: Family<RequestLabels, Counter>,
    /// Seconds from the end of a request's header to the head of its answer.
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
    /// Connections closed at once because their address had too many.
    pub connections_refused: Counter,
    /// New certificates that were taken over.
    pub tls_reloads: Counter,
    /// New certificates that could not be used.
    pub tls_reloads_refused: Counter,
    /// When what the files hold ends, in Unix seconds.
    tls_ends: Family<FileLabels, Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self {
            registry: Registry::default(),
            lanes: LaneGauges::default(),
            requests: Family::default(),
            request_seconds: Histogram::new(exponential_buckets(0.000_25, 2.0, 16)),
            signatures: Counter::default(),
            signatures_reused: Counter::default(),
            documents_built: Counter::default(),
            event_signatures: Counter::default(),
            attempts: Family::default(),
            attempt_seconds: Histogram::new(exponential_buckets(0.001, 2.0, 15)),
            delivery_seconds: Histogram::new(exponential_buckets(0.002, 2.0, 24)),
            connections: Gauge::default(),
            handshakes_failed: Counter::default(),
            connections_refused: Counter::default(),
            tls_reloads: Counter::default(),
            tls_reloads_refused: Counter::default(),
            tls_ends: Family::default(),
        };
        let mut registry = Registry::with_prefix("onward");
        metrics.register(&mut registry);
        metrics.lanes.register(&mut registry);
        registry.register(
            "tls_end_timestamp_seconds",
            "When the first of what a file holds ends",
            metrics.tls_ends.clone(),
        );
        Self {
            registry,
            ..metrics
        }
    }
}

impl LaneGauges {
    fn register(&self, registry: &mut Registry) {
        let gauges = [
            ("waiting_deliveries", "Deliveries that wait", &self.waiting),
            (
                "oldest_waiting_seconds",
                "Seconds for which the oldest waiting delivery waits",
                &self.oldest_seconds,
            ),
            (
                "subscription_paused",
                "1 while nothing is tried because attempts failed",
                &self.paused,
            ),
            (
                "subscription_disabled",
                "1 where nothing is sent until its owner enables it",
                &self.disabled,
            ),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        let help = "1 if the store answered, just before these figures";
        registry.register("store_up", help, self.store_up.clone());
    }
}

impl Metrics {
    fn register(&self, registry: &mut Registry) {
        let counters = [
            ("signatures", "Signatures made", &self.signatures),
            (
                "signatures_reused",
                "Answers whose signature was reused",
                &self.signatures_reused,
            ),
            (
                "documents_built",
                "Chain documents built from rows",
                &self.documents_built,
            ),
            (
                "event_signatures",
                "Signatures of events made",
                &self.event_signatures,
            ),
            (
                "handshakes_failed",
                "TLS handshakes that failed",
                &self.handshakes_failed,
            ),
            (
                "connections_refused",
                "Connections closed because their address had too many",
                &self.connections_refused,
            ),
            (
                "tls_reloads",
                "New certificates taken over",
                &self.tls_reloads,
            ),
            (
                "tls_reloads_refused",
                "New certificates that could not be used",
                &self.tls_reloads_refused,
            ),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        let histograms = [
            (
                "request_seconds",
                "Seconds from the end of a request's header to the head of its answer",
                &self.request_seconds,
            ),
            (
                "delivery_attempt_seconds",
                "Seconds that attempts took",
                &self.attempt_seconds,
            ),
            (
                "delivery_seconds",
                "Seconds from recording an event to its delivery",
                &self.delivery_seconds,
            ),
        ];
        for (name, help, histogram) in histograms {
            registry.register(name, help, histogram.clone());
        }
        registry.register("requests", "Requests answered", self.requests.clone());
        registry.register(
            "delivery_attempts",
            "Attempts to deliver an event",
            self.attempts.clone(),
        );
        registry.register("connections", "Open connections", self.connections.clone());
    }

    /// Takes note of when one of the files ends.
    pub fn note_ending(&self, ending: &Ending) {
        let labels = FileLabels {
            setting: ending.setting,
        };
        self.tls_ends.get_or_create(&labels).set(ending.at);
    }

    /// Takes over what the store says of all lanes now, in Unix milliseconds; none if it does
    /// not answer.
    pub fn note_lanes(&self, lanes: Option<Vec<LaneFigures>>, now: i64) {
        let LaneGauges {
            store_up,
            waiting,
            oldest_seconds,
            paused,
            disabled,
        } = &self.lanes;
        for gauge in [waiting, oldest_seconds, paused, disabled] {
            gauge.clear();
        }
        store_up.set(i64::from(lanes.is_some()));
        for lane in lanes.into_iter().flatten() {
            let labels = LaneLabels {
                subscription: lane.reference,
            };
            let age = lane.oldest.map_or(0, |oldest| (now - oldest).max(0) / 1000);
            waiting.get_or_create(&labels).set(lane.waiting);
            oldest_seconds.get_or_create(&labels).set(age);
            let is_paused = lane.health.open_until > now;
            paused.get_or_create(&labels).set(i64::from(is_paused));
            disabled
                .get_or_create(&labels)
                .set(i64::from(!lane.is_active));
        }
    }

    /// Counts an attempt that took so long, of a delivery that was owed for so
    /// many milliseconds, if that is to be counted.
    pub fn note_attempt(&self, result: &policy::Result, took: Duration, owed: Option<i64>) {
        let labels = AttemptLabels {
            result: match (result.is_success, result.status) {
                (true, _) => "delivered",
                (false, Some(_)) => "refused",
                (false, None) => "failed",
            },
        };
        self.attempts.get_or_create(&labels).inc();
        self.attempt_seconds.observe(took.as_secs_f64());
        if let Some(owed) = owed.filter(|_owed| result.is_success) {
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
