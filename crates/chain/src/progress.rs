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

/// Document 1's milestone shape. Every group is present; a date is `None` until it is recorded.
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
    /// `fallThrough.completed`; an answer omits the group when this is `None`.
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
    /// `isCashBuyer`: whether a Cash Buyer milestone is recorded, with any date.
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
