//! The steps of a sale: each ends with a milestone of the catalogue.

use chain::milestone::{CATALOGUE, MilestoneType};

/// A step of a sale, named after the milestone that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// `contract_sent`
    ContractSent,
    /// `contract_received`
    ContractReceived,
    /// `enquiries_opened`
    EnquiriesOpened,
    /// `enquiries_closed`
    EnquiriesClosed,
    /// `searches_ordered`
    SearchesOrdered,
    /// `la_search_delivered`
    AuthoritySearch,
    /// `environmental_search_delivered`
    EnvironmentalSearch,
    /// `water_search_delivered`
    WaterSearch,
    /// `management_pack`
    ManagementPack,
    /// `funding_applied`
    MortgageApplied,
    /// `valuation_satisfactory`
    Valuation,
    /// `mortgage_offered`
    MortgageOffered,
    /// `exchange`: from the day on which the last sale of the chain was ready.
    Exchange,
}

impl Step {
    /// All steps.
    pub const ALL: [Self; 13] = [
        Self::ContractSent,
        Self::ContractReceived,
        Self::EnquiriesOpened,
        Self::EnquiriesClosed,
        Self::SearchesOrdered,
        Self::AuthoritySearch,
        Self::EnvironmentalSearch,
        Self::WaterSearch,
        Self::ManagementPack,
        Self::MortgageApplied,
        Self::Valuation,
        Self::MortgageOffered,
        Self::Exchange,
    ];

    /// The milestone that ends the step.
    pub fn milestone(self) -> &'static MilestoneType {
        &CATALOGUE[self.place()]
    }

    /// The key of that milestone, such as `enquiries_closed`.
    pub fn key(self) -> &'static str {
        self.milestone().key
    }

    /// The step that ends with the milestone of this key.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.key() == key)
    }

    /// The place in the catalogue of the date on which somebody expects the step's end, if the
    /// catalogue has one.
    pub(crate) const fn expected(self) -> Option<usize> {
        match self {
            Self::AuthoritySearch => Some(const { place_of("searches_expected") }),
            Self::MortgageOffered => Some(const { place_of("mortgage_offer_expected") }),
            Self::Exchange => Some(PROPOSED_EXCHANGE),
            Self::ContractSent
            | Self::ContractReceived
            | Self::EnquiriesOpened
            | Self::EnquiriesClosed
            | Self::SearchesOrdered
            | Self::EnvironmentalSearch
            | Self::WaterSearch
            | Self::ManagementPack
            | Self::MortgageApplied
            | Self::Valuation => None,
        }
    }

    /// The place of the milestone in the catalogue, counted from 0.
    pub(crate) const fn place(self) -> usize {
        match self {
            Self::ContractSent => const { place_of("contract_sent") },
            Self::ContractReceived => const { place_of("contract_received") },
            Self::EnquiriesOpened => const { place_of("enquiries_opened") },
            Self::EnquiriesClosed => const { place_of("enquiries_closed") },
            Self::SearchesOrdered => const { place_of("searches_ordered") },
            Self::AuthoritySearch => const { place_of("la_search_delivered") },
            Self::EnvironmentalSearch => const { place_of("environmental_search_delivered") },
            Self::WaterSearch => const { place_of("water_search_delivered") },
            Self::ManagementPack => const { place_of("management_pack") },
            Self::MortgageApplied => const { place_of("funding_applied") },
            Self::Valuation => const { place_of("valuation_satisfactory") },
            Self::MortgageOffered => const { place_of("mortgage_offered") },
            Self::Exchange => EXCHANGE,
        }
    }

    /// The place among all steps, counted from 0.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// The place in the catalogue of the milestone with this key, counted from 0. A key that the
/// catalogue does not have does not compile.
pub(crate) const fn place_of(key: &str) -> usize {
    let mut place = 0;
    while place < CATALOGUE.len() {
        if is_equal(CATALOGUE[place].key.as_bytes(), key.as_bytes()) {
            return place;
        }
        place += 1;
    }
    assert!(place < CATALOGUE.len(), "the catalogue has no such key");
    place
}

const fn is_equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

pub(crate) const SSTC: usize = place_of("sstc");
pub(crate) const CASH_BUYER: usize = place_of("cash_buyer");
pub(crate) const PROPOSED_EXCHANGE: usize = place_of("proposed_exchange");
pub(crate) const EXCHANGE: usize = place_of("exchange");
pub(crate) const COMPLETION: usize = place_of("completion");
pub(crate) const FALL_THROUGH: usize = place_of("fall_through");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_its_own_milestone() {
        for (index, step) in Step::ALL.into_iter().enumerate() {
            assert_eq!(step.index(), index);
            assert_eq!(Step::parse(step.key()), Some(step));
            assert!(!step.milestone().is_expected());
            let expected = step.expected().map(|place| &CATALOGUE[place]);
            assert!(expected.is_none_or(MilestoneType::is_expected));
        }
        assert_eq!(Step::parse("sstc"), None);
    }

    #[test]
    fn each_key_of_the_catalogue_has_its_place() {
        for (place, milestone) in CATALOGUE.iter().enumerate() {
            assert_eq!(place_of(milestone.key), place);
        }
    }

    /// A constant with such a key does not compile.
    #[test]
    #[should_panic(expected = "the catalogue has no such key")]
    fn a_key_that_the_catalogue_does_not_have_has_no_place() {
        place_of("exchanged");
    }
}
