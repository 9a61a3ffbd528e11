//! Retried on the published schedule, as the subscriber asks, and not while it rests (S-35).

use serde_json::{Value, json};

use crate::story;
use crate::test_server::{Bystander, Receiver, Reply, TestServer, https};

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

/// Nothing more than this is sent, though the node looks for it.
async fn assert_quiet(
    server: &TestServer,
    bystander: &Bystander,
    (receiver, count): (&Receiver, usize),
) {
    bystander.outlast(server).await;
    assert_eq!(receiver.received().len(), count);
}

story! {
    async fn a_delivery_is_tried_eleven_times_on_the_schedule(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer_always(Reply::status(500));
        let event_id = server.simulate(&key, "fallthrough", 5).await["eventId"].clone();
        for (number, pause) in (1..).zip(PAUSES) {
            let delivery = server.wait_for_attempts(&key, &subscription, number).await;
            assert_eq!(delivery["status"], "waiting");
            let last = &delivery["attempts"][number - 1];
            let wait = milliseconds(&delivery["nextAttemptAt"]) - milliseconds(&last["at"]);
            let bounds = pause * 1000..=pause * 1200 + 1000;
            assert!(bounds.contains(&wait), "attempt {number}: {wait} ms");
            server.clock.advance(wait / 1000 + 1);
        }
        server.wait_for_attempts(&key, &subscription, 11).await;
        let failed = server.wait_for_state(&key, &subscription, "failed").await;
        assert!(failed["endedAt"].is_string());
        assert!(failed.get("nextAttemptAt").is_none());
        assert_eq!(server.status_of(&key, &subscription).await, "active");
        // Every attempt had a token of its own of the same event.
        let keys = server.key_set().await;
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
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 202);
        server.clock.advance(900);
        server.wait_for_state(&key, &subscription, "delivered").await;
    }
}

story! {
    async fn any_2xx_is_a_success_and_nothing_else(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        for (uprn, status) in (1..).zip([200, 201, 202, 204, 206, 299]) {
            receiver.answer([Reply::status(status)]);
            server.simulate(&key, "fallthrough", uprn).await;
            let delivery = server.wait_for_attempts(&key, &subscription, 1).await;
            assert_eq!(delivery["status"], "delivered", "{status}");
        }
        for (uprn, status) in (11..).zip([301, 304, 307, 400, 401, 404, 422, 429, 500, 503]) {
            receiver.answer([Reply::status(status).with("location", &receiver.url)]);
            server.simulate(&key, "fallthrough", uprn).await;
            let delivery = server.wait_for_attempts(&key, &subscription, 1).await;
            assert_eq!(delivery["status"], "waiting", "{status}");
            assert_eq!(delivery["attempts"][0]["status"], status);
            // Clears the failures, so that the lane goes on.
            let id = delivery["deliveryId"].as_str().unwrap();
            let path = format!("/subscriptions/{subscription}/deliveries/{id}/redeliver");
            server.webhook(&key, ("POST", &path), None).await;
            server.wait_for_state(&key, &subscription, "delivered").await;
        }
    }
}

story! {
    async fn retry_after_is_honoured_up_to_an_hour(server) {
        let key = server.api_key("Example Lender").await;
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
            let receiver = server.receiver().await;
            let status = if index % 2 == 0 { 429 } else { 503 };
            receiver.answer([Reply::status(status).with("retry-after", asked)]);
            let subscription = server.subscribe(&key, &receiver).await;
            server.simulate(&key, "fallthrough", 5).await;
            let delivery = server.wait_for_attempts(&key, &subscription, 1).await;
            let waited = milliseconds(&delivery["nextAttemptAt"]) - 1_795_255_200_000;
            let bounds = wait * 1000..=wait * 1000 + 2000;
            assert!(bounds.contains(&waited), "{asked}: {waited} ms");
            let path = format!("/subscriptions/{subscription}");
            server.webhook(&key, ("DELETE", &path), None).await;
        }
    }
}

story! {
    async fn who_asks_for_a_pause_gets_it_for_all_its_events(server) {
        let receiver = server.receiver().await;
        let bystander = server.bystander().await;
        receiver.answer([Reply::status(429).with("retry-after", "600")]);
        let key = server.api_key("Example Lender").await;
        let subscription = server.subscribe(&key, &receiver).await;
        server.simulate(&key, "fallthrough", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        server.simulate(&key, "fallthrough", 2).await;
        server.clock.advance(598);
        assert_quiet(&server, &bystander, (&receiver, 1)).await;
        server.clock.advance(3);
        receiver.wait_for(3).await;
    }
}

story! {
    async fn after_five_failures_the_lane_rests_and_burns_no_attempts(server) {
        let receiver = server.receiver().await;
        let bystander = server.bystander().await;
        receiver.answer_always(Reply::status(500));
        let key = server.api_key("Example Lender").await;
        let subscription = server.subscribe(&key, &receiver).await;
        for uprn in 1..=5 {
            server.simulate(&key, "fallthrough", uprn).await;
            server.wait_for_attempts(&key, &subscription, 1).await;
        }
        // The lane rests for 15 s: fresh events wait without an attempt.
        for uprn in 6..=9 {
            server.simulate(&key, "fallthrough", uprn).await;
        }
        server.clock.advance(14);
        assert_quiet(&server, &bystander, (&receiver, 5)).await;
        for delivery in &server.deliveries(&key, &subscription).await[..4] {
            assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("waiting"), &json!([])));
        }
        // Then one probe, and a pause twice as long.
        server.clock.advance(2);
        receiver.wait_for(6).await;
        assert_quiet(&server, &bystander, (&receiver, 6)).await;
        server.clock.advance(28);
        assert_quiet(&server, &bystander, (&receiver, 6)).await;
        // Once a probe succeeds all of it goes out.
        receiver.answer_always(Reply::status(200));
        server.clock.advance(60);
        server.wait_until("all are delivered", async || {
            let deliveries = server.deliveries(&key, &subscription).await;
            deliveries.iter().all(|delivery| delivery["status"] == "delivered")
        }).await;
        assert_eq!(receiver.received().len(), 6 + 9);
    }
}

story! {
    async fn what_fails_on_the_way_has_its_word(server) {
        let key = server.api_key("Example Lender").await;
        let closed = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap().port()
        };
        // Speaks, but no TLS.
        let (port, talking) = https::listen(|mut stream| async move {
            drop(tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 200 OK\r\n\r\n").await);
        }).await;
        // Has a certificate of another name: 127.0.0.2 is not in it.
        let stranger = server.receiver().await;
        let elsewhere = stranger.url.replace("localhost", "127.0.0.2");
        for (url, errors) in [
            (format!("https://localhost:{closed}/"), &["connect"][..]),
            (format!("https://localhost:{port}/"), &["tls", "connect"]),
            ("https://nowhere.invalid/".to_owned(), &["resolve"]),
            (elsewhere, &["tls", "connect"]),
        ] {
            let body = json!({"participantName": "a", "callbackUrl": url, "events": ["fallthrough"]});
            let subscribed = server.post_webhook(&key, "/subscribe", body).await;
            assert_eq!(subscribed.status, 201, "{url}: {}", subscribed.json());
            let subscription = subscribed.json()["subscriptionId"].as_str().unwrap().to_owned();
            server.simulate(&key, "fallthrough", 5).await;
            let delivery = server.wait_for_attempts(&key, &subscription, 1).await;
            let attempt = &delivery["attempts"][0];
            assert_eq!(attempt["status"], Value::Null, "{url}");
            assert!(errors.contains(&attempt["error"].as_str().unwrap()), "{url}: {attempt}");
        }
        talking.abort();
        assert_eq!(stranger.received().len(), 0);
    }
}
