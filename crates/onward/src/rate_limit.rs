//! How many requests a caller may send (S-14): one token bucket for each.

use std::convert::Infallible;
use std::num::NonZeroU32;
use std::sync::Arc;

use axum::response::{IntoResponse as _, Response};
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use http::{HeaderMap, HeaderName, HeaderValue};
use quick_cache::sync::Cache;

use crate::config::Config;
use crate::limits;
use crate::problem::Problem;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// The buckets of all callers of this node.
#[derive(Debug)]
pub struct RateLimits {
    buckets: Cache<String, Arc<Bucket>>,
    quota: Quota,
    clock: DefaultClock,
    per_second: u32,
    burst: u32,
}

/// What a caller has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests that may follow at once.
    pub remaining: u32,
    /// Seconds until the next request may come; 0 when one may come now.
    pub wait_seconds: u64,
    /// Whether this request is over the limit.
    pub is_exceeded: bool,
    per_second: u32,
    burst: u32,
}

type Bucket = RateLimiter<NotKeyed, InMemoryState, DefaultClock, StateInformationMiddleware>;

impl RateLimits {
    /// The configured limits; none if they are switched off.
    pub fn new(config: &Config) -> Option<Self> {
        Self::of_callers(config, limits::RATE_LIMITED_CALLERS_MAX)
    }

    /// The configured limits of at most so many callers.
    fn of_callers(config: &Config, callers_max: usize) -> Option<Self> {
        if !config.rate_limit_enabled {
            return None;
        }
        let per_second = NonZeroU32::new(config.rate_limit_per_second)?;
        let burst = NonZeroU32::new(config.rate_limit_burst)?;
        let quota = Quota::per_second(per_second).allow_burst(burst);
        Some(Self {
            buckets: Cache::new(callers_max),
            quota,
            clock: DefaultClock::default(),
            per_second: per_second.get(),
            burst: burst.get(),
        })
    }

    /// Counts one request.
    pub fn count(&self, client_id: &str) -> Allowance {
        let (remaining, wait_seconds, is_exceeded) = match self.bucket(client_id).check() {
            Ok(state) => (state.remaining_burst_capacity(), 0, false),
            Err(until) => {
                let wait = until.wait_time_from(self.clock.now());
                (0, wait.as_secs() + u64::from(wait.subsec_nanos() > 0), true)
            }
        };
        Allowance {
            remaining,
            wait_seconds,
            is_exceeded,
            per_second: self.per_second,
            burst: self.burst,
        }
    }

    /// The caller's bucket, a full one if it is not known.
    fn bucket(&self, client_id: &str) -> Arc<Bucket> {
        let fresh = || {
            let bucket = RateLimiter::direct_with_clock(self.quota, DefaultClock::default());
            Ok::<_, Infallible>(Arc::new(
                bucket.with_middleware::<StateInformationMiddleware>(),
            ))
        };
        match self.buckets.get_or_insert_with(client_id, fresh) {
            Ok(bucket) => bucket,
            Err(never) => match never {},
        }
    }

    /// Shows what a caller has left who was not counted, unless an answer
    /// shows a real count already.
    pub fn show_untouched(&self, headers: &mut HeaderMap) {
        let untouched = Allowance {
            remaining: self.burst,
            wait_seconds: 0,
            is_exceeded: false,
            per_second: self.per_second,
            burst: self.burst,
        };
        if !headers.contains_key(POLICY) {
            untouched.show(headers);
        }
    }
}

/// Counts a request for its caller, answers it unless the caller is past the limit, and shows what
/// is left.
pub async fn answer_within(
    limits: Option<&RateLimits>,
    caller: &str,
    answering: impl Future<Output = Response>,
) -> Response {
    let Some(allowance) = limits.map(|limits| limits.count(caller)) else {
        return answering.await;
    };
    let mut response = match allowance.check() {
        Ok(()) => answering.await,
        Err(problem) => problem.into_response(),
    };
    allowance.show(response.headers_mut());
    response
}

impl Allowance {
    /// Refuses a request over the limit, as document 1's API and management do.
    pub fn check(&self) -> Result<(), Problem> {
        self.wait()
            .map_or(Ok(()), |wait| Err(Problem::RateLimited(wait)))
    }

    /// How many seconds to wait, for a request over the limit.
    pub fn wait(&self) -> Option<u64> {
        self.is_exceeded.then(|| self.wait_seconds.max(1))
    }

    /// Sets `RateLimit-Policy` (the bucket's size and the seconds that fill it)
    /// and `RateLimit` (what is left, and the seconds until there is more).
    pub fn show(&self, headers: &mut HeaderMap) {
        let window = self.burst.div_ceil(self.per_second);
        let policy = format!("\"client\";q={};w={window}", self.burst);
        let more = self.wait_seconds.max(1);
        let state = format!("\"client\";r={};t={more}", self.remaining);
        for (name, value) in [(POLICY, policy), (STATE, state)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_for_any_number_of_callers() {
        let config = Config {
            rate_limit_per_second: 1,
            rate_limit_burst: 2,
            ..Config::default()
        };
        let limits = RateLimits::of_callers(&config, 1000).unwrap();
        for caller in 0..20_000 {
            // One that comes often is not forgotten for many that come once.
            let regular = limits.count("regular");
            assert_eq!(regular.remaining > 0, caller == 0, "{caller}");
            assert!(!limits.count(&format!("caller {caller}")).is_exceeded);
            // It is rounded up for each of the parts that the machine's cores work on.
            assert!(limits.buckets.len() <= 1100);
        }
    }
}
