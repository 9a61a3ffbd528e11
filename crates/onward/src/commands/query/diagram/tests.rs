//! Tests of the drawings without colours, as inline snapshots.

use client::wire::Chain;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DRAWN_LIMIT, draw_chain};
use crate::commands::query::Paint;

/// A property with its number, its connections and empty milestones.
fn property(number: u64, above: &[u64], below: &[u64]) -> Value {
    json!({
        "id": number, "uprn": number,
        "address": {"displayAddress": format!("{number} Acacia Avenue, Leeds, LS1 4AP")},
        "tenure": "freehold", "transactionType": [],
        "milestones": {
            "listed": {"completed": "2026-01-05"},
            "soldSubjectToContract": {"completed": null},
            "searches": {"started": null, "localAuthority": {"expected": null, "completed": null},
                         "environmental": {"completed": null}, "drainageWater": {"completed": null}},
            "funding": {"isCashBuyer": false, "started": null, "completed": null},
            "enquiries": {"started": null, "completed": null},
            "exchangeOfContracts": {"expected": null, "completed": null},
            "completion": {"expected": null, "completed": null}
        },
        "participants": {"sellingAgent": "Acme"},
        "isTopClosed": false, "isBottomClosed": false,
        "connections": {"onwardPurchase": above, "buyersSale": below}
    })
}

/// A chain of these properties, from the bottom to the top as the service lists them.
fn chain(chain_type: &str, properties: &[Value]) -> Chain {
    serde_json::from_value(json!({
        "queriedAddress": "2 Acacia Avenue, Leeds, LS1 4AP",
        "chainId": "6f3c2f6e-5b0e-4d8e-9a39-0e1b6d2b7c11",
        "chainSummary": {"chainType": chain_type, "chainLength": properties.len()},
        "properties": properties
    }))
    .unwrap()
}

/// The drawing without the lines about sales and milestones, so that its shape shows.
fn draw_outline(chain: &Chain) -> String {
    let drawing = draw_chain(chain, None, Paint::plain());
    let details = "UPRN |sale  |searches  |funding  |enquiries |contracts ";
    let is_detail = |line: &&str| details.split('|').any(|detail| line.contains(detail));
    let lines = drawing.lines().skip(3).filter(|line| !is_detail(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn check_outline(chain: &Chain, expected: &str) {
    let drawn = draw_outline(chain);
    assert_eq!(drawn, expected.trim_matches('\n'), "\n{drawn}\n");
}

#[test]
fn the_uprn_of_an_explanation_decides_about_the_mark() {
    let mut one = chain("NOT_IN_CHAIN", &[property(2, &[], &[])]);
    for (queried, asked, is_marked) in [
        ("2 Acacia Avenue, Leeds, LS1 4AP", None, true),
        ("2 acacia avenue", None, false),
        ("2 acacia avenue", Some(one.properties[0].uprn), true),
        ("2 Acacia Avenue, Leeds, LS1 4AP", Some(99), false),
    ] {
        one.queried_address = queried.to_owned();
        let drawing = draw_chain(&one, asked, Paint::plain());
        assert_eq!(
            drawing.contains("(asked for)"),
            is_marked,
            "{queried} {asked:?}"
        );
    }
}

#[test]
fn a_property_that_stands_alone_is_drawn_whole() {
    let alone = chain("NOT_IN_CHAIN", &[property(2, &[], &[])]);
    let drawing = draw_chain(&alone, None, Paint::plain());
    let expected = "\
2 Acacia Avenue, Leeds, LS1 4AP
not in a chain, 1 property, chain 6f3c2f6e-5b0e-4d8e-9a39-0e1b6d2b7c11

┊  top open: not confirmed that nothing is above
●  2 Acacia Avenue, Leeds, LS1 4AP  (asked for)
     UPRN 2 · freehold · Acme
     sale      ✓ listed 2026-01-05  · sold subject to contract
     searches  · ordered  · local authority  · environmental  · water
     funding   · mortgage applied for  · mortgage offered
     enquiries · opened  · closed
     contracts · exchanged  · completed
┊  bottom open: not confirmed that nothing is below
";
    assert_eq!(drawing, expected, "\n{drawing}\n");
}

#[test]
fn a_straight_chain_is_drawn_from_the_top() {
    let mut bottom = property(1, &[2], &[]);
    bottom["isBottomClosed"] = json!(true);
    let mut top = property(3, &[], &[2]);
    top["isTopClosed"] = json!(true);
    let expected = "
┯  top closed: nothing further above
●  3 Acacia Avenue, Leeds, LS1 4AP
▲  bought by the seller below
●  2 Acacia Avenue, Leeds, LS1 4AP  (asked for)
▲  bought by the seller below
●  1 Acacia Avenue, Leeds, LS1 4AP
┷  bottom closed: nothing further below";
    let properties = [bottom, property(2, &[3], &[1]), top];
    check_outline(&chain("IN_CHAIN", &properties), expected);
}

#[test]
fn a_buyer_who_sells_two_properties_parts_the_tracks() {
    let properties = [
        property(1, &[3], &[]),
        property(2, &[4], &[]),
        property(3, &[4], &[1]),
        property(4, &[], &[2, 3]),
    ];
    let expected = "
┊  top open: not confirmed that nothing is above
●  4 Acacia Avenue, Leeds, LS1 4AP
▲  bought by one buyer, who sells several properties below
├─╮
● │  3 Acacia Avenue, Leeds, LS1 4AP
▲ │  bought by the seller below
│ ●  2 Acacia Avenue, Leeds, LS1 4AP  (asked for)
│ ┊  bottom open: not confirmed that nothing is below
●  1 Acacia Avenue, Leeds, LS1 4AP
┊  bottom open: not confirmed that nothing is below";
    check_outline(&chain("SPLIT_CHAIN", &properties), expected);
}

#[test]
fn a_seller_who_buys_three_properties_joins_the_tracks() {
    let properties = [
        property(1, &[2, 3, 4], &[]),
        property(2, &[], &[1]),
        property(3, &[], &[1]),
        property(4, &[], &[1]),
    ];
    let expected = "
┊  top open: not confirmed that nothing is above
●  4 Acacia Avenue, Leeds, LS1 4AP
▲  bought by the seller below
│ ┊  top open: not confirmed that nothing is above
│ ●  3 Acacia Avenue, Leeds, LS1 4AP
│ ▲  bought by the seller below
│ │ ┊  top open: not confirmed that nothing is above
│ │ ●  2 Acacia Avenue, Leeds, LS1 4AP  (asked for)
│ │ ▲  bought by the seller below
├─┴─╯  the seller below buys these 3 properties
●  1 Acacia Avenue, Leeds, LS1 4AP
┊  bottom open: not confirmed that nothing is below";
    check_outline(&chain("SPLIT_CHAIN", &properties), expected);
}

#[test]
fn a_connection_outside_the_answer_makes_an_end_unknown() {
    let mut lonely = property(1, &[77], &[88]);
    lonely["isTopClosed"] = json!(true);
    let expected = "
?  top unknown: a property above is not in this answer
●  1 Acacia Avenue, Leeds, LS1 4AP
?  bottom unknown: a property below is not in this answer";
    check_outline(&chain("IN_CHAIN", &[lonely]), expected);
}

#[test]
fn a_ring_is_drawn_once_and_ends_unknown() {
    let ring = [property(1, &[2], &[2]), property(2, &[1], &[1])];
    let expected = "
?  top unknown: a property above is not in this answer
●  2 Acacia Avenue, Leeds, LS1 4AP  (asked for)
▲  bought by the seller below
●  1 Acacia Avenue, Leeds, LS1 4AP
?  bottom unknown: a property below is not in this answer";
    check_outline(&chain("IN_CHAIN", &ring), expected);
}

#[test]
fn no_more_than_the_limit_is_drawn() {
    let properties: Vec<Value> = (1..=DRAWN_LIMIT as u64 + 7)
        .map(|number| property(number, &[], &[]))
        .collect();
    let drawing = draw_chain(&chain("IN_CHAIN", &properties), None, Paint::plain());
    assert!(drawing.ends_with("and 7 more below that are not drawn; --json has them\n"));
}

#[test]
fn escapes_from_the_network_do_not_reach_the_terminal() {
    let mut hostile = property(1, &[], &[]);
    let text = json!("\u{1b}[2J\u{9b}31mred\u{202e}\nnext");
    hostile["address"]["displayAddress"] = text.clone();
    hostile["tenure"] = text.clone();
    hostile["transactionType"] = json!([text]);
    hostile["participants"]["sellingAgent"] = text.clone();
    hostile["milestones"]["listed"]["completed"] = text.clone();
    hostile["milestones"]["exchangeOfContracts"]["expected"] = text.clone();
    hostile["milestones"]["fallThrough"] = json!({"completed": text.clone()});
    let mut chain = chain("IN_CHAIN", &[hostile]);
    chain.queried_address = text.as_str().unwrap().to_owned();
    chain.chain_id = text.as_str().unwrap().to_owned();
    let drawing = draw_chain(&chain, None, Paint::plain());
    let visible = "U+001B[2JU+009B31mredU+202E next";
    assert!(drawing.contains(visible), "{drawing}");
    let mut shown = drawing.chars().filter(|shown| *shown != '\n');
    assert!(!shown.any(char::is_control), "{drawing:?}");
    assert!(!drawing.contains('\u{202e}'), "{drawing:?}");
}

proptest! {
    /// Each property is drawn exactly once, whatever the connections are.
    #[test]
    fn any_connections_can_be_drawn(
        connections in prop::collection::vec(
            (prop::collection::vec(0_u64..12, 0..4), prop::collection::vec(0_u64..12, 0..4)),
            0..12,
        )
    ) {
        let properties: Vec<Value> = (0..)
            .zip(&connections)
            .map(|(number, (above, below))| property(number, above, below))
            .collect();
        let drawing = draw_chain(&chain("SPLIT_CHAIN", &properties), None, Paint::plain());
        prop_assert_eq!(drawing.matches('●').count(), properties.len());
    }
}
