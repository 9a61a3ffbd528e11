//! The day on which a chain is likely to exchange, with intervals.
//!
//! A chain is ready when all its sales are, and none depends on another. Then follow the days from the
//! last ready sale to the exchange of the chain. Recording a completed milestone never makes the day
//! later: [`crate::outlook`] says why for a sale. The step to exchange goes by the clock of the chain,
//! which begins with its last SSTC, for the same reason. A chain that is not ready is nowhere nearer to
//! its exchange than a ready one of the same age.

use crate::counts::Stratum;
use crate::day::Day;
use crate::distribution::{Distribution, GRID_DAYS};
use crate::outlook::{SaleOutlook, list_outlooks};
use crate::sale::{Sale, agreed_exchange};
use crate::silence::Silence;
use crate::step::Step;
use crate::tables::Tables;

/// The chances by which a prediction is kept: the ends of the 80 % and 50 % intervals, and the median.
pub const SHARES: [f64; 5] = [0.1, 0.25, 0.5, 0.75, 0.9];

/// The same chances in 100.
pub const SHARES_PERCENT: [u32; SHARES.len()] = [10, 25, 50, 75, 90];

/// This day of a spread stands for all days beyond the grid.
pub const BEYOND: u32 = 365;

/// The days from a prediction to exchange, by which 10, 25, 50, 75 and 90 in 100 such chains exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread(pub [u32; SHARES.len()]);

/// How the days of a spread change, because past forecasts were too early or too late. Each of
/// [`SHARES`] has its own percentage, so a bias goes away and not only a wrong width.
///
/// The percentages are the same for all chains. So the correction keeps an order: if one spread is
/// nowhere later than another before it, it is nowhere later after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Correction(pub [u32; SHARES.len()]);

/// The first and the last day of an interval, counted from the day of the prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The first day.
    pub from: u32,
    /// The last day; `None` beyond a year.
    pub to: Option<u32>,
}

/// Predicts the exchange of a chain. The spread is not corrected yet.
pub fn predict(sales: &[Sale], tables: &Tables, today: Day) -> Result<Spread, Silence> {
    Ok(Spread::of(&exchange(sales, tables, today)?))
}

/// The simple prediction with which ours is compared: chains of this length that took as long.
/// `None` for too few finished chains.
pub fn predict_simply(sales: &[Sale], tables: &Tables, today: Day) -> Option<Spread> {
    let agreed = sales.iter().filter_map(Sale::agreed).max()?;
    let table = tables.counts().chains(sales.len())?.table()?;
    Some(Spread::of(&table.remaining(today.days_since(agreed))))
}

/// The days until the chain exchanges.
pub(crate) fn exchange(
    sales: &[Sale],
    tables: &Tables,
    today: Day,
) -> Result<Distribution, Silence> {
    let outlooks = list_outlooks(sales, tables, today)?;
    let ready = Distribution::done();
    let ready = outlooks
        .iter()
        .fold(ready, |ready, sale| ready.and(&sale.ready));
    let fresh = tables
        .comparable(Stratum::All)
        .step(Step::Exchange)?
        .fresh();
    if let Some(proposed) = agreed_exchange(sales).filter(|proposed| *proposed >= today) {
        return Ok(ready.and(&fresh.around(proposed.days_since(today))));
    }
    let agreed = sales.iter().filter_map(Sale::agreed).max();
    let clock = agreed.map_or(0, |agreed| today.days_since(agreed));
    let of_ready_chains = tables.chain()?.remaining(1, clock, |_step| true);
    if outlooks.iter().all(SaleOutlook::is_ready) {
        return Ok(of_ready_chains);
    }
    let mut exchange = ready.then(&fresh.shares());
    exchange.delay_to(&of_ready_chains);
    Ok(exchange)
}

impl Default for Correction {
    /// Changes nothing.
    fn default() -> Self {
        Self([100; SHARES.len()])
    }
}

impl Spread {
    fn of(exchange: &Distribution) -> Self {
        Self(SHARES.map(|share| exchange.quantile(share).unwrap_or(BEYOND)))
    }

    /// The spread as people see it. Days that cross each other change places.
    #[must_use]
    pub fn corrected(&self, correction: Correction) -> Self {
        let mut days = self.0;
        for (days, percent) in days.iter_mut().zip(correction.0) {
            if *days < BEYOND {
                *days = (*days * percent / 100).min(BEYOND);
            }
        }
        days.sort_unstable();
        Self(days)
    }

    /// The median; `None` beyond a year.
    pub fn median(&self) -> Option<u32> {
        Some(self.0[2]).filter(|days| *days < BEYOND)
    }

    /// The interval in which every second chain should exchange.
    pub fn half(&self) -> Interval {
        self.interval(1, 3)
    }

    /// The interval in which eight in ten chains should exchange.
    pub fn most(&self) -> Interval {
        self.interval(0, 4)
    }

    fn interval(&self, low: usize, high: usize) -> Interval {
        Interval {
            from: self.0[low],
            to: Some(self.0[high]).filter(|to| *to < BEYOND),
        }
    }
}

const _: () = assert!(
    GRID_DAYS == BEYOND as usize,
    "the grid ends where a spread does"
);
