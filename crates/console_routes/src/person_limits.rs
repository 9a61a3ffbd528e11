//! Limits the requests of each person by their cost (S-65), and the expensive pages that one person loads at
//! once.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use console::kept::KeptFor;
use tokens::rate_limit::RateLimits;
use web::problem::Problem;
use web::turns::Turns;

use super::session::SignedIn;
use super::{Console, kept_forms};
use crate::limits;

/// The cost of a page of a list, of which a page of a chain is 1.
const LIST_COST: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
/// The pages that look at many sales. An evidence pack costs as much.
const LISTS: [&str; 5] = ["/chains", "/changes", "/chase", "/chase.csv", "/search"];

/// The limits of all people of this node.
#[derive(Debug)]
pub struct PersonLimits {
    costs: RateLimits,
    /// The lists that each person loads at once.
    lists: Turns<i64>,
}

impl PersonLimits {
    /// Makes limits of so many pages of chains a second.
    pub fn new(per_second: NonZeroU32) -> Self {
        let burst = per_second.saturating_mul(limits::PERSON_BURST_SECONDS);
        Self {
            costs: RateLimits::new(per_second, burst),
            lists: Turns::new(limits::LISTS_OF_PERSON_MAX, limits::PEOPLE_COUNTED_MAX),
        }
    }

    /// Counts a request. Returns the seconds to wait if it is over the limit.
    fn count(&self, person: i64, cost: NonZeroU32) -> Option<u64> {
        self.costs.count_cost(&person.to_string(), cost).wait()
    }
}

/// Whether a request costs as much as a list. A refused snooze answers with one.
fn is_list(path: &str) -> bool {
    LISTS.contains(&path)
        || path.starts_with("/chase/") && path.ends_with("/snooze")
        || path.ends_with(".pack.json")
}

/// Whether a request ends sessions. Nobody can keep a person from it with the person's own limit.
fn ends_sessions(path: &str) -> bool {
    path == "/sign-out"
        || path == "/account/end-all"
        || path.starts_with("/account/sessions/") && path.ends_with("/end")
}

/// Counts the requests of people who are signed in. A list waits until the person's earlier lists are
/// loaded; the limit bounds how many wait.
pub(crate) async fn count_person(
    State(console): State<Arc<Console>>,
    request: Request,
    next: Next,
) -> Response {
    let person = request.extensions().get::<SignedIn>();
    let person = person.map(|signed_in| signed_in.person().id);
    let (Some(person), Some(people)) = (person, &console.people) else {
        return next.run(request).await;
    };
    if ends_sessions(request.uri().path()) {
        return next.run(request).await;
    }
    let is_list = is_list(request.uri().path());
    let cost = if is_list { LIST_COST } else { NonZeroU32::MIN };
    if let Some(seconds) = people.count(person, cost) {
        if kept_forms::may_keep(&request) {
            return kept_forms::keep(&console, request, KeptFor::Wait(seconds)).await;
        }
        return Problem::RateLimited(seconds).into_response();
    }
    let _turn = if is_list {
        Some(people.lists.take(&person).await)
    } else {
        None
    };
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_may_answer_with_a_list_counts_as_one() {
        for path in [
            "/chase",
            "/chase/12/snooze",
            "/changes",
            "/chains/1.pack.json",
        ] {
            assert!(is_list(path), "{path}");
        }
        for path in ["/chase/12/chased", "/changes/read", "/chains/1"] {
            assert!(!is_list(path), "{path}");
        }
    }
}
