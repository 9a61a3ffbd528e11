//! The days that remain of a path, by the clock of its sale and by its front.
//!
//! The steps of a path follow each other, and their days are independent. The front of the path is
//! the first step that is not done. For each step and each number of days after SSTC, the table
//! takes all sales with their front at that step. It knows how many of them end the path within 0,
//! 1, 2 … days more. It is calculated from the steps' own distributions, with sums over all days
//! on which the front can have come to the step.
//!
//! **Why the clock of the sale, and not the clock of the step.** Recording a completed milestone must
//! never make a forecast later, whatever its date is. With the step's own clock it would: a milestone
//! recorded late, with its true date, shows that the next step has been open for long already, and slow
//! steps have more days left than new ones. No bound helps, because rare long stalls are in all steps.
//! The clock of the sale stays as it is when a milestone is recorded. So two fronts are compared after
//! the same number of days, and a front that is further on is nearer to the end, but for noise in the
//! tables. [`PathTable::new`] takes that noise away: a front is nowhere nearer to the end than a later
//! one. The dates of milestones do not matter at all, only which steps are done.

use crate::distribution::{Distribution, GRID_DAYS, Shares};
use crate::durations::StepTable;

/// The clocks for which there are rows, in days. Other clocks take the row before.
const CLOCKS: [u32; 24] = [
    0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 98, 112, 126, 140, 168, 196, 224, 252, 280,
    308, 336,
];

/// A front that fewer sales have on a day says nothing about that day: the nearest day counts.
const SHARE_MIN: f64 = 0.005;

/// The days that remain of a path.
#[derive(Debug, Clone)]
pub(crate) struct PathTable {
    stages: Vec<StageTable>,
    /// For each step of the last stage and each clock, the days that remain of that step alone.
    members: Vec<Vec<Distribution>>,
}

#[derive(Debug, Clone)]
struct StageTable {
    /// The days of all later stages together; `None` for the last stage.
    rest: Option<Shares>,
    /// For each clock, the days until the end of the path.
    by_clock: Vec<Distribution>,
}

impl PathTable {
    /// Makes the table of a path from the tables of its steps, stage by stage.
    pub(crate) fn new(stages: &[Vec<&StepTable>]) -> Self {
        let fresh: Vec<Distribution> = stages.iter().map(|steps| all_of(steps)).collect();
        let mut before = vec![Distribution::done()];
        for stage in &fresh {
            let last = before.last().map_or_else(Distribution::done, Clone::clone);
            before.push(last.then(&stage.shares()));
        }
        let last = stages.len().saturating_sub(1);
        let members: Vec<Vec<Distribution>> = stages
            .last()
            .into_iter()
            .flatten()
            .map(|step| landmarks(&before[last], step.fresh(), None))
            .collect();
        let mut found: Vec<StageTable> = Vec::with_capacity(stages.len());
        let mut rest: Option<Distribution> = None;
        for (stage, own) in fresh.iter().enumerate().rev() {
            let shares = rest.as_ref().map(Distribution::shares);
            let mut by_clock = match found.last() {
                Some(_) => landmarks(&before[stage], own, shares.as_ref()),
                None => (0..CLOCKS.len())
                    .map(|clock| member_product(&members, clock))
                    .collect(),
            };
            if let Some(later) = found.last() {
                for (own, later) in by_clock.iter_mut().zip(&later.by_clock) {
                    own.delay_to(later);
                }
            }
            rest = Some(match &shares {
                Some(shares) => own.then(shares),
                None => own.clone(),
            });
            found.push(StageTable {
                rest: shares,
                by_clock,
            });
        }
        found.reverse();
        Self {
            stages: found,
            members,
        }
    }

    /// The days until the end of the path, for the front and the clock of the sale. `is_open` says which
    /// steps of the front's stage are open.
    pub(crate) fn remaining(
        &self,
        front: usize,
        clock_days: u32,
        is_open: impl Fn(usize) -> bool,
    ) -> Distribution {
        let clock = CLOCKS
            .partition_point(|days| *days <= clock_days)
            .saturating_sub(1);
        if front + 1 < self.stages.len() {
            return self.stages[front].by_clock[clock].clone();
        }
        let open = self
            .members
            .iter()
            .enumerate()
            .filter(|(member, _)| is_open(*member));
        open.fold(Distribution::done(), |all, (_, member)| {
            all.and(&member[clock])
        })
    }

    /// The days of a front with a clock of its own, and of all later stages.
    pub(crate) fn followed(&self, front: usize, own: Distribution) -> Distribution {
        match self.stages.get(front).and_then(|stage| stage.rest.as_ref()) {
            Some(rest) => own.then(rest),
            None => own,
        }
    }
}

fn all_of(steps: &[&StepTable]) -> Distribution {
    let done = Distribution::done();
    steps.iter().fold(done, |all, step| all.and(step.fresh()))
}

fn member_product(members: &[Vec<Distribution>], clock: usize) -> Distribution {
    let done = Distribution::done();
    members
        .iter()
        .fold(done, |all, member| all.and(&member[clock]))
}

/// The days that remain for each clock. A clock with too few sales takes the days of the nearest clock
/// that has enough.
fn landmarks(
    before: &Distribution,
    own: &Distribution,
    rest: Option<&Shares>,
) -> Vec<Distribution> {
    let arrivals = before.shares();
    let at = |clock: &u32| {
        let open = open_on(*clock, &arrivals, own)?;
        Some(match rest {
            Some(rest) => open.then(rest),
            None => open,
        })
    };
    let found: Vec<Option<Distribution>> = CLOCKS.iter().map(at).collect();
    let whole = || match rest {
        Some(rest) => own.then(rest),
        None => own.clone(),
    };
    let nearest = |clock: usize| {
        let known = found
            .iter()
            .enumerate()
            .filter_map(|(at, one)| Some((at, one.as_ref()?)));
        let nearest = known.min_by_key(|(at, _)| at.abs_diff(clock));
        nearest.map_or_else(whole, |(_, one)| one.clone())
    };
    (0..CLOCKS.len()).map(nearest).collect()
}

/// The days until a step ends, of sales in which it has begun and is open on a day after SSTC.
fn open_on(day: u32, arrivals: &Shares, own: &Distribution) -> Option<Distribution> {
    let day = usize::try_from(day).ok()?;
    let shares = own.shares();
    let mut ends = vec![0.0; GRID_DAYS];
    let mut open = 0.0;
    for begun in 0..=day {
        let arrived = arrivals.of(begun);
        if arrived <= 0.0 {
            continue;
        }
        let age = day - begun;
        open += arrived
            * (1.0
                - age
                    .checked_sub(1)
                    .map_or(0.0, |before| own.chance_by(before)));
        for (end, share) in ends.iter_mut().zip(shares.from(age)) {
            *end += arrived * share;
        }
    }
    if open < SHARE_MIN {
        return None;
    }
    let mut sum = 0.0;
    for end in &mut ends {
        sum += *end;
        *end = (sum / open).min(1.0);
    }
    Some(Distribution::from_chances(|day| ends[day]))
}
