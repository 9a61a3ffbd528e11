//! Nothing is dropped silently: what disables a subscription, and what of it is seen (S-35).

use serde_json::json;

use crate::story;
use crate::world::{Reply, World};

async fn simulate(world: &World, key: &str, uprn: i64) -> u16 {
    let body = json!({"eventType": "fallthrough", "uprn": uprn.to_string()});
    world.post_webhook(key, "/simulate", body).await.status
}

story! {
    async fn a_subscriber_that_is_gone_is_disabled_at_once(world) {
        let (receiver, other) = (world.receiver().await, world.receiver().await);
        receiver.answer_always(Reply::status(410));
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        let kept = world.subscribe(&key, &other).await;
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        world.wait_until("it is disabled", async || {
            world.status_of(&key, &subscription).await == "disabled gone"
        }).await;
        let delivery = world.deliveries(&key, &subscription).await.remove(0);
        assert_eq!(delivery["status"], "waiting");
        assert_eq!(delivery["attempts"][0]["status"], 410);
        // It is owed nothing more, and what waits is not tried.
        agent.record(listing, "exchange", "2026-11-21").await;
        other.wait_for(2).await;
        world.clock.advance(3600);
        let agent = agent.renewed(&world).await;
        agent.record(listing, "completion", "2026-11-21").await;
        other.wait_for(3).await;
        assert_eq!(world.deliveries(&key, &subscription).await.len(), 1);
        assert_eq!(receiver.received().len(), 1);
        assert_eq!(world.status_of(&key, &kept).await, "active");
    }
}

story! {
    async fn nothing_but_failures_for_five_days_disables(world) {
        let receiver = world.receiver().await;
        receiver.answer_always(Reply::status(500));
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        simulate(&world, &key, 1).await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        for day in 1_i64..=4 {
            world.clock.advance(24 * 3600);
            simulate(&world, &key, 10 + day).await;
            // The lane rests for up to a quarter of an hour between two probes.
            world.wait_until("it is tried", async || {
                world.clock.advance(20);
                let log = world.deliveries(&key, &subscription).await;
                !log[0]["attempts"].as_array().unwrap().is_empty()
            }).await;
            assert_eq!(world.status_of(&key, &subscription).await, "active", "day {day}");
        }
        world.clock.advance(24 * 3600);
        world.wait_until("it is disabled", async || {
            world.clock.advance(20);
            world.status_of(&key, &subscription).await == "disabled failing"
        }).await;
        assert_eq!(simulate(&world, &key, 30).await, 409);
        // Enabled again it has five days anew.
        let path = format!("/subscriptions/{subscription}/enable");
        let before = receiver.received().len();
        assert_eq!(world.webhook(&key, ("POST", &path), None).await.status, 200);
        receiver.wait_for(before + 1).await;
        assert_eq!(world.status_of(&key, &subscription).await, "active");
    }
}

story! {
    async fn one_success_begins_the_five_days_anew(world) {
        let receiver = world.receiver().await;
        receiver.answer([Reply::status(500), Reply::status(500), Reply::status(200)]);
        let key = world.api_key("Example Lender").await;
        let subscription = world.subscribe(&key, &receiver).await;
        simulate(&world, &key, 1).await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        world.clock.advance(4 * 24 * 3600);
        world.wait_for_attempts(&key, &subscription, 2).await;
        world.clock.advance(3600);
        world.wait_for_state(&key, &subscription, "delivered").await;
        receiver.answer_always(Reply::status(500));
        world.clock.advance(24 * 3600);
        simulate(&world, &key, 2).await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        assert_eq!(world.status_of(&key, &subscription).await, "active");
    }
}

story! {
    async fn a_revoked_key_ends_what_it_subscribed_to(world) {
        let (receiver, other) = (world.receiver().await, world.receiver().await);
        receiver.answer_always(Reply::status(500));
        let (key, kept) = (world.api_key("One Ltd").await, world.api_key("One Ltd").await);
        let subscription = world.subscribe(&key, &receiver).await;
        world.subscribe(&kept, &other).await;
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        world.wait_for_attempts(&key, &subscription, 1).await;
        other.wait_for(1).await;
        world.revoke_api_key(&key).await;
        // Neither what is retried nor what is new reaches it from now on.
        world.clock.advance(10);
        agent.record(listing, "exchange", "2026-11-21").await;
        other.wait_for(2).await;
        world.bystander().await.outlast(&world).await;
        assert_eq!(receiver.received().len(), 1);
        let answer = world.webhook(&key, ("GET", "/subscriptions"), None).await;
        assert_eq!(answer.status, 401);
    }
}

story! {
    async fn every_key_has_its_own_rate_limit(world) {
        let (key, other) = (world.api_key("One Ltd").await, world.api_key("One Ltd").await);
        world = world.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_per_second = 1;
            config.rate_limit_burst = 3;
        }).await;
        let call = ("GET", "/subscriptions");
        let mut answers = Vec::new();
        for _request in 0..100 {
            answers.push(world.webhook(&key, call, None).await);
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
        assert_eq!(world.webhook(&other, call, None).await.status, 200);
    }
}
