//! The only file that reads a clock. Tests use a clock that they move.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// A source of the current time.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// The machine's clock, wrong by so many seconds. Only tests use it.
    Shifted(i64),
    /// A clock that a test moves.
    Manual(ManualClock),
}

/// A clock for tests, in Unix seconds.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl Clock {
    /// Unix time in whole seconds.
    pub fn now_seconds(&self) -> i64 {
        match self {
            Self::System | Self::Shifted(_) => self.now_milliseconds().div_euclid(1000),
            Self::Manual(clock) => clock.0.load(Ordering::SeqCst),
        }
    }

    /// Unix time in milliseconds.
    pub fn now_milliseconds(&self) -> i64 {
        match self {
            #[expect(clippy::disallowed_methods, reason = "only this file reads a clock")]
            Self::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| {
                    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
                }),
            Self::Shifted(seconds) => Self::System.now_milliseconds() + seconds * 1000,
            Self::Manual(clock) => clock.0.load(Ordering::SeqCst) * 1000,
        }
    }

    /// Whether a test moves this clock, so that it has nothing to do with the time of others.
    pub fn is_manual(&self) -> bool {
        matches!(self, Self::Manual(_))
    }
}

impl ManualClock {
    /// A clock that shows this Unix time.
    pub fn at(now_seconds: i64) -> Self {
        Self(Arc::new(AtomicI64::new(now_seconds)))
    }

    /// Moves the clock forward.
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

/// Unix seconds as RFC 3339 in UTC, for example `2026-11-21T10:00:00Z`.
pub fn to_rfc3339(seconds: i64) -> String {
    Timestamp::from_second(seconds).map_or_else(|_| String::new(), |time| time.to_string())
}

/// Unix milliseconds as RFC 3339 in UTC.
pub fn milliseconds_to_rfc3339(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| String::new(), |time| time.to_string())
}

/// A monotonic stopwatch, for durations in logs and metrics.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts the stopwatch.
    #[expect(clippy::disallowed_methods, reason = "only this file reads a clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
