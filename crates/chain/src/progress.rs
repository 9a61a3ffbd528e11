//! The recorded milestones of one listing, folded into document 1's milestone shape.

use jiff::civil::Date;

use crate::ids::ListingId;
use crate::milestone::{Field, MilestoneType};

/// One milestone that is recorded on a listing. Withdrawn ones are left out by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// Its type.
    pub milestone: &'static MilestoneType,
    /// Its civil date in Europe/London (S-11); `None` only after enquiries were reopened (S-52).
    pub date: Option<Date>,
}

/// Document 1's milestone shape: each group always present, dates `None` until recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// `listed.completed`
    pub listed: Option<Date>,
    /// `soldSubjectToContract.completed`
    pub sold_subject_to_contract: Option<Date>,
    /// `searches`
    pub searches: Searches,
    /// `funding`
    pub funding: Funding,
    /// `enquiries`
    pub enquiries: Enquiries,
    /// `exchangeOfContracts`
    pub exchange_of_contracts: ExchangeOfContracts,
    /// `completion`
    pub completion: Completion,
    /// `fallThrough.completed`; the whole group is omitted from an answer when this is `None`.
    pub fall_through: Option<Date>,
}

/// `searches` of the milestone shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Searches {
    /// `started`
    pub started: Option<Date>,
    /// `localAuthority.expected`
    pub local_authority_expected: Option<Date>,
    /// `localAuthority.completed`
    pub local_authority_completed: Option<Date>,
    /// `environmental.completed`
    pub environmental_completed: Option<Date>,
    /// `drainageWater.completed`
    pub drainage_water_completed: Option<Date>,
}

/// `funding` of the milestone shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Funding {
    /// `isCashBuyer`: a Cash Buyer milestone is recorded, with whatever date.
    pub is_cash_buyer: bool,
    /// `started`
    pub started: Option<Date>,
    /// `completed`
    pub completed: Option<Date>,
}

/// `enquiries` of the milestone shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Enquiries {
    /// `started`
    pub started: Option<Date>,
    /// `completed`
    pub completed: Option<Date>,
}

/// `exchangeOfContracts` of the milestone shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExchangeOfContracts {
    /// `expected`
    pub expected: Option<Date>,
    /// `completed`
    pub completed: Option<Date>,
}

/// `completion` of the milestone shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Completion {
    /// `expected`
    pub expected: Option<Date>,
    /// `completed`
    pub completed: Option<Date>,
}

/// How far a listing has come: the highest `sequence` among its recorded milestones that are
/// progress (`MilestoneType::is_progress`); `None` when there is none. A reopened enquiry, recorded
/// without a date, still counts as opened.
pub fn furthest(recorded: impl IntoIterator<Item = Recorded>) -> Option<i64> {
    recorded
        .into_iter()
        .filter(|one| one.milestone.is_progress())
        .map(|one| one.milestone.sequence)
        .max()
}

/// The listings behind the most advanced one of their chain (S-52), in the order given. Each
/// listing comes with its `furthest`; one without any progress is behind one with some.
pub fn lagging(listings: &[(ListingId, Option<i64>)]) -> Vec<ListingId> {
    let most_advanced = listings.iter().map(|(_, sequence)| *sequence).max();
    listings
        .iter()
        .filter(|(_, sequence)| Some(*sequence) < most_advanced)
        .map(|(listing, _)| *listing)
        .collect()
}

impl Progress {
    /// Folds the milestones of one listing. Types without a field change nothing; if a type comes
    /// twice, the last one counts.
    pub fn fold(recorded: impl IntoIterator<Item = Recorded>) -> Self {
        let mut progress = Self::default();
        for Recorded { milestone, date } in recorded {
            if let Some(field) = milestone.field {
                progress.record(field, date);
            }
        }
        progress
    }

    fn record(&mut self, field: Field, date: Option<Date>) {
        let member = match field {
            Field::ListedCompleted => &mut self.listed,
            Field::SoldSubjectToContractCompleted => &mut self.sold_subject_to_contract,
            Field::SearchesStarted => &mut self.searches.started,
            Field::LocalAuthorityExpected => &mut self.searches.local_authority_expected,
            Field::LocalAuthorityCompleted => &mut self.searches.local_authority_completed,
            Field::EnvironmentalCompleted => &mut self.searches.environmental_completed,
            Field::DrainageWaterCompleted => &mut self.searches.drainage_water_completed,
            Field::FundingIsCashBuyer => {
                self.funding.is_cash_buyer = true;
                return;
            }
            Field::FundingStarted => &mut self.funding.started,
            Field::FundingCompleted => &mut self.funding.completed,
            Field::EnquiriesStarted => &mut self.enquiries.started,
            Field::EnquiriesCompleted => &mut self.enquiries.completed,
            Field::ExchangeOfContractsExpected => &mut self.exchange_of_contracts.expected,
            Field::ExchangeOfContractsCompleted => &mut self.exchange_of_contracts.completed,
            Field::CompletionExpected => &mut self.completion.expected,
            Field::CompletionCompleted => &mut self.completion.completed,
            Field::FallThroughCompleted => &mut self.fall_through,
        };
        *member = date;
    }
}
