//! Tests of reading the answers of the chain query.

use serde_json::{Value, json};

use super::{ChainPage, ChainType, Property};

/// A property with every member of document 1.
fn sample_property() -> Value {
    json!({
        "id": 41, "uprn": 100_023_336_956_u64,
        "address": {"line1": "10 Downing Street", "line2": "", "line3": "", "line4": "",
                    "postTown": "LONDON", "postcode": "SW1A 2AA",
                    "displayAddress": "10 Downing Street, London, SW1A 2AA"},
        "tenure": "freehold", "transactionType": ["probate"],
        "milestones": {
            "listed": {"completed": "2026-01-05"},
            "soldSubjectToContract": {"completed": null},
            "searches": {"started": null, "localAuthority": {"expected": "2026-02-20", "completed": null},
                         "environmental": {"completed": null}, "drainageWater": {"completed": null}},
            "funding": {"isCashBuyer": true, "started": null, "completed": null},
            "enquiries": {"started": null, "completed": null},
            "exchangeOfContracts": {"expected": null, "completed": null},
            "completion": {"expected": null, "completed": null}
        },
        "participants": {"sellingAgent": "Acme", "sellerConveyancer": "", "buyerConveyancer": ""},
        "isTopClosed": true, "isBottomClosed": false,
        "connections": {"onwardPurchase": [], "buyersSale": [5]}
    })
}

fn read_page(chain_type: &str) -> ChainPage {
    let page = json!({
        "data": [{
            "queriedAddress": "SW1A 2AA", "chainId": "6f3c2f6e-5b0e-4d8e-9a39-0e1b6d2b7c11",
            "chainSummary": {"chainType": chain_type, "chainLength": 1},
            "properties": [sample_property()]
        }],
        "pagination": {"total": 1, "perPage": 15, "currentPage": 1, "lastPage": 1}
    });
    serde_json::from_value(page).unwrap()
}

/// Reads the sample property with `value` as the member `name` of the object at `pointer`.
fn read_changed(pointer: &str, name: &str, value: Value) -> Result<Property, serde_json::Error> {
    let mut property = sample_property();
    property.pointer_mut(pointer).unwrap()[name] = value;
    serde_json::from_value(property)
}

#[test]
fn every_member_of_a_page_is_read() {
    let page = read_page("IN_CHAIN");
    assert_eq!(page.pagination.per_page, 15);
    let property = &page.data[0].properties[0];
    assert_eq!(property.uprn, 100_023_336_956);
    assert_eq!(property.address.post_town, "LONDON");
    let milestones = &property.milestones;
    assert_eq!(milestones.listed.completed.as_deref(), Some("2026-01-05"));
    let local = &milestones.searches.local_authority;
    assert_eq!(local.expected.as_deref(), Some("2026-02-20"));
    assert!(milestones.funding.is_cash_buyer);
    assert_eq!(milestones.fall_through, None);
    assert_eq!(property.connections.buyers_sale, [5]);
}

#[test]
fn every_chain_type_is_read_and_a_new_one_does_not_fail() {
    for (text, expected) in [
        ("IN_CHAIN", ChainType::InChain),
        ("SPLIT_CHAIN", ChainType::SplitChain),
        ("NOT_IN_CHAIN", ChainType::NotInChain),
        ("RING_CHAIN", ChainType::Unknown),
    ] {
        let summary = read_page(text).data[0].chain_summary;
        assert_eq!(summary.chain_type, expected, "for {text}");
    }
}

#[test]
fn optional_and_new_members_are_accepted() {
    let address = json!({"line1": "1 High Street", "displayAddress": "1 High Street"});
    let property = read_changed("", "address", address).unwrap();
    assert_eq!(property.address.line4, "");
    read_changed("", "energyRating", json!("C")).unwrap();
    let fallen = json!({"completed": "2026-03-03"});
    let property = read_changed("/milestones", "fallThrough", fallen).unwrap();
    let fall_through = property.milestones.fall_through.unwrap();
    assert_eq!(fall_through.completed.as_deref(), Some("2026-03-03"));
}

#[test]
fn wrong_types_and_missing_groups_are_refused() {
    for (name, value) in [
        ("uprn", json!("100023336956")),
        ("uprn", json!(1.5)),
        ("milestones", json!({})),
        ("isTopClosed", json!(1)),
    ] {
        assert!(read_changed("", name, value).is_err(), "{name}");
    }
}
