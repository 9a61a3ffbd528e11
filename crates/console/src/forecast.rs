//! The box that says when exchange may come.

use chain::milestone::MilestoneType;
use forecast::silence::Silence;
use forecast::{durations, track};
use jiff::civil::Date;

use crate::words::{counted, number};

/// The forecast of a chain's exchange.
#[derive(Debug, Clone)]
pub enum Forecast {
    /// An interval with its record.
    Interval(Interval),
    /// No forecast.
    Silent {
        /// The reason; `None`: exchange is likely more than a year away.
        reason: Option<Silence>,
        /// How long comparable sales usually take for the open steps.
        steps: Vec<StepMedian>,
    },
}

/// Days between which exchange comes in 8 of 10 comparable chains.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    /// 1 in 10 exchanges before this day.
    pub early: Date,
    /// Half exchange by this day.
    pub median: Date,
    /// 9 in 10 exchange by this day; `None` beyond a year.
    pub late: Option<Date>,
    /// The number of ended forecasts at this stage.
    pub past_forecasts: u32,
    /// How many percent of them were inside their interval.
    pub inside_percent: u8,
    /// Of the sales that came as far as the viewer's, one in so many fell through; `None` if unknown.
    pub one_in_fell_through: Option<u32>,
}

/// How long a step usually takes.
#[derive(Debug, Clone, Copy)]
pub struct StepMedian {
    /// The step.
    pub step: &'static MilestoneType,
    /// Half of the comparable sales had done it within so many days.
    pub days: u32,
    /// The number of comparable sales.
    pub sales: u32,
}

/// Why there is no forecast, as a sentence.
pub(crate) fn absence(reason: &Silence) -> String {
    match reason {
        Silence::FewSteps { ended, .. } => format!(
            "Only {} ended the open steps; a forecast needs {}.",
            counted(*ended, "comparable sale"),
            number(durations::ENDED_MIN)
        ),
        Silence::FewForecasts { ended } => format!(
            "Only {} ended so far; {} are needed to know their error.",
            counted(*ended, "forecast"),
            number(track::ENDED_MIN)
        ),
        Silence::ManyMisses { covered_percent } => format!(
            "Only {covered_percent} % of recent forecasts held; {} % are needed.",
            track::COVERED_PERCENT_MIN
        ),
        Silence::FellThrough(_) | Silence::NoBuyer(_) => {
            "A sale of this chain has no buyer.".to_owned()
        }
        Silence::NoDateOfSale(_) => "A sale of this chain has no day of SSTC.".to_owned(),
        Silence::Exchanged => "This chain has exchanged.".to_owned(),
    }
}
