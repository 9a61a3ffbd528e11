//! Limits the requests of each caller with a token bucket (S-14).

use std::convert::Infallible;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use quick_cache::sync::Cache;

use crate::limits;

const DAY_SECONDS: u32 = 86_400;
const DAY: Duration = Duration::from_hours(24);

/// The buckets of all callers of this node.
#[derive(Debug)]
pub struct RateLimits {
    buckets: Cache<String, Arc<Account>>,
    quota: Quota,
    clock: DefaultClock,
    window_seconds: u32,
    burst: u32,
}

/// The state of a caller's bucket after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests that the caller may send now.
    pub remaining: u32,
    /// Seconds until the caller may send the next request; 0: now.
    pub wait_seconds: u64,
    /// Whether this request is over the limit.
    pub is_exceeded: bool,
    window_seconds: u32,
    burst: u32,
}

/// A caller's bucket, and the requests that the caller still owes.
#[derive(Debug)]
struct Account {
    bucket: Bucket,
    owed: AtomicU32,
}

type Bucket = RateLimiter<NotKeyed, InMemoryState, DefaultClock, StateInformationMiddleware>;

impl RateLimits {
    /// Makes buckets of size `burst` that fill at `per_second`.
    pub fn new(per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        let window_seconds = burst.get().div_ceil(per_second.get());
        let quota = Quota::per_second(per_second).allow_burst(burst);
        Self::of_callers(quota, window_seconds, limits::RATE_LIMITED_CALLERS_MAX)
    }

    /// Makes buckets that fill within a minute.
    pub fn per_minute(size: NonZeroU32) -> Self {
        Self::of_callers(
            Quota::per_minute(size),
            60,
            limits::RATE_LIMITED_CALLERS_MAX,
        )
    }

    /// Makes buckets that fill within a day.
    pub fn per_day(size: NonZeroU32) -> Self {
        let quota = Quota::with_period(DAY / size.get());
        let quota = quota.unwrap_or_else(|| Quota::per_second(size));
        Self::of_callers(
            quota.allow_burst(size),
            DAY_SECONDS,
            limits::RATE_LIMITED_CALLERS_MAX,
        )
    }

    fn of_callers(quota: Quota, window_seconds: u32, callers_max: usize) -> Self {
        Self {
            buckets: Cache::new(callers_max),
            quota,
            clock: DefaultClock::default(),
            window_seconds,
            burst: quota.burst_size().get(),
        }
    }

    /// Counts one request.
    pub fn count(&self, client_id: &str) -> Allowance {
        self.count_cost(client_id, NonZeroU32::MIN)
    }

    /// Counts one request that is as expensive as so many others. None costs more than a full bucket.
    pub fn count_cost(&self, caller: &str, cost: NonZeroU32) -> Allowance {
        let cost = cost.min(self.quota.burst_size());
        let account = self.account(caller);
        let taken = match self.settle(&account) {
            None => self.take(&account, cost),
            Some(wait) => Err(wait),
        };
        let (remaining, wait_seconds, is_exceeded) = match taken {
            Ok(remaining) => (remaining, 0, false),
            Err(wait) => (0, wait, true),
        };
        Allowance {
            remaining,
            wait_seconds,
            is_exceeded,
            window_seconds: self.window_seconds,
            burst: self.burst,
        }
    }

    /// Charges a caller afterwards for a request that was as expensive as so many more. The caller pays
    /// before its next request.
    pub fn owe(&self, caller: &str, cost: u32) {
        if cost > 0 {
            let add = |owed: u32| Some(owed.saturating_add(cost));
            let owed = &self.account(caller).owed;
            let _always = owed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
    }

    /// Lets a caller pay for its earlier requests. Returns the seconds to wait if it cannot.
    pub fn pay(&self, caller: &str) -> Option<u64> {
        self.settle(&self.account(caller))
    }

    /// As [`RateLimits::pay`]. A debt above the size of the bucket is paid in parts.
    fn settle(&self, account: &Account) -> Option<u64> {
        loop {
            let owed = account.owed.load(Ordering::Relaxed);
            let part = NonZeroU32::new(owed)?.min(self.quota.burst_size());
            let pay = |owed: u32| owed.checked_sub(part.get());
            // Another request may pay at the same time.
            if let Ok(_owed) = account
                .owed
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay)
                && let Err(wait) = self.take(account, part)
            {
                account.owed.fetch_add(part.get(), Ordering::Relaxed);
                return Some(wait);
            }
        }
    }

    /// Takes from the bucket, which is at least as large. Returns what remains, or the seconds to wait.
    fn take(&self, account: &Account, cost: NonZeroU32) -> Result<u32, u64> {
        match account.bucket.check_n(cost) {
            Err(_larger_than_bucket) => Ok(0),
            Ok(Ok(state)) => Ok(state.remaining_burst_capacity()),
            Ok(Err(until)) => {
                let wait = until.wait_time_from(self.clock.now());
                Err(wait.as_secs() + u64::from(wait.subsec_nanos() > 0))
            }
        }
    }

    /// The caller's account; a new caller gets a full bucket.
    fn account(&self, client_id: &str) -> Arc<Account> {
        let fresh = || {
            let bucket = RateLimiter::direct_with_clock(self.quota, DefaultClock::default());
            Ok::<_, Infallible>(Arc::new(Account {
                bucket: bucket.with_middleware::<StateInformationMiddleware>(),
                owed: AtomicU32::new(0),
            }))
        };
        match self.buckets.get_or_insert_with(client_id, fresh) {
            Ok(bucket) => bucket,
            Err(never) => match never {},
        }
    }

    /// The allowance of a caller with a full bucket.
    pub fn untouched(&self) -> Allowance {
        Allowance {
            remaining: self.burst,
            wait_seconds: 0,
            is_exceeded: false,
            window_seconds: self.window_seconds,
            burst: self.burst,
        }
    }
}

impl Allowance {
    /// The seconds to wait, for a request over the limit.
    pub fn wait(&self) -> Option<u64> {
        self.is_exceeded.then(|| self.wait_seconds.max(1))
    }

    /// The requests that an untouched bucket allows at once.
    pub fn burst(&self) -> u32 {
        self.burst
    }

    /// The seconds that fill an empty bucket.
    pub fn window_seconds(&self) -> u32 {
        self.window_seconds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_pays_for_an_expensive_request_before_the_next_one() {
        let limits = RateLimits::new(NonZeroU32::MIN, NonZeroU32::new(10).unwrap());
        assert!(!limits.count("a").is_exceeded);
        limits.owe("a", 0);
        assert_eq!(limits.pay("a"), None);
        limits.owe("a", 4);
        // Four are paid, and one is counted.
        assert_eq!(limits.count("a").remaining, 4);
        limits.owe("a", 25);
        assert_eq!(limits.pay("a"), Some(6));
        assert!(limits.count("a").is_exceeded);
        assert!(!limits.count("b").is_exceeded);
        limits.owe("b", u32::MAX);
        limits.owe("b", u32::MAX);
        assert!(limits.count("b").is_exceeded);
    }

    #[test]
    fn the_bucket_of_a_day_fills_within_a_day() {
        for size in [86_400, 1024 * 1024, 1024 * 1024 * 1024] {
            let limits = RateLimits::per_day(NonZeroU32::new(size).unwrap());
            assert_eq!(limits.pay("a"), None);
            limits.owe("a", size);
            assert_eq!(limits.pay("a"), None, "the whole bucket");
            limits.owe("a", size / 2);
            let wait = limits.pay("a").unwrap();
            assert!((43_190..=43_200).contains(&wait), "{size}: {wait}");
        }
    }

    #[test]
    fn memory_is_bounded_for_any_number_of_callers() {
        let quota = Quota::per_second(NonZeroU32::MIN).allow_burst(NonZeroU32::new(2).unwrap());
        let limits = RateLimits::of_callers(quota, 2, 1000);
        for caller in 0..20_000 {
            // The cache keeps a frequent caller and drops callers that came once.
            let regular = limits.count("regular");
            assert_eq!(regular.remaining > 0, caller == 0, "{caller}");
            assert!(!limits.count(&format!("caller {caller}")).is_exceeded);
            // The cache rounds its size up for each of its shards.
            assert!(limits.buckets.len() <= 1100);
        }
    }
}
