//! `/api/v1/listing/{id}/milestone/{key}`: S-11, S-38, S-50 to S-52.

mod refusals;

use serde_json::{Value, json};

use crate::management::NOVEMBER_20;
use crate::model::catalogue::KINDS;
use crate::story;
use crate::test_server::{Answer, BEGINNING};

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
    async fn a_milestone_is_recorded_and_read(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(1001).await;
        let none = agent.get(&path(listing, "draft_contracts_prepared")).await;
        assert_eq!((none.status, none.body.len()), (204, 0));
        server.clock.advance(5);
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
        agent.delete(&path(listing, "draft_contracts_prepared")).await.assert_success();
        let none = agent.get(&path(listing, "draft_contracts_prepared")).await;
        assert_eq!((none.status, none.body.len()), (204, 0));
    }
}

story! {
    async fn a_new_buyer_s_sale_shows_the_dates_that_the_branch_has_not_withdrawn(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let [listing, above] = agent.list_each([1, 2]).await;
        agent.link(above, listing).await;
        agent.mark(listing, "check/bottom").await;
        // S-52: a date becomes null only when its branch withdraws it.
        let of_buyer = ["searches_ordered", "funding_applied", "mortgage_offered", "enquiries_opened"];
        agent.record(listing, "sstc", "2026-03-02").await;
        for key in of_buyer {
            agent.record(listing, key, "2026-04-01").await;
        }
        let mut expected = lender.shown_property(1).await;
        agent.record(listing, "fall_through", "2026-05-01").await;
        agent.record(listing, "sstc", "2026-06-01").await;
        expected["milestones"]["fallThrough"] = json!({"completed": "2026-05-01"});
        expected["milestones"]["soldSubjectToContract"]["completed"] = json!("2026-06-01");
        assert_eq!(lender.shown_property(1).await, expected);
        assert_eq!(expected["milestones"]["funding"]["completed"], "2026-04-01");
        assert_eq!(expected["isBottomClosed"], true);

        for key in of_buyer {
            agent.delete(&path(listing, key)).await.assert_success();
        }
        agent.mark(listing, "uncheck/bottom").await;
        let shown = lender.shown_property(1).await;
        let milestones = &shown["milestones"];
        for dates in ["searches", "funding", "enquiries"] {
            assert_eq!(milestones[dates]["started"], Value::Null, "{dates}");
        }
        assert_eq!((&milestones["funding"]["completed"], &shown["isBottomClosed"]),
            (&Value::Null, &json!(false)));
        assert_eq!(milestones["fallThrough"]["completed"], "2026-05-01");
    }
}

story! {
    async fn a_date_is_midnight_in_london_and_an_exact_time_is_kept(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let lender = server.lender().await;
        for (body, seconds, date) in [
            // Winter, the two nights of a change, and summer with an hour more.
            (json!({"date": "2026-11-20"}), NOVEMBER_20, "2026-11-20"),
            (json!({"date": "2026-03-29"}), 1_774_742_400, "2026-03-29"),
            (json!({"date": "2026-03-30"}), 1_774_825_200, "2026-03-30"),
            (json!({"date": "2026-06-01"}), 1_780_268_400, "2026-06-01"),
            (json!({"date": "2026-10-25"}), 1_792_882_800, "2026-10-25"),
            (json!({"date": "2026-10-26"}), 1_792_972_800, "2026-10-26"),
            (json!({"date": "2000-02-29"}), 951_782_400, "2000-02-29"),
            // The first and the last day.
            (json!({"date": "1990-01-01"}), 631_152_000, "1990-01-01"),
            (json!({"date": "2026-11-21"}), NOVEMBER_20 + 86_400, "2026-11-21"),
            // One second before and at midnight of 2026-06-01 in London, 23:00 in UTC.
            (json!({"completed_at": 1_780_268_399}), 1_780_268_399, "2026-05-31"),
            (json!({"completed_at": 1_780_268_400}), 1_780_268_400, "2026-06-01"),
            (json!({"completed_at": NOVEMBER_20 - 1}), NOVEMBER_20 - 1, "2026-11-19"),
            (json!({"completed_at": 631_152_001}), 631_152_001, "1990-01-01"),
        ] {
            let shown = attributes(&agent.put(&path(listing, "sstc"), body.clone()).await);
            assert_eq!(shown["completed_at"], seconds, "{body}");
            let property = lender.shown_property(1).await;
            let sstc = &property["milestones"]["soldSubjectToContract"]["completed"];
            assert_eq!(sstc, date, "{body}");
        }
    }
}

story! {
    async fn a_completed_date_is_past_and_an_expected_one_at_most_ten_years_ahead(server) {
        let (agent, listing) = server.agent_with_listing().await;
        for kind in KINDS.iter() {
            let is_expected = ["searches_expected", "proposed_exchange", "proposed_completion",
                "completion_date_set", "mortgage_offer_expected"].contains(&kind.key);
            let (last, after) = if is_expected {
                ("2036-11-21", "2036-11-22")
            } else {
                ("2026-11-21", "2026-11-22")
            };
            for date in ["1990-01-01", last] {
                assert_eq!(agent.record(listing, kind.key, date).await.status, 200, "{}", kind.key);
            }
            for date in ["1989-12-31", after] {
                let failure = agent.record(listing, kind.key, date).await.failure();
                let said = format!("(date): date: must be from 1990-01-01 to {last}");
                assert!(failure.ends_with(&said), "{} {failure}", kind.key);
            }
        }
        // One second before midnight in London is the day before.
        let late = json!({"completed_at": NOVEMBER_20 + 2 * 86_400});
        let failure = agent.put(&path(listing, "sstc"), late).await.failure();
        assert!(failure.starts_with("422 value_invalid (completed_at): "), "{failure}");
    }
}

story! {
    async fn document_1_shows_it_at_once_and_an_event_is_kept(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(1001).await;
        let lender = server.lender().await;
        assert_eq!(
            lender.shown_property(1001).await["milestones"]["soldSubjectToContract"],
            json!({"completed": null})
        );
        agent.record(listing, "sstc", "2026-11-20").await;
        assert_eq!(
            lender.shown_property(1001).await["milestones"]["soldSubjectToContract"],
            json!({"completed": "2026-11-20"})
        );
        let event = |date: &str| format!("milestone.updated SSTC {date} {listing} 1 1001");
        assert_eq!(server.event_lines().await, [event("2026-11-20")]);
        // The same date again: nothing changes, and no event follows (S-38).
        let before = agent.get(&path(listing, "sstc")).await.json();
        server.clock.advance(60);
        let again = agent.record(listing, "sstc", "2026-11-20").await;
        assert_eq!((again.status, again.json()), (200, before.clone()));
        assert_eq!(agent.get(&path(listing, "sstc")).await.json(), before);
        assert_eq!(agent.attributes(listing).await["updated_at"], BEGINNING);
        assert_eq!(server.event_lines().await, [event("2026-11-20")]);
        // Another date: one event more, and still one milestone.
        let changed = agent.record(listing, "sstc", "2026-11-19").await.json();
        assert_eq!(agent.get(&path(listing, "sstc")).await.json(), changed);
        assert_eq!(changed["data"]["id"], before["data"]["id"]);
        assert_eq!(changed["data"]["attributes"]["created_at"], BEGINNING);
        assert_eq!(changed["data"]["attributes"]["updated_at"], BEGINNING + 60);
        assert_eq!(server.event_lines().await, [event("2026-11-20"), event("2026-11-19")]);
        assert_eq!(
            lender.shown_property(1001).await["milestones"]["soldSubjectToContract"],
            json!({"completed": "2026-11-19"})
        );
    }
}

story! {
    async fn a_withdrawn_milestone_is_null_again_and_no_event(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(1001).await;
        let lender = server.lender().await;
        agent.record(listing, "exchange", "2026-11-20").await;
        let events = server.event_lines().await;
        for _time in 0..2 {
            agent.delete(&path(listing, "exchange")).await.assert_success();
            assert_eq!(
                lender.shown_property(1001).await["milestones"]["exchangeOfContracts"],
                json!({"expected": null, "completed": null})
            );
        }
        assert_eq!(server.event_lines().await, events);
        let withdrawn: Vec<String> = agent.history_lines(listing).await.into_iter().skip(1).collect();
        assert_eq!(withdrawn.len(), 2, "{withdrawn:?}");
        assert!(withdrawn[0].starts_with("milestone.recorded "), "{withdrawn:?}");
        assert!(withdrawn[1].starts_with("milestone.withdrawn "), "{withdrawn:?}");
        // Recorded again on the same date: one event more.
        server.clock.advance(5);
        let body = json!({"completed_at": NOVEMBER_20 + 1, "origin": 3});
        let recorded = agent.put(&path(listing, "exchange"), body).await;
        let read = agent.get(&path(listing, "exchange")).await;
        assert_eq!((recorded.status, recorded.json()), (200, read.json()));
        assert_eq!(server.event_lines().await.len(), 2);
        // Withdrawing a milestone that was never recorded succeeds as well.
        agent.delete(&path(listing, "sstc")).await.assert_success();
    }
}

story! {
    async fn a_milestone_that_the_sale_does_not_need_is_null_and_no_event(server) {
        let agent = server.agent("north").await;
        let asker = server.lender().await;
        let listing = agent.list(1).await;
        let shown = async || {
            let chain = asker.ask_uprns(&[1]).await.chains().remove(0);
            let milestones = &chain["properties"][0]["milestones"];
            (milestones["exchangeOfContracts"]["completed"].clone(), milestones["fallThrough"].clone())
        };
        for key in ["exchange", "fall_through"] {
            let body = json!({"date": "2026-11-20", "excluded": true});
            assert_eq!(agent.put(&path(listing, key), body).await.status, 200);
        }
        assert_eq!(shown().await, (Value::Null, Value::Null));
        assert_eq!(server.event_lines().await.len(), 0);
        // The sale needs it after all.
        let body = json!({"date": "2026-11-20", "excluded": false});
        assert_eq!(agent.put(&path(listing, "exchange"), body).await.status, 200);
        assert_eq!(shown().await, (json!("2026-11-20"), Value::Null));
        assert_eq!(server.event_lines().await.len(), 1);
    }
}

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
    async fn each_type_has_its_key_its_field_and_its_event(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        for (index, kind) in (1..).zip(&*KINDS) {
            let key = kind.key;
            let listing = agent.list(index).await;
            let before = lender.shown_property(index).await["milestones"].clone();
            let earlier = server.event_lines().await.len();
            let shown = attributes(&agent.record(listing, key, "2026-11-20").await);
            assert_eq!(shown["milestone_type_id"], kind.id, "{key}");
            let after = lender.shown_property(index).await["milestones"].clone();
            let mut changed = Vec::new();
            differences(&before, &after, "", &mut changed);
            let field = kind.field.map(|field| format!("/{}", field.replace('.', "/")));
            assert_eq!(changed, field.iter().cloned().collect::<Vec<_>>(), "{key}");
            if let Some(field) = field {
                let is_flag = key == "cash_buyer";
                let expected = if is_flag { json!(true) } else { json!("2026-11-20") };
                assert_eq!(after.pointer(&field), Some(&expected), "{key}");
            }
            let event = match kind.label {
                Some("Fall Through") => Some("fallthrough -".to_owned()),
                label => label.map(|label| format!("milestone.updated {label}")),
            };
            let event = event.map(|event| format!("{event} 2026-11-20 {listing} {index} {index}"));
            let sent = server.event_lines().await.split_off(earlier);
            assert_eq!(sent, event.into_iter().collect::<Vec<_>>(), "{key}");
            // A withdrawn milestone leaves document 1 as it was before.
            agent.delete(&path(listing, key)).await.assert_success();
            assert_eq!(lender.shown_property(index).await["milestones"], before, "{key}");
        }
    }
}
