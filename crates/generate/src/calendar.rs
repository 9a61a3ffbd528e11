//! Converts days relative to the reference day of the sample into dates and times.

use jiff::ToSpan;
use jiff::civil::{Date, date};

use super::GenerateError;
use super::random::Random;

/// Dates around the reference day of the sample, which is day 0.
#[derive(Debug)]
pub(super) struct Calendar {
    dates: Vec<Date>,
    /// Midnight of day 0 in Unix seconds, in UTC.
    as_of_seconds: i64,
}

impl Calendar {
    /// Makes a calendar for a reference day in the years 2000 to 2100.
    pub(super) fn new(as_of: Date) -> Result<Self, GenerateError> {
        if !YEARS.contains(&as_of.year()) {
            return Err(GenerateError::AsOf(as_of));
        }
        let dates = (FIRST_DAY..=LAST_DAY)
            .map(|day| as_of.saturating_add(day.days()))
            .collect();
        let as_of_seconds = as_of.duration_since(date(1970, 1, 1)).as_secs();
        Ok(Self {
            dates,
            as_of_seconds,
        })
    }

    /// The date of a day; a day outside the calendar is moved to its first or last day.
    pub(super) fn date(&self, day: i32) -> Date {
        let position = day.clamp(FIRST_DAY, LAST_DAY) - FIRST_DAY;
        let position = usize::try_from(position).unwrap_or_default();
        self.dates.get(position).copied().unwrap_or_default()
    }

    /// Draws a second in the office hours of a day, in Unix time.
    pub(super) fn draw_seconds(&self, random: &mut Random, day: i32) -> i64 {
        let seconds = random.between(OFFICE_OPENS_SECONDS, OFFICE_CLOSES_SECONDS);
        self.as_of_seconds + i64::from(day) * DAY_SECONDS + i64::from(seconds)
    }
}

const YEARS: std::ops::RangeInclusive<i16> = 2000..=2100;
const DAY_SECONDS: i64 = 86_400;
const OFFICE_OPENS_SECONDS: i32 = 9 * 3_600;
const OFFICE_CLOSES_SECONDS: i32 = 17 * 3_600;

/// The calendar exceeds the longest history with the age of its longest chain, and the latest proposed
/// completion.
const FIRST_DAY: i32 = -3_400;
const LAST_DAY: i32 = 400;
