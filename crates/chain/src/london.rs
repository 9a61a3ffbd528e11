//! Civil dates in London (S-11).

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The zone of London, from the time zone database in the program.
static LONDON: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("Europe/London")
        .or_else(|_| TimeZone::posix("GMT0BST,M3.5.0/1,M10.5.0"))
        .unwrap_or(TimeZone::UTC)
});

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
