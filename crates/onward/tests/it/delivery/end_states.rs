//! Nothing is dropped silently: what disables a subscription, and what of it is seen (S-35).

use serde_json::json;

use crate::story;
use crate::test_server::Reply;

story! {
    async fn a_subscriber_that_is_gone_is_disabled_at_once(server) {
        let (receiver, other) = (server.receiver().await, server.receiver().await);
        receiver.answer_always(Reply::status(410));
        let key = server.api_key("Example Lender").await;
        let subscription = server.subscribe(&key, &receiver).await;
        let kept = server.subscribe(&key, &other).await;
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        server.wait_until_disabled(&key, &subscription).await;
        let delivery = server.deliveries(&key, &subscription).await.remove(0);
        assert_eq!(delivery["status"], "waiting");
        assert_eq!(delivery["attempts"][0]["status"], 410);
        // Nothing more is stored for it, and what waits is not tried.
        agent.record(listing, "exchange", "2026-11-21").await;
        other.wait_for(2).await;
        server.clock.advance(3600);
        let agent = agent.renewed(&server).await;
        agent.record(listing, "completion", "2026-11-21").await;
        other.wait_for(3).await;
        assert_eq!(server.deliveries(&key, &subscription).await.len(), 1);
        assert_eq!(receiver.received().len(), 1);
        assert_eq!(server.status_of(&key, &kept).await, "active");
    }
}

story! {
    async fn nothing_but_failures_for_five_days_disables(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer_always(Reply::status(500));
        server.simulate(&key, "fallthrough", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        for day in 1_i64..=4 {
            server.clock.advance(24 * 3600);
            server.simulate(&key, "fallthrough", 10 + day).await;
            // The lane rests for up to a quarter of an hour between two probes.
            server.wait_until("it is tried", async || {
                server.clock.advance(20);
                let log = server.deliveries(&key, &subscription).await;
                !log[0]["attempts"].as_array().unwrap().is_empty()
            }).await;
            assert_eq!(server.status_of(&key, &subscription).await, "active", "day {day}");
        }
        server.clock.advance(24 * 3600);
        server.wait_until("it is disabled", async || {
            server.clock.advance(20);
            server.status_of(&key, &subscription).await == "disabled failing"
        }).await;
        let body = json!({"eventType": "fallthrough", "uprn": "30"});
        assert_eq!(server.post_webhook(&key, "/simulate", body).await.status, 409);
        // Enabled again it has five days anew.
        let path = format!("/subscriptions/{subscription}/enable");
        let before = receiver.received().len();
        assert_eq!(server.webhook(&key, ("POST", &path), None).await.status, 200);
        receiver.wait_for(before + 1).await;
        assert_eq!(server.status_of(&key, &subscription).await, "active");
    }
}

story! {
    async fn one_success_begins_the_five_days_anew(server) {
        let (receiver, key, subscription) = server.subscriber().await;
        receiver.answer([Reply::status(500), Reply::status(500), Reply::status(200)]);
        server.simulate(&key, "fallthrough", 1).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        server.clock.advance(4 * 24 * 3600);
        server.wait_for_attempts(&key, &subscription, 2).await;
        server.clock.advance(3600);
        server.wait_for_state(&key, &subscription, "delivered").await;
        receiver.answer_always(Reply::status(500));
        server.clock.advance(24 * 3600);
        server.simulate(&key, "fallthrough", 2).await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        assert_eq!(server.status_of(&key, &subscription).await, "active");
    }
}

story! {
    async fn a_revoked_key_ends_what_it_subscribed_to(server) {
        let (receiver, other) = (server.receiver().await, server.receiver().await);
        receiver.answer_always(Reply::status(500));
        let (key, kept) = (server.api_key("One Ltd").await, server.api_key("One Ltd").await);
        let subscription = server.subscribe(&key, &receiver).await;
        server.subscribe(&kept, &other).await;
        let (agent, listing) = server.agent_with_listing().await;
        agent.record(listing, "sstc", "2026-11-20").await;
        server.wait_for_attempts(&key, &subscription, 1).await;
        other.wait_for(1).await;
        server.revoke_api_key(&key).await;
        // Neither what is retried nor what is new reaches it from now on.
        server.clock.advance(10);
        agent.record(listing, "exchange", "2026-11-21").await;
        other.wait_for(2).await;
        server.bystander().await.outlast(&server).await;
        assert_eq!(receiver.received().len(), 1);
        let answer = server.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!(answer.status, 401);
    }
}

story! {
    async fn every_key_has_its_own_rate_limit(server) {
        let (key, other) = (server.api_key("One Ltd").await, server.api_key("One Ltd").await);
        server = server.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_per_second = 1;
            config.rate_limit_burst = 3;
        }).await;
        let call = ("GET", "/subscriptions");
        let mut answers = Vec::new();
        for _request in 0..100 {
            answers.push(server.webhook(&key, call, None).await);
            if answers.last().unwrap().status == 429 {
                break;
            }
        }
        let last = answers.pop().unwrap();
        assert!(answers.len() >= 3);
        assert!(last.problem().starts_with("429 rate-limited: "));
        assert!(last.header("retry-after").parse::<u32>().unwrap() >= 1);
        for answer in answers.iter().chain([&last]) {
            assert!(answer.header("ratelimit-policy").contains(";q=3;w=3"));
            assert!(answer.header("ratelimit").contains(";r="));
        }
        assert_eq!(server.webhook(&other, call, None).await.status, 200);
    }
}
