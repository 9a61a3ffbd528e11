//! Limits the requests of each person by their cost (S-65), and the expensive pages that one person loads at
//! once.

use std::num::NonZeroU32;
use std::sync::Arc;

use ::console::kept::KeptFor;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use quick_cache::sync::Cache;
use tokens::rate_limit::RateLimits;
use tokio::sync::Semaphore;

use super::session::SignedIn;
use super::{Console, kept_forms};
use crate::limits;
use crate::problem::Problem;

/// The cost of a page of a list, of which a page of a chain is 1.
const LIST_COST: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
/// The pages that look at many sales.
const LISTS: [&str; 5] = ["/chains", "/changes", "/chase", "/chase.csv", "/search"];

/// The limits of all people of this node.
#[derive(Debug)]
pub struct PersonLimits {
    costs: RateLimits,
    /// The lists that each person loads now.
    lists: Cache<i64, Arc<Semaphore>>,
}

impl PersonLimits {
    /// Makes limits of so many pages of chains a second.
    pub fn new(per_second: NonZeroU32) -> Self {
        let burst = per_second.saturating_mul(limits::PERSON_BURST_SECONDS);
        Self {
            costs: RateLimits::new(per_second, burst),
            lists: Cache::new(limits::PEOPLE_COUNTED_MAX),
        }
    }

    /// Counts a request. Returns the seconds to wait if it is over the limit.
    fn count(&self, person: i64, cost: NonZeroU32) -> Option<u64> {
        self.costs.count_cost(&person.to_string(), cost).wait()
    }

    fn lists_of(&self, person: i64) -> Arc<Semaphore> {
        let fresh = || {
            let places = Semaphore::new(limits::LISTS_OF_PERSON_MAX);
            Ok::<_, std::convert::Infallible>(Arc::new(places))
        };
        match self.lists.get_or_insert_with(&person, fresh) {
            Ok(lists) => lists,
            Err(never) => match never {},
        }
    }
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
    let is_list = LISTS.contains(&request.uri().path());
    let cost = if is_list { LIST_COST } else { NonZeroU32::MIN };
    if let Some(seconds) = people.count(person, cost) {
        if kept_forms::may_keep(&request) {
            return kept_forms::keep(&console, request, KeptFor::Wait(seconds)).await;
        }
        return Problem::RateLimited(seconds).into_response();
    }
    let lists = people.lists_of(person);
    let _place = if is_list {
        lists.acquire().await.ok()
    } else {
        None
    };
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_loads_two_lists_at_once() {
        let people = PersonLimits::new(NonZeroU32::MIN);
        let places: Vec<_> = (0..limits::LISTS_OF_PERSON_MAX)
            .map(|_list| people.lists_of(1).try_acquire_owned().unwrap())
            .collect();
        assert!(people.lists_of(1).try_acquire_owned().is_err());
        assert!(people.lists_of(2).try_acquire_owned().is_ok());
        drop(places);
        assert!(people.lists_of(1).try_acquire_owned().is_ok());
    }
}
