//! Several nodes, and one that starts again: everything arrives, and once.

use std::collections::BTreeSet;

use serde_json::json;
use storage::lanes;

use crate::story;
use crate::test_server::{PATIENCE, Received, Reply};

fn ids(arrived: &[Received]) -> BTreeSet<String> {
    let ids = arrived
        .iter()
        .map(|request| request.header("webhook-id").to_owned());
    ids.collect()
}

story! {
    async fn two_nodes_deliver_everything_once(server) {
        let node = server.start_node().await;
        let mut receivers = Vec::new();
        let key = server.api_key("Example Lender").await;
        for _receiver in 0..4 {
            let receiver = server.receiver().await;
            server.subscribe(&key, &receiver).await;
            receivers.push(receiver);
        }
        let here = server.agent("north").await;
        let there = here.on_node(&server, node);
        let (one, two) = (here.list(1).await, here.list(2).await);
        for day in 1..=20 {
            let date = format!("2026-11-{day:02}");
            // Both nodes record both properties.
            let (first, second) = if day % 2 == 0 { (&here, &there) } else { (&there, &here) };
            let (a, b) = tokio::join!(
                first.record(one, "sstc", &date),
                second.record(two, "sstc", &date)
            );
            assert_eq!((a.status, b.status), (200, 200));
        }
        for receiver in &receivers {
            let arrived = receiver.wait_for(40).await;
            assert_eq!(ids(&arrived).len(), 40);
            for uprn in ["1", "2"] {
                let dates: Vec<String> = arrived.iter().map(Received::claims)
                    .filter(|claims| claims["uprn"] == uprn)
                    .map(|claims| claims["data"]["milestone"]["date"].as_str().unwrap().to_owned())
                    .collect();
                assert!(dates.is_sorted(), "{uprn}: {dates:?}");
                assert_eq!(dates.len(), 20);
            }
        }
        server.bystander().await.outlast(&server).await;
        for receiver in &receivers {
            assert_eq!(receiver.received().len(), 40);
        }
    }
}

story! {
    async fn a_node_that_stops_gives_its_lanes_back(server) {
        let key = server.api_key("Example Lender").await;
        let mut receivers = Vec::new();
        for _receiver in 0..3 {
            let receiver = server.receiver().await;
            server.subscribe(&key, &receiver).await;
            receivers.push(receiver);
        }
        let here = server.agent("north").await;
        let listing = here.list(1).await;
        let mut count = 0;
        // The clock stands still: a lease that is not given back never ends.
        for _round in 0..3 {
            let node = server.start_node().await;
            let there = here.on_node(&server, node);
            for agent in [&there, &here, &there] {
                count += 1;
                agent.record(listing, "sstc", &format!("2026-11-{count:02}")).await;
                for receiver in &receivers {
                    receiver.wait_for(count).await;
                }
            }
            server.stop_newest_node().await;
            count += 1;
            here.record(listing, "sstc", &format!("2026-11-{count:02}")).await;
            for receiver in &receivers {
                assert_eq!(ids(&receiver.wait_for(count).await).len(), count);
            }
        }
    }
}

story! {
    async fn a_lane_of_a_node_that_died_is_taken_over_when_its_lease_ends(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let dead = server.storage.write(|write| {
            let id = storage::subscriptions::SubscriptionId(1);
            let now = 1_795_255_200_000;
            lanes::take_lane(write, id, "a node that died", now, now + 30_000)
        });
        let lane = dead.await.unwrap().unwrap();
        let body = json!({"eventType": "fallthrough", "uprn": "5"});
        server.post_webhook(&key, "/simulate", body).await;
        server.bystander().await.outlast(&server).await;
        assert_eq!(receiver.received().len(), 0);
        server.clock.advance(31);
        receiver.wait_for(1).await;
        let delivery = server.wait_for_state(&key, &subscription, "delivered").await;
        // What the dead node still wants to say does not count.
        let id = delivery["deliveryId"].as_str().unwrap().parse().unwrap();
        let belated = server.storage.write(move |write| {
            let result = storage::attempts::AttemptResult {
                delivery: id, number: 9, is_counted: true, begun_at: 0, duration: 0, status: None, error: None,
                answer: None,
                next: storage::attempts::Next::Failed,
            };
            let health = storage::attempts::HealthChange::default();
            let stored = storage::attempts::store_attempts(write, &lane, &[result], &health)?;
            let renewed = lanes::renew_lane(write, &lane, i64::MAX)?;
            lanes::release_lane(write, &lane)?;
            Ok::<_, storage::StorageError>((stored, renewed))
        });
        assert_eq!(belated.await.unwrap(), (false, false));
        assert_eq!(server.deliveries(&key, &subscription).await, [delivery]);
    }
}

story! {
    async fn a_node_that_starts_again_carries_on(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(500)]);
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-01").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        agent.record(listing, "sstc", "2026-11-02").await;
        server = server.reconfigure(|_config| {}).await;
        let agent = agent.after_restart(&server);
        agent.record(listing, "sstc", "2026-11-03").await;
        server.bystander().await.outlast(&server).await;
        assert_eq!(receiver.received().len(), 1);
        server.clock.advance(7);
        let arrived = receiver.wait_for(4).await;
        let dates: Vec<String> = arrived.iter().map(|request| {
            request.claims()["data"]["milestone"]["date"].as_str().unwrap().to_owned()
        }).collect();
        assert_eq!(dates, ["2026-11-01", "2026-11-01", "2026-11-02", "2026-11-03"]);
        assert_eq!(arrived[0].header("webhook-id"), arrived[1].header("webhook-id"));
        assert_eq!(arrived[1].header("webhook-attempt"), "2");
        server.wait_for_state(&key, &subscription, "delivered").await;
    }
}

story! {
    async fn what_one_node_records_the_other_hears_at_once(server) {
        // Nodes are notified of deliveries, so somebody has to receive them.
        let (_receiver, _key, _subscription) = server.subscriber().await;
        let node = server.start_node().await;
        let here = server.agent("north").await;
        let there = here.on_node(&server, node);
        let listing = here.list(1).await;
        let mut changes = server.node.wake.watch();
        let mut record_there = async |day: u32| {
            changes.mark_unchanged();
            let recorded = there.record(listing, "sstc", &format!("2026-11-{day:02}")).await;
            assert_eq!(recorded.status, 200);
            assert!(tokio::time::timeout(PATIENCE, changes.changed()).await.is_ok(), "{day}");
        };
        for day in 1..=5 {
            record_there(day).await;
        }
        // Of its own recording a node is notified once, and a second time where nodes look for
        // themselves; so it is of each recording elsewhere, by which time passes here.
        let wakes = server.node.wake.watch();
        let before = *wakes.borrow();
        here.record(listing, "sstc", "2026-11-10").await;
        for day in 11..=15 {
            record_there(day).await;
        }
        let woken = *wakes.borrow() - before;
        assert!((2..=12).contains(&woken), "{woken}");
    }
}
