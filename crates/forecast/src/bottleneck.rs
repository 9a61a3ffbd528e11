//! The sale that holds up its chain, and the step in it (R4, R5).

use chain::ids::ListingId;

use crate::counts::Stratum;
use crate::day::Day;
use crate::distribution::{Distribution, GRID_DAYS};
use crate::outlook::{OpenStep, SaleOutlook, list_outlooks};
use crate::prediction::BEYOND;
use crate::sale::{Sale, agreed_exchange};
use crate::silence::Silence;
use crate::tables::Tables;

/// Below this margin two sales hold up the chain together, in days.
pub const SHARED_BELOW_DAYS: u32 = 3;

/// The state of a chain with a buyer for each sale.
#[derive(Debug, Clone, PartialEq)]
pub enum Bottleneck {
    /// A sale holds up the chain.
    Held(Held),
    /// All sales are ready (R5): the chain waits for a date.
    Ready {
        /// The date of exchange that all sales propose, if they propose the same.
        proposed: Option<Day>,
    },
}

/// A sale that holds up its chain, and the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// The sale that is ready last most often.
    pub holder: Holder,
    /// The sale that is ready last second most often. `None`: no other sale is open.
    pub runner_up: Option<Holder>,
    /// How many days later than the runner-up the holder is ready, by the medians of both.
    pub margin_days: u32,
}

/// A sale with open steps, and the step that is done last most often.
#[derive(Debug, Clone, PartialEq)]
pub struct Holder {
    /// The listing.
    pub listing: ListingId,
    /// The step, with its clock.
    pub open: OpenStep,
    /// How often in 1 the sale is the last one. Days on which several are last count for each.
    pub last_share: f64,
    /// Half of the comparable sales are ready within so many days; `None` beyond a year.
    pub ready_days: Option<u32>,
    /// The durations of the step in comparable sales.
    pub comparison: Comparison,
}

/// The durations of a step in comparable sales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The sales.
    pub stratum: Stratum,
    /// How many of them ended the step.
    pub ended: u32,
    /// Half of them did so within so many days; `None` beyond a year.
    pub half_days: Option<u32>,
    /// Nine in ten of them did so within so many days; `None` beyond a year.
    pub most_days: Option<u32>,
}

impl Held {
    /// Whether the runner-up holds up the chain nearly as much.
    pub fn is_shared(&self) -> bool {
        self.runner_up.is_some() && self.margin_days < SHARED_BELOW_DAYS
    }
}

/// Finds the sale that holds up a chain.
pub fn find_bottleneck(sales: &[Sale], tables: &Tables, today: Day) -> Result<Bottleneck, Silence> {
    let outlooks = list_outlooks(sales, tables, today)?;
    let open: Vec<&SaleOutlook> = outlooks.iter().filter(|sale| !sale.is_ready()).collect();
    let remaining: Vec<&Distribution> = open.iter().map(|sale| &sale.remaining).collect();
    let mut ranked: Vec<(f64, &SaleOutlook)> =
        last_shares(&remaining).into_iter().zip(open).collect();
    // The sort is stable: of equals, the lowest in the chain comes first.
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut holders = ranked
        .into_iter()
        .map(|(share, sale)| hold(sale, share, tables, today));
    let Some(holder) = holders.next().transpose()? else {
        return Ok(Bottleneck::Ready {
            proposed: agreed_exchange(sales),
        });
    };
    let runner_up = holders.next().transpose()?;
    let days = |holder: &Holder| holder.ready_days.unwrap_or(BEYOND);
    let margin = |runner_up| days(&holder).saturating_sub(days(runner_up));
    Ok(Bottleneck::Held(Held {
        margin_days: runner_up.as_ref().map_or(0, margin),
        holder,
        runner_up,
    }))
}

/// Compares a step with the same step in comparable sales.
pub fn compare(open: &OpenStep, stratum: Stratum, tables: &Tables) -> Result<Comparison, Silence> {
    let table = tables.comparable(stratum).step(open.step)?;
    let own = tables.counts().steps(open.step, stratum);
    let is_own = own.is_some_and(|counts| counts.table().is_some());
    Ok(Comparison {
        stratum: if is_own { stratum } else { Stratum::All },
        ended: table.ended(),
        half_days: table.days_by(0.5),
        most_days: table.days_by(0.9),
    })
}

fn hold(
    sale: &SaleOutlook,
    last_share: f64,
    tables: &Tables,
    today: Day,
) -> Result<Holder, Silence> {
    let remaining: Vec<&Distribution> = sale.paths.iter().map(|path| &path.remaining).collect();
    let shares = last_shares(&remaining);
    let paths = sale.paths.iter().zip(shares);
    // Of equals, the first path and the first step count.
    let slowest = paths.rev().max_by(|one, other| one.1.total_cmp(&other.1));
    let steps = slowest.map_or(&[][..], |(path, _)| &path.steps);
    let comparable = tables.comparable(sale.stratum);
    let median = |open: &OpenStep| {
        let clock = open.clock_days(today).unwrap_or(0);
        let table = comparable.step(open.step).ok();
        table.map_or(0, |table| {
            table.remaining(clock).quantile(0.5).unwrap_or(BEYOND)
        })
    };
    let open = steps.iter().rev().max_by_key(|open| median(open)).copied();
    // An open sale has an open path, and an open path has an open step.
    let open = open.ok_or(Silence::NoDateOfSale(sale.listing))?;
    Ok(Holder {
        listing: sale.listing,
        open,
        last_share,
        ready_days: sale.remaining.quantile(0.5),
        comparison: compare(&open, sale.stratum, tables)?,
    })
}

/// How often each of these is done last: on each day the chance of being done then, times the chance
/// that all others are done by then.
fn last_shares(all: &[&Distribution]) -> Vec<f64> {
    let last_share = |own: usize| {
        let shares = all[own].shares();
        let others = all.iter().enumerate().filter(|(other, _)| *other != own);
        let by = |day: usize| {
            let others = others.clone().map(|(_, other)| other.chance_by(day));
            shares.of(day) * others.product::<f64>()
        };
        (0..=GRID_DAYS).map(by).sum()
    };
    (0..all.len()).map(last_share).collect()
}
