//! The recorded milestones of a listing in document 1's milestone shape, and how far it has come.

use jiff::civil::Date;

use crate::ids::ListingId;
use crate::milestone::{Field, MilestoneType};

/// A milestone that is recorded on a listing. The caller leaves out withdrawn milestones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// The type.
    pub milestone: &'static MilestoneType,
    /// The civil date in Europe/London (S-11); `None` only after enquiries were reopened (S-52).
    pub date: Option<Date>,
}

/// The members of document 1's milestone shape. A date is `None` until it is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    dates: [Option<Date>; Field::ALL.len()],
    is_cash_buyer: bool,
}

/// How far a listing has come: the highest `sequence` of its milestones that count as progress
/// (`MilestoneType::is_progress`), if any. Reopened enquiries, which have no date, still count.
pub fn furthest(recorded: impl IntoIterator<Item = Recorded>) -> Option<i64> {
    recorded
        .into_iter()
        .filter(|one| one.milestone.is_progress())
        .map(|one| one.milestone.sequence)
        .max()
}

/// The listings behind the most advanced one of their chain (S-52), in the order given. Each
/// listing comes with its `furthest`. `None` is behind every number.
pub fn lagging(listings: &[(ListingId, Option<i64>)]) -> Vec<ListingId> {
    let most_advanced = listings.iter().map(|(_, sequence)| *sequence).max();
    listings
        .iter()
        .filter(|(_, sequence)| Some(*sequence) < most_advanced)
        .map(|(listing, _)| *listing)
        .collect()
}

impl Progress {
    /// Collects the milestones of one listing. A type without a field changes nothing. When a type
    /// comes twice, the last one counts.
    pub fn fold(recorded: impl IntoIterator<Item = Recorded>) -> Self {
        let mut progress = Self::default();
        for Recorded { milestone, date } in recorded {
            if let Some(field) = milestone.field {
                progress.record(field, date);
            }
        }
        progress
    }

    /// The date in this member; `None` for `funding.isCashBuyer`.
    pub const fn date(&self, field: Field) -> Option<Date> {
        self.dates[field as usize]
    }

    /// `funding.isCashBuyer`: whether a Cash Buyer milestone is recorded, with any date.
    pub const fn is_cash_buyer(&self) -> bool {
        self.is_cash_buyer
    }

    /// Records a milestone of the type that fills this member.
    pub fn record(&mut self, field: Field, date: Option<Date>) {
        if field == Field::FundingIsCashBuyer {
            self.is_cash_buyer = true;
        } else {
            self.dates[field as usize] = date;
        }
    }
}
