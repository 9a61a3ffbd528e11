//! `GET /api/v1/listing/{id}/forecast`: the likely days of exchange, or why there are none.

use serde_json::Value;

use crate::forecasts::{learn_from_past_sales, make_pass};
use crate::story;
use crate::test_server::Client;

async fn forecast(agent: &Client, listing: i64) -> Value {
    let answer = agent.get(&format!("/listing/{listing}/forecast")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["data"].clone()
}

story! {
    async fn a_forecast_names_its_days_and_the_numbers_behind_it(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let listing = agent.list(901).await;
        agent.record(listing, "sstc", "2026-09-21").await;
        agent.record(listing, "enquiries_opened", "2026-10-20").await;
        agent.record(listing, "mortgage_offered", "2026-10-30").await;
        let mut found = forecast(&agent, listing).await;
        found["chain_link_id"].take();
        for step in found["steps"].as_array_mut().unwrap() {
            assert_eq!(step["listing_id"].take(), listing);
        }
        assert_shown!(serde_json::to_string_pretty(&found).unwrap(), @r#"
        {
          "chain_link_id": null,
          "date": "2026-11-21",
          "exchange": {
            "interval_50": {
              "from": "2027-01-11",
              "to": "2027-03-05"
            },
            "interval_80": {
              "from": "2026-12-27",
              "to": "2027-03-27"
            },
            "median": "2027-02-05"
          },
          "fall_through": {
            "fell_through": 67,
            "sales": 395
          },
          "past_forecasts": {
            "backdated": 553,
            "covered_80_percent": 79,
            "ended": 486,
            "median_error_days": 22
          },
          "rule_version": 1,
          "silence": null,
          "steps": [
            {
              "comparable": {
                "half_days": 48,
                "nine_in_ten_days": 111,
                "sales": 420,
                "stratum": "all"
              },
              "days": 32,
              "expected": null,
              "listing_id": null,
              "milestone": "enquiries_closed",
              "overdue_days": null,
              "since": "2026-10-20"
            },
            {
              "comparable": {
                "half_days": 24,
                "nine_in_ten_days": 49,
                "sales": 463,
                "stratum": "all"
              },
              "days": 61,
              "expected": null,
              "listing_id": null,
              "milestone": "searches_ordered",
              "overdue_days": null,
              "since": "2026-09-21"
            }
          ]
        }
        "#);
    }
}

story! {
    async fn there_is_no_forecast_until_its_error_is_known(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(901).await;
        agent.record(listing, "sstc", "2026-09-21").await;
        let silent = forecast(&agent, listing).await;
        assert_eq!(silent["silence"]["code"], "few_steps");
        assert_eq!((&silent["exchange"], &silent["past_forecasts"]["ended"]), (&Value::Null, &0.into()));
        // A pass over nothing teaches nothing.
        make_pass(&server).await;
        assert_eq!(forecast(&agent, listing).await["silence"], silent["silence"]);
    }
}

story! {
    async fn recording_a_completed_milestone_never_makes_the_forecast_later(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let [one, two] = agent.list_chain([901, 902]).await;
        for listing in [one, two] {
            agent.record(listing, "sstc", "2026-08-21").await;
        }
        let mut before = days(&forecast(&agent, one).await);
        // The dates are old: the next steps have been open for long already.
        for key in ["memo_of_sale_sent", "contract_sent", "searches_ordered", "funding_applied",
            "contract_received", "cash_buyer", "enquiries_opened", "la_search_delivered",
            "mortgage_offered", "enquiries_closed"] {
            for listing in [two, one] {
                agent.record(listing, key, "2026-08-23").await;
                let now = days(&forecast(&agent, one).await);
                let is_later = now.iter().zip(&before).any(|(now, before)| now > before);
                assert!(!is_later, "{key}: {now:?} after {before:?}");
                before = now;
            }
        }
    }
}

/// The dates of a forecast, from the first to the last.
fn days(found: &Value) -> Vec<String> {
    let exchange = &found["exchange"];
    let interval = |name: &str, end: &str| exchange[name][end].clone();
    let all = [
        interval("interval_80", "from"),
        interval("interval_50", "from"),
        exchange["median"].clone(),
        interval("interval_50", "to"),
        interval("interval_80", "to"),
    ];
    all.map(|day| day.as_str().unwrap_or("9999").to_owned())
        .to_vec()
}
