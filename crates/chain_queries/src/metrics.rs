//! Figures of answers.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// Counters of signed answers.
#[derive(Debug, Default)]
pub struct AnswerMetrics {
    /// Number of signatures made.
    pub signatures: Counter,
    /// Number of answers that reused a signature (S-13).
    pub signatures_reused: Counter,
    /// Number of chain documents built from rows of the store.
    pub documents_built: Counter,
}

impl AnswerMetrics {
    /// Registers the counters.
    pub fn register(&self, registry: &mut Registry) {
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
