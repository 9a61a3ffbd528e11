//! Retried on the published schedule, as the subscriber asks, and not while it rests (S-35).

use serde_json::{Value, json};

use crate::story;
use crate::world::{Bystander, Receiver, Reply, World};

/// The schedule, in seconds.
const PAUSES: [i64; 10] = [5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400];

/// Unix milliseconds of a time in an answer.
fn milliseconds(value: &Value) -> i64 {
    value
        .as_str()
        .unwrap()
        .parse::<jiff::Timestamp>()
        .unwrap()
        .as_millisecond()
}

/// Simulates an event of a property; its id.
async fn simulate(world: &World, key: &str, uprn: i64) -> String {
    let body = json!({"eventType": "fallthrough", "uprn": uprn.to_string()});
    let answer = world.post_webhook(key, "/simulate", body).await;
    assert_eq!(answer.status, 202, "{}", answer.json());
    answer.json()["eventId"].as_str().unwrap().to_owned()
}

/// Nothing more than this is sent, though the node looks for it.
async fn assert_quiet(world: &World, bystander: &Bystander, (receiver, count): (&Receiver, usize)) {
    bystander.outlast(world).await;
    assert_eq!(receiver.received().len(), count);
}

story! {
    async fn a_delivery_is_tried_eleven_times_on_the_schedule(world) {
        let receiver = world.receiver().await;
        receiver.answer_always(Reply::status(500));
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let event_id = simulate(&world, &key, 5).await;
        for (number, pause) in (1..).zip(PAUSES) {
            let delivery = world.wait_for_attempts(&key, &subscription, number).await;
            assert_eq!(delivery["status"], "waiting");
            let last = &delivery["attempts"][number - 1];
            let wait = milliseconds(&delivery["nextAttemptAt"]) - milliseconds(&last["at"]);
            let bounds = pause * 1000..=pause * 1200 + 1000;
            assert!(bounds.contains(&wait), "attempt {number}: {wait} ms");
            world.clock.advance(wait / 1000 + 1);
        }
        world.wait_for_attempts(&key, &subscription, 11).await;
        let failed = world.wait_for_state(&key, &subscription, "failed").await;
        assert!(failed["endedAt"].is_string());
        assert!(failed.get("nextAttemptAt").is_none());
        assert_eq!(world.status_of(&key, &subscription).await, "active");
        // Every attempt had a token of its own of the same event.
        let keys = world.key_set().await;
        let arrived = receiver.wait_for(11).await;
        let mut issued = Vec::new();
        for (number, request) in (1..).zip(&arrived) {
            let (claims, _kid) = request.verify(&keys);
            assert_eq!(claims["eventId"], event_id);
            assert_eq!(request.header("webhook-attempt"), number.to_string());
            let (iat, exp) = (claims["iat"].as_i64().unwrap(), claims["exp"].as_i64().unwrap());
            assert_eq!(exp, iat + 300);
            issued.push(iat);
        }
        issued.dedup();
        assert_eq!(issued.len(), 11);
        // It failed for good, visibly, and can be asked for again.
        receiver.answer_always(Reply::status(200));
        let id = failed["deliveryId"].as_str().unwrap();
        let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
        assert_eq!(world.webhook(&key, ("POST", &path), None).await.status, 202);
        world.clock.advance(900);
        world.wait_for_state(&key, &subscription, "delivered").await;
    }
}

story! {
    async fn any_2xx_is_a_success_and_nothing_else(world) {
        let receiver = world.receiver().await;
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        for (uprn, status) in (1..).zip([200, 201, 202, 204, 206, 299]) {
            receiver.answer([Reply::status(status)]);
            simulate(&world, &key, uprn).await;
            let delivery = world.wait_for_attempts(&key, &subscription, 1).await;
            assert_eq!(delivery["status"], "delivered", "{status}");
        }
        for (uprn, status) in (11..).zip([301, 304, 307, 400, 401, 404, 422, 429, 500, 503]) {
            receiver.answer([Reply::status(status).with("location", &receiver.url)]);
            simulate(&world, &key, uprn).await;
            let delivery = world.wait_for_attempts(&key, &subscription, 1).await;
            assert_eq!(delivery["status"], "waiting", "{status}");
            assert_eq!(delivery["attempts"][0]["status"], status);
            // Clears the failures, so that the lane goes on.
            let id = delivery["deliveryId"].as_str().unwrap();
            let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
            world.webhook(&key, ("POST", &path), None).await;
            world.wait_for_state(&key, &subscription, "delivered").await;
        }
    }
}

story! {
    async fn retry_after_is_honoured_up_to_an_hour(world) {
        let key = world.api_key("Example Lender").await;
        for (index, (asked, wait)) in [
            ("90", 90),
            ("Sat, 21 Nov 2026 10:10:00 GMT", 600),
            ("Saturday, 21-Nov-26 10:10:00 GMT", 600),
            ("7200", 3600),
            ("Sun, 22 Nov 2026 10:00:00 GMT", 3600),
            ("99999999999999999999", 3600),
            // Less than the schedule, or nothing that can be read: the schedule.
            ("1", 5),
            ("0", 5),
            ("Sat, 21 Nov 2026 09:00:00 GMT", 5),
            ("soon", 5),
            ("-90", 5),
        ].into_iter().enumerate() {
            let receiver = world.receiver().await;
            let status = if index % 2 == 0 { 429 } else { 503 };
            receiver.answer([Reply::status(status).with("retry-after", asked)]);
            let subscription = world.subscribe(&key, &receiver).await;
            simulate(&world, &key, 5).await;
            let delivery = world.wait_for_attempts(&key, &subscription, 1).await;
            let waited = milliseconds(&delivery["nextAttemptAt"]) - 1_795_255_200_000;
            let bounds = wait * 1000..=wait * 1000 + 2000;
            assert!(bounds.contains(&waited), "{asked}: {waited} ms");
            let path = format!("/subscriptions/{subscription}");
            world.webhook(&key, ("DELETE", &path), None).await;
        }
    }
}

story! {
    async fn who_asks_for_a_pause_gets_it_for_all_its_events(world) {
        let receiver = world.receiver().await;
        let bystander = world.bystander().await;
        receiver.answer([Reply::status(429).with("retry-after", "600")]);
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        simulate(&world, &key, 1).await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        simulate(&world, &key, 2).await;
        world.clock.advance(598);
        assert_quiet(&world, &bystander, (&receiver, 1)).await;
        world.clock.advance(3);
        receiver.wait_for(3).await;
    }
}

story! {
    async fn after_five_failures_the_lane_rests_and_burns_no_attempts(world) {
        let receiver = world.receiver().await;
        let bystander = world.bystander().await;
        receiver.answer_always(Reply::status(500));
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        for uprn in 1..=5 {
            simulate(&world, &key, uprn).await;
            world.wait_for_attempts(&key, &subscription, 1).await;
        }
        // The lane rests for 15 s: fresh events wait without an attempt.
        for uprn in 6..=9 {
            simulate(&world, &key, uprn).await;
        }
        world.clock.advance(14);
        assert_quiet(&world, &bystander, (&receiver, 5)).await;
        for delivery in &world.deliveries(&key, &subscription).await[..4] {
            assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("waiting"), &json!([])));
        }
        // Then one probe, and a pause twice as long.
        world.clock.advance(2);
        receiver.wait_for(6).await;
        assert_quiet(&world, &bystander, (&receiver, 6)).await;
        world.clock.advance(28);
        assert_quiet(&world, &bystander, (&receiver, 6)).await;
        // Once a probe succeeds all of it goes out.
        receiver.answer_always(Reply::status(200));
        world.clock.advance(60);
        world.wait_until("all are delivered", async || {
            let deliveries = world.deliveries(&key, &subscription).await;
            deliveries.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        assert_eq!(receiver.received().len(), 6 + 9);
    }
}

story! {
    async fn what_fails_on_the_way_has_its_word(world) {
        let key = world.api_key("Example Lender").await;
        let closed = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap().port()
        };
        // Speaks, but no TLS.
        let talker = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = talker.local_addr().unwrap().port();
        let talking = tokio::spawn(async move {
            while let Ok((mut stream, _peer)) = talker.accept().await {
                drop(tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 200 OK\r\n\r\n").await);
            }
        });
        // Has a certificate of another name: 127.0.0.2 is not in it.
        let stranger = world.receiver().await;
        let elsewhere = stranger.url.replace("localhost", "127.0.0.2");
        for (url, errors) in [
            (format!("https://localhost:{closed}/"), &["connect"][..]),
            (format!("https://localhost:{port}/"), &["tls", "connect"]),
            ("https://nowhere.invalid/".to_owned(), &["resolve"]),
            (elsewhere, &["tls", "connect"]),
        ] {
            let body = json!({"participantName": "a", "callbackUrl": url, "events": ["fallthrough"]});
            let subscribed = world.post_webhook(&key, "/subscribe", body).await;
            assert_eq!(subscribed.status, 201, "{url}: {}", subscribed.json());
            let subscription = subscribed.json()["subscriptionId"].as_str().unwrap().to_owned();
            simulate(&world, &key, 5).await;
            let delivery = world.wait_for_attempts(&key, &subscription, 1).await;
            let attempt = &delivery["attempts"][0];
            assert_eq!(attempt["status"], Value::Null, "{url}");
            assert!(errors.contains(&attempt["error"].as_str().unwrap()), "{url}: {attempt}");
        }
        talking.abort();
        assert_eq!(stranger.received().len(), 0);
    }
}
