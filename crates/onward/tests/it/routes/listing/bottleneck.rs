//! `GET /api/v1/listing/{id}/bottleneck`: the sale that holds up a chain, and why.

use serde_json::Value;

use crate::forecasts::{learn_from_past_sales, record_unsigned_step};
use crate::story;
use crate::test_server::Client;

async fn bottleneck(agent: &Client, listing: i64) -> Value {
    let answer = agent.get(&format!("/listing/{listing}/bottleneck")).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    answer.json()["data"].clone()
}

/// The outcome and its sentence.
async fn said(agent: &Client, listing: i64) -> String {
    let found = bottleneck(agent, listing).await;
    format!(
        "{}: {}",
        found["outcome"].as_str().unwrap(),
        found["explanation"].as_str().unwrap()
    )
}

story! {
    async fn the_sale_with_the_longest_way_to_go_holds_up_the_chain(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let [one, two] = agent.list_chain([901, 902]).await;
        for listing in [one, two] {
            agent.record(listing, "sstc", "2026-09-21").await;
            agent.record(listing, "contract_received", "2026-10-12").await;
            agent.record(listing, "enquiries_opened", "2026-10-20").await;
            agent.record(listing, "searches_ordered", "2026-10-15").await;
            agent.record(listing, "mortgage_offered", "2026-10-30").await;
        }
        for key in ["environmental_search_delivered", "water_search_delivered"] {
            agent.record(two, key, "2026-10-25").await;
        }
        agent.record(two, "enquiries_closed", "2026-11-18").await;
        let mut found = bottleneck(&agent, two).await;
        found["chain_link_id"].take();
        let listing = found["holder"]["step"]["listing_id"].take();
        assert_eq!(listing, one);
        let explanation = found["explanation"].take();
        let explanation = explanation.as_str().unwrap().replace(&one.to_string(), "ONE");
        assert_shown!(explanation, @"Listing ONE holds the chain up. It waits for Environmental Search Delivered, open for 37 days. Of 475 comparable sales, 9 in 10 were done by day 14.");
        assert_shown!(serde_json::to_string_pretty(&found).unwrap(), @r#"
        {
          "bottom_checked": false,
          "chain_link_id": null,
          "date": "2026-11-21",
          "explanation": null,
          "holder": {
            "last_percent": 100,
            "ready_days": 55,
            "step": {
              "comparable": {
                "half_days": 5,
                "nine_in_ten_days": 14,
                "sales": 475,
                "stratum": "all"
              },
              "days": 37,
              "expected": null,
              "listing_id": null,
              "milestone": "environmental_search_delivered",
              "overdue_days": null,
              "since": "2026-10-15"
            }
          },
          "is_shared": false,
          "margin_days": null,
          "outcome": "held",
          "proposed_exchange": null,
          "rule_version": 1,
          "runner_up": null,
          "top_checked": false
        }
        "#);
    }
}

story! {
    async fn without_comparable_sales_nothing_is_said(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(901).await;
        let name = listing.to_string();
        let mut all = Vec::new();
        for (key, date) in [("property_listed", "2026-10-01"), ("sstc", "2026-10-20"),
            ("fall_through", "2026-10-30"), ("sstc", "2026-11-01"), ("exchange", "2026-11-20")] {
            agent.record(listing, key, date).await;
            all.push(said(&agent, listing).await.replace(&name, "ID"));
        }
        assert_shown!(all.join("\n"), @r#"
        no_buyer: Listing ID has no buyer yet.
        few_steps: Only 0 comparable sales reached Contract Sent.
        fell_through: The sale of listing ID fell through.
        few_steps: Only 0 comparable sales reached Contract Sent.
        exchanged: All contracts of the chain are exchanged.
        "#);
    }
}

story! {
    async fn a_chain_with_all_sales_ready_waits_for_a_date(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let listing = agent.list(901).await;
        for key in ["sstc", "enquiries_closed", "mortgage_offered"] {
            agent.record(listing, key, "2026-11-20").await;
        }
        let found = bottleneck(&agent, listing).await;
        assert_eq!((&found["outcome"], &found["proposed_exchange"]), (&"ready".into(), &Value::Null));
        assert_eq!((&found["holder"], &found["top_checked"]), (&Value::Null, &false.into()));
        agent.record(listing, "proposed_exchange", "2026-12-04").await;
        agent.post_nothing(&format!("/listing/chain/{listing}/check/top")).await;
        let found = bottleneck(&agent, listing).await;
        assert_eq!(found["proposed_exchange"], "2026-12-04");
        assert_eq!((&found["top_checked"], &found["bottom_checked"]), (&true.into(), &false.into()));
    }
}

story! {
    async fn another_branch_sees_only_milestones_with_a_label(server) {
        let ([north, south], [ours, theirs]) = record_unsigned_step(&server).await;
        let step = |found: &Value| {
            let step = &found["holder"]["step"];
            assert_eq!(step["listing_id"], theirs, "{found}");
            format!("{} since {}", step["milestone"], step["since"])
        };
        let seen = bottleneck(&south, theirs).await;
        assert_eq!(step(&seen), "\"contract_received\" since \"2026-10-22\"");
        let seen = bottleneck(&north, ours).await;
        assert_eq!(step(&seen), "\"enquiries_opened\" since null");
        assert!(!seen.to_string().contains("2026-10-22"), "{seen}");
    }
}

story! {
    async fn only_the_branch_s_own_listings_are_shown(server) {
        let [north, south] = server.two_agents().await;
        let theirs = south.list(902).await;
        for call in ["bottleneck", "forecast"] {
            let refused = north.get(&format!("/listing/{theirs}/{call}")).await;
            assert!(refused.failure().starts_with("403 not_your_branch"), "{}", refused.failure());
            let unknown = north.get(&format!("/listing/999999/{call}")).await;
            assert!(unknown.failure().starts_with("404 listing_unknown"), "{}", unknown.failure());
        }
    }
}
