//! The only file that reads a clock. Tests use a clock that they move.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::{Date, date};

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

/// Reads a time of RFC 3339 as Unix seconds, without its fraction. `None`: it is no such time, or it is beyond
/// the times that [`to_rfc3339`] writes. A leap second is none: Unix time has no number for it.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let (day, rest) = text.split_at_checked("2026-11-21".len())?;
    let (time, rest) = rest.split_at_checked("T10:00:00".len())?;
    let [year, month, day] = numbers(day, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time.strip_prefix(['T', 't'])?, ':', [2, 2, 2])?;
    let offset = read_offset(skip_fraction(rest)?)?;
    let day = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let midnight = day.duration_since(date(1970, 1, 1)).as_secs();
    let seconds = midnight + seconds_of(hour, minute) + i64::from(second) - offset;
    let time = Timestamp::from_second(seconds).ok()?;
    Some(time.as_second())
}

/// The numbers of these many digits, with the separator between them.
fn numbers<const COUNT: usize>(
    text: &str,
    separator: char,
    digits: [usize; COUNT],
) -> Option<[i16; COUNT]> {
    let mut parts = text.split(separator);
    let mut found = [0; COUNT];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits)?;
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(found)
}

/// The text after a fraction of a second, if there is one.
fn skip_fraction(text: &str) -> Option<&str> {
    let Some(fraction) = text.strip_prefix('.') else {
        return Some(text);
    };
    let rest = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
    (rest.len() < fraction.len()).then_some(rest)
}

/// An offset from UTC in seconds.
fn read_offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let (is_east, offset) = match text.split_at_checked(1)? {
        ("+", offset) => (true, offset),
        ("-", offset) => (false, offset),
        _other => return None,
    };
    let [hours, minutes] = numbers(offset, ':', [2, 2])?;
    let seconds = seconds_of(hours, minutes);
    let is_offset = hours <= 23 && minutes <= 59;
    is_offset.then_some(if is_east { seconds } else { -seconds })
}

fn seconds_of(hours: i16, minutes: i16) -> i64 {
    i64::from(hours) * 3_600 + i64::from(minutes) * 60
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
