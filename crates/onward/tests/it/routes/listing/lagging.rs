//! `GET /api/v1/listing/{id}/lagging`: the chain's listings behind its most advanced one (S-52).

use crate::model::catalogue::KINDS;
use crate::story;
use crate::test_server::Client;

/// The ids in the answer.
async fn lagging(agent: &Client, listing: i64) -> Vec<i64> {
    let answer = agent.get(&format!("/listing/{listing}/lagging")).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{body}");
    let data = body["data"].as_array().unwrap().iter();
    data.map(|listing| listing["id"].as_i64().unwrap())
        .collect()
}

story! {
    async fn types_that_are_expected_unlabelled_or_fallen_through_are_no_progress(server) {
        let agent = server.agent("north").await;
        let [bottom, middle, top] = agent.list_chain([1, 2, 3]).await;
        agent.record(bottom, "sstc", "2026-11-20").await;
        agent.record(middle, "sstc", "2026-11-20").await;
        agent.record(top, "property_listed", "2026-11-20").await;
        assert_eq!(lagging(&agent, bottom).await, [top]);
        for key in ["searches_expected", "proposed_exchange", "proposed_completion",
            "completion_date_set", "fall_through", "memo_of_sale_sent", "management_pack",
            "valuation_booked", "mortgage_offer_expected"] {
            agent.record(top, key, "2026-11-20").await;
            assert_eq!(lagging(&agent, bottom).await, [top], "{key}");
        }
        agent.record(top, "sstc", "2026-11-20").await;
        assert_eq!(lagging(&agent, bottom).await, [] as [i64; 0]);
        // The catalogue's sequence decides: the two overtake each other, a type at a time.
        let [one, two] = agent.list_chain([11, 12]).await;
        assert_eq!(lagging(&agent, one).await, [] as [i64; 0]);
        let progress = KINDS.iter().filter(|kind| kind.is_progress);
        for (index, kind) in progress.enumerate() {
            let (ahead, behind) = if index % 2 == 0 { (one, two) } else { (two, one) };
            agent.record(ahead, kind.key, "2026-11-20").await;
            assert_eq!(lagging(&agent, one).await, [behind], "{}", kind.key);
        }
    }
}
