//! `GET /api/v1/listing/{id}/lagging`: the chain's listings behind its most advanced one (S-52).

use serde_json::json;

use crate::story;
use crate::world::Agent;

/// The ids in the answer.
async fn lagging(agent: &Agent, listing: i64) -> Vec<i64> {
    let answer = agent.get(&format!("/listing/{listing}/lagging")).await;
    let body = answer.json();
    assert_eq!(answer.status, 200, "{body}");
    let data = body["data"].as_array().unwrap().iter();
    data.map(|listing| listing["id"].as_i64().unwrap())
        .collect()
}

/// Bottom, middle and top of a chain that three branches share.
async fn shared_chain(agents: [&Agent; 3]) -> [i64; 3] {
    let mut listings = [0; 3];
    for ((listing, agent), uprn) in listings.iter_mut().zip(agents).zip(1..) {
        *listing = agent.list(uprn).await;
    }
    let [bottom, middle, top] = listings;
    assert_eq!(agents[1].link(middle, bottom).await.status, 200);
    assert_eq!(agents[1].link(top, middle).await.status, 200);
    listings
}

story! {
    async fn those_behind_the_furthest_from_bottom_to_top(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let [bottom, middle, top] = shared_chain([&north, &south, &north]).await;
        // Nothing is recorded: nobody is behind.
        assert_eq!(lagging(&north, bottom).await, [] as [i64; 0]);
        south.record(middle, "sstc", "2026-11-20").await;
        assert_eq!(lagging(&north, bottom).await, [bottom, top]);
        assert_eq!(lagging(&south, middle).await, [bottom, top]);
        north.record(top, "exchange", "2026-11-20").await;
        assert_eq!(lagging(&north, top).await, [bottom, middle]);
        north.record(bottom, "exchange", "2026-11-19").await;
        assert_eq!(lagging(&north, top).await, [middle]);
        // The row's place counts and not its date.
        south.record(middle, "completion", "2026-11-01").await;
        assert_eq!(lagging(&north, top).await, [bottom, top]);
        south.delete(&format!("/listing/{middle}/milestone/completion")).await.assert_success();
        assert_eq!(lagging(&north, top).await, [middle]);
    }
}

story! {
    async fn the_furthest_leaves_out_what_is_expected_unlabelled_or_fallen_through(world) {
        let agent = world.agent("north").await;
        let [bottom, middle, top] = shared_chain([&agent, &agent, &agent]).await;
        agent.record(bottom, "sstc", "2026-11-20").await;
        agent.record(middle, "sstc", "2026-11-20").await;
        agent.record(top, "property_listed", "2026-11-20").await;
        assert_eq!(lagging(&agent, bottom).await, [top]);
        for key in [
            "searches_expected",
            "proposed_exchange",
            "proposed_completion",
            "completion_date_set",
            "fall_through",
            "memo_of_sale_sent",
            "management_pack",
            "valuation_booked",
            "mortgage_offer_expected",
        ] {
            agent.record(top, key, "2026-11-20").await;
            assert_eq!(lagging(&agent, bottom).await, [top], "{key}");
        }
        for (behind, key) in [(vec![], "sstc"), (vec![bottom, middle], "cash_buyer")] {
            agent.record(top, key, "2026-11-20").await;
            assert_eq!(lagging(&agent, bottom).await, behind, "{key}");
        }
    }
}

story! {
    async fn the_catalogue_s_sequence_decides(world) {
        let agent = world.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        agent.link(two, one).await;
        let keys = ["property_listed", "sstc", "searches_ordered", "la_search_delivered",
            "environmental_search_delivered", "water_search_delivered", "cash_buyer",
            "funding_applied", "mortgage_offered", "enquiries_opened", "enquiries_closed",
            "exchange", "completion"];
        // They overtake each other, a row at a time.
        for (index, key) in keys.into_iter().enumerate() {
            let (ahead, behind) = if index % 2 == 0 { (one, two) } else { (two, one) };
            agent.record(ahead, key, "2026-11-20").await;
            assert_eq!(lagging(&agent, one).await, [behind], "{key}");
        }
    }
}

story! {
    async fn an_entry_is_the_listing_itself(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let [bottom, middle, top] = shared_chain([&north, &south, &south]).await;
        south.record(middle, "sstc", "2026-11-20").await;
        let one = north.get(&format!("/listing/{bottom}")).await.json()["data"].clone();
        let other = south.get(&format!("/listing/{top}")).await.json()["data"].clone();
        assert_eq!(
            north.get(&format!("/listing/{bottom}/lagging")).await.json(),
            json!({"data": [one, other]})
        );
    }
}

story! {
    async fn alone_or_refused(world) {
        let north = world.agent("north").await;
        let south = world.agent("south").await;
        let [ours, theirs, _top] = shared_chain([&north, &south, &south]).await;
        assert_eq!(lagging(&north, ours).await, [] as [i64; 0]);
        assert_eq!(
            north.get(&format!("/listing/{theirs}/lagging")).await.failure(),
            format!("403 not_your_branch: listing {theirs} does not belong to one of your branches")
        );
        assert_eq!(
            north.get("/listing/999/lagging").await.failure(),
            "404 listing_unknown: listing 999 does not exist"
        );
        let alone = north.list(9).await;
        north.record(alone, "sstc", "2026-11-20").await;
        assert_eq!(lagging(&north, alone).await, [] as [i64; 0]);
        north.delete(&format!("/listing/{alone}")).await.assert_success();
        assert_eq!(
            north.get(&format!("/listing/{alone}/lagging")).await.failure(),
            format!("404 listing_unknown: listing {alone} does not exist")
        );
    }
}
