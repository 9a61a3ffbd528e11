//! Calls for deliveries whose attempts are under way, and for those before and behind them (S-35 to S-37).

use crate::story;
use crate::test_server::{Reply, TestServer};

async fn retry(server: &TestServer, key: &str, subscription: &str) {
    let path = format!("/subscriptions/{subscription}/retry");
    assert_eq!(server.webhook(key, ("POST", &path), None).await.status, 200);
}

story! {
    async fn a_retry_sends_nothing_again_that_is_under_way(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(503)]);
        server.simulate(&key, "fallthrough", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        receiver.hold(true);
        retry(&server, &key, &subscription).await;
        receiver.wait_for(2).await;
        for _ in 0..3 {
            retry(&server, &key, &subscription).await;
        }
        server.bystander().await.outlast(&server).await;
        receiver.hold(false);
        let delivered = server.wait_for_state(&key, &subscription, "delivered").await;
        assert_eq!(delivered["attempts"].as_array().unwrap().len(), 2);
        assert_eq!(receiver.received().len(), 2);
    }
}

story! {
    async fn a_retry_ends_a_pause_although_an_attempt_is_under_way(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        let busy = Reply::status(503).with("retry-after", "3000");
        receiver.hold(true);
        receiver.answer([busy]);
        server.simulate(&key, "fallthrough", 1).await;
        receiver.wait_for(1).await;
        server.simulate(&key, "fallthrough", 2).await;
        receiver.wait_for(2).await;
        receiver.hold(false);
        server.wait_until("both have ended", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.iter().all(|one| one["attempts"].as_array().unwrap().len() == 1)
        }).await;
        receiver.hold(true);
        retry(&server, &key, &subscription).await;
        receiver.wait_for(3).await;
        receiver.hold(false);
        server.wait_until("both are delivered", async || {
            let log = server.deliveries(&key, &subscription).await;
            log.iter().all(|one| one["status"] == "delivered")
        }).await;
    }
}

story! {
    async fn sending_one_again_does_not_hasten_the_next_of_its_property(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        server.simulate(&key, "milestone.updated", 1).await;
        let first = server.wait_for_state(&key, &subscription, "delivered").await;
        receiver.answer([Reply::status(500)]);
        server.simulate(&key, "fallthrough", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        let id = first["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 202);
        receiver.wait_for(3).await;
        server.bystander().await.outlast(&server).await;
        assert_eq!(receiver.received().len(), 3);
        server.clock.advance(10);
        receiver.wait_for(4).await;
    }
}

story! {
    async fn a_log_shows_the_newest_attempts_of_a_delivery_that_was_sent_again_often(server) {
        let (_receiver, key, subscription) = server.subscriber().await;
        server.simulate(&key, "fallthrough", 1).await;
        server.wait_for_state(&key, &subscription, "delivered").await;
        let adding = server.storage.write(|write| {
            for number in 2..=40_i64 {
                write.execute(
                    "insert into attempt (delivery_id, number, begun_at, duration) \
                     select id, $1, 0, 0 from delivery",
                    &[number.into()],
                )?;
            }
            Ok::<_, storage::StorageError>(())
        });
        adding.await.unwrap();
        let shown = server.deliveries(&key, &subscription).await.remove(0);
        let shown = shown["attempts"].as_array().unwrap().len();
        assert_eq!(shown, 12);
    }
}
