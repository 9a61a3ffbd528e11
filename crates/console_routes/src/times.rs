//! Times as pages show them: in London.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use observe::clock::parse_rfc3339;

/// A time in London.
pub(crate) fn moment(seconds: i64) -> DateTime {
    zoned(seconds).datetime()
}

/// A day in London.
pub(crate) fn day(seconds: i64) -> Date {
    zoned(seconds).date()
}

fn zoned(seconds: i64) -> Zoned {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    // The time zones are part of the program.
    let london = TimeZone::get("Europe/London").unwrap_or(TimeZone::UTC);
    time.to_zoned(london)
}

/// A time in London, from RFC 3339 text.
pub(crate) fn read_moment(text: &str) -> DateTime {
    moment(parse_rfc3339(text).unwrap_or_default())
}
