//! The tables that forecasts look things up in, made once from the counts.

use std::collections::BTreeMap;

use crate::counts::{Counts, Stratum};
use crate::durations::{DurationCounts, StepTable};
use crate::landmarks::PathTable;
use crate::path::Path;
use crate::silence::Silence;
use crate::step::Step;

/// The tables of all strata.
#[derive(Debug, Clone)]
pub struct Tables {
    comparables: Vec<Comparable>,
    /// From the last SSTC of a chain until all its sales are ready, and from then to exchange.
    chain: Result<PathTable, Silence>,
    counts: Counts,
}

/// The tables for sales of one stratum. A step with too few ended cases in the stratum takes the table
/// of all sales.
#[derive(Debug, Clone)]
pub struct Comparable {
    steps: Vec<Result<StepTable, Silence>>,
    paths: BTreeMap<Path, Result<PathTable, Silence>>,
}

impl Tables {
    /// Makes the tables.
    pub fn new(counts: Counts) -> Self {
        let all = Comparable::new(&counts, Stratum::All);
        let comparable = |stratum| {
            if counts.has_own_table(stratum) {
                Comparable::new(&counts, stratum)
            } else {
                all.clone()
            }
        };
        Self {
            comparables: Stratum::ALL.into_iter().map(comparable).collect(),
            chain: chain_table(&counts, &all),
            counts,
        }
    }

    /// The counts that the tables come from.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The counts, without the tables.
    #[must_use]
    pub fn into_counts(self) -> Counts {
        self.counts
    }

    /// The tables for sales of a stratum.
    pub fn comparable(&self, stratum: Stratum) -> &Comparable {
        &self.comparables[stratum.index()]
    }

    pub(crate) fn chain(&self) -> Result<&PathTable, Silence> {
        self.chain.as_ref().map_err(|silence| *silence)
    }
}

impl Comparable {
    fn new(counts: &Counts, stratum: Stratum) -> Self {
        let of = |step, stratum| counts.steps(step, stratum).and_then(DurationCounts::table);
        let find = |step| {
            let found = of(step, stratum).or_else(|| of(step, Stratum::All));
            found.ok_or_else(|| Silence::FewSteps {
                step,
                ended: counts
                    .steps(step, Stratum::All)
                    .map_or(0, DurationCounts::ended),
            })
        };
        let steps: Vec<_> = Step::ALL.into_iter().map(find).collect();
        let path = |path: Path| (path, path_table(path, &steps));
        Self {
            paths: Path::ALL.into_iter().map(path).collect(),
            steps,
        }
    }

    /// The table of a step.
    pub fn step(&self, step: Step) -> Result<&StepTable, Silence> {
        self.steps[step.index()]
            .as_ref()
            .map_err(|silence| *silence)
    }

    pub(crate) fn path(&self, path: Path) -> Result<&PathTable, Silence> {
        match self.paths.get(&path) {
            Some(Ok(table)) => Ok(table),
            Some(Err(silence)) => Err(*silence),
            // Each path has a table or a reason.
            None => Err(Silence::FewForecasts { ended: 0 }),
        }
    }
}

fn path_table(path: Path, steps: &[Result<StepTable, Silence>]) -> Result<PathTable, Silence> {
    let table = |step: &Step| steps[step.index()].as_ref().map_err(|silence| *silence);
    let stages = path.stages().iter();
    let stages = stages.map(|steps| steps.iter().map(table).collect::<Result<Vec<_>, _>>());
    Ok(PathTable::new(&stages.collect::<Result<Vec<_>, _>>()?))
}

fn chain_table(counts: &Counts, all: &Comparable) -> Result<PathTable, Silence> {
    let exchange = all.step(Step::Exchange)?;
    let ready = counts.ready().table().ok_or_else(|| Silence::FewSteps {
        step: Step::Exchange,
        ended: counts.ready().ended(),
    })?;
    Ok(PathTable::new(&[vec![&ready], vec![exchange]]))
}
