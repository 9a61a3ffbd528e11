//! Past forecasts: how their errors correct new ones, and whether new ones are shown.

use crate::day::Day;
use crate::prediction::{BEYOND, Correction, Interval, SHARES, SHARES_PERCENT, Spread};
use crate::silence::Silence;

/// Fewer ended forecasts say nothing about their error.
pub const ENDED_MIN: u32 = 100;
/// The coverage of so many last forecasts counts.
const RECENT: usize = 200;
/// A correction is at least and at most so many percent. Beyond that the tables are wrong, not the scale.
const PERCENT_MIN: u32 = 50;
const PERCENT_MAX: u32 = 200;
/// Their 80 % interval must cover so many in 100.
pub const COVERED_PERCENT_MIN: u32 = 72;
/// Forecasts are corrected by the errors of forecasts of this age, in days: 6 to 18 months. They are old
/// enough that nearly all have ended.
pub const CALIBRATION_DAYS: std::ops::RangeInclusive<i32> = 183..=548;

/// A forecast as it was made, and its outcome. It is never made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastForecast {
    /// The day on which it was made.
    pub made_on: Day,
    /// The spread before it was corrected.
    pub spread: Spread,
    /// How it was corrected.
    pub correction: Correction,
    /// The simple prediction of the same day, if there was one.
    pub simple: Option<Spread>,
    /// The outcome of the chain.
    pub outcome: Outcome,
    /// Whether it was made afterwards, for a past day, from the dates of milestones.
    pub is_backdated: bool,
}

/// The outcome of a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The sale is under way.
    Open,
    /// The contracts were exchanged.
    Exchanged(Day),
    /// The sale fell through. It says nothing about the error.
    FellThrough(Day),
}

impl PastForecast {
    /// The spread that people saw.
    pub fn shown(&self) -> Spread {
        self.spread.corrected(self.correction)
    }

    /// The days from the forecast to exchange.
    pub fn actual_days(&self) -> Option<u32> {
        match self.outcome {
            Outcome::Exchanged(day) => Some(day.days_since(self.made_on)),
            Outcome::Open | Outcome::FellThrough(_) => None,
        }
    }

    /// Whether exchange came within the 50 % and the 80 % interval that were shown.
    pub fn is_covered(&self) -> Option<[bool; 2]> {
        let actual = self.actual_days()?;
        let shown = self.shown();
        Some([shown.half().holds(actual), shown.most().holds(actual)])
    }
}

impl Interval {
    /// Whether a day lies within.
    pub fn holds(&self, day: u32) -> bool {
        self.from <= day && self.to.is_none_or(|to| day <= to)
    }
}

/// How to correct a forecast made today: split conformal prediction, one-sided for each share, by the
/// errors of older forecasts. One that is still open took at least the days that have passed. An outcome
/// after today counts as open, so that a forecast for a past day uses nothing that came later.
pub fn calibrate(past: &[PastForecast], today: Day) -> Correction {
    let is_old =
        |one: &&PastForecast| CALIBRATION_DAYS.contains(&(today.number() - one.made_on.number()));
    let seen = past.iter().filter(is_old).filter_map(|one| {
        let days = match one.outcome {
            Outcome::Exchanged(day) if day <= today => day.days_since(one.made_on),
            Outcome::FellThrough(day) if day <= today => return None,
            Outcome::Open | Outcome::Exchanged(_) | Outcome::FellThrough(_) => {
                today.days_since(one.made_on)
            }
        };
        Some((one.spread, days))
    });
    let seen: Vec<(Spread, u32)> = seen.collect();
    if seen.len() < ENDED_MIN as usize {
        return Correction::default();
    }
    Correction(std::array::from_fn(|place| correct(&seen, place)))
}

/// The smallest percentage with which so many in 100 of these forecasts are not too early.
fn correct(seen: &[(Spread, u32)], place: usize) -> u32 {
    let needed = seen.iter().map(|(spread, days)| match spread.0[place] {
        BEYOND.. => 0,
        predicted => (days * 100).div_ceil(predicted.max(1)),
    });
    let mut needed: Vec<u32> = needed.collect();
    needed.sort_unstable();
    // The forecast of today is one more case, and nobody knows its rank. So an early day has at most its
    // share of cases before it, and a late day at least.
    let rank = (needed.len() + 1) * SHARES_PERCENT[place] as usize;
    let rank = if place < SHARES.len() / 2 {
        rank / 100
    } else {
        rank.div_ceil(100)
    };
    let found = needed.get(rank.saturating_sub(1)).copied();
    found.map_or(100, |percent| percent.clamp(PERCENT_MIN, PERCENT_MAX))
}

/// Whether forecasts may be shown: their error must be known, and small enough.
pub fn judge(past: &[PastForecast]) -> Result<(), Silence> {
    let mut ended: Vec<(Day, bool)> = past
        .iter()
        .filter_map(|one| match one.outcome {
            Outcome::Exchanged(day) => Some((day, one.is_covered()?[1])),
            Outcome::Open | Outcome::FellThrough(_) => None,
        })
        .collect();
    let count = u32::try_from(ended.len()).unwrap_or(u32::MAX);
    if count < ENDED_MIN {
        return Err(Silence::FewForecasts { ended: count });
    }
    ended.sort_unstable();
    let recent = &ended[ended.len().saturating_sub(RECENT)..];
    let covered_percent = percent_of(recent.iter().map(|(_, is_covered)| *is_covered));
    if covered_percent < COVERED_PERCENT_MIN {
        return Err(Silence::ManyMisses { covered_percent });
    }
    Ok(())
}

/// How many in 100 are true, rounded down; 0 of none.
pub(crate) fn percent_of(all: impl Iterator<Item = bool>) -> u32 {
    let [mut count, mut found] = [0_u32; 2];
    for is_found in all {
        count += 1;
        found += u32::from(is_found);
    }
    found * 100 / count.max(1)
}
