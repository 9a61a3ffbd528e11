//! Tests of the lines that describe a property.

use chain::milestone::Field;
use client::wire::Property;
use serde_json::{Value, json};

use super::describe_property;
use crate::commands::query::Paint;

fn sample() -> Value {
    json!({
        "id": 41, "uprn": 100_023_336_956_u64,
        "address": {"displayAddress": "10 Downing Street"},
        "tenure": "shareoffreehold", "transactionType": ["probate", "power_of_attorney"],
        "milestones": {
            "listed": {"completed": "2026-01-05"},
            "soldSubjectToContract": {"completed": "2026-01-20"},
            "searches": {"started": "2026-01-25",
                         "localAuthority": {"expected": "2026-02-20", "completed": null},
                         "environmental": {"completed": "2026-02-02"},
                         "drainageWater": {"completed": null}},
            "funding": {"isCashBuyer": false, "started": "2026-01-22", "completed": null},
            "enquiries": {"started": null, "completed": null},
            "exchangeOfContracts": {"expected": "2026-04-01", "completed": null},
            "completion": {"expected": null, "completed": null}
        },
        "participants": {"sellingAgent": "Acme Estates"},
        "isTopClosed": true, "isBottomClosed": false,
        "connections": {"onwardPurchase": [], "buyersSale": []}
    })
}

fn check(change: impl FnOnce(&mut Value), expected: &[&str]) {
    let mut property = sample();
    change(&mut property);
    let property: Property = serde_json::from_value(property).unwrap();
    let lines = describe_property(&property, Paint::plain());
    for line in expected {
        let is_shown = lines.iter().any(|shown| shown == line);
        assert!(is_shown, "no {line:?} in {lines:#?}");
    }
}

#[test]
fn progress_is_a_line_a_group() {
    check(
        |_| {},
        &[
            "UPRN 100023336956 · share of freehold · Acme Estates · probate · power of attorney",
            "sale      ✓ listed 2026-01-05  ✓ sold subject to contract 2026-01-20",
            "searches  ✓ ordered 2026-01-25  · local authority (expected 2026-02-20)",
            "          ✓ environmental 2026-02-02  · water",
            "funding   ✓ mortgage applied for 2026-01-22  · mortgage offered",
            "enquiries · opened  · closed",
            "contracts · exchanged (expected 2026-04-01)  · completed",
        ],
    );
}

#[test]
fn a_milestone_once_reached_shows_its_own_date() {
    let reach = |property: &mut Value| {
        property["milestones"]["exchangeOfContracts"]["completed"] = json!("2026-04-03");
    };
    check(reach, &["contracts ✓ exchanged 2026-04-03  · completed"]);
}

#[test]
fn a_cash_buyer_needs_no_mortgage() {
    let pay_cash = |property: &mut Value| {
        property["milestones"]["funding"] =
            json!({"isCashBuyer": true, "started": null, "completed": null});
    };
    check(pay_cash, &["funding   ✓ cash buyer"]);
}

#[test]
fn unknown_things_are_said_to_be_unknown() {
    let forget = |property: &mut Value| {
        property["uprn"] = json!(900_000_000_001_u64);
        property["tenure"] = json!("");
        property["transactionType"] = json!([]);
        property["participants"]["sellingAgent"] = json!("");
    };
    let unknown = "UPRN 900000000001 (placeholder) · tenure unknown · agent unknown";
    check(forget, &[unknown]);
}

#[test]
fn a_fall_through_comes_first() {
    let mut property = sample();
    property["milestones"]["fallThrough"] = json!({"completed": "2026-03-03"});
    let property: Property = serde_json::from_value(property).unwrap();
    let lines = describe_property(&property, Paint::plain());
    assert_eq!(lines[0], "✗ SALE FELL THROUGH 2026-03-03");
}

#[test]
fn colours_do_not_change_where_lines_break() {
    let property: Property = serde_json::from_value(sample()).unwrap();
    let plain = describe_property(&property, Paint::plain());
    let painted = describe_property(&property, Paint::coloured());
    assert_eq!(plain.len(), painted.len());
    let is_painted = painted[1].contains("\u{1b}[32m✓\u{1b}[0m listed");
    assert!(is_painted, "{painted:?}");
}

/// Sets a member below `milestones`, and makes the objects that lead to it.
fn set(property: &mut Value, member: &str, value: Value) {
    let mut place = &mut property["milestones"];
    for name in member.split('.') {
        place = &mut place[name];
    }
    *place = value;
}

#[test]
fn each_member_of_the_milestone_shape_is_shown() {
    for field in Field::ALL {
        let (value, shown) = if field == Field::FundingIsCashBuyer {
            (json!(true), "cash buyer")
        } else {
            (json!("2025-12-31"), "2025-12-31")
        };
        let mut property = sample();
        set(&mut property, field.member(), value);
        let property: Property = serde_json::from_value(property).unwrap();
        let lines = describe_property(&property, Paint::plain()).join("\n");
        assert!(lines.contains(shown), "no {} in {lines}", field.member());
    }
}
