//! The milestone catalogue, read from the table as it is written in the specification.

use std::sync::LazyLock;

/// id, key, name, label, number, field of document 1, group: one row a type, in order.
const TABLE: &str = "\
101 | property_listed | Property Listed | Property Listed | 01 | listed.completed | sstc
1 | sstc | SSTC | SSTC | 02 | soldSubjectToContract.completed | sstc
26 | memo_of_sale_sent | Memo Of Sale Sent | | | | sstc
27 | solicitors_instructed | Solicitors Instructed | | | | sstc
2 | draft_contracts_prepared | Contracts Underway | | | | sstc
28 | contract_sent | Contract Sent | | | | sstc
29 | contract_received | Contract Received | | | | sstc
30 | management_pack | Management Pack | | | | sstc
3 | searches_ordered | Searches Ordered | Searches Ordered | 03 | searches.started | searches
7 | searches_expected | Searches Expected | LA Search Expected | 04 | searches.localAuthority.expected | searches
102 | la_search_delivered | LA Search Delivered | Search Delivered | 05 | searches.localAuthority.completed | searches
103 | environmental_search_delivered | Environmental Search Delivered | Environmental Search Delivered | 06 | searches.environmental.completed | searches
104 | water_search_delivered | Water Search Delivered | Water Search Delivered | 07 | searches.drainageWater.completed | searches
105 | cash_buyer | Cash Buyer | Cash Buyer | 08 | funding.isCashBuyer | funding
8 | funding_applied | Funding Applied | Mortgage Applied | 09 | funding.started | funding
18 | valuation_booked | Valuation Booked | | | | funding
19 | valuation_satisfactory | Valuation Satisfactory | | | | funding
32 | buyers_survey | Buyers Survey | | | | funding
33 | mortgage_offer_expected | Mortgage Offer Expected | | | | funding
31 | mortgage_offered | Mortgage Offered | Mortgage Offered | 10 | funding.completed | funding
14 | enquiries_opened | Enquiries Opened | Enquiries Opened | 11 | enquiries.started | enquiries
106 | enquiries_closed | Enquiries Closed | Enquiries Closed | 12 | enquiries.completed | enquiries
107 | proposed_exchange | Proposed Exchange | Proposed Exchange | 13 | exchangeOfContracts.expected | exchange
108 | exchange | Exchange | Exchange | 14 | exchangeOfContracts.completed | exchange
6 | proposed_completion | Proposed Completion | Proposed Completion | 15 | completion.expected | completion
109 | completion_date_set | Completion Date Set | Completion Date Set | 17 | | completion
110 | completion | Completion | Completion | 16 | completion.completed | completion
111 | fall_through | Fall Through | Fall Through | 18 | fallThrough.completed | sstc";

/// The numbers of document 1 that do not say how far a sale has come.
const NO_PROGRESS: [&str; 5] = ["04", "13", "15", "17", "18"];

/// The keys of the groups, whose ids are 1 to 6 in this order.
pub(crate) const GROUPS: [&str; 6] = [
    "sstc",
    "searches",
    "funding",
    "enquiries",
    "exchange",
    "completion",
];

/// One row of the catalogue.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) id: i64,
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) label: Option<&'static str>,
    pub(crate) field: Option<&'static str>,
    pub(crate) group: &'static str,
    pub(crate) sequence: i64,
    pub(crate) is_progress: bool,
}

/// All types in the catalogue's order.
pub(crate) static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| {
    let rows = (1..).zip(TABLE.lines());
    rows.map(|(sequence, row)| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let filled = |cell: usize| Some(cells[cell]).filter(|text| !text.is_empty());
        Kind {
            id: cells[0].parse().unwrap(),
            key: cells[1],
            name: cells[2],
            label: filled(3),
            field: filled(5),
            group: cells[6],
            sequence,
            is_progress: filled(4).is_some_and(|number| !NO_PROGRESS.contains(&number)),
        }
    })
    .collect()
});

/// Key and label of each type that makes events, in the catalogue's order.
pub(crate) static LABELS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let labels = KINDS.iter().map(|kind| Some((kind.key, kind.label?)));
    labels.flatten().collect()
});

/// The type with this key.
pub(crate) fn find(key: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.key == key)
}
