//! How many requests a caller may send (S-14): one token bucket for each.

use std::num::NonZeroU32;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::config::Config;
use crate::problem::Problem;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// The buckets of all callers of this node.
#[derive(Debug)]
pub struct RateLimits {
    buckets: Buckets,
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

type Buckets =
    RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

impl RateLimits {
    /// The configured limits; none if they are switched off.
    pub fn new(config: &Config) -> Option<Self> {
        if !config.rate_limit_enabled {
            return None;
        }
        let per_second = NonZeroU32::new(config.rate_limit_per_second)?;
        let burst = NonZeroU32::new(config.rate_limit_burst)?;
        let quota = Quota::per_second(per_second).allow_burst(burst);
        let buckets = RateLimiter::dashmap_with_clock(quota, DefaultClock::default())
            .with_middleware::<StateInformationMiddleware>();
        Some(Self {
            buckets,
            clock: DefaultClock::default(),
            per_second: per_second.get(),
            burst: burst.get(),
        })
    }

    /// Counts one request.
    pub fn count(&self, client_id: &String) -> Allowance {
        let (remaining, wait_seconds, is_exceeded) = match self.buckets.check_key(client_id) {
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

    /// Forgets callers whose buckets are full again, so that memory stays bounded.
    pub fn forget_idle(&self) {
        self.buckets.retain_recent();
        self.buckets.shrink_to_fit();
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

impl Allowance {
    /// Refuses a request over the limit.
    pub fn check(&self) -> Result<(), Problem> {
        if self.is_exceeded {
            Err(Problem::RateLimited(self.wait_seconds.max(1)))
        } else {
            Ok(())
        }
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
