//! Counters of deliveries, and gauges of all subscriptions from the last read of the store.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use storage::subscription_overview::SubscriptionOverview;

use crate::policy::AttemptOutcome;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AttemptLabels {
    /// `delivered`, `refused` (with a status) or `failed` (without one).
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SubscriptionLabels {
    /// The subscription's public id.
    subscription: String,
    /// The organisation that owns it.
    participant: String,
}

/// Counters of deliveries, and gauges of all subscriptions.
#[derive(Debug)]
pub struct Metrics {
    /// Signatures of events that were made.
    pub(crate) event_signatures: Counter,
    attempts: Family<AttemptLabels, Counter>,
    attempt_seconds: Histogram,
    delivery_seconds: Histogram,
    waiting: Family<SubscriptionLabels, Gauge>,
    oldest_seconds: Family<SubscriptionLabels, Gauge>,
    paused: Family<SubscriptionLabels, Gauge>,
    disabled: Family<SubscriptionLabels, Gauge>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            event_signatures: Counter::default(),
            attempts: Family::default(),
            attempt_seconds: Histogram::new(exponential_buckets(0.001, 2.0, 15)),
            delivery_seconds: Histogram::new(exponential_buckets(0.002, 2.0, 24)),
            waiting: Family::default(),
            oldest_seconds: Family::default(),
            paused: Family::default(),
            disabled: Family::default(),
        }
    }
}

impl Metrics {
    /// Adds the metrics to a registry.
    pub fn register(&self, registry: &mut Registry) {
        let help = "Signatures of events made";
        registry.register("event_signatures", help, self.event_signatures.clone());
        let help = "Attempts to deliver an event";
        registry.register("delivery_attempts", help, self.attempts.clone());
        let help = "Seconds that attempts took";
        registry.register(
            "delivery_attempt_seconds",
            help,
            self.attempt_seconds.clone(),
        );
        let help = "Seconds from recording an event to its delivery";
        registry.register("delivery_seconds", help, self.delivery_seconds.clone());
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
    }

    /// Replaces the gauges by the state of all subscriptions at `now`, in Unix milliseconds.
    pub fn note_subscriptions(&self, subscriptions: Vec<SubscriptionOverview>, now: i64) {
        for gauge in [
            &self.waiting,
            &self.oldest_seconds,
            &self.paused,
            &self.disabled,
        ] {
            gauge.clear();
        }
        for one in subscriptions {
            let labels = SubscriptionLabels {
                subscription: one.reference,
                participant: one.participant,
            };
            let age = one
                .oldest_at
                .map_or(0, |oldest| (now - oldest).max(0) / 1000);
            let is_paused = i64::from(one.paused_until > now);
            let is_disabled = i64::from(!one.is_active);
            self.waiting.get_or_create(&labels).set(one.waiting);
            self.oldest_seconds.get_or_create(&labels).set(age);
            self.paused.get_or_create(&labels).set(is_paused);
            self.disabled.get_or_create(&labels).set(is_disabled);
        }
    }

    /// Counts an attempt and its duration. `latency` is the time since the event was recorded, in
    /// milliseconds; `None` leaves the attempt out of the latency figure.
    pub(crate) fn note_attempt(
        &self,
        outcome: &AttemptOutcome,
        duration: Duration,
        latency: Option<i64>,
    ) {
        let labels = AttemptLabels {
            result: match (outcome.is_success, outcome.status) {
                (true, _) => "delivered",
                (false, Some(_)) => "refused",
                (false, None) => "failed",
            },
        };
        self.attempts.get_or_create(&labels).inc();
        self.attempt_seconds.observe(duration.as_secs_f64());
        if let Some(latency) = latency.filter(|_latency| outcome.is_success) {
            let latency = u32::try_from(latency.max(0)).unwrap_or(u32::MAX);
            self.delivery_seconds.observe(f64::from(latency) / 1000.0);
        }
    }
}
