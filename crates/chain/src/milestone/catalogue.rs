//! The rows of the milestone catalogue, in the order and words of the specification.

use super::{Field, Group, MilestoneType};

/// The milestone catalogue (S-50), sorted by `sequence`.
pub static CATALOGUE: [MilestoneType; ROWS.len()] = {
    let mut catalogue = [MilestoneType::from_row(ROWS[0], 1); ROWS.len()];
    let mut index = 1;
    let mut sequence = 2;
    while index < ROWS.len() {
        catalogue[index] = MilestoneType::from_row(ROWS[index], sequence);
        index += 1;
        sequence += 1;
    }
    catalogue
};

/// The index in the catalogue for each id. An unused id has `u8::MAX`, which is past the end of the
/// catalogue. An id that does not fit does not compile.
pub(super) static INDEX_BY_ID: [u8; 112] = {
    let mut indexes = [u8::MAX; 112];
    let mut index = 0_u8;
    while (index as usize) < ROWS.len() {
        indexes[ROWS[index as usize].0 as usize] = index;
        index += 1;
    }
    indexes
};

/// One row: id, key, name, label, field and group.
type Row = (
    u8,
    &'static str,
    &'static str,
    Option<&'static str>,
    Option<Field>,
    Group,
);

// One line for each row, so that it can be compared with the table of the specification.
#[rustfmt::skip]
const ROWS: [Row; 28] = [
    (101, "property_listed", "Property Listed", Some("Property Listed"), Some(Field::ListedCompleted), Group::Sstc),
    (1, "sstc", "SSTC", Some("SSTC"), Some(Field::SoldSubjectToContractCompleted), Group::Sstc),
    (26, "memo_of_sale_sent", "Memo Of Sale Sent", None, None, Group::Sstc),
    (27, "solicitors_instructed", "Solicitors Instructed", None, None, Group::Sstc),
    (2, "draft_contracts_prepared", "Contracts Underway", None, None, Group::Sstc),
    (28, "contract_sent", "Contract Sent", None, None, Group::Sstc),
    (29, "contract_received", "Contract Received", None, None, Group::Sstc),
    (30, "management_pack", "Management Pack", None, None, Group::Sstc),
    (3, "searches_ordered", "Searches Ordered", Some("Searches Ordered"), Some(Field::SearchesStarted), Group::Searches),
    (7, "searches_expected", "Searches Expected", Some("LA Search Expected"), Some(Field::LocalAuthorityExpected), Group::Searches),
    (102, "la_search_delivered", "LA Search Delivered", Some("Search Delivered"), Some(Field::LocalAuthorityCompleted), Group::Searches),
    (103, "environmental_search_delivered", "Environmental Search Delivered", Some("Environmental Search Delivered"), Some(Field::EnvironmentalCompleted), Group::Searches),
    (104, "water_search_delivered", "Water Search Delivered", Some("Water Search Delivered"), Some(Field::DrainageWaterCompleted), Group::Searches),
    (105, "cash_buyer", "Cash Buyer", Some("Cash Buyer"), Some(Field::FundingIsCashBuyer), Group::Funding),
    (8, "funding_applied", "Funding Applied", Some("Mortgage Applied"), Some(Field::FundingStarted), Group::Funding),
    (18, "valuation_booked", "Valuation Booked", None, None, Group::Funding),
    (19, "valuation_satisfactory", "Valuation Satisfactory", None, None, Group::Funding),
    (32, "buyers_survey", "Buyers Survey", None, None, Group::Funding),
    (33, "mortgage_offer_expected", "Mortgage Offer Expected", None, None, Group::Funding),
    (31, "mortgage_offered", "Mortgage Offered", Some("Mortgage Offered"), Some(Field::FundingCompleted), Group::Funding),
    (14, "enquiries_opened", "Enquiries Opened", Some("Enquiries Opened"), Some(Field::EnquiriesStarted), Group::Enquiries),
    (106, "enquiries_closed", "Enquiries Closed", Some("Enquiries Closed"), Some(Field::EnquiriesCompleted), Group::Enquiries),
    (107, "proposed_exchange", "Proposed Exchange", Some("Proposed Exchange"), Some(Field::ExchangeOfContractsExpected), Group::Exchange),
    (108, "exchange", "Exchange", Some("Exchange"), Some(Field::ExchangeOfContractsCompleted), Group::Exchange),
    (6, "proposed_completion", "Proposed Completion", Some("Proposed Completion"), Some(Field::CompletionExpected), Group::Completion),
    (109, "completion_date_set", "Completion Date Set", Some("Completion Date Set"), None, Group::Completion),
    (110, "completion", "Completion", Some("Completion"), Some(Field::CompletionCompleted), Group::Completion),
    (111, "fall_through", "Fall Through", Some("Fall Through"), Some(Field::FallThroughCompleted), Group::Sstc),
];

impl MilestoneType {
    const fn from_row(row: Row, sequence: i64) -> Self {
        let (id, key, name, label, field, group) = row;
        Self {
            id: id as i64,
            key,
            name,
            label,
            group,
            field,
            sequence,
        }
    }
}
