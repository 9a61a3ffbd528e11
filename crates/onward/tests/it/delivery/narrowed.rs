//! A subscription gives up a type of event: what waits of it goes out no more (S-30).

use serde_json::{Value, json};
use storage::attempts::{AttemptResult, HealthChange, Next, store_attempts};
use storage::lanes::{self, Lane};
use storage::subscriptions::SubscriptionId;

use crate::story;
use crate::test_server::{Received, Receiver, Reply, TestServer};

const NOW: i64 = 1_795_255_200_000;

/// Keeps the lane of the first subscription for half a minute.
pub(crate) async fn hold_lane(server: &TestServer) -> Lane {
    take_lane(server).await.unwrap()
}

/// As [`hold_lane`]. `None` if a node has the lane.
pub(crate) async fn take_lane(server: &TestServer) -> Option<Lane> {
    let taken = server.storage.write(|write| {
        let until = NOW + 30_000;
        lanes::take_lane(write, SubscriptionId(1), "another node", NOW, until)
    });
    taken.await.unwrap()
}

async fn simulate(server: &TestServer, key: &str, event_type: &str, uprn: i64) -> i64 {
    let simulated = server.simulate(key, event_type, uprn).await;
    let id = simulated["deliveries"][0]["deliveryId"].as_str();
    id.unwrap().parse().unwrap()
}

fn count(arrived: &[Received], event_type: &str) -> usize {
    let is_such = |one: &&Received| one.claims()["eventType"] == event_type;
    arrived.iter().filter(is_such).count()
}

/// Status and type of each delivery, the oldest first.
async fn log(server: &TestServer, key: &str, subscription: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut log = server.deliveries(key, subscription).await;
    log.reverse();
    log.iter()
        .map(|one| (text(&one["status"]), text(&one["eventType"])))
        .collect()
}

async fn narrow(server: &TestServer, key: &str, receiver: &Receiver) {
    let answer = receiver.subscribe_to(server, key, &["fallthrough"]).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    assert_eq!(answer.json()["events"], json!(["fallthrough"]));
}

story! {
    async fn what_waits_is_cancelled_and_holds_nothing_back(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(500)]);
        simulate(&server, &key, "milestone.updated", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        // Behind it, for the same property.
        simulate(&server, &key, "fallthrough", 1).await;
        narrow(&server, &key, &receiver).await;
        let arrived = receiver.wait_for(2).await;
        assert_eq!(arrived[1].claims()["eventType"], "fallthrough");
        server.wait_for_state(&key, &subscription, "delivered").await;
        let mut deliveries = server.deliveries(&key, &subscription).await;
        let cancelled = deliveries.remove(1);
        assert_eq!(cancelled["status"], "cancelled");
        assert_eq!(cancelled["endedAt"], "2026-11-21T10:00:00Z");
        assert_eq!(cancelled["nextAttemptAt"], Value::Null);
        assert_eq!(cancelled["attempts"].as_array().unwrap().len(), 1);
        // Its time comes, and nothing goes out.
        server.clock.advance(3600);
        simulate(&server, &key, "fallthrough", 2).await;
        receiver.wait_for(3).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        assert_eq!(count(&receiver.received(), "milestone.updated"), 1);
        // Whoever asks for it gets it.
        let id = cancelled["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 202);
        receiver.wait_for(4).await;
        server.wait_until("it is delivered", async || {
            log(&server, &key, &subscription).await.iter().all(|one| one.0 == "delivered")
        }).await;
    }
}

story! {
    async fn a_lane_cancels_what_an_interrupted_call_left(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(500)]);
        simulate(&server, &key, "milestone.updated", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        // The node that narrowed the subscription ended before it cancelled anything.
        let narrowing = server.storage.write(|write| {
            let none = "delete from subscribed_type where event_type = 'milestone.updated'";
            write.execute(none, &[])
        });
        narrowing.await.unwrap();
        server.clock.advance(3600);
        simulate(&server, &key, "fallthrough", 1).await;
        receiver.wait_for(2).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        let states: Vec<_> = log(&server, &key, &subscription).await;
        let expected = [("cancelled", "milestone.updated"), ("delivered", "fallthrough")];
        assert_eq!(states, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}

story! {
    async fn what_a_lane_has_read_ahead_is_cancelled_too(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.hold(true);
        hold_lane(&server).await;
        for uprn in 1..=20 {
            simulate(&server, &key, "milestone.updated", 2 * uprn).await;
            simulate(&server, &key, "fallthrough", 2 * uprn + 1).await;
        }
        // Now this node finds all of it at once, sends eight, and has read the others.
        server.clock.advance(31);
        receiver.wait_for(8).await;
        narrow(&server, &key, &receiver).await;
        receiver.hold(false);
        receiver.wait_for(24).await;
        server.wait_until("nothing waits", async || {
            log(&server, &key, &subscription).await.iter().all(|one| one.0 != "waiting")
        }).await;
        let arrived = receiver.received();
        assert_eq!(count(&arrived, "fallthrough"), 20);
        // Those that were under way have arrived, and the log says so.
        assert_eq!(count(&arrived, "milestone.updated"), 4);
        let expected = (1..=20).flat_map(|pair| {
            let milestone = if pair <= 4 { "delivered" } else { "cancelled" };
            [(milestone, "milestone.updated"), ("delivered", "fallthrough")]
        });
        let expected: Vec<_> = expected.map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
        assert_eq!(log(&server, &key, &subscription).await, expected);
    }
}

story! {
    async fn an_attempt_that_was_under_way_counts_if_it_arrived(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let lane = hold_lane(&server).await;
        let arrived = simulate(&server, &key, "milestone.updated", 1).await;
        let failed = simulate(&server, &key, "milestone.updated", 2).await;
        narrow(&server, &key, &receiver).await;
        let stored = server.storage.write(move |write| {
            let result = |delivery, next| AttemptResult {
                delivery, number: 1, is_counted: true, begun_at: NOW, duration: 5, status: None,
                error: None,
                answer: None, next,
            };
            let results = [
                result(arrived, Next::Delivered),
                result(failed, Next::Retry(NOW + 5000)),
            ];
            store_attempts(write, &lane, &results, &HealthChange::default())
        });
        assert!(stored.await.unwrap());
        let states: Vec<String> =
            log(&server, &key, &subscription).await.into_iter().map(|one| one.0).collect();
        assert_eq!(states, ["delivered", "cancelled"]);
    }
}
