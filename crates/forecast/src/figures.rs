//! The published error of past forecasts, by how far ahead they looked.

use crate::prediction::{Correction, SHARES_PERCENT, Spread};
use crate::silence::Silence;
use crate::track::{Outcome, PastForecast, judge, percent_of};

/// The days ahead of a forecast's median: the first and the last day of each horizon.
pub const HORIZONS: [(u32, Option<u32>); 4] =
    [(0, Some(30)), (31, Some(60)), (61, Some(120)), (121, None)];

/// The error of forecasts, ready for a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// One row for each horizon, and one for all forecasts.
    pub rows: Vec<FiguresRow>,
    /// For each chance of a spread, how often it came true.
    pub reliability: Vec<Reliability>,
    /// How many forecasts have ended with an exchange.
    pub ended: u32,
    /// How many ended because the sale fell through.
    pub fell_through: u32,
    /// How many of both were made afterwards, for past days.
    pub backdated: u32,
    /// Why no forecasts are shown now, if so.
    pub silence: Option<Silence>,
}

/// One point of the curve that shows whether chances are true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reliability {
    /// So many in 100 were forecast to exchange by a day.
    pub forecast_percent: u32,
    /// So many in 100 did.
    pub exchanged_percent: u32,
}

/// The error of the forecasts of one horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FiguresRow {
    /// The days ahead, first and last; `None` for all forecasts.
    pub horizon: Option<(u32, Option<u32>)>,
    /// How many ended.
    pub number: u32,
    /// How many in 100 ended within the 50 % interval.
    pub covered_half_percent: u32,
    /// How many in 100 ended within the 80 % interval.
    pub covered_most_percent: u32,
    /// The error of the medians.
    pub error: MedianError,
    /// The same for the simple prediction, over the forecasts that have one.
    pub simple: Option<SimpleFigures>,
}

/// The error of the simple prediction: chains of the same length that took as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimpleFigures {
    /// How many of the forecasts have one.
    pub number: u32,
    /// How many in 100 ended within its 50 % interval.
    pub covered_half_percent: u32,
    /// How many in 100 ended within its 80 % interval.
    pub covered_most_percent: u32,
    /// The error of its medians.
    pub error: MedianError,
}

/// How far medians were from the day of exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MedianError {
    /// Half of the forecasts were at most so many days wrong.
    pub median_days: u32,
    /// The mean of the days by which exchange came later than forecast; negative if it came earlier.
    pub bias_days: i32,
}

/// Sums up the error of past forecasts.
pub fn sum_up(past: &[PastForecast]) -> Figures {
    let ended: Vec<&PastForecast> = past
        .iter()
        .filter(|one| one.actual_days().is_some())
        .collect();
    let of_horizon = |horizon: (u32, Option<u32>)| {
        let chosen: Vec<_> = ended
            .iter()
            .copied()
            .filter(|one| is_within(one, horizon))
            .collect();
        row(Some(horizon), &chosen)
    };
    let mut rows: Vec<_> = HORIZONS.into_iter().map(of_horizon).collect();
    rows.push(row(None, &ended));
    let count = |is_one: fn(&&PastForecast) -> bool| {
        u32::try_from(past.iter().filter(is_one).count()).unwrap_or(u32::MAX)
    };
    Figures {
        rows,
        reliability: reliability(&ended),
        ended: count(|one| matches!(one.outcome, Outcome::Exchanged(_))),
        fell_through: count(|one| matches!(one.outcome, Outcome::FellThrough(_))),
        backdated: count(|one| one.is_backdated && one.outcome != Outcome::Open),
        silence: judge(past).err(),
    }
}

fn reliability(ended: &[&PastForecast]) -> Vec<Reliability> {
    let point = |(place, forecast_percent): (usize, u32)| {
        let by = ended
            .iter()
            .filter_map(|one| Some(one.actual_days()? <= one.shown().0[place]));
        Reliability {
            forecast_percent,
            exchanged_percent: percent_of(by),
        }
    };
    SHARES_PERCENT.into_iter().enumerate().map(point).collect()
}

fn is_within(forecast: &PastForecast, (first, last): (u32, Option<u32>)) -> bool {
    let ahead = forecast.shown().0[2];
    first <= ahead && last.is_none_or(|last| ahead <= last)
}

fn row(horizon: Option<(u32, Option<u32>)>, ended: &[&PastForecast]) -> FiguresRow {
    let covered = |which: usize| {
        percent_of(
            ended
                .iter()
                .filter_map(|one| Some(one.is_covered()?[which])),
        )
    };
    let pairs = ended
        .iter()
        .filter_map(|one| Some((one.shown(), one.actual_days()?)));
    FiguresRow {
        horizon,
        number: u32::try_from(ended.len()).unwrap_or(u32::MAX),
        covered_half_percent: covered(0),
        covered_most_percent: covered(1),
        error: median_error(&pairs.collect::<Vec<_>>()),
        simple: simple(ended),
    }
}

fn simple(ended: &[&PastForecast]) -> Option<SimpleFigures> {
    let as_simple = |one: &&PastForecast| {
        Some(PastForecast {
            spread: one.simple?,
            correction: Correction::default(),
            simple: None,
            ..**one
        })
    };
    let ended: Vec<PastForecast> = ended.iter().filter_map(as_simple).collect();
    if ended.is_empty() {
        return None;
    }
    let row = row(None, &ended.iter().collect::<Vec<_>>());
    Some(SimpleFigures {
        number: row.number,
        covered_half_percent: row.covered_half_percent,
        covered_most_percent: row.covered_most_percent,
        error: row.error,
    })
}

fn median_error(pairs: &[(Spread, u32)]) -> MedianError {
    let signed = |days: u32| i32::try_from(days).unwrap_or(i32::MAX);
    let late = |(spread, actual): &(Spread, u32)| signed(*actual) - signed(spread.0[2]);
    let late: Vec<i32> = pairs.iter().map(late).collect();
    let mut errors: Vec<u32> = late.iter().map(|days| days.unsigned_abs()).collect();
    errors.sort_unstable();
    let count = i64::try_from(late.len()).unwrap_or(i64::MAX).max(1);
    let sum: i64 = late.iter().map(|days| i64::from(*days)).sum();
    MedianError {
        median_days: errors.get(errors.len() / 2).copied().unwrap_or_default(),
        bias_days: i32::try_from(sum / count).unwrap_or_default(),
    }
}
