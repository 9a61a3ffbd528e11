//! `/api/v1/listing/{id}/milestone/{key}`: S-11, S-38, S-50 to S-52.

mod refusals;

use serde_json::{Value, json};

use crate::management::{NOVEMBER_20, Witness};
use crate::story;
use crate::world::{Agent, Answer, BEGINNING};

fn path(listing: i64, key: &str) -> String {
    format!("/listing/{listing}/milestone/{key}")
}

/// The attributes of a milestone that was answered with 200.
fn attributes(answer: &Answer) -> Value {
    let mut body = answer.json();
    assert_eq!(answer.status, 200, "{body}");
    body["data"]["attributes"].take()
}

story! {
    async fn a_milestone_is_recorded_and_read(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1001).await;
        world.clock.advance(5);
        let recorded = agent.record(listing, "draft_contracts_prepared", "2026-11-20").await;
        assert_eq!(recorded.status, 200);
        let mut body = recorded.json();
        assert!(body["data"]["id"].take().is_string());
        assert_eq!(body, json!({"data": {
            "id": null,
            "type": "milestone",
            "attributes": {
                "created_at": BEGINNING + 5,
                "updated_at": BEGINNING + 5,
                "deleted_at": null,
                "completed_at": NOVEMBER_20,
                "milestone_type_id": 2,
                "milestone_type": "Contracts Underway",
                "address_id": 1,
                "is_derived": false,
                "excluded": false,
                "origin": 1,
            },
        }}));
        let read = agent.get(&path(listing, "draft_contracts_prepared")).await;
        assert_eq!((read.status, read.json()), (200, recorded.json()));
    }
}

story! {
    async fn none_is_no_content(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let answer = agent.get(&path(listing, "sstc")).await;
        assert_eq!((answer.status, answer.body.len()), (204, 0));
        agent.record(listing, "sstc", "2026-11-20").await;
        agent.delete(&path(listing, "sstc")).await.assert_success();
        let answer = agent.get(&path(listing, "sstc")).await;
        assert_eq!((answer.status, answer.body.len()), (204, 0));
    }
}

story! {
    async fn a_date_is_midnight_in_london(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let witness = Witness::of(&world).await;
        // Winter, the two nights of a change, and summer with an hour more.
        for (date, seconds) in [
            ("2026-11-20", NOVEMBER_20),
            ("2026-03-29", 1_774_742_400),
            ("2026-03-30", 1_774_825_200),
            ("2026-06-01", 1_780_268_400),
            ("2026-10-25", 1_792_882_800),
            ("2026-10-26", 1_792_972_800),
            ("1900-01-01", -2_208_988_800),
            ("2000-02-29", 951_782_400),
        ] {
            let shown = attributes(&agent.record(listing, "sstc", date).await);
            assert_eq!(shown["completed_at"], seconds, "{date}");
            let property = witness.property(1).await;
            let sstc = &property["milestones"]["soldSubjectToContract"]["completed"];
            assert_eq!(sstc, date);
        }
    }
}

story! {
    async fn an_exact_time_is_kept_and_its_day_is_london_s(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let witness = Witness::of(&world).await;
        // One second before and at midnight of 2026-06-01 in London, 23:00 in UTC.
        for (seconds, date) in [
            (1_780_268_399, "2026-05-31"),
            (1_780_268_400, "2026-06-01"),
            (1_780_272_001, "2026-06-01"),
            (NOVEMBER_20 - 1, "2026-11-19"),
            (NOVEMBER_20, "2026-11-20"),
            (0, "1970-01-01"),
            (-1, "1970-01-01"),
        ] {
            let body = json!({"completed_at": seconds});
            let shown = attributes(&agent.put(&path(listing, "sstc"), body).await);
            assert_eq!(shown["completed_at"], seconds);
            let property = witness.property(1).await;
            let sstc = &property["milestones"]["soldSubjectToContract"]["completed"];
            assert_eq!(sstc, date, "{seconds}");
        }
    }
}

story! {
    async fn document_1_shows_it_at_once_and_an_event_is_kept(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1001).await;
        let witness = Witness::of(&world).await;
        assert_eq!(
            witness.property(1001).await["milestones"]["soldSubjectToContract"],
            json!({"completed": null})
        );
        agent.record(listing, "sstc", "2026-11-20").await;
        assert_eq!(
            witness.property(1001).await["milestones"]["soldSubjectToContract"],
            json!({"completed": "2026-11-20"})
        );
        let event = |date: &str| format!("milestone.updated SSTC {date} {listing} 1 1001");
        assert_eq!(witness.events().await, [event("2026-11-20")]);
        // The same date again: nothing changes, nothing is told (S-38).
        let before = agent.get(&path(listing, "sstc")).await.json();
        world.clock.advance(60);
        let again = agent.record(listing, "sstc", "2026-11-20").await;
        assert_eq!((again.status, again.json()), (200, before.clone()));
        assert_eq!(agent.get(&path(listing, "sstc")).await.json(), before);
        assert_eq!(agent.attributes(listing).await["updated_at"], BEGINNING);
        assert_eq!(witness.events().await, [event("2026-11-20")]);
        // Another date: told again, and one milestone still.
        let changed = agent.record(listing, "sstc", "2026-11-19").await.json();
        assert_eq!(changed["data"]["id"], before["data"]["id"]);
        assert_eq!(changed["data"]["attributes"]["created_at"], BEGINNING);
        assert_eq!(changed["data"]["attributes"]["updated_at"], BEGINNING + 60);
        assert_eq!(witness.events().await, [event("2026-11-20"), event("2026-11-19")]);
        assert_eq!(
            witness.property(1001).await["milestones"]["soldSubjectToContract"],
            json!({"completed": "2026-11-19"})
        );
    }
}

story! {
    async fn a_withdrawn_milestone_is_null_again_and_no_event(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1001).await;
        let witness = Witness::of(&world).await;
        agent.record(listing, "exchange", "2026-11-20").await;
        let events = witness.events().await;
        for _time in 0..2 {
            agent.delete(&path(listing, "exchange")).await.assert_success();
            assert_eq!(
                witness.property(1001).await["milestones"]["exchangeOfContracts"],
                json!({"expected": null, "completed": null})
            );
        }
        assert_eq!(witness.events().await, events);
        let withdrawn: Vec<String> = agent.history_lines(listing).await.into_iter().skip(1).collect();
        assert_eq!(withdrawn.len(), 2, "{withdrawn:?}");
        assert!(withdrawn[0].starts_with("milestone.recorded "), "{withdrawn:?}");
        assert!(withdrawn[1].starts_with("milestone.withdrawn "), "{withdrawn:?}");
        // Recorded anew, on the same date: that is told again.
        agent.record(listing, "exchange", "2026-11-20").await;
        assert_eq!(witness.events().await.len(), 2);
        // None was ever recorded: success as well.
        agent.delete(&path(listing, "sstc")).await.assert_success();
    }
}

story! {
    async fn history_says_what_was_recorded(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        agent.record(listing, "sstc", "2026-11-19").await;
        agent.delete(&path(listing, "sstc")).await.assert_success();
        assert_shown!(agent.history_lines(listing).await.join("\n"), @r#"
        listing.created {"address_id":1,"price":250000}
        milestone.recorded {"date":"2026-11-20","excluded":false,"key":"sstc","origin":1}
        milestone.recorded {"date":"2026-11-19","excluded":false,"key":"sstc","origin":1}
        milestone.withdrawn {"key":"sstc"}
        "#);
    }
}

story! {
    async fn origin_and_excluded_are_kept_until_told_otherwise(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let witness = Witness::of(&world).await;
        let date = "2026-11-20";
        let steps = [
            (json!({"date": date, "origin": 2}), 2, false, 1),
            (json!({"date": date}), 2, false, 1),
            (json!({"date": "2026-11-19"}), 2, false, 2),
            (json!({"date": "2026-11-19", "origin": 0}), 0, false, 2),
            (json!({"date": "2026-11-19", "excluded": true}), 0, true, 2),
            (json!({"date": "2026-11-18"}), 0, true, 3),
            (json!({"date": "2026-11-18", "excluded": false, "origin": 6}), 6, false, 3),
        ];
        for (body, origin, excluded, events) in steps {
            let shown = attributes(&agent.put(&path(listing, "sstc"), body.clone()).await);
            assert_eq!((&shown["origin"], &shown["excluded"]), (&json!(origin), &json!(excluded)));
            assert_eq!(shown["is_derived"], false);
            // A changed date is told, whatever else may change is not.
            assert_eq!(witness.events().await.len(), events, "{body}");
        }
        for origin in 0..=6 {
            let body = json!({"date": date, "origin": origin});
            let shown = attributes(&agent.put(&path(listing, "exchange"), body).await);
            assert_eq!(shown["origin"], origin);
        }
    }
}

/// Key, label of the event if one is told, pointer to document 1's field.
#[rustfmt::skip]
const CATALOGUE: [(&str, i64, Option<&str>, Option<&str>); 28] = [
    ("property_listed", 101, Some("Property Listed"), Some("/listed/completed")),
    ("sstc", 1, Some("SSTC"), Some("/soldSubjectToContract/completed")),
    ("memo_of_sale_sent", 26, None, None),
    ("solicitors_instructed", 27, None, None),
    ("draft_contracts_prepared", 2, None, None),
    ("contract_sent", 28, None, None),
    ("contract_received", 29, None, None),
    ("management_pack", 30, None, None),
    ("searches_ordered", 3, Some("Searches Ordered"), Some("/searches/started")),
    ("searches_expected", 7, Some("LA Search Expected"), Some("/searches/localAuthority/expected")),
    ("la_search_delivered", 102, Some("Search Delivered"), Some("/searches/localAuthority/completed")),
    ("environmental_search_delivered", 103, Some("Environmental Search Delivered"), Some("/searches/environmental/completed")),
    ("water_search_delivered", 104, Some("Water Search Delivered"), Some("/searches/drainageWater/completed")),
    ("cash_buyer", 105, Some("Cash Buyer"), Some("/funding/isCashBuyer")),
    ("funding_applied", 8, Some("Mortgage Applied"), Some("/funding/started")),
    ("valuation_booked", 18, None, None),
    ("valuation_satisfactory", 19, None, None),
    ("buyers_survey", 32, None, None),
    ("mortgage_offer_expected", 33, None, None),
    ("mortgage_offered", 31, Some("Mortgage Offered"), Some("/funding/completed")),
    ("enquiries_opened", 14, Some("Enquiries Opened"), Some("/enquiries/started")),
    ("enquiries_closed", 106, Some("Enquiries Closed"), Some("/enquiries/completed")),
    ("proposed_exchange", 107, Some("Proposed Exchange"), Some("/exchangeOfContracts/expected")),
    ("exchange", 108, Some("Exchange"), Some("/exchangeOfContracts/completed")),
    ("proposed_completion", 6, Some("Proposed Completion"), Some("/completion/expected")),
    ("completion_date_set", 109, Some("Completion Date Set"), None),
    ("completion", 110, Some("Completion"), Some("/completion/completed")),
    ("fall_through", 111, None, Some("/fallThrough/completed")),
];

/// The pointers at which two values differ.
fn differences(before: &Value, after: &Value, at: &str, found: &mut Vec<String>) {
    if let (Some(old), Some(new)) = (before.as_object(), after.as_object()) {
        let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            let pair = [old, new].map(|map| map.get(name).cloned().unwrap_or(json!({})));
            differences(&pair[0], &pair[1], &format!("{at}/{name}"), found);
        }
    } else if before != after {
        found.push(at.to_owned());
    }
}

story! {
    async fn each_type_has_its_key_its_field_and_its_event(world) {
        let agent = world.agent("north").await;
        let witness = Witness::of(&world).await;
        for (index, (key, id, label, field)) in (1..).zip(CATALOGUE) {
            let listing = agent.list(index).await;
            let before = witness.property(index).await["milestones"].clone();
            let told = witness.events().await.len();
            let shown = attributes(&agent.record(listing, key, "2026-11-20").await);
            assert_eq!(shown["milestone_type_id"], id, "{key}");
            let after = witness.property(index).await["milestones"].clone();
            let mut changed = Vec::new();
            differences(&before, &after, "", &mut changed);
            let expected: Vec<String> = field.into_iter().map(str::to_owned).collect();
            assert_eq!(changed, expected, "{key}");
            if let Some(field) = field {
                let value = after.pointer(field).unwrap();
                let cash = key == "cash_buyer";
                let expected = if cash { json!(true) } else { json!("2026-11-20") };
                assert_eq!(value, &expected, "{key}");
            }
            let told: Vec<String> = witness.events().await.split_off(told);
            let kind = if key == "fall_through" { "fallthrough" } else { "milestone.updated" };
            let event = format!("{kind} {} 2026-11-20 {listing} {index} {index}",
                label.unwrap_or("-"));
            let is_told = label.is_some() || key == "fall_through";
            assert_eq!(told, if is_told { vec![event] } else { vec![] }, "{key}");
            check_withdrawal(&agent, &witness, (index, listing), key, &before).await;
        }
    }
}

/// A withdrawn milestone leaves document 1 as it was before.
async fn check_withdrawal(
    agent: &Agent,
    witness: &Witness<'_>,
    (uprn, listing): (i64, i64),
    key: &str,
    before: &Value,
) {
    agent.delete(&path(listing, key)).await.assert_success();
    assert_eq!(&witness.property(uprn).await["milestones"], before, "{key}");
}
