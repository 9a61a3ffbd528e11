//! How long a step took in past sales: counts of days, and the Kaplan–Meier estimate from them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::distribution::{Distribution, GRID_DAYS};

/// How many ended steps a table needs before anybody sees it.
pub const ENDED_MIN: u32 = 30;
/// A clock counts only as far as so many steps were still open. Fewer say nothing about the rest.
const STILL_OPEN_MIN: u32 = 10;

/// For each number of days, how many steps ended and how many were last seen open.
///
/// A step that is open today, or that was open when its sale fell through, took longer than the days
/// for which it was seen. The estimate counts it until then. Without such steps, forecasts are too
/// early, because slow steps are the ones that are still open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DurationCounts {
    /// Ended and open, by days.
    days: Vec<[u32; 2]>,
}

/// The text is not a list of `days:ended:open`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("counts of durations are a list of days:ended:open")]
pub struct CountsError;

/// The distribution of a step's days.
#[derive(Debug, Clone, PartialEq)]
pub struct StepTable {
    fresh: Distribution,
    /// The longest clock that counts, in days.
    clock_max: usize,
    ended: u32,
}

impl DurationCounts {
    /// Counts a step of so many days. Beyond the grid it counts as open at the end of the grid.
    pub fn add(&mut self, days: u32, is_ended: bool) {
        let grid = u32::try_from(GRID_DAYS).unwrap_or(u32::MAX);
        let place = usize::try_from(days.min(grid)).unwrap_or(GRID_DAYS);
        if self.days.len() <= place {
            self.days.resize(place + 1, [0; 2]);
        }
        self.days[place][usize::from(!is_ended || days >= grid)] += 1;
    }

    /// The counts of the shortest duration, if there are any.
    pub(crate) fn first(&self) -> Option<[u32; 2]> {
        self.days.first().copied()
    }

    /// How many steps ended.
    pub fn ended(&self) -> u32 {
        self.days.iter().map(|[ended, _]| ended).sum()
    }

    /// The estimate; `None` for fewer than [`ENDED_MIN`] ended steps.
    pub fn table(&self) -> Option<StepTable> {
        let ended = self.ended();
        if ended < ENDED_MIN {
            return None;
        }
        let mut still_open: u32 = self.days.iter().flatten().sum();
        let mut share_open = 1.0;
        let mut chances = Vec::with_capacity(GRID_DAYS);
        let mut clock_max = 0;
        for day in 0..GRID_DAYS {
            let [ended, open] = self.days.get(day).copied().unwrap_or_default();
            if still_open >= STILL_OPEN_MIN {
                clock_max = day;
            }
            if still_open > 0 {
                share_open *= f64::from(still_open - ended) / f64::from(still_open);
            }
            chances.push(1.0 - share_open);
            still_open -= ended + open;
        }
        Some(StepTable {
            fresh: Distribution::from_chances(|day| chances[day]),
            clock_max,
            ended,
        })
    }
}

impl fmt::Display for DurationCounts {
    /// Writes `days:ended:open` for each number of days that has any, separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = self.days.iter().enumerate();
        let mut separator = "";
        for (days, [ended, open]) in counted.filter(|(_, counts)| **counts != [0, 0]) {
            write!(f, "{separator}{days}:{ended}:{open}")?;
            separator = ",";
        }
        Ok(())
    }
}

impl FromStr for DurationCounts {
    type Err = CountsError;

    fn from_str(text: &str) -> Result<Self, CountsError> {
        let mut counts = Self::default();
        for entry in text.split(',').filter(|entry| !entry.is_empty()) {
            let mut numbers = entry.split(':').map(|number| number.parse::<u32>().ok());
            let mut next = || numbers.next().flatten().ok_or(CountsError);
            let (days, ended, open) = (next()?, next()?, next()?);
            let place = usize::try_from(days).map_err(|_| CountsError)?;
            if place > GRID_DAYS {
                return Err(CountsError);
            }
            if counts.days.len() <= place {
                counts.days.resize(place + 1, [0; 2]);
            }
            counts.days[place] = [ended, open];
        }
        Ok(counts)
    }
}

impl StepTable {
    /// The days that the step takes from its beginning.
    pub fn fresh(&self) -> &Distribution {
        &self.fresh
    }

    /// How many ended steps it comes from.
    pub fn ended(&self) -> u32 {
        self.ended
    }

    /// The days by which so many in 1 of these steps were done; `None` beyond the grid.
    pub fn days_by(&self, share: f64) -> Option<u32> {
        self.fresh.quantile(share)
    }

    /// The days that remain after a clock of so many days: of the steps that took this long, so many
    /// ended within 0, 1, 2 … days more. Beyond the longest clock that counts, as for that clock.
    pub fn remaining(&self, clock_days: u32) -> Distribution {
        let clock = usize::try_from(clock_days).unwrap_or(usize::MAX);
        let clock = clock.min(self.clock_max);
        let Some(yesterday) = clock.checked_sub(1) else {
            return self.fresh.clone();
        };
        let last = GRID_DAYS - 1;
        let done_before = self.fresh.chance_by(yesterday);
        // Steps were still open on the day of the longest clock, so this is not 0.
        let open_before = 1.0 - done_before;
        Distribution::from_chances(|day| {
            let done = self.fresh.chance_by((clock + day).min(last));
            ((done - done_before) / open_before).clamp(0.0, 1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(days: impl IntoIterator<Item = (u32, bool)>) -> DurationCounts {
        let mut counts = DurationCounts::default();
        for (days, is_ended) in days {
            counts.add(days, is_ended);
        }
        counts
    }

    #[test]
    fn without_open_steps_the_estimate_is_the_share() {
        let table = counts((0..100).map(|days| (days, true))).table().unwrap();
        for day in [0, 9, 49, 99] {
            let expected = f64::from(u32::try_from(day).unwrap() + 1) / 100.0;
            assert!((table.fresh().chance_by(day) - expected).abs() < 1e-9);
        }
        assert_eq!(
            (table.ended(), table.days_by(0.5), table.days_by(0.9)),
            (100, Some(49), Some(89))
        );
        // Half of them took 50 days; those that did take up to 49 more.
        let remaining = table.remaining(50);
        assert_eq!(
            (remaining.quantile(0.5), remaining.quantile(0.98)),
            (Some(24), Some(48))
        );
    }

    #[test]
    fn open_steps_count_as_long_as_they_were_seen() {
        // The textbook example: of 40, 10 end on day 5, 10 are last seen on day 6, 10 end on day 7.
        let of = |days, is_ended| std::iter::repeat_n((days, is_ended), 10);
        let seen = of(5, true)
            .chain(of(6, false))
            .chain(of(7, true))
            .chain(of(9, true));
        let table = counts(seen).table().unwrap();
        for (day, expected) in [(4, 0.0), (5, 0.25), (6, 0.25), (7, 0.625), (9, 1.0)] {
            let found = table.fresh().chance_by(day);
            assert!((found - expected).abs() < 1e-9, "{day}: {found}");
        }
    }

    #[test]
    fn few_ended_steps_make_no_table() {
        let few = counts(
            (0..29)
                .map(|days| (days, true))
                .chain([(500, true), (3, false)]),
        );
        assert_eq!((few.ended(), few.table()), (29, None));
    }

    #[test]
    fn beyond_the_clocks_that_count_nothing_changes() {
        let table = counts((0..100).map(|days| (days, true))).table().unwrap();
        assert_eq!(table.remaining(90), table.remaining(1_000));
        assert_ne!(table.remaining(89), table.remaining(90));
    }

    #[test]
    fn counts_are_read_back() {
        let some = counts([(3, true), (3, false), (0, true), (900, true)]);
        assert_eq!(some.to_string(), "0:1:0,3:1:1,365:0:1");
        assert_eq!(some.to_string().parse(), Ok(some));
        assert_eq!("".parse(), Ok(DurationCounts::default()));
        for wrong in ["1", "1:2", "a:1:1", "366:1:1", "1:-1:0"] {
            assert_eq!(wrong.parse::<DurationCounts>(), Err(CountsError), "{wrong}");
        }
    }
}
