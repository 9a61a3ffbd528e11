//! Logs refused sign-ins. Anybody may try one, so the log sums up those of one kind.

use observe::sums::{Rules, Sum, Sums};

use super::open_id::SignInRefusal;
use crate::limits;

/// Writes one line for the sign-ins of a second that were refused for the same kind of reason.
#[derive(Debug)]
pub(crate) struct RefusedSignIns {
    refused: Sums<&'static str, String>,
}

impl RefusedSignIns {
    pub(crate) fn new() -> Self {
        Self {
            refused: Sums::new(Rules {
                within: limits::SUMMED_TIME,
                kinds_max: limits::SUMMED_FAILURES_MAX,
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

    /// Notes one refusal. The caller chooses parts of its text, so the text is no kind.
    pub(crate) fn note(&self, refusal: &SignInRefusal) {
        self.refused.count(kind(refusal), || refusal.to_string());
    }
}

fn kind(refusal: &SignInRefusal) -> &'static str {
    match refusal {
        SignInRefusal::WrongState => "state",
        SignInRefusal::Used => "used",
        SignInRefusal::Busy => "busy",
        SignInRefusal::WrongIssuer => "issuer",
        SignInRefusal::Refused(_) => "refused",
        SignInRefusal::Provider(_) => "provider",
        SignInRefusal::NoToken(_) => "no_token",
        SignInRefusal::Keys(_) => "keys",
        SignInRefusal::IdToken(_) => "id_token",
    }
}
