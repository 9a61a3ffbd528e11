//! In order for each property, and no subscriber for another (S-36).

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use storage::lanes::release_lane;
use tokio::io::AsyncReadExt as _;

use super::narrowed::hold_lane;
use crate::story;
use crate::test_server::{Received, Reply, https};

/// Dates of each property, in the order they came; an event that came again counts once.
fn dates_by_uprn(arrived: &[Received]) -> BTreeMap<String, Vec<String>> {
    let mut dates: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut known = std::collections::BTreeSet::new();
    for request in arrived {
        let claims = request.claims();
        if !known.insert(claims["eventId"].as_str().unwrap().to_owned()) {
            continue;
        }
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let dates_of_one = dates.entry(text(&claims["uprn"])).or_default();
        dates_of_one.push(text(&claims["data"]["milestone"]["date"]));
    }
    dates
}

story! {
    async fn a_property_s_events_come_in_order_while_others_pass(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        let mut listings = Vec::new();
        for uprn in 1..=4 {
            listings.push(agent.list(uprn).await);
        }
        for day in 1..=12 {
            for listing in &listings {
                agent.record(*listing, "sstc", &format!("2026-11-{day:02}")).await;
            }
        }
        let arrived = receiver.wait_for(48).await;
        assert_eq!(arrived.len(), 48);
        let days: Vec<String> = (1..=12).map(|day| format!("2026-11-{day:02}")).collect();
        for (uprn, dates) in dates_by_uprn(&arrived) {
            assert_eq!(dates, days, "{uprn}");
        }
        server.wait_until("all are delivered", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.len() == 48 && log.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
    }
}

story! {
    async fn many_busy_properties_do_not_hold_back_another(server) {
        let (receiver, _key, _subscription) = server.subscriber().await;
        let quiet = server.agent_with_listing().await;
        let agent = server.agent("south").await;
        let lane = hold_lane(&server).await;
        let mut listings = Vec::new();
        for uprn in 2..90 {
            listings.push(agent.list(uprn).await);
        }
        let days = 4;
        for day in 1..=days {
            for listing in &listings {
                agent.record(*listing, "sstc", &format!("2026-11-{day:02}")).await;
            }
        }
        quiet.0.record(quiet.1, "sstc", "2026-11-20").await;
        server.storage.write(move |write| release_lane(write, &lane)).await.unwrap();
        let arrived = receiver.wait_for(listings.len() * days + 1).await;
        let place = arrived.iter().position(|one| one.claims()["data"]["milestone"]["date"] == "2026-11-20");
        // Each property has its turn before the first of them has two.
        assert!(place.unwrap() < listings.len() + 80, "{place:?}");
    }
}

story! {
    async fn what_fails_holds_back_its_property_only(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        receiver.answer([Reply::status(500)]);
        agent.record(one, "sstc", "2026-11-01").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        for date in ["2026-11-02", "2026-11-03"] {
            agent.record(one, "sstc", date).await;
            agent.record(two, "sstc", date).await;
        }
        receiver.wait_for(3).await;
        server.bystander().await.outlast(&server).await;
        let arrived = receiver.received();
        assert_eq!(arrived.len(), 3);
        assert_eq!(dates_by_uprn(&arrived)["1"], ["2026-11-01"]);
        assert_eq!(dates_by_uprn(&arrived)["2"], ["2026-11-02", "2026-11-03"]);
        server.clock.advance(7);
        let arrived = receiver.wait_for(6).await;
        let later: Vec<String> = arrived[3..].iter().map(|request| {
            request.claims()["data"]["milestone"]["date"].as_str().unwrap().to_owned()
        }).collect();
        assert_eq!(later, ["2026-11-01", "2026-11-02", "2026-11-03"]);
    }
}

story! {
    async fn order_survives_failures_of_every_kind(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let agent = server.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        for round in 0..10 {
            receiver.answer([Reply::status([500, 302, 404, 429][round % 4])]);
            for listing in [one, two] {
                agent.record(listing, "sstc", &format!("2026-11-{:02}", round + 1)).await;
            }
            server.clock.advance(3);
        }
        server.wait_until("all are delivered", async || {
            server.clock.advance(600);
            let log = server.deliveries(&key, &subscription).await;
            log.len() == 20 && log.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        let succeeded: Vec<Received> = receiver.received();
        let days: Vec<String> = (1..=10).map(|day| format!("2026-11-{day:02}")).collect();
        for (uprn, dates) in dates_by_uprn(&succeeded) {
            assert_eq!(dates, days, "{uprn}");
        }
        assert_eq!(succeeded.len(), 30);
    }
}

story! {
    async fn one_subscriber_hangs_and_another_gets_its_events_at_once(server) {
        let healthy = server.receiver().await;
        // Accepts connections and never says a word.
        let (port, hanging) = https::listen(|mut stream| async move {
            let mut bytes = [0; 4096];
            while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
        }).await;
        let silent = format!("https://localhost:{port}/");
        let key = server.api_key("Example Lender").await;
        for number in 0..3 {
            let body = json!({"participantName": "Silent", "callbackUrl": format!("{silent}{number}"),
                "events": ["milestone.updated"]});
            assert_eq!(server.post_webhook(&key, "/subscribe", body).await.status, 201);
        }
        server.subscribe(&key, &healthy).await;
        let (agent, listing) = server.agent_with_listing().await;
        for day in 1..=20 {
            let begun = observe::clock::Stopwatch::start();
            agent.record(listing, "sstc", &format!("2026-11-{day:02}")).await;
            healthy.wait_for(day).await;
            // Well before the first attempt at the others has timed out.
            assert!(begun.elapsed() < Duration::from_secs(14), "{:?}", begun.elapsed());
        }
        hanging.abort();
    }
}
