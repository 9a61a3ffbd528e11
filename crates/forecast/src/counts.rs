//! Counts of past steps, chains and fall-throughs, from which all tables are made.

use std::collections::BTreeMap;

use chain::listing::Tenure;

use crate::WINDOW_DAYS;
use crate::day::Day;
use crate::durations::{CountsError, DurationCounts, ENDED_MIN};
use crate::path::{Done, Path};
use crate::sale::Sale;
use crate::step::Step;

/// The sales that are compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stratum {
    /// All sales.
    All,
    /// A lease, or not; a cash buyer, or not.
    Like {
        /// Whether the property has a lease.
        is_leasehold: bool,
        /// Whether the buyer needs no mortgage.
        is_cash: bool,
    },
}

/// The longest chains share one table of whole chains.
const LENGTH_MAX: usize = 5;

/// The counts of past steps, chains and ends in a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    steps: BTreeMap<(Step, Stratum), DurationCounts>,
    /// From the last SSTC of a chain to Exchange, by the length of the chain. Finished chains only.
    chains: BTreeMap<usize, DurationCounts>,
    /// From the last SSTC of a chain until all its sales are ready.
    ready: DurationCounts,
    /// Fallen through and exchanged, by the `sequence` of the furthest milestone before that.
    ends: BTreeMap<i64, [u32; 2]>,
}

/// A sale, the last day on which its open steps were seen open, and the first day of a step that counts.
struct Watched<'a> {
    sale: &'a Sale,
    until: Day,
    since: Day,
}

/// One row of stored counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountsRow {
    /// The key of a step, `chain`, `ready` or `fall_through`.
    pub series: String,
    /// The comparable sales, the length of the chain, or the sequence of a milestone.
    pub stratum: String,
    /// The counts, as [`DurationCounts`] writes them.
    pub counts: String,
}

impl Stratum {
    /// All strata.
    pub const ALL: [Self; 5] = [
        Self::All,
        Self::like(false, false),
        Self::like(false, true),
        Self::like(true, false),
        Self::like(true, true),
    ];

    const fn like(is_leasehold: bool, is_cash: bool) -> Self {
        Self::Like {
            is_leasehold,
            is_cash,
        }
    }

    /// The sales that are most like this one.
    pub fn of_sale(sale: &Sale) -> Self {
        Self::of(sale, sale.is_cash())
    }

    /// The sales that are most like this one, with or without a cash buyer. A sale of unknown tenure is compared with all.
    pub(crate) fn of(sale: &Sale, is_cash: bool) -> Self {
        match sale.tenure {
            None => Self::All,
            Some(
                Tenure::Freehold | Tenure::Leasehold | Tenure::Commonhold | Tenure::ShareOfFreehold,
            ) => Self::like(sale.is_leasehold(), is_cash),
        }
    }

    /// The place in [`Stratum::ALL`].
    pub(crate) fn index(self) -> usize {
        let found = Self::ALL.iter().position(|stratum| *stratum == self);
        found.unwrap_or(0)
    }

    /// A word for the stratum.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Like {
                is_leasehold: false,
                is_cash: false,
            } => "freehold_mortgage",
            Self::Like {
                is_leasehold: false,
                is_cash: true,
            } => "freehold_cash",
            Self::Like {
                is_leasehold: true,
                is_cash: false,
            } => "leasehold_mortgage",
            Self::Like {
                is_leasehold: true,
                is_cash: true,
            } => "leasehold_cash",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

impl Counts {
    /// Counts the steps of a chain's sales as they are known at the end of a day.
    pub fn add(&mut self, sales: &[Sale], today: Day) {
        for sale in sales {
            self.add_sale(sale, today);
        }
        self.add_exchange(sales, today);
    }

    /// The days of a step in comparable sales.
    pub fn steps(&self, step: Step, stratum: Stratum) -> Option<&DurationCounts> {
        self.steps.get(&(step, stratum))
    }

    /// The days of finished chains of this length.
    pub(crate) fn chains(&self, length: usize) -> Option<&DurationCounts> {
        self.chains.get(&length.min(LENGTH_MAX))
    }

    /// The days from the last SSTC of chains until all their sales were ready.
    pub(crate) fn ready(&self) -> &DurationCounts {
        &self.ready
    }

    /// Whether a stratum has a table of its own for any step.
    pub(crate) fn has_own_table(&self, stratum: Stratum) -> bool {
        let mut own = self.steps.iter().filter(|((_, of), _)| *of == stratum);
        own.any(|(_, counts)| counts.ended() >= ENDED_MIN)
    }

    /// How many sales came at least as far as a milestone's `sequence`, and fell through or exchanged.
    pub fn ends_from(&self, sequence: i64) -> [u32; 2] {
        let ends = self.ends.range(sequence..);
        ends.fold([0; 2], |[fell, exchanged], (_, more)| {
            [fell + more[0], exchanged + more[1]]
        })
    }

    /// The counts as rows to store.
    pub fn rows(&self) -> Vec<CountsRow> {
        let row = |series: &str, stratum: String, counts: String| CountsRow {
            series: series.to_owned(),
            stratum,
            counts,
        };
        let steps = self.steps.iter().map(|((step, stratum), counts)| {
            row(step.key(), stratum.as_str().to_owned(), counts.to_string())
        });
        let chains = self.chains.iter();
        let chains =
            chains.map(|(length, counts)| row(CHAIN, length.to_string(), counts.to_string()));
        let ends = self.ends.iter().map(|(sequence, [fell, exchanged])| {
            row(
                FALL_THROUGH,
                sequence.to_string(),
                format!("0:{fell}:{exchanged}"),
            )
        });
        let ready = row(READY, String::new(), self.ready.to_string());
        steps.chain(chains).chain(ends).chain([ready]).collect()
    }

    /// Reads stored rows. Rows of series that this version does not know are left out.
    pub fn from_rows(rows: &[CountsRow]) -> Result<Self, CountsError> {
        let mut counts = Self::default();
        for row in rows {
            let durations: DurationCounts = row.counts.parse()?;
            if row.series == CHAIN {
                let length = row.stratum.parse().map_err(|_| CountsError)?;
                counts.chains.insert(length, durations);
            } else if row.series == FALL_THROUGH {
                let sequence = row.stratum.parse().map_err(|_| CountsError)?;
                counts
                    .ends
                    .insert(sequence, durations.first().unwrap_or_default());
            } else if row.series == READY {
                counts.ready = durations;
            } else if let Some(step) = Step::parse(&row.series) {
                let stratum = Stratum::parse(&row.stratum).ok_or(CountsError)?;
                counts.steps.insert((step, stratum), durations);
            }
        }
        Ok(counts)
    }

    fn add_sale(&mut self, sale: &Sale, today: Day) {
        let Some(agreed) = sale.agreed().filter(|agreed| *agreed <= today) else {
            return;
        };
        let fell = sale.fell_through();
        if agreed >= today.plus(-WINDOW_DAYS)
            && (fell.is_some() || sale.is_exchanged())
            && let Some(furthest) = sale.furthest()
        {
            let ends = self.ends.entry(furthest).or_default();
            ends[usize::from(fell.is_none())] += 1;
        }
        let watched = Watched {
            sale,
            until: fell.unwrap_or(today),
            since: today.plus(-WINDOW_DAYS),
        };
        let needed = Path::COUNTED
            .into_iter()
            .filter(|path| path.is_needed(sale));
        for path in needed {
            self.add_path(path, &watched, agreed);
        }
    }

    /// Counts the steps of a path up to the first open one.
    fn add_path(&mut self, path: Path, watched: &Watched<'_>, agreed: Day) {
        let mut begun = agreed;
        for (stage, steps) in path.stages().iter().enumerate() {
            let mut ended = Some(begun);
            for step in *steps {
                match path.done(watched.sale, stage, *step) {
                    Done::On(day) => {
                        self.add_step(*step, watched, begun, Some(day));
                        ended = ended.map(|ended| ended.max(day));
                    }
                    Done::No => {
                        self.add_step(*step, watched, begun, None);
                        ended = None;
                    }
                    Done::Undated => ended = None,
                }
            }
            match ended {
                Some(day) => begun = day,
                None => return,
            }
        }
    }

    fn add_step(&mut self, step: Step, watched: &Watched<'_>, begun: Day, ended: Option<Day>) {
        if begun < watched.since {
            return;
        }
        let days = ended.unwrap_or(watched.until).days_since(begun);
        let like = Stratum::of(watched.sale, watched.sale.is_cash());
        let also = (like != Stratum::All).then_some(like);
        for stratum in [Some(Stratum::All), also].into_iter().flatten() {
            let counts = self.steps.entry((step, stratum)).or_default();
            counts.add(days, ended.is_some());
        }
    }

    /// Counts three durations of a chain: from its last SSTC to its exchange, from its last SSTC until all
    /// its sales are ready, and from then to the exchange.
    fn add_exchange(&mut self, sales: &[Sale], today: Day) {
        let agreed = sales.iter().map(Sale::agreed).collect::<Option<Vec<_>>>();
        let Some(agreed) = agreed.and_then(|days| days.into_iter().max()) else {
            return;
        };
        if agreed < today.plus(-WINDOW_DAYS) {
            return;
        }
        let exchanged: Option<Vec<_>> = sales.iter().map(Sale::exchanged).collect();
        let exchanged = exchanged.and_then(|days| days.into_iter().max());
        if let Some(day) = exchanged {
            let length = sales.len().min(LENGTH_MAX);
            let days = day.days_since(agreed);
            self.chains.entry(length).or_default().add(days, true);
        }
        let fell = sales.iter().filter_map(Sale::fell_through).min();
        let seen = fell.unwrap_or(today);
        let ready = sales.iter().map(ready_on).collect::<Option<Vec<_>>>();
        let ready = ready.and_then(|days| days.into_iter().max());
        let days = ready.unwrap_or(seen).days_since(agreed);
        self.ready.add(days, ready.is_some());
        let Some(ready) = ready else {
            return;
        };
        let days = exchanged.unwrap_or(seen).days_since(ready);
        let counts = self
            .steps
            .entry((Step::Exchange, Stratum::All))
            .or_default();
        counts.add(days, exchanged.is_some());
    }
}

/// The day on which the last path of a sale was done; `None` while one is open or has no date.
fn ready_on(sale: &Sale) -> Option<Day> {
    let mut ready = sale.agreed()?;
    for path in Path::COUNTED
        .into_iter()
        .filter(|path| path.is_needed(sale))
    {
        let last = path.stages().len() - 1;
        for step in path.stages()[last] {
            match path.done(sale, last, *step) {
                Done::On(day) => ready = ready.max(day),
                Done::No | Done::Undated => return None,
            }
        }
    }
    Some(ready)
}

const CHAIN: &str = "chain";
const READY: &str = "ready";
const FALL_THROUGH: &str = "fall_through";
