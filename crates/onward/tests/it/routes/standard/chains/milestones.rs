//! Where an answer shows each milestone (document 1's milestone shape and catalogue).

use serde_json::{Value, json};

use super::asker::Asker;
use super::rows::Rows;
use crate::story;

const DATE: &str = "2026-06-01";

/// Every key of the catalogue, and the field it sets; none changes nothing.
#[rustfmt::skip]
const FIELDS: [(&str, &str); 28] = [
    ("property_listed", "/listed/completed"),
    ("sstc", "/soldSubjectToContract/completed"),
    ("searches_ordered", "/searches/started"),
    ("searches_expected", "/searches/localAuthority/expected"),
    ("la_search_delivered", "/searches/localAuthority/completed"),
    ("environmental_search_delivered", "/searches/environmental/completed"),
    ("water_search_delivered", "/searches/drainageWater/completed"),
    ("cash_buyer", "/funding/isCashBuyer"),
    ("funding_applied", "/funding/started"),
    ("mortgage_offered", "/funding/completed"),
    ("enquiries_opened", "/enquiries/started"),
    ("enquiries_closed", "/enquiries/completed"),
    ("proposed_exchange", "/exchangeOfContracts/expected"),
    ("exchange", "/exchangeOfContracts/completed"),
    ("proposed_completion", "/completion/expected"),
    ("completion", "/completion/completed"),
    ("completion_date_set", ""),
    ("fall_through", "/fallThrough/completed"),
    ("memo_of_sale_sent", ""),
    ("solicitors_instructed", ""),
    ("draft_contracts_prepared", ""),
    ("contract_sent", ""),
    ("contract_received", ""),
    ("management_pack", ""),
    ("valuation_booked", ""),
    ("valuation_satisfactory", ""),
    ("buyers_survey", ""),
    ("mortgage_offer_expected", ""),
];

/// Document 1's shape before anything is recorded: all groups but `fallThrough`.
fn blank() -> Value {
    json!({
        "listed": {"completed": null},
        "soldSubjectToContract": {"completed": null},
        "searches": {
            "started": null,
            "localAuthority": {"expected": null, "completed": null},
            "environmental": {"completed": null},
            "drainageWater": {"completed": null},
        },
        "funding": {"isCashBuyer": false, "started": null, "completed": null},
        "enquiries": {"started": null, "completed": null},
        "exchangeOfContracts": {"expected": null, "completed": null},
        "completion": {"expected": null, "completed": null},
    })
}

/// Sets what a milestone of this date sets.
fn set(milestones: &mut Value, field: &str, date: &str) {
    match field {
        "" => {}
        "/funding/isCashBuyer" => milestones["funding"]["isCashBuyer"] = json!(true),
        "/fallThrough/completed" => milestones["fallThrough"] = json!({"completed": date}),
        dated => *milestones.pointer_mut(dated).unwrap() = json!(date),
    }
}

story! {
    async fn each_milestone_sets_its_field_and_no_other(world) {
        let asker = Asker::new(&world).await;
        let mut rows = Rows::new().sales([100]);
        for (uprn, (key, _field)) in (101..).zip(FIELDS) {
            rows = rows.sales([uprn]).milestone(uprn, key, DATE);
        }
        world.import(rows.lines()).await;
        let unrecorded = asker.chain_of(100).await;
        assert_eq!(unrecorded["properties"][0]["milestones"], blank());
        for (uprn, (key, field)) in (101..).zip(FIELDS) {
            let mut expected = blank();
            set(&mut expected, field, DATE);
            let chain = asker.chain_of(uprn).await;
            assert_eq!(chain["properties"][0]["milestones"], expected, "{key}");
        }
    }
}

story! {
    async fn all_milestones_stand_beside_each_other(world) {
        let asker = Asker::new(&world).await;
        let mut rows = Rows::new().sales([1]);
        let mut expected = blank();
        for (day, (key, field)) in (1..).zip(FIELDS) {
            let date = format!("2026-03-{day:02}");
            rows = rows.milestone(1, key, &date);
            set(&mut expected, field, &date);
        }
        world.import(rows.lines()).await;
        let chain = asker.chain_of(1).await;
        assert_eq!(chain["properties"][0]["milestones"], expected);
    }
}

story! {
    async fn dates_are_days_in_london_whatever_the_season(world) {
        let asker = Asker::new(&world).await;
        world.import(Rows::new().sales([1]).lines()).await;
        // Midsummer, the days on which the clocks change, a leap day, the ends of a year.
        for date in ["2026-06-21", "2026-03-29", "2026-10-25", "2028-02-29", "2026-12-31",
            "2026-01-01", "1999-05-05"] {
            world.import(Rows::more().milestone(1, "exchange", date).lines()).await;
            let chain = asker.chain_of(1).await;
            let shown = &chain["properties"][0]["milestones"]["exchangeOfContracts"]["completed"];
            assert_eq!(shown, date);
        }
    }
}
