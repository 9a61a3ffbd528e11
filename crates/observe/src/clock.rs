//! The only file that reads a clock. Tests use a clock that they move.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The zone of London, from the time zone database in the program.
static LONDON: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("Europe/London")
        .or_else(|_| TimeZone::posix("GMT0BST,M3.5.0/1,M10.5.0"))
        .unwrap_or(TimeZone::UTC)
});

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

/// The Unix time at which a civil date begins in London (S-11).
pub fn midnight_in_london(date: Date) -> i64 {
    date.to_zoned(LONDON.clone())
        .map_or(0, |moment| moment.timestamp().as_second())
}

/// The civil date in London at a Unix time; `None` beyond the calendar of `jiff`.
pub fn date_in_london(seconds: i64) -> Option<Date> {
    let moment = Timestamp::from_second(seconds).ok()?;
    Some(moment.to_zoned(LONDON.clone()).date())
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

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_date_begins_at_midnight_in_london() {
        // In winter London keeps UTC, in summer it is an hour ahead.
        assert_eq!(midnight_in_london(date(2026, 11, 21)), 1_795_219_200);
        assert_eq!(midnight_in_london(date(2026, 7, 1)), 1_782_860_400);
        assert_eq!(date_in_london(1_782_860_400), Some(date(2026, 7, 1)));
        assert_eq!(date_in_london(1_782_860_399), Some(date(2026, 6, 30)));
        assert_eq!(date_in_london(i64::MAX), None);
    }
}
