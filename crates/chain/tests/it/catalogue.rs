//! The milestone catalogue against the table of the specification (S-50).

use chain::event::EventType;
use chain::milestone::{CATALOGUE, Field, Group, Origin, find_by_id, find_by_key, find_by_label};

/// The columns are id, key, name, label, number and field of document 1, group.
const TABLE: &str = "\
| 101 | property_listed | Property Listed | Property Listed | 01 | listed.completed | sstc |
| 1 | sstc | SSTC | SSTC | 02 | soldSubjectToContract.completed | sstc |
| 26 | memo_of_sale_sent | Memo Of Sale Sent | | | | sstc |
| 27 | solicitors_instructed | Solicitors Instructed | | | | sstc |
| 2 | draft_contracts_prepared | Contracts Underway | | | | sstc |
| 28 | contract_sent | Contract Sent | | | | sstc |
| 29 | contract_received | Contract Received | | | | sstc |
| 30 | management_pack | Management Pack | | | | sstc |
| 3 | searches_ordered | Searches Ordered | Searches Ordered | 03 | searches.started | searches |
| 7 | searches_expected | Searches Expected | LA Search Expected | 04 | searches.localAuthority.expected | searches |
| 102 | la_search_delivered | LA Search Delivered | Search Delivered | 05 | searches.localAuthority.completed | searches |
| 103 | environmental_search_delivered | Environmental Search Delivered | Environmental Search Delivered | 06 | searches.environmental.completed | searches |
| 104 | water_search_delivered | Water Search Delivered | Water Search Delivered | 07 | searches.drainageWater.completed | searches |
| 105 | cash_buyer | Cash Buyer | Cash Buyer | 08 | funding.isCashBuyer | funding |
| 8 | funding_applied | Funding Applied | Mortgage Applied | 09 | funding.started | funding |
| 18 | valuation_booked | Valuation Booked | | | | funding |
| 19 | valuation_satisfactory | Valuation Satisfactory | | | | funding |
| 32 | buyers_survey | Buyers Survey | | | | funding |
| 33 | mortgage_offer_expected | Mortgage Offer Expected | | | | funding |
| 31 | mortgage_offered | Mortgage Offered | Mortgage Offered | 10 | funding.completed | funding |
| 14 | enquiries_opened | Enquiries Opened | Enquiries Opened | 11 | enquiries.started | enquiries |
| 106 | enquiries_closed | Enquiries Closed | Enquiries Closed | 12 | enquiries.completed | enquiries |
| 107 | proposed_exchange | Proposed Exchange | Proposed Exchange | 13 | exchangeOfContracts.expected | exchange |
| 108 | exchange | Exchange | Exchange | 14 | exchangeOfContracts.completed | exchange |
| 6 | proposed_completion | Proposed Completion | Proposed Completion | 15 | completion.expected | completion |
| 109 | completion_date_set | Completion Date Set | Completion Date Set | 17 | none: webhook only | completion |
| 110 | completion | Completion | Completion | 16 | completion.completed | completion |
| 111 | fall_through | Fall Through | Fall Through | 18 | fallThrough.completed | sstc |
";

#[test]
fn the_catalogue_is_the_table() {
    assert_eq!(TABLE.lines().count(), CATALOGUE.len());
    for (sequence, (line, found)) in (1..).zip(TABLE.lines().zip(&CATALOGUE)) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, id, key, name, label, _, field, group, _] = cells[..] else {
            panic!("a row of another shape: {line}");
        };
        assert_eq!(found.id.to_string(), id);
        assert_eq!(found.key, key);
        assert_eq!(found.name, name);
        assert_eq!(found.label.unwrap_or(""), label);
        assert_eq!(found.field.map_or("", spell_field), known_field(field));
        assert_eq!(found.group.key(), group);
        assert_eq!(found.sequence, sequence);
        assert_eq!(found.is_default_workflow(), !label.is_empty());
        assert_eq!(found.is_checklist_enabled(), label.is_empty());
    }
}

/// A type that is delivered by webhook only has no field.
fn known_field(cell: &str) -> &str {
    cell.strip_prefix("none").map_or(cell, |_| "")
}

fn spell_field(field: Field) -> &'static str {
    match field {
        Field::ListedCompleted => "listed.completed",
        Field::SoldSubjectToContractCompleted => "soldSubjectToContract.completed",
        Field::SearchesStarted => "searches.started",
        Field::LocalAuthorityExpected => "searches.localAuthority.expected",
        Field::LocalAuthorityCompleted => "searches.localAuthority.completed",
        Field::EnvironmentalCompleted => "searches.environmental.completed",
        Field::DrainageWaterCompleted => "searches.drainageWater.completed",
        Field::FundingIsCashBuyer => "funding.isCashBuyer",
        Field::FundingStarted => "funding.started",
        Field::FundingCompleted => "funding.completed",
        Field::EnquiriesStarted => "enquiries.started",
        Field::EnquiriesCompleted => "enquiries.completed",
        Field::ExchangeOfContractsExpected => "exchangeOfContracts.expected",
        Field::ExchangeOfContractsCompleted => "exchangeOfContracts.completed",
        Field::CompletionExpected => "completion.expected",
        Field::CompletionCompleted => "completion.completed",
        Field::FallThroughCompleted => "fallThrough.completed",
    }
}

#[test]
fn each_type_is_found_by_id_key_and_label() {
    for one in &CATALOGUE {
        assert_eq!(find_by_id(one.id), Some(one));
        assert_eq!(find_by_key(one.key), Some(one));
        if let Some(label) = one.label {
            assert_eq!(find_by_label(label), Some(one));
        }
    }
    let ids: Vec<i64> = CATALOGUE.iter().map(|one| one.id).collect();
    for id in -300..300 {
        assert_eq!(find_by_id(id).is_some(), ids.contains(&id), "{id}");
    }
    for id in [i64::MIN, i64::MAX, 256 + 1, (1 << 32) + 1] {
        assert_eq!(find_by_id(id), None, "{id}");
    }
    for text in ["", "SSTC", "Fall Through", "fall_through "] {
        assert_eq!(find_by_key(text), None, "{text:?}");
    }
    for text in ["", "sstc", "Valuation Booked", "Contracts Underway"] {
        assert_eq!(find_by_label(text), None, "{text:?}");
    }
}

/// S-38: a labelled type emits, Fall Through its own event, and the others nothing.
#[test]
fn what_recording_emits() {
    let check = |key: &str, expected: Option<EventType>| {
        assert_eq!(find_by_key(key).unwrap().emits(), expected, "{key}");
    };
    check("sstc", Some(EventType::MilestoneUpdated));
    check("completion_date_set", Some(EventType::MilestoneUpdated));
    check("cash_buyer", Some(EventType::MilestoneUpdated));
    check("fall_through", Some(EventType::FallThrough));
    check("valuation_booked", None);
    check("mortgage_offer_expected", None);
    let count = |expected: Option<EventType>| {
        let types = CATALOGUE.iter().filter(|one| one.emits() == expected);
        types.count()
    };
    assert_eq!(count(Some(EventType::MilestoneUpdated)), 17);
    assert_eq!(count(Some(EventType::FallThrough)), 1);
    assert_eq!(count(None), 10);
}

#[test]
fn groups_are_read_by_id_or_key() {
    for (id, group) in (1..).zip(Group::ALL) {
        assert_eq!(group.id(), id);
        assert_eq!(Group::parse(&id.to_string()), Some(group));
        assert_eq!(Group::parse(group.key()), Some(group));
    }
    for text in ["", "0", "7", "01", "+1", "Searches", " sstc"] {
        assert_eq!(Group::parse(text), None, "{text:?}");
    }
    let funding: Vec<i64> = Group::Funding.milestone_types().map(|one| one.id).collect();
    assert_eq!(funding, [105, 8, 18, 19, 32, 33, 31]);
    let all = Group::ALL.into_iter().flat_map(Group::milestone_types);
    assert_eq!(all.count(), CATALOGUE.len());
}

/// S-51.
#[test]
fn origins_have_the_codes_0_to_6() {
    for (code, origin) in (0..).zip(Origin::ALL) {
        assert_eq!(origin.code(), code);
        assert_eq!(Origin::from_code(code), Some(origin));
    }
    assert_eq!(Origin::from_code(4), Some(Origin::Import));
    for code in [-1, 7, 256, i64::MIN, i64::MAX] {
        assert_eq!(Origin::from_code(code), None, "{code}");
    }
}
