//! The open steps of a sale, and the days until the sale is ready to exchange (R2, R3).
//!
//! Two questions need two answers. *Which step holds the sale up* depends on the clock of each open
//! step: the days since the date of the step before (R3). *When will the sale be ready* must never
//! become later because somebody records a completed milestone, so it depends on the clock of the sale
//! and on the steps that are done: see `landmarks.rs`. Two more places keep that promise:
//!
//! - A cash buyer makes another stratum comparable, which may be slower by chance. A sale without a
//!   recorded cash buyer is nowhere earlier ready than the same sale with one.
//! - An expected date in the future replaces the days of its step, also before the step began.

use chain::ids::ListingId;
use chain::milestone::{CATALOGUE, MilestoneType};

use crate::counts::Stratum;
use crate::day::Day;
use crate::distribution::Distribution;
use crate::path::{Done, Path};
use crate::sale::{Mark, Sale};
use crate::silence::Silence;
use crate::step::{SSTC, Step};
use crate::tables::{Comparable, Tables};

/// A step at the front of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenStep {
    /// The step.
    pub step: Step,
    /// The date of the step before, where one is recorded: its clock runs since then.
    pub since: Option<Day>,
    /// The expected date, if one is recorded.
    pub expected: Option<Day>,
}

/// The days that remain of one path, or of one step with an expected date.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenPath {
    /// The open steps at its front, at least one.
    pub steps: Vec<OpenStep>,
    /// The days until it is done, by the clocks of its steps (R3).
    pub remaining: Distribution,
    /// The days until it is done, by the clock of the sale.
    pub(crate) ready: Distribution,
}

/// A sale under way.
#[derive(Debug, Clone, PartialEq)]
pub struct SaleOutlook {
    /// The listing.
    pub listing: ListingId,
    /// The sales with which it is compared.
    pub stratum: Stratum,
    /// Its open paths; none in a sale that is ready.
    pub paths: Vec<OpenPath>,
    /// The days until it is ready, by the clocks of its steps (R3).
    pub remaining: Distribution,
    /// The days until it is ready, by its own clock.
    pub(crate) ready: Distribution,
}

impl OpenStep {
    /// The days on its clock.
    pub fn clock_days(&self, today: Day) -> Option<u32> {
        self.since.map(|since| today.days_since(since))
    }

    /// The milestone from which its clock runs, where one is recorded.
    pub fn after(&self) -> Option<&'static MilestoneType> {
        self.since?;
        let before = Path::step_before(self.step).map(Step::milestone);
        before.or(Some(&CATALOGUE[SSTC]))
    }

    /// The days since the expected date passed; `None` before that, or without such a date.
    pub fn overdue_days(&self, today: Day) -> Option<u32> {
        let expected = self.expected.filter(|expected| *expected < today)?;
        Some(today.days_since(expected))
    }
}

impl OpenStep {
    /// The step as somebody with another listing in the chain may see it (S-47). Only milestones with a
    /// label of document 1 are shared, so a step between two of them is shown as the next shared one,
    /// and a date that is not shared is left out.
    #[must_use]
    pub fn for_others(self) -> Self {
        let step = match self.step {
            Step::ContractSent | Step::ContractReceived => Step::EnquiriesOpened,
            Step::ManagementPack => Step::EnquiriesClosed,
            Step::Valuation => Step::MortgageOffered,
            Step::EnquiriesOpened
            | Step::EnquiriesClosed
            | Step::SearchesOrdered
            | Step::AuthoritySearch
            | Step::EnvironmentalSearch
            | Step::WaterSearch
            | Step::MortgageApplied
            | Step::MortgageOffered
            | Step::Exchange => self.step,
        };
        let follows_shared =
            step == self.step && !matches!(step, Step::EnquiriesOpened | Step::MortgageOffered);
        let is_shared = |place: usize| CATALOGUE[place].label.is_some();
        Self {
            step,
            since: self.since.filter(|_| follows_shared),
            expected: self
                .expected
                .filter(|_| step.expected().is_some_and(is_shared)),
        }
    }
}

impl SaleOutlook {
    /// Looks at a sale that has a buyer.
    pub fn new(sale: &Sale, tables: &Tables, today: Day) -> Result<Self, Silence> {
        let stratum = Stratum::of(sale, sale.is_cash());
        let steps = list_open_steps(sale);
        let Some(agreed) = sale.agreed() else {
            if steps.is_empty() {
                return Ok(Self::done(sale, stratum));
            }
            return Err(Silence::NoDateOfSale(sale.listing));
        };
        let clock = SaleClock {
            sale,
            agreed,
            today,
        };
        let paths = list_paths(&clock, tables.comparable(stratum), sale.is_cash())?;
        let mut ready = all_done(&paths);
        if !sale.is_cash() {
            let cash = tables.comparable(Stratum::of(sale, true));
            ready.delay_to(&all_done(&list_paths(&clock, cash, true)?));
        }
        let done = Distribution::done();
        let remaining = paths
            .iter()
            .fold(done, |all, path| all.and(&path.remaining));
        Ok(Self {
            listing: sale.listing,
            stratum,
            paths,
            remaining,
            ready,
        })
    }

    /// Whether all paths are done.
    pub fn is_ready(&self) -> bool {
        self.paths.is_empty()
    }

    fn done(sale: &Sale, stratum: Stratum) -> Self {
        Self {
            listing: sale.listing,
            stratum,
            paths: Vec::new(),
            remaining: Distribution::done(),
            ready: Distribution::done(),
        }
    }
}

/// Looks at the sales of a chain. Fails where a sale fell through or has no buyer (R1), and when all
/// contracts are exchanged.
pub fn list_outlooks(
    sales: &[Sale],
    tables: &Tables,
    today: Day,
) -> Result<Vec<SaleOutlook>, Silence> {
    if sales.iter().all(Sale::is_exchanged) {
        return Err(Silence::Exchanged);
    }
    if let Some(sale) = sales.iter().find(|sale| sale.fell_through().is_some()) {
        return Err(Silence::FellThrough(sale.listing));
    }
    let has_buyer = |sale: &Sale| sale.agreed().is_some() || sale.has_begun();
    if let Some(sale) = sales.iter().find(|sale| !has_buyer(sale)) {
        return Err(Silence::NoBuyer(sale.listing));
    }
    let outlooks = sales
        .iter()
        .map(|sale| SaleOutlook::new(sale, tables, today));
    outlooks.collect()
}

/// The open steps at the front of each path of a sale. They follow from its milestones alone, so they
/// are known without any table.
pub fn list_open_steps(sale: &Sale) -> Vec<OpenStep> {
    let needed = Path::COUNTED
        .into_iter()
        .filter(|path| path.is_needed(sale));
    let fronts = needed.filter_map(|path| Some((path, path.front(sale)?)));
    fronts
        .flat_map(|(path, stage)| open_steps_of(path, stage, sale))
        .collect()
}

struct SaleClock<'a> {
    sale: &'a Sale,
    agreed: Day,
    today: Day,
}

fn all_done(paths: &[OpenPath]) -> Distribution {
    let ready = Distribution::done();
    paths
        .iter()
        .fold(ready, |ready, path| ready.and(&path.ready))
}

fn list_paths(
    clock: &SaleClock<'_>,
    comparable: &Comparable,
    is_cash: bool,
) -> Result<Vec<OpenPath>, Silence> {
    let authority = clock.awaited(Path::Searches, 1, Step::AuthoritySearch);
    let mortgage = clock.awaited(Path::Mortgage, 2, Step::MortgageOffered);
    let mut found = Vec::new();
    for path in Path::ALL {
        let is_wanted = match path {
            Path::Enquiries => true,
            Path::Searches => authority.is_none(),
            Path::OtherSearches => authority.is_some(),
            Path::ManagementPack => clock.sale.is_leasehold(),
            Path::Mortgage => !is_cash && mortgage.is_none(),
        };
        if let Some(stage) = path.front(clock.sale).filter(|_| is_wanted) {
            found.push(clock.look_at(path, stage, comparable)?);
        }
    }
    for awaited in [authority, mortgage.filter(|_| !is_cash)]
        .into_iter()
        .flatten()
    {
        let table = comparable.step(awaited.step)?;
        let days = awaited
            .expected
            .map_or(0, |day| day.days_since(clock.today));
        let remaining = table.fresh().around(days);
        found.push(OpenPath {
            steps: vec![awaited],
            ready: remaining.clone(),
            remaining,
        });
    }
    Ok(found)
}

impl SaleClock<'_> {
    /// A step that is open, and that somebody expects to end today or later.
    fn awaited(&self, path: Path, stage: usize, step: Step) -> Option<OpenStep> {
        let is_open = path.done(self.sale, stage, step) == Done::No;
        let expected = self.sale.expected(step).filter(|day| *day >= self.today);
        expected.filter(|_| is_open).map(|expected| OpenStep {
            step,
            since: recorded_before(path, stage, self.sale),
            expected: Some(expected),
        })
    }

    fn look_at(
        &self,
        path: Path,
        stage: usize,
        comparable: &Comparable,
    ) -> Result<OpenPath, Silence> {
        let steps = open_steps_of(path, stage, self.sale);
        let mut front = Distribution::done();
        for open in &steps {
            let table = comparable.step(open.step)?;
            // A date before SSTC is older than the sale. Without a date the step counts as new.
            let since = open
                .since
                .map_or(self.today, |since| since.max(self.agreed));
            front = front.and(&table.remaining(self.today.days_since(since)));
        }
        let table = comparable.path(path)?;
        let members = path.stages().get(stage).copied().unwrap_or_default();
        let is_open = |member: usize| {
            let step = members.get(member);
            step.is_some_and(|step| path.done(self.sale, stage, *step) == Done::No)
        };
        let clock = self.today.days_since(self.agreed);
        Ok(OpenPath {
            steps,
            remaining: table.followed(stage, front),
            ready: table.remaining(stage, clock, is_open),
        })
    }
}

fn open_steps_of(path: Path, stage: usize, sale: &Sale) -> Vec<OpenStep> {
    let since = recorded_before(path, stage, sale);
    let steps = path.stages().get(stage).copied().unwrap_or_default().iter();
    let open = steps.filter(|step| path.done(sale, stage, **step) == Done::No);
    open.map(|step| OpenStep {
        step: *step,
        since,
        expected: sale.expected(*step),
    })
    .collect()
}

/// The recorded date of the step before a stage; SSTC for the first one.
fn recorded_before(path: Path, stage: usize, sale: &Sale) -> Option<Day> {
    let Some(before) = stage.checked_sub(1) else {
        return sale.agreed();
    };
    let step = path.stages().get(before)?.first()?;
    match sale.mark(*step) {
        Mark::On(day) => Some(day),
        Mark::Absent | Mark::Excluded | Mark::Undated => None,
    }
}
