//! The security log: tokens issued and refused, and refused calls, which it sums up.

use axum::response::Response;
use http::StatusCode;
use oauth::outcome::TokenOutcome;
use observe::sums::{Rules, Sum, Sums};
use web::answered::{Answered, Caller, logged_path};
use web::problem::Problem;

use crate::limits;

/// Writes the lines of the log.
#[derive(Debug)]
pub(crate) struct SecurityLog {
    refused: Sums<Key, FirstCall>,
}

/// The refused calls of one line.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    status: StatusCode,
    caller: Caller,
}

#[derive(Debug)]
struct FirstCall {
    request_id: String,
    interaction_id: Option<String>,
    path: String,
    reason: String,
}

impl SecurityLog {
    pub(crate) fn new() -> Self {
        Self {
            refused: Sums::new(Rules {
                within: web::limits::SUMMED_TIME,
                kinds_max: limits::SUMMED_CALLERS_MAX,
                write: write_refused,
                write_others: |count| {
                    let event = "calls_refused";
                    tracing::info!(event, count, "calls of other callers were refused");
                },
            }),
        }
    }

    /// Notes one answer.
    pub(crate) fn note(&self, answered: &Answered<'_>, response: &Response) {
        match response.extensions().get() {
            Some(TokenOutcome::Issued(scope)) => tracing::info!(
                event = "token_issued",
                request_id = answered.request_id,
                interaction_id = answered.interaction_id,
                client_id = answered.proven,
                address = %answered.address,
                scope,
                "a token was issued"
            ),
            Some(TokenOutcome::Refused(error, reason)) => tracing::info!(
                event = "token_refused",
                request_id = answered.request_id,
                interaction_id = answered.interaction_id,
                client_id = answered.proven,
                address = %answered.address,
                status = response.status().as_u16(),
                error,
                reason,
                "a token was refused"
            ),
            None => self.sum_up(answered, response.status()),
        }
    }

    /// Counts a refused call.
    fn sum_up(&self, answered: &Answered<'_>, status: StatusCode) {
        let is_refused = [
            StatusCode::UNAUTHORIZED,
            StatusCode::FORBIDDEN,
            StatusCode::TOO_MANY_REQUESTS,
        ];
        if !is_refused.contains(&status) {
            return;
        }
        let key = Key {
            status,
            caller: answered.caller(),
        };
        self.refused.count(key, || FirstCall {
            request_id: answered.request_id.to_owned(),
            interaction_id: answered.interaction_id.map(str::to_owned),
            path: logged_path(answered.path),
            reason: answered.problem.map(Problem::detail).unwrap_or_default(),
        });
    }
}

fn write_refused(sum: Sum<Key, FirstCall>) {
    let Sum { key, first, count } = sum;
    let (client_id, address) = match &key.caller {
        Caller::Proven(id) => (Some(id.as_str()), None),
        Caller::At(address) => (None, Some(tracing::field::display(address))),
    };
    tracing::info!(
        event = "calls_refused",
        status = key.status.as_u16(),
        count,
        client_id,
        address,
        request_id = first.request_id,
        interaction_id = first.interaction_id,
        path = first.path,
        reason = first.reason,
        "calls were refused"
    );
}
