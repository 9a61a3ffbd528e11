//! Logs refused sign-ins. Anybody may try one, so the log sums up those of one kind.

use observe::sums::{Rules, Sum, Sums};

/// Writes one line for the sign-ins of a second that were refused for the same kind of reason.
#[derive(Debug)]
pub(crate) struct RefusedSignIns {
    refused: Sums<&'static str, String>,
}

impl RefusedSignIns {
    pub(crate) fn new() -> Self {
        Self {
            refused: Sums::new(Rules {
                within: web::limits::SUMMED_TIME,
                kinds_max: web::limits::SUMMED_FAILURES_MAX,
                write: |Sum { key, first, count }| {
                    tracing::info!(
                        event = "sign_in_refused",
                        kind = key,
                        count,
                        reason = first,
                        "nobody was signed in"
                    );
                },
                // There are fewer kinds than that.
                write_others: |_count| {},
            }),
        }
    }

    /// Notes one refusal of a kind, and its reason. The caller chooses parts of the reason.
    pub(crate) fn note(&self, kind: &'static str, reason: &impl ToString) {
        self.refused.count(kind, || reason.to_string());
    }
}
