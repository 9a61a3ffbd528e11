//! One pass over all chains: it counts durations, and picks the chains to forecast.
//!
//! The caller reads the chains in pages, so memory is bounded: the counts have a fixed size, and of
//! the chains a fixed number is kept. These are the chains with the smallest ids of a kind, so the same
//! chains are followed from week to week.
//!
//! A store that was just filled by an import has no past forecasts, and nobody would know the error of
//! new ones. So the pass can also make forecasts for past days. Such a forecast uses only milestones
//! dated by then, and durations that were known by then. It is marked, because nobody knows on which
//! day a milestone was recorded, and it uses the links of today.

use std::collections::BTreeMap;

use chain::ids::{ChainId, ListingId};

use crate::WINDOW_DAYS;
use crate::counts::Counts;
use crate::day::Day;
use crate::prediction::{predict, predict_simply};
use crate::sale::Sale;
use crate::tables::Tables;
use crate::track::{CALIBRATION_DAYS, Outcome, PastForecast, calibrate};

/// The most chains that get a forecast in one night: about 10,000 a week.
const CHAINS_MAX: usize = 1_430;
/// The most chains that get a forecast for one past day.
const PAST_CHAINS_MAX: usize = 60;
/// The days between two past days.
const PAST_STEP_DAYS: i32 = 28;
/// Each chain gets a forecast once in so many days.
const WEEK_DAYS: i32 = 7;

/// A pass over all chains.
#[derive(Debug)]
pub struct Gathering {
    today: Day,
    /// From the earliest day to today.
    moments: Vec<Moment>,
}

#[derive(Debug)]
struct Moment {
    day: Day,
    counts: Counts,
    chains: BTreeMap<u64, (ChainId, Vec<Sale>)>,
}

/// The result of a pass.
#[derive(Debug)]
pub struct Gathered {
    /// Today's counts.
    pub counts: Counts,
    /// The forecasts to store, from the earliest day to today.
    pub forecasts: Vec<NewForecast>,
}

/// A forecast to store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewForecast {
    /// The chain.
    pub chain: ChainId,
    /// The lowest listing of the chain. Its milestones decide the outcome.
    pub listing: ListingId,
    /// The forecast.
    pub forecast: PastForecast,
}

impl Gathering {
    /// Begins a pass for today, and for past days as well if there are no forecasts yet.
    pub fn new(today: Day, with_past_days: bool) -> Self {
        let first = if with_past_days {
            *CALIBRATION_DAYS.end()
        } else {
            0
        };
        let mut days: Vec<i32> = (1..=first / PAST_STEP_DAYS)
            .map(|step| -step * PAST_STEP_DAYS)
            .collect();
        days.reverse();
        days.push(0);
        let moment = |offset: i32| Moment {
            day: today.plus(offset),
            counts: Counts::default(),
            chains: BTreeMap::new(),
        };
        Self {
            today,
            moments: days.into_iter().map(moment).collect(),
        }
    }

    /// Adds a chain: its sales from bottom to top.
    pub fn add(&mut self, chain: ChainId, sales: &[Sale]) {
        let Some(first) = sales.iter().filter_map(Sale::agreed).min() else {
            return;
        };
        let last = sales.iter().filter_map(Sale::latest).max();
        for moment in &mut self.moments {
            let is_over = last.is_none_or(|last| last < moment.day.plus(-WINDOW_DAYS));
            if first > moment.day || (is_over && moment.day < self.today) {
                continue;
            }
            if moment.day == self.today {
                moment.counts.add(sales, moment.day);
                let is_due = week_day(chain) == moment.day.number().rem_euclid(WEEK_DAYS);
                if is_due && is_under_way(sales) {
                    moment.keep(chain, sales, CHAINS_MAX);
                }
            } else {
                let known: Vec<Sale> = sales.iter().map(|sale| sale.known_on(moment.day)).collect();
                moment.counts.add(&known, moment.day);
                if is_under_way(&known) {
                    moment.keep(chain, sales, PAST_CHAINS_MAX);
                }
            }
        }
    }

    /// Ends the pass. `past` are the stored forecasts that are old enough to learn from.
    pub fn finish(self, past: &[PastForecast]) -> Gathered {
        let mut known = past.to_vec();
        let mut forecasts = Vec::new();
        let mut counts = Counts::default();
        for moment in self.moments {
            let tables = Tables::new(moment.counts);
            let correction = calibrate(&known, moment.day);
            for (chain, sales) in moment.chains.into_values() {
                let as_known: Vec<Sale> = if moment.day < self.today {
                    sales.iter().map(|sale| sale.known_on(moment.day)).collect()
                } else {
                    sales.clone()
                };
                let Ok(spread) = predict(&as_known, &tables, moment.day) else {
                    continue;
                };
                let forecast = PastForecast {
                    made_on: moment.day,
                    spread,
                    correction,
                    simple: predict_simply(&as_known, &tables, moment.day),
                    outcome: outcome(&sales),
                    is_backdated: moment.day < self.today,
                };
                if let Some(lowest) = sales.first() {
                    known.push(forecast);
                    forecasts.push(NewForecast {
                        chain,
                        listing: lowest.listing,
                        forecast,
                    });
                }
            }
            counts = tables.into_counts();
        }
        Gathered { counts, forecasts }
    }
}

impl Moment {
    fn keep(&mut self, chain: ChainId, sales: &[Sale], most: usize) {
        let [_, low] = halves(chain);
        let is_larger = self
            .chains
            .last_key_value()
            .is_some_and(|(last, _)| low > *last);
        if self.chains.len() >= most && is_larger {
            return;
        }
        self.chains.insert(low, (chain, sales.to_vec()));
        if self.chains.len() > most {
            self.chains.pop_last();
        }
    }
}

/// Whether each sale has a buyer, and none fell through or has exchanged.
fn is_under_way(sales: &[Sale]) -> bool {
    let is_open = |sale: &Sale| {
        sale.agreed().is_some() && sale.fell_through().is_none() && !sale.is_exchanged()
    };
    sales.iter().all(is_open)
}

/// The outcome of a chain.
fn outcome(sales: &[Sale]) -> Outcome {
    if let Some(day) = sales.iter().filter_map(Sale::fell_through).min() {
        return Outcome::FellThrough(day);
    }
    let exchanged: Option<Vec<Day>> = sales.iter().map(Sale::exchanged).collect();
    match exchanged.and_then(|days| days.into_iter().max()) {
        Some(day) => Outcome::Exchanged(day),
        None => Outcome::Open,
    }
}

/// The day of the week on which a chain gets its forecast.
fn week_day(chain: ChainId) -> i32 {
    let [high, _] = halves(chain);
    i32::try_from(high % 7).unwrap_or(0)
}

fn halves(chain: ChainId) -> [u64; 2] {
    let (high, low) = chain.0.as_u64_pair();
    [high, low]
}
