//! The box that says when exchange may come.

use chain::milestone::MilestoneType;
use jiff::civil::Date;

use crate::words::{counted, number};

/// The forecast of a chain's exchange.
#[derive(Debug, Clone)]
pub enum Forecast {
    /// An interval with its record.
    Interval(Interval),
    /// No forecast.
    Silent {
        /// The reason.
        reason: Silence,
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

/// Why there is no forecast.
#[derive(Debug, Clone, Copy)]
pub enum Silence {
    /// Too few comparable sales have ended the open steps.
    TooFewSales {
        /// The number of sales.
        sales: u32,
        /// The number that the rule demands.
        needed: u32,
    },
    /// Too few forecasts have ended.
    TooFewForecasts {
        /// The number of forecasts.
        forecasts: u32,
        /// The number that the rule demands.
        needed: u32,
    },
    /// Recent forecasts were wrong too often.
    TooOftenWrong {
        /// How many percent of recent forecasts were inside their interval.
        inside_percent: u8,
        /// The percentage that the rule demands.
        needed_percent: u8,
    },
    /// A sale fell through or has no buyer.
    Broken,
    /// Nobody recorded the day of SSTC in a sale under way.
    NoDateOfSale,
    /// Exchange is likely more than a year away.
    BeyondYear,
    /// The chain has exchanged.
    Exchanged,
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

impl Silence {
    /// The reason, as a sentence.
    pub(crate) fn words(self) -> String {
        match self {
            Self::TooFewSales { sales, needed } => format!(
                "Only {} ended the open steps; a forecast needs {}.",
                counted(sales, "comparable sale"),
                number(needed)
            ),
            Self::TooFewForecasts { forecasts, needed } => format!(
                "Only {} ended so far; {} are needed to know their error.",
                counted(forecasts, "forecast"),
                number(needed)
            ),
            Self::TooOftenWrong {
                inside_percent,
                needed_percent,
            } => format!(
                "Only {inside_percent} % of recent forecasts held; {needed_percent} % are needed."
            ),
            Self::Broken => "A sale of this chain has no buyer.".to_owned(),
            Self::NoDateOfSale => "A sale of this chain has no day of SSTC.".to_owned(),
            Self::BeyondYear => "Half of comparable chains take more than another year.".to_owned(),
            Self::Exchanged => "This chain has exchanged.".to_owned(),
        }
    }
}
