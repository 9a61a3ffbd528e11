//! A node's knowledge of past sales, and its assessments of chains.
//!
//! The tables come from the daily pass ([`pass`]). A node makes them once for each pass, and keeps the
//! assessments of chains by version and day.

pub mod pass;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use chain::ids::ChainId;
use forecast::bottleneck::{Bottleneck, find_bottleneck};
use forecast::day::Day;
use forecast::figures::{Figures, sum_up};
use forecast::outlook::list_open_steps;
use forecast::prediction::{Correction, Spread, predict};
use forecast::sale::Sale;
use forecast::silence::Silence;
use forecast::tables::Tables;
use forecast::track::{CALIBRATION_DAYS, calibrate, judge};
use jiff::civil::Date;
use quick_cache::sync::Cache;
use storage::forecasts::ChainSales;
use storage::{Read, StorageError, chains, forecasts};

use crate::limits;

/// The tables of a node, and its assessments of chains.
pub struct Forecasts {
    learned: Mutex<Option<Arc<Learned>>>,
    assessments: Cache<AssessmentKey, Arc<Assessment>>,
}

/// Everything that the last pass found out.
#[derive(Debug)]
pub struct Learned {
    /// The number of the pass.
    pub revision: i64,
    /// The day for which the tables were made; `None` before the first pass.
    pub made_on: Option<Date>,
    /// The tables of durations.
    pub tables: Tables,
    /// How forecasts are corrected before anybody sees them.
    pub correction: Correction,
    /// The error of past forecasts, as a page shows it.
    pub figures: Figures,
    /// Why no forecast is shown, if so.
    pub silence: Option<Silence>,
}

/// The bottleneck and the forecast of a chain on a day.
#[derive(Debug)]
pub struct Assessment {
    /// The sales of the chain, in no special order.
    pub sales: Vec<Sale>,
    /// The sale that holds it up.
    pub bottleneck: Result<Bottleneck, Silence>,
    /// The days until exchange, not corrected yet. Show it only if [`Learned::silence`] is `None`.
    pub spread: Result<Spread, Silence>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct AssessmentKey {
    chain: ChainId,
    version: i64,
    day: Day,
    revision: i64,
}

impl Default for Forecasts {
    fn default() -> Self {
        Self {
            learned: Mutex::default(),
            assessments: Cache::new(limits::ASSESSMENTS_CACHED_MAX),
        }
    }
}

impl fmt::Debug for Forecasts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forecasts").finish_non_exhaustive()
    }
}

impl Forecasts {
    /// The knowledge of the last pass. Only the first call after a pass reads more than one row.
    pub fn learned(&self, read: &mut Read<'_>) -> Result<Arc<Learned>, StorageError> {
        let pass = forecasts::find_pass(read)?;
        let known = self
            .learned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some(known) = known.filter(|known| known.revision == pass.revision) {
            return Ok(known);
        }
        let learned = Arc::new(learn(read, &pass)?);
        let mut kept = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::clone(&learned));
        Ok(learned)
    }

    /// Assesses a chain, or finds the assessment of the same version and day again.
    pub fn assess(
        &self,
        read: &mut Read<'_>,
        learned: &Learned,
        chain: ChainId,
        today: Day,
    ) -> Result<Arc<Assessment>, StorageError> {
        let version = chains::find_version(read, chain)?.unwrap_or_default();
        let key = AssessmentKey::new(chain, version, learned, today);
        if let Some(known) = self.assessments.get(&key) {
            return Ok(known);
        }
        let sales = forecasts::list_sales_of_chain(read, chain)?;
        Ok(self.keep(key, Assessment::new(sales, &learned.tables, today)))
    }

    /// Finds the assessment of this version and day, if this node has made it.
    pub fn find_assessed(
        &self,
        learned: &Learned,
        chain: ChainId,
        version: i64,
        today: Day,
    ) -> Option<Arc<Assessment>> {
        let key = AssessmentKey::new(chain, version, learned, today);
        self.assessments.get(&key)
    }

    /// Assesses a chain of this version with sales that are loaded already.
    pub fn assess_sales(
        &self,
        learned: &Learned,
        chain: &ChainSales,
        version: i64,
        today: Day,
    ) -> Arc<Assessment> {
        let key = AssessmentKey::new(chain.chain, version, learned, today);
        let known = self.assessments.get(&key);
        known.unwrap_or_else(|| {
            let made = Assessment::new(chain.sales.clone(), &learned.tables, today);
            self.keep(key, made)
        })
    }

    fn keep(&self, key: AssessmentKey, made: Assessment) -> Arc<Assessment> {
        let made = Arc::new(made);
        self.assessments.insert(key, Arc::clone(&made));
        made
    }
}

impl AssessmentKey {
    fn new(chain: ChainId, version: i64, learned: &Learned, day: Day) -> Self {
        Self {
            chain,
            version,
            day,
            revision: learned.revision,
        }
    }
}

impl Assessment {
    fn new(sales: Vec<Sale>, tables: &Tables, today: Day) -> Self {
        Self {
            bottleneck: find_bottleneck(&sales, tables, today),
            spread: predict(&sales, tables, today),
            sales,
        }
    }

    /// The open steps of all sales, with their listings, in the order of `listings`.
    pub fn list_open_steps(
        &self,
        listings: &[chain::ids::ListingId],
    ) -> Vec<(&Sale, forecast::outlook::OpenStep)> {
        let ordered = listings.iter();
        let sales = ordered.filter_map(|id| self.sales.iter().find(|sale| sale.listing == *id));
        let steps = sales.flat_map(|sale| {
            list_open_steps(sale)
                .into_iter()
                .map(move |step| (sale, step))
        });
        steps.collect()
    }
}

fn learn(read: &mut Read<'_>, pass: &forecasts::Pass) -> Result<Learned, StorageError> {
    let tables = Tables::new(forecasts::list_counts(read)?);
    let Some(made_on) = pass.made_on else {
        return Ok(Learned {
            revision: pass.revision,
            made_on: None,
            tables,
            correction: Correction::default(),
            figures: sum_up(&[]),
            silence: judge(&[]).err(),
        });
    };
    let today = Day::from(made_on);
    let since = today.plus(-limits::FORECAST_RETENTION_DAYS).date();
    let limit = limits::FORECASTS_READ_MAX;
    let ended = forecasts::list_ended_forecasts(read, since, limit)?;
    Ok(Learned {
        revision: pass.revision,
        made_on: Some(made_on),
        tables,
        correction: calibrate(&list_old(read, today)?, today),
        silence: judge(&ended).err(),
        figures: sum_up(&ended),
    })
}

/// Forecasts that are old enough to learn from.
fn list_old(
    read: &mut Read<'_>,
    today: Day,
) -> Result<Vec<forecast::track::PastForecast>, StorageError> {
    let (youngest, oldest) = (*CALIBRATION_DAYS.start(), *CALIBRATION_DAYS.end());
    let (from, to) = (today.plus(-oldest).date(), today.plus(-youngest).date());
    forecasts::list_forecasts_made(read, from, to, limits::FORECASTS_READ_MAX)
}
