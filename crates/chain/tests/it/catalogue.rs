//! The milestone catalogue against the table of the specification (S-50).

use chain::event::EventType;
use chain::milestone::{CATALOGUE, Group, Origin, find_by_id, find_by_key, find_by_label};

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

/// S-38: a labelled type emits an event. Labelled types count as progress, except expected dates
/// and Fall Through.
#[test]
fn the_catalogue_is_the_table() {
    assert_eq!(TABLE.lines().count(), CATALOGUE.len());
    for (sequence, (line, found)) in (1..).zip(TABLE.lines().zip(&CATALOGUE)) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, id, key, name, label, number, field, group, _] = cells[..] else {
            panic!("a row of another shape: {line}");
        };
        assert_eq!((&*found.id.to_string(), found.key), (id, key));
        assert_eq!((found.name, found.label.unwrap_or("")), (name, label));
        let is_absent = field.is_empty() || field == "none: webhook only";
        assert_eq!(found.field.is_none(), is_absent, "{line}");
        if let Some(found) = found.field {
            let words = field.split('.');
            let spelled: String = words
                .map(|one| one[..1].to_uppercase() + &one[1..])
                .collect();
            assert!(spelled.ends_with(&format!("{found:?}")), "{line}");
        }
        assert_eq!((found.group.key(), found.sequence), (group, sequence));
        assert_eq!(found.is_default_workflow(), !label.is_empty());
        assert_eq!(found.is_checklist_enabled(), label.is_empty());
        let event = match number {
            "" => None,
            "18" => Some(EventType::FallThrough),
            _ => Some(EventType::MilestoneUpdated),
        };
        assert_eq!(found.emits(), event, "{line}");
        let is_progress = !["", "04", "13", "15", "17", "18"].contains(&number);
        assert_eq!(found.is_progress(), is_progress, "{line}");
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
    let others = [i64::MIN, i64::MAX, 256 + 1, (1 << 32) + 1];
    assert_eq!(others.map(find_by_id), [None; 4]);
    let others = ["", "SSTC", "Fall Through", "fall_through "];
    assert_eq!(others.map(find_by_key), [None; 4]);
    let others = ["", "sstc", "Valuation Booked", "Contracts Underway"];
    assert_eq!(others.map(find_by_label), [None; 4]);
}

#[test]
fn groups_are_read_by_id_or_key() {
    for (id, group) in (1..).zip(Group::ALL) {
        assert_eq!(group.id(), id);
        assert_eq!(Group::parse(&id.to_string()), Some(group));
        assert_eq!(Group::parse(group.key()), Some(group));
    }
    let others = ["", "0", "7", "01", "+1", "Searches", " sstc"];
    assert_eq!(others.map(Group::parse), [None; 7]);
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
    let others = [-1, 7, 256, i64::MIN, i64::MAX];
    assert_eq!(others.map(Origin::from_code), [None; 5]);
}
