//! How often may be called: one bucket for each client, whatever it calls (S-14).

use http::Method;

use super::place::{CALLS, Place};
use crate::story;
use crate::world::{Agent, Answer, World, send};

fn limit(config: &mut server::config::Config) {
    config.rate_limit_enabled = true;
    config.rate_limit_per_second = 1;
    config.rate_limit_burst = 5;
}

/// An agent with listings, made while there was no limit, and a world with one.
async fn limited(world: World) -> (World, Agent, Place) {
    let agent = world.agent("north").await;
    let place = Place::of(&agent, 1000).await;
    let agent = world.agent_of("limited", &[agent.branch]).await;
    let world = world.reconfigure(limit).await;
    let agent = agent.after_restart(&world);
    (world, agent, place)
}

/// Calls until the limit is reached.
async fn exhaust(agent: &Agent) -> Answer {
    for _request in 0..100 {
        let answer = agent.get("/milestone_group").await;
        if answer.status == 429 {
            return answer;
        }
        assert_eq!(answer.status, 200);
    }
    panic!("no limit was reached");
}

story! {
    async fn past_the_limit_every_call_is_refused(world) {
        let (limited_world, agent, place) = limited(world).await;
        world = limited_world;
        let history = world.storage.read(|read| storage::events::list_events(read, 0, 9));
        assert_eq!(history.await.unwrap().len(), 0);
        for call in CALLS {
            exhaust(&agent).await;
            let answer = place.call(&agent, call).await;
            // A moment may have passed since: then the next one is refused.
            if answer.status == 429 {
                let failure = answer.failure();
                assert!(failure.starts_with("429 rate_limited: "), "{call:?}: {failure}");
                let wait: u64 = answer.header("retry-after").parse().unwrap();
                assert!((1..=5).contains(&wait), "{wait}");
                assert!(answer.header("ratelimit").starts_with("\"client\";r=0;"), "{call:?}");
                assert_eq!(answer.header("ratelimit-policy"), "\"client\";q=5;w=5");
            }
        }
    }
}

story! {
    async fn every_answer_says_what_is_left(world) {
        let (limited_world, agent, place) = limited(world).await;
        world = limited_world;
        let listing = place.listing;
        for path in [format!("/listing/{listing}"), "/listing/999".to_owned(),
            "/listing?page=x".to_owned()]
        {
            let answer = agent.get(&path).await;
            assert_eq!(answer.header("ratelimit-policy"), "\"client\";q=5;w=5", "{path}");
            assert!(answer.header("ratelimit").starts_with("\"client\";r="), "{path}");
        }
    }
}

story! {
    async fn a_client_at_its_limit_slows_no_other(world) {
        let (limited_world, agent, _place) = limited(world).await;
        world = limited_world;
        let other = world.agent_of("other", &[agent.branch]).await;
        exhaust(&agent).await;
        assert_eq!(other.get("/listing").await.status, 200);
        // Its token request was the first of three, and a place comes back each second.
        let answer = other.get("/listing").await;
        let left = answer.header("ratelimit").strip_prefix("\"client\";r=").unwrap();
        assert!(["2", "3", "4"].contains(&&left[..1]), "{left}");
    }
}

story! {
    async fn a_write_past_the_limit_is_not_done_and_not_kept(world) {
        let (limited_world, agent, place) = limited(world).await;
        world = limited_world;
        let path = format!("/listing/{}", place.listing);
        let body = serde_json::json!({"price": 5});
        let write = || {
            let request = agent.request(Method::PATCH, &path).header("idempotency-key", "key");
            send(request.json(&body))
        };
        exhaust(&agent).await;
        let mut answer = write().await;
        assert!([429, 200].contains(&answer.status));
        let was_refused = answer.status == 429;
        while answer.status == 429 {
            // The bucket fills by the real clock, one call a second.
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            answer = write().await;
        }
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("idempotency-replayed"), "", "refused before: {was_refused}");
    }
}
