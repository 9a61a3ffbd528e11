//! Milestone types: the catalogue, its groups, and the member of document 1 that each type fills.

mod catalogue;

use std::ops::RangeInclusive;

use jiff::ToSpan;
use jiff::civil::{Date, date};

pub use self::catalogue::CATALOGUE;
use crate::event::EventType;

/// The earliest date of a milestone (S-55).
const FIRST_DATE: Date = date(1990, 1, 1);
/// How far ahead an expected date may lie (S-55).
const EXPECTED_YEARS_AHEAD: i64 = 10;

/// One row of the catalogue (S-50).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MilestoneType {
    /// `milestone_type_id` in document 2.
    pub id: i64,
    /// The key that names the type in a path, such as `memo_of_sale_sent`.
    pub key: &'static str,
    /// The name in document 2.
    pub name: &'static str,
    /// The label in document 1 and in events; `None` for a type outside document 1.
    pub label: Option<&'static str>,
    /// The group of the type in document 2.
    pub group: Group,
    /// The member of document 1's milestone shape that the type fills, if any.
    pub field: Option<Field>,
    /// The place in the catalogue, counted from 1.
    pub sequence: i64,
}

/// A milestone group of document 2; ids 1 to 6 in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// 1, `sstc`
    Sstc,
    /// 2, `searches`
    Searches,
    /// 3, `funding`
    Funding,
    /// 4, `enquiries`
    Enquiries,
    /// 5, `exchange`
    Exchange,
    /// 6, `completion`
    Completion,
}

/// A member of document 1's milestone shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// `listed.completed`
    ListedCompleted,
    /// `soldSubjectToContract.completed`
    SoldSubjectToContractCompleted,
    /// `searches.started`
    SearchesStarted,
    /// `searches.localAuthority.expected`
    LocalAuthorityExpected,
    /// `searches.localAuthority.completed`
    LocalAuthorityCompleted,
    /// `searches.environmental.completed`
    EnvironmentalCompleted,
    /// `searches.drainageWater.completed`
    DrainageWaterCompleted,
    /// `funding.isCashBuyer`, the only member that is not a date
    FundingIsCashBuyer,
    /// `funding.started`
    FundingStarted,
    /// `funding.completed`
    FundingCompleted,
    /// `enquiries.started`
    EnquiriesStarted,
    /// `enquiries.completed`
    EnquiriesCompleted,
    /// `exchangeOfContracts.expected`
    ExchangeOfContractsExpected,
    /// `exchangeOfContracts.completed`
    ExchangeOfContractsCompleted,
    /// `completion.expected`
    CompletionExpected,
    /// `completion.completed`
    CompletionCompleted,
    /// `fallThrough.completed`
    FallThroughCompleted,
}

impl Field {
    /// All members, each at the place of its number.
    pub const ALL: [Self; 17] = [
        Self::ListedCompleted,
        Self::SoldSubjectToContractCompleted,
        Self::SearchesStarted,
        Self::LocalAuthorityExpected,
        Self::LocalAuthorityCompleted,
        Self::EnvironmentalCompleted,
        Self::DrainageWaterCompleted,
        Self::FundingIsCashBuyer,
        Self::FundingStarted,
        Self::FundingCompleted,
        Self::EnquiriesStarted,
        Self::EnquiriesCompleted,
        Self::ExchangeOfContractsExpected,
        Self::ExchangeOfContractsCompleted,
        Self::CompletionExpected,
        Self::CompletionCompleted,
        Self::FallThroughCompleted,
    ];

    /// The path of the member below `milestones`.
    pub const fn member(self) -> &'static str {
        match self {
            Self::ListedCompleted => "listed.completed",
            Self::SoldSubjectToContractCompleted => "soldSubjectToContract.completed",
            Self::SearchesStarted => "searches.started",
            Self::LocalAuthorityExpected => "searches.localAuthority.expected",
            Self::LocalAuthorityCompleted => "searches.localAuthority.completed",
            Self::EnvironmentalCompleted => "searches.environmental.completed",
            Self::DrainageWaterCompleted => "searches.drainageWater.completed",
            Self::FundingIsCashBuyer => "funding.isCashBuyer",
            Self::FundingStarted => "funding.started",
            Self::FundingCompleted => "funding.completed",
            Self::EnquiriesStarted => "enquiries.started",
            Self::EnquiriesCompleted => "enquiries.completed",
            Self::ExchangeOfContractsExpected => "exchangeOfContracts.expected",
            Self::ExchangeOfContractsCompleted => "exchangeOfContracts.completed",
            Self::CompletionExpected => "completion.expected",
            Self::CompletionCompleted => "completion.completed",
            Self::FallThroughCompleted => "fallThrough.completed",
        }
    }
}

/// Who recorded a milestone: the integer `origin` of document 2 (S-51).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// 0
    Unknown,
    /// 1
    Agent,
    /// 2
    Conveyancer,
    /// 3
    Lender,
    /// 4
    Import,
    /// 5
    Derived,
    /// 6
    Operator,
}

/// The type with this id. Every stored milestone that is read needs it, so it costs one access to
/// an array.
pub fn find_by_id(id: i64) -> Option<&'static MilestoneType> {
    let index = *catalogue::INDEX_BY_ID.get(usize::try_from(id).ok()?)?;
    CATALOGUE.get(usize::from(index))
}

/// The type with this key, spelled exactly. A scan of the short catalogue is quicker than a hash.
pub fn find_by_key(key: &str) -> Option<&'static MilestoneType> {
    CATALOGUE.iter().find(|one| one.key == key)
}

/// The type with this label of document 1, spelled exactly.
pub fn find_by_label(label: &str) -> Option<&'static MilestoneType> {
    CATALOGUE.iter().find(|one| one.label == Some(label))
}

impl MilestoneType {
    /// `is_default_workflow` of document 2: whether the type has a label of document 1.
    pub const fn is_default_workflow(&self) -> bool {
        self.label.is_some()
    }

    /// `is_checklist_enabled` of document 2: whether the type has no label of document 1.
    pub const fn is_checklist_enabled(&self) -> bool {
        self.label.is_none()
    }

    /// The event that recording this type emits, if any (S-38).
    pub const fn emits(&self) -> Option<EventType> {
        match (self.label, self.field) {
            (None, _) => None,
            (Some(_), Some(Field::FallThroughCompleted)) => Some(EventType::FallThrough),
            (Some(_), _) => Some(EventType::MilestoneUpdated),
        }
    }

    /// Whether the date is one that somebody expects or proposes, and so may lie in the future: 04, 13,
    /// 15 and 17 of document 1's catalogue, and Mortgage Offer Expected (S-55).
    pub fn is_expected(&self) -> bool {
        matches!(
            self.key,
            "searches_expected"
                | "proposed_exchange"
                | "proposed_completion"
                | "completion_date_set"
                | "mortgage_offer_expected"
        )
    }

    /// The type that an expected date is about: once it is recorded, the expected date is past.
    pub fn awaited(&self) -> Option<&'static Self> {
        let key = match self.key {
            "searches_expected" => "la_search_delivered",
            "mortgage_offer_expected" => "mortgage_offered",
            "proposed_exchange" => "exchange",
            "proposed_completion" | "completion_date_set" => "completion",
            _other => return None,
        };
        CATALOGUE.iter().find(|kind| kind.key == key)
    }

    /// The dates that somebody may record for this type on the day `today` (S-55).
    pub fn dates(&self, today: Date) -> RangeInclusive<Date> {
        let last = if self.is_expected() {
            today.saturating_add(EXPECTED_YEARS_AHEAD.years())
        } else {
            today
        };
        FIRST_DATE..=last
    }

    /// Whether the type counts as progress of a sale. It has a label of document 1, and is neither
    /// Fall Through nor an expected date (04, 13, 15 and 17 of document 1's catalogue).
    pub const fn is_progress(&self) -> bool {
        match self.field {
            // The only labelled type without a field is Completion Date Set, an expected date.
            None
            | Some(
                Field::LocalAuthorityExpected
                | Field::ExchangeOfContractsExpected
                | Field::CompletionExpected
                | Field::FallThroughCompleted,
            ) => false,
            Some(
                Field::ListedCompleted
                | Field::SoldSubjectToContractCompleted
                | Field::SearchesStarted
                | Field::LocalAuthorityCompleted
                | Field::EnvironmentalCompleted
                | Field::DrainageWaterCompleted
                | Field::FundingIsCashBuyer
                | Field::FundingStarted
                | Field::FundingCompleted
                | Field::EnquiriesStarted
                | Field::EnquiriesCompleted
                | Field::ExchangeOfContractsCompleted
                | Field::CompletionCompleted,
            ) => true,
        }
    }
}

impl Group {
    /// All groups, in the order of their ids.
    pub const ALL: [Self; 6] = [
        Self::Sstc,
        Self::Searches,
        Self::Funding,
        Self::Enquiries,
        Self::Exchange,
        Self::Completion,
    ];

    /// The id, 1 to 6.
    pub const fn id(self) -> i64 {
        match self {
            Self::Sstc => 1,
            Self::Searches => 2,
            Self::Funding => 3,
            Self::Enquiries => 4,
            Self::Exchange => 5,
            Self::Completion => 6,
        }
    }

    /// The key, in lower case.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Sstc => "sstc",
            Self::Searches => "searches",
            Self::Funding => "funding",
            Self::Enquiries => "enquiries",
            Self::Exchange => "exchange",
            Self::Completion => "completion",
        }
    }

    /// Reads `{milestone_group}` of a path: an id such as `2` or a key such as `searches`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "1" | "sstc" => Some(Self::Sstc),
            "2" | "searches" => Some(Self::Searches),
            "3" | "funding" => Some(Self::Funding),
            "4" | "enquiries" => Some(Self::Enquiries),
            "5" | "exchange" => Some(Self::Exchange),
            "6" | "completion" => Some(Self::Completion),
            _ => None,
        }
    }

    /// The types of the group, in the order of the catalogue.
    pub fn milestone_types(self) -> impl Iterator<Item = &'static MilestoneType> {
        CATALOGUE.iter().filter(move |one| one.group == self)
    }
}

impl Origin {
    /// All origins, in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::Unknown,
        Self::Agent,
        Self::Conveyancer,
        Self::Lender,
        Self::Import,
        Self::Derived,
        Self::Operator,
    ];

    /// The integer code, 0 to 6.
    pub const fn code(self) -> i64 {
        match self {
            Self::Unknown => 0,
            Self::Agent => 1,
            Self::Conveyancer => 2,
            Self::Lender => 3,
            Self::Import => 4,
            Self::Derived => 5,
            Self::Operator => 6,
        }
    }

    /// The origin with this code; `None` outside 0 to 6.
    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}
