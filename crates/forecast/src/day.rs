//! Civil days as numbers, so that differences cost one subtraction.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date};

/// A civil day in Europe/London, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

const EPOCH: Date = date(1970, 1, 1);

impl Day {
    /// The number of the day from 1970-01-01 on, negative before it.
    pub const fn number(self) -> i32 {
        self.0
    }

    /// The date.
    pub fn date(self) -> Date {
        EPOCH.saturating_add(i64::from(self.0).days())
    }

    /// The days from `earlier` to this day; 0 if `earlier` is later.
    pub fn days_since(self, earlier: Self) -> u32 {
        u32::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// The day so many days later, or earlier for a negative number.
    #[must_use]
    pub const fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// The Mondays to Fridays after `earlier`, up to this day. Bank holidays count as working days.
    pub fn working_days_since(self, earlier: Self) -> u32 {
        let days = self.days_since(earlier);
        // Each whole week has five; the rest is at most six days.
        let mut working = days / 7 * 5;
        for offset in 0..i32::try_from(days % 7).unwrap_or(0) {
            let weekday = self.plus(-offset).date().weekday();
            working += u32::from(!matches!(weekday, Weekday::Saturday | Weekday::Sunday));
        }
        working
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        let hours = date.duration_since(EPOCH).as_hours();
        // The years of jiff, -9999 to 9999, are far from the bounds of i32.
        Self(i32::try_from(hours / 24).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for (date, number) in [
            (date(1970, 1, 1), 0),
            (date(1969, 12, 31), -1),
            (date(2026, 11, 21), 20_778),
        ] {
            assert_eq!(Day::from(date).number(), number);
            assert_eq!(Day::from(date).date(), date);
        }
    }

    #[test]
    fn weekends_are_not_working_days() {
        // 2026-11-21 is a Saturday.
        let saturday = Day::from(date(2026, 11, 21));
        for (earlier, working) in [
            (0, 0),
            (-1, 0),
            (-2, 1),
            (-5, 4),
            (-7, 5),
            (-14, 10),
            (-15, 10),
        ] {
            let found = saturday.working_days_since(saturday.plus(earlier));
            assert_eq!(found, working, "{earlier}");
        }
        assert_eq!(saturday.working_days_since(saturday.plus(3)), 0);
    }
}
