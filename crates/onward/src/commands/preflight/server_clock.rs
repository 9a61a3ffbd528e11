//! Compares this machine's clock with the clocks of the servers.

use std::time::UNIX_EPOCH;

use client::Clock;
use jiff::fmt::rfc2822::DateTimeParser;

use super::report::{Check, Who};

/// The largest accepted difference, in seconds. An assertion lives for 60 to 300 seconds, and may be
/// 60 seconds early.
const DIFFERENCE_SECONDS_MAX: i64 = 10;

/// An answer of a server, and this machine's time around it in Unix seconds.
pub(super) struct Answered {
    /// The header field `Date`, or empty.
    pub(super) date: String,
    pub(super) before: i64,
    pub(super) after: i64,
}

/// The time that `clock` shows, in Unix seconds.
pub(super) fn unix_seconds(clock: &Clock) -> i64 {
    let since_1970 = clock().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_secs()).unwrap_or(i64::MAX)
}

/// Compares a server's header field `Date` with this machine's time before and after the request.
pub(super) fn compare(place: &str, answered: &Answered, check: &mut Check) {
    let &Answered { before, after, .. } = answered;
    let Ok(theirs) = DateTimeParser::new().parse_timestamp(&answered.date) else {
        check.note_at(place, "no readable Date");
        return;
    };
    let theirs = theirs.as_second();
    // The server wrote its time at some moment between the two.
    let (difference, word) = if theirs < before {
        (before - theirs, "ahead of")
    } else {
        (theirs - after, "behind")
    };
    if difference <= DIFFERENCE_SECONDS_MAX {
        check.note_at(place, "this machine's clock agrees");
        return;
    }
    let yours = "set this machine's clock, for instance with `timedatectl set-ntp true`: a wrong \
                 clock makes assertions that are expired or not valid yet";
    let theirs = "if this machine's clock is right, set the clock of the server";
    let found = format_args!("this machine's clock is {difference} s {word} the clock of {place}");
    check.fail(
        found,
        [Who::You.should(yours), Who::Operator.should(theirs)],
    );
}

#[cfg(test)]
mod tests;
