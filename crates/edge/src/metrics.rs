//! Counters of connections and certificates.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::tls::Ending;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FileLabels {
    /// The setting that names the file.
    setting: &'static str,
}

/// Counters of connections and certificates.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Open connections.
    pub connections: Gauge,
    /// TLS handshakes that failed.
    pub handshakes_failed: Counter,
    /// Connections refused because their address had too many.
    pub connections_refused: Counter,
    /// Certificate files that were reloaded.
    pub tls_reloads: Counter,
    /// Certificate files that could not be used.
    pub tls_reloads_refused: Counter,
    /// 1 while the certificate files cannot be used, so that older ones are served.
    pub tls_files_refused: Gauge,
    tls_ends: Family<FileLabels, Gauge>,
}

impl Metrics {
    /// Adds the metrics to a registry.
    pub fn register(&self, registry: &mut Registry) {
        let counters = [
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
        registry.register("connections", "Open connections", self.connections.clone());
        let help = "1 while the certificate files cannot be used";
        registry.register("tls_files_refused", help, self.tls_files_refused.clone());
        let help = "When the first certificate or list of a file expires";
        registry.register("tls_end_timestamp_seconds", help, self.tls_ends.clone());
    }

    /// Sets when the first certificate or revocation list of a file expires.
    pub(crate) fn note_ending(&self, ending: &Ending) {
        let labels = FileLabels {
            setting: ending.file.setting(),
        };
        self.tls_ends.get_or_create(&labels).set(ending.at);
    }
}
