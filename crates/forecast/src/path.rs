//! The paths from SSTC to a sale that is ready to exchange (R2), and the steps that are done on them
//! (R0).

use crate::day::Day;
use crate::sale::{Mark, Sale};
use crate::step::{COMPLETION, EXCHANGE, Step};

/// A path to ready. A sale is ready when all its paths are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// Contract sent and received, enquiries opened and closed.
    Enquiries,
    /// Searches ordered, then the three searches beside each other.
    Searches,
    /// As `Searches`, without the search of the local authority. It replaces that path where somebody
    /// expects that search on a day still to come.
    OtherSearches,
    /// The management pack of a leasehold property.
    ManagementPack,
    /// Mortgage applied, valuation, mortgage offered. A cash buyer has no such path.
    Mortgage,
}

/// Steps that run beside each other. Only the last stage of a path has more than one.
type Stage = &'static [Step];

/// Whether and when a step counts as done (R0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// It is open.
    No,
    /// It is done, and nobody knows since when.
    Undated,
    /// It was done on this day at the latest.
    On(Day),
}

impl Path {
    /// All paths.
    pub const ALL: [Self; 5] = [
        Self::Enquiries,
        Self::Searches,
        Self::OtherSearches,
        Self::ManagementPack,
        Self::Mortgage,
    ];

    /// The paths of which durations are counted: no step is in two of them.
    pub(crate) const COUNTED: [Self; 4] = [
        Self::Enquiries,
        Self::Searches,
        Self::ManagementPack,
        Self::Mortgage,
    ];

    /// The stages of the path, one after the other.
    pub const fn stages(self) -> &'static [Stage] {
        match self {
            Self::Enquiries => &[
                &[Step::ContractSent],
                &[Step::ContractReceived],
                &[Step::EnquiriesOpened],
                &[Step::EnquiriesClosed],
            ],
            Self::Searches => &[
                &[Step::SearchesOrdered],
                &[
                    Step::AuthoritySearch,
                    Step::EnvironmentalSearch,
                    Step::WaterSearch,
                ],
            ],
            Self::OtherSearches => &[
                &[Step::SearchesOrdered],
                &[Step::EnvironmentalSearch, Step::WaterSearch],
            ],
            Self::ManagementPack => &[&[Step::ManagementPack]],
            Self::Mortgage => &[
                &[Step::MortgageApplied],
                &[Step::Valuation],
                &[Step::MortgageOffered],
            ],
        }
    }

    /// The step that has to be done before this one; `None` for the first step of a path.
    pub(crate) fn step_before(step: Step) -> Option<Step> {
        Self::COUNTED.into_iter().find_map(|path| {
            let stages = path.stages();
            let stage = stages.iter().position(|steps| steps.contains(&step))?;
            stages.get(stage.checked_sub(1)?)?.first().copied()
        })
    }

    /// Whether Enquiries Closed ends the path too: searches and pack come before it.
    const fn ends_with_enquiries(self) -> bool {
        match self {
            Self::Searches | Self::OtherSearches | Self::ManagementPack => true,
            Self::Enquiries | Self::Mortgage => false,
        }
    }

    /// Whether a sale needs the path.
    pub(crate) fn is_needed(self, sale: &Sale) -> bool {
        match self {
            Self::Enquiries | Self::Searches | Self::OtherSearches => true,
            Self::ManagementPack => sale.is_leasehold(),
            Self::Mortgage => !sale.is_cash(),
        }
    }

    /// Whether a step of one of its stages is done: it or a later step is recorded or excluded (R0).
    /// The day is the earliest of these days, and the day of an excluded step does not count.
    pub(crate) fn done(self, sale: &Sale, stage: usize, step: Step) -> Done {
        let later = self.stages().iter().skip(stage + 1).copied().flatten();
        let mut done = Done::No;
        for place in std::iter::once(&step).chain(later).map(|step| step.place()) {
            done.add(sale.mark_at(place));
        }
        if self.ends_with_enquiries() {
            done.add(sale.mark(Step::EnquiriesClosed));
        }
        done.add(sale.mark_at(EXCHANGE));
        done.add(sale.mark_at(COMPLETION));
        done
    }

    /// The first stage with an open step; `None` when the path is done.
    pub(crate) fn front(self, sale: &Sale) -> Option<usize> {
        let is_open = |stage: usize, step: &Step| self.done(sale, stage, *step) == Done::No;
        let mut stages = self.stages().iter().enumerate();
        stages
            .find(|(stage, steps)| steps.iter().any(|step| is_open(*stage, step)))
            .map(|(stage, _)| stage)
    }
}

impl Done {
    fn add(&mut self, mark: Mark) {
        *self = match (*self, mark) {
            (done, Mark::Absent) => done,
            (Self::Undated, _) | (_, Mark::Excluded | Mark::Undated) => Self::Undated,
            (Self::No, Mark::On(day)) => Self::On(day),
            (Self::On(earlier), Mark::On(day)) => Self::On(earlier.min(day)),
        };
    }
}
