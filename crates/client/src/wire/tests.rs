//! Tests of reading the documents of the chain query.

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

fn page_of(property: &Value, chain_type: &str) -> Value {
    json!({
        "data": [{
            "queriedAddress": "SW1A 2AA", "chainId": "6f3c2f6e-5b0e-4d8e-9a39-0e1b6d2b7c11",
            "chainSummary": {"chainType": chain_type, "chainLength": 1},
            "properties": [property]
        }],
        "pagination": {"total": 1, "perPage": 15, "currentPage": 1, "lastPage": 1}
    })
}

fn read_property(change: impl FnOnce(&mut Value)) -> Result<Property, serde_json::Error> {
    let mut property = sample_property();
    change(&mut property);
    serde_json::from_value(property)
}

#[test]
fn a_page_is_read_whole() {
    let page: ChainPage = serde_json::from_value(page_of(&sample_property(), "IN_CHAIN")).unwrap();
    let chain = &page.data[0];
    assert_eq!(chain.chain_summary.chain_type, ChainType::InChain);
    assert_eq!(page.pagination.per_page, 15);
    let property = &chain.properties[0];
    assert_eq!(property.uprn, 100_023_336_956);
    assert_eq!(property.address.post_town, "LONDON");
    assert_eq!(
        property.milestones.listed.completed.as_deref(),
        Some("2026-01-05")
    );
    let local = &property.milestones.searches.local_authority;
    assert_eq!(local.expected.as_deref(), Some("2026-02-20"));
    assert!(property.milestones.funding.is_cash_buyer);
    assert_eq!(property.milestones.fall_through, None);
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
        let page: ChainPage = serde_json::from_value(page_of(&sample_property(), text)).unwrap();
        assert_eq!(
            page.data[0].chain_summary.chain_type, expected,
            "for {text}"
        );
    }
}

#[test]
fn absent_address_lines_and_new_members_are_forgiven() {
    let property = read_property(|property| {
        property["address"] = json!({"line1": "1 High Street", "displayAddress": "1 High Street"});
        property["energyRating"] = json!("C");
    });
    assert_eq!(property.unwrap().address.line4, "");
}

#[test]
fn a_fall_through_group_is_read() {
    let property = read_property(|property| {
        property["milestones"]["fallThrough"] = json!({"completed": "2026-03-03"});
    });
    let fall_through = property.unwrap().milestones.fall_through.unwrap();
    assert_eq!(fall_through.completed.as_deref(), Some("2026-03-03"));
}

#[test]
fn wrong_types_and_missing_groups_are_refused() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 4] = [
        ("a UPRN as text", |property| {
            property["uprn"] = json!("100023336956");
        }),
        ("a fractional UPRN", |property| {
            property["uprn"] = json!(1.5);
        }),
        ("no milestones", |property| {
            property["milestones"] = json!({});
        }),
        ("an end as a number", |property| {
            property["isTopClosed"] = json!(1);
        }),
    ];
    for (name, change) in changes {
        assert!(read_property(change).is_err(), "{name}");
    }
}
