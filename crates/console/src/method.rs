//! How the console decides: `/method`, public.

use askama::Template;
use chain::milestone::MilestoneType;
use forecast::chase::Party;
use forecast::silence::Silence;
use jiff::civil::Date;

use crate::frame::{Frame, Section};
use crate::words::counted;

/// The rules in words, with today's numbers.
#[derive(Debug, Clone, Template)]
#[template(path = "method.html", whitespace = "minimize")]
pub struct MethodPage {
    /// The frame; a viewer is optional.
    pub frame: Frame,
    /// The day of the numbers.
    pub as_of: Date,
    /// The steps and their clocks, in the order of the catalogue.
    pub steps: Vec<StepRule>,
    /// The record of the forecasts.
    pub record: Record,
}

/// The rule of one step.
#[derive(Debug, Clone)]
pub struct StepRule {
    /// The step.
    pub step: &'static MilestoneType,
    /// Whom to ring.
    pub contacts: &'static [Party],
    /// How long the step takes; `None`: too few sales.
    pub days: Option<StepDays>,
}

/// How long a step takes. `None` stands for more than a year.
#[derive(Debug, Clone, Copy)]
pub struct StepDays {
    /// The number of sales.
    pub sales: u32,
    /// Half had done it within so many days.
    pub median: Option<u32>,
    /// Three of four had done it: "look".
    pub look: Option<u32>,
    /// Nine of ten had done it: "chase".
    pub chase: Option<u32>,
}

/// The record of ended forecasts.
#[derive(Debug, Clone)]
pub struct Record {
    /// The rows by horizon, the nearest first.
    pub horizons: Vec<Horizon>,
    /// The reliability curve.
    pub reliability: Vec<Point>,
    /// Why forecasts are silent now, if they are.
    pub silence: Option<Silence>,
}

/// Forecasts made a similar time ahead.
#[derive(Debug, Clone, Copy)]
pub struct Horizon {
    /// The forecast exchange lay at least so many days ahead.
    pub from_days: u32,
    /// And at most so many; `None`: without a bound.
    pub to_days: Option<u32>,
    /// The number of ended forecasts.
    pub forecasts: u32,
    /// How many percent were inside the interval of 50 percent.
    pub inside_50_percent: u8,
    /// How many percent were inside the interval of 80 percent.
    pub inside_80_percent: u8,
    /// Half missed by at most so many days.
    pub median_error_days: u32,
    /// On average exchange came so many days later than the median; negative: sooner.
    pub bias_days: i32,
    /// The median error of the simple method in days: by length and days elapsed. `None`: it had too
    /// few finished chains.
    pub baseline_error_days: Option<u32>,
}

/// A point of the reliability curve.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// The forecast said that so many percent exchange by a day.
    pub said_percent: u8,
    /// So many percent did.
    pub came_percent: u8,
    /// The number of ended forecasts.
    pub forecasts: u32,
}

/// The drawing of the reliability curve: its lower left corner, and units for one percent.
const ORIGIN: (f32, f32) = (20.0, 200.0);
const UNIT: f32 = 1.96;

impl StepDays {
    /// A number of days in words.
    fn words(days: Option<u32>) -> String {
        days.map_or_else(|| "over a year".to_owned(), |days| counted(days, "day"))
    }
}

impl Record {
    /// The points of the reliability curve as SVG writes them.
    fn curve(&self) -> String {
        let points = self.reliability.iter();
        let points = points.map(|point| format!("{},{}", point.x(), point.y()));
        points.collect::<Vec<_>>().join(" ")
    }
}

impl Point {
    fn x(self) -> f32 {
        (ORIGIN.0 + UNIT * f32::from(self.said_percent)).round()
    }

    fn y(self) -> f32 {
        (ORIGIN.1 - UNIT * f32::from(self.came_percent)).round()
    }
}

impl Horizon {
    /// The mean error in words.
    fn bias(&self) -> String {
        let days = counted(self.bias_days.unsigned_abs(), "day");
        match self.bias_days.signum() {
            0 => "on the day".to_owned(),
            1 => format!("{days} later"),
            _earlier => format!("{days} earlier"),
        }
    }

    fn words(&self) -> String {
        match self.to_days {
            Some(to) => format!("{} to {to}", self.from_days),
            None => format!("{} and more", self.from_days),
        }
    }
}
