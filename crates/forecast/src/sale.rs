//! The recorded milestones of one sale, as far as durations and forecasts need them.

use chain::ids::ListingId;
use chain::listing::Tenure;
use chain::milestone::{CATALOGUE, MilestoneType};
use jiff::civil::Date;

use crate::day::Day;
use crate::step::{CASH_BUYER, COMPLETION, EXCHANGE, FALL_THROUGH, PROPOSED_EXCHANGE, SSTC, Step};

/// A milestone type in one sale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Nobody recorded it, or it was withdrawn.
    #[default]
    Absent,
    /// The sale does not need it (S-51).
    Excluded,
    /// It was recorded, and its date was removed when enquiries were reopened (S-52).
    Undated,
    /// It was recorded with this date.
    On(Day),
}

/// A sale and its milestones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sale {
    /// The listing.
    pub listing: ListingId,
    /// The tenure, if it is known.
    pub tenure: Option<Tenure>,
    /// One mark for each row of the catalogue, in its order.
    marks: [Mark; CATALOGUE.len()],
}

impl Sale {
    /// A sale without milestones.
    pub fn new(listing: ListingId, tenure: Option<Tenure>) -> Self {
        Self {
            listing,
            tenure,
            marks: [Mark::Absent; CATALOGUE.len()],
        }
    }

    /// Adds a milestone that is recorded and not withdrawn.
    pub fn record(&mut self, milestone: &MilestoneType, date: Option<Date>, is_excluded: bool) {
        let mark = match date {
            _ if is_excluded => Mark::Excluded,
            Some(date) => Mark::On(date.into()),
            None => Mark::Undated,
        };
        let place = usize::try_from(milestone.sequence - 1).unwrap_or(usize::MAX);
        if let Some(found) = self.marks.get_mut(place) {
            *found = mark;
        }
    }

    /// The mark of the milestone that ends a step.
    pub fn mark(&self, step: Step) -> Mark {
        self.marks[step.place()]
    }

    /// Whether the lease of the property asks for a management pack. A flat with a share of the
    /// freehold has a lease too.
    pub fn is_leasehold(&self) -> bool {
        matches!(
            self.tenure,
            Some(Tenure::Leasehold | Tenure::ShareOfFreehold)
        )
    }

    /// Whether a Cash Buyer milestone is recorded.
    pub fn is_cash(&self) -> bool {
        matches!(self.marks[CASH_BUYER], Mark::On(_) | Mark::Undated)
    }

    /// The date of SSTC.
    pub fn agreed(&self) -> Option<Day> {
        self.day(SSTC)
    }

    /// The date of Exchange.
    pub fn exchanged(&self) -> Option<Day> {
        self.day(EXCHANGE)
    }

    /// Whether Exchange or Completion is recorded.
    pub fn is_exchanged(&self) -> bool {
        let is_recorded = |place| matches!(self.marks[place], Mark::On(_) | Mark::Undated);
        is_recorded(EXCHANGE) || is_recorded(COMPLETION)
    }

    /// The date of the Fall Through that ended the sale: dated on or after SSTC (S-6).
    pub fn fell_through(&self) -> Option<Day> {
        let fell = self.day(FALL_THROUGH)?;
        let is_before = self.agreed().is_some_and(|agreed| fell < agreed);
        (!is_before).then_some(fell)
    }

    /// Whether a milestone of the catalogue's progress after SSTC is recorded or excluded.
    pub fn has_begun(&self) -> bool {
        let later = CATALOGUE.iter().zip(self.marks).skip(SSTC + 1);
        let mut progress = later.filter(|(milestone, _)| milestone.is_progress());
        progress.any(|(_, mark)| mark != Mark::Absent)
    }

    /// The proposed date of exchange.
    pub fn proposed_exchange(&self) -> Option<Day> {
        self.day(PROPOSED_EXCHANGE)
    }

    /// The date on which somebody expects the end of a step.
    pub fn expected(&self, step: Step) -> Option<Day> {
        self.day(step.expected()?)
    }

    /// The latest date of a milestone that happened. Expected dates do not count.
    pub fn latest(&self) -> Option<Day> {
        let marks = CATALOGUE.iter().zip(self.marks);
        let happened = marks.filter(|(milestone, _)| !milestone.is_expected());
        happened
            .filter_map(|(_, mark)| match mark {
                Mark::On(day) => Some(day),
                Mark::Absent | Mark::Excluded | Mark::Undated => None,
            })
            .max()
    }

    /// The `sequence` of the furthest milestone that counts as progress (S-52).
    pub fn furthest(&self) -> Option<i64> {
        let marks = CATALOGUE.iter().zip(self.marks);
        marks
            .filter(|(milestone, mark)| milestone.is_progress() && *mark != Mark::Absent)
            .map(|(milestone, _)| milestone.sequence)
            .max()
    }

    /// The sale as the dates of its milestones show it at the end of a day. Expected dates are left
    /// out, because nobody knows when they were recorded.
    #[must_use]
    pub fn known_on(&self, day: Day) -> Self {
        let mut known = self.clone();
        for (milestone, mark) in CATALOGUE.iter().zip(&mut known.marks) {
            let is_later = matches!(mark, Mark::On(date) if *date > day);
            if is_later || milestone.is_expected() {
                *mark = Mark::Absent;
            }
        }
        known
    }

    pub(crate) fn mark_at(&self, place: usize) -> Mark {
        self.marks[place]
    }

    fn day(&self, place: usize) -> Option<Day> {
        match self.marks[place] {
            Mark::On(day) => Some(day),
            Mark::Absent | Mark::Excluded | Mark::Undated => None,
        }
    }
}

/// The date of exchange that all sales propose, if they propose the same.
pub fn agreed_exchange(sales: &[Sale]) -> Option<Day> {
    let first = sales.first()?.proposed_exchange()?;
    let mut proposed = sales.iter().map(Sale::proposed_exchange);
    proposed.all(|day| day == Some(first)).then_some(first)
}
