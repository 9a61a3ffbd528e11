//! The security log: tokens issued and refused, and refused calls, which it sums up.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::response::Response;
use http::StatusCode;

use crate::answered::{Answered, Caller};
use crate::limits;
use crate::problem::Problem;

/// The outcome of a token request, among the extensions of its answer.
#[derive(Debug, Clone)]
pub(crate) enum TokenOutcome {
    /// The endpoint issued a token with these scopes.
    Issued(String),
    /// The endpoint refused a token: the error code and its description.
    Refused(&'static str, String),
}

/// Writes the lines of the log.
#[derive(Debug, Default)]
pub(crate) struct SecurityLog {
    refused: Mutex<Refused>,
}

/// The refused calls of one second.
#[derive(Debug, Default)]
struct Refused {
    sums: HashMap<Key, Sum>,
    /// Calls of callers beyond the first [`limits::SUMMED_CALLERS_MAX`].
    others: u64,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    status: StatusCode,
    caller: Caller,
}

#[derive(Debug)]
struct Sum {
    count: u64,
    /// The first call.
    request_id: String,
    path: String,
    reason: String,
}

impl SecurityLog {
    /// Notes one answer.
    pub(crate) fn note(self: &Arc<Self>, answered: &Answered<'_>, response: &Response) {
        match response.extensions().get() {
            Some(TokenOutcome::Issued(scope)) => tracing::info!(
                event = "token_issued",
                request_id = answered.request_id,
                client_id = answered.proven,
                address = %answered.address,
                scope,
                "a token was issued"
            ),
            Some(TokenOutcome::Refused(error, reason)) => tracing::info!(
                event = "token_refused",
                request_id = answered.request_id,
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

    /// Counts a refused call. The sum is written a second after its first call.
    fn sum_up(self: &Arc<Self>, answered: &Answered<'_>, status: StatusCode) {
        let is_refused = [
            StatusCode::UNAUTHORIZED,
            StatusCode::FORBIDDEN,
            StatusCode::TOO_MANY_REQUESTS,
        ];
        if !is_refused.contains(&status) {
            return;
        }
        let mut refused = self.lock();
        let is_first = refused.sums.is_empty();
        let key = Key {
            status,
            caller: answered.caller(),
        };
        if let Some(sum) = refused.sums.get_mut(&key) {
            sum.count += 1;
        } else if refused.sums.len() < limits::SUMMED_CALLERS_MAX {
            let reason = answered.problem.map(Problem::detail).unwrap_or_default();
            let sum = Sum {
                count: 1,
                request_id: answered.request_id.to_owned(),
                // A terminal must not obey control characters of a path.
                path: answered.path.escape_debug().to_string(),
                reason,
            };
            refused.sums.insert(key, sum);
        } else {
            refused.others += 1;
        }
        drop(refused);
        if is_first {
            let log = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(limits::SUMMED_TIME).await;
                log.lock().write();
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Refused> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Refused {
    /// Writes the sums, and begins new ones.
    fn write(&mut self) {
        for (key, sum) in self.sums.drain() {
            let (client_id, address) = match &key.caller {
                Caller::Proven(id) => (Some(id.as_str()), None),
                Caller::At(address) => (None, Some(tracing::field::display(address))),
            };
            tracing::info!(
                event = "calls_refused",
                status = key.status.as_u16(),
                count = sum.count,
                client_id,
                address,
                request_id = sum.request_id,
                path = sum.path,
                reason = sum.reason,
                "calls were refused"
            );
        }
        let others = mem::take(&mut self.others);
        if others > 0 {
            let event = "calls_refused";
            tracing::info!(event, count = others, "calls of other callers were refused");
        }
    }
}

/// The program may end before the second is over.
impl Drop for Refused {
    fn drop(&mut self) {
        self.write();
    }
}
