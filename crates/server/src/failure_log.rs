//! Logs the calls that failed by no fault of their callers.

use http::Method;
use observe::sums::{Rules, Sum, Sums};
use web::answered::{Answered, logged_path};
use web::problem::Problem;

/// Writes one line for the calls of a second that failed for the same reason.
#[derive(Debug)]
pub(crate) struct FailureLog {
    failed: Sums<String, FirstCall>,
}

#[derive(Debug)]
struct FirstCall {
    request_id: String,
    interaction_id: Option<String>,
    method: Method,
    path: String,
}

impl FailureLog {
    pub(crate) fn new() -> Self {
        Self {
            failed: Sums::new(Rules {
                within: web::limits::SUMMED_TIME,
                kinds_max: web::limits::SUMMED_FAILURES_MAX,
                write: write_failed,
                write_others: |count| {
                    tracing::error!(
                        event = "calls_failed",
                        count,
                        "calls failed for other reasons"
                    );
                },
            }),
        }
    }

    /// Notes one answer.
    pub(crate) fn note(&self, problem: &Problem, answered: &Answered<'_>, method: &Method) {
        let Some(text) = problem.log_text() else {
            return;
        };
        self.failed.count(text.to_owned(), || FirstCall {
            request_id: answered.request_id.to_owned(),
            interaction_id: answered.interaction_id.map(str::to_owned),
            method: method.clone(),
            path: logged_path(answered.path),
        });
    }
}

fn write_failed(sum: Sum<String, FirstCall>) {
    let Sum { key, first, count } = sum;
    tracing::error!(
        event = "calls_failed",
        count,
        request_id = first.request_id,
        interaction_id = first.interaction_id,
        method = %first.method,
        path = first.path,
        "{key}"
    );
}
