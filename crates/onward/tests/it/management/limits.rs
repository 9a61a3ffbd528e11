//! How often a client may call: one bucket for each client, whatever it calls (S-14).

use super::place::{CALLS, Place};
use crate::sqlite_story;
use crate::test_server::{Answer, Client, TestServer, manners};

const POLICY: &str = "\"client\";q=5;w=5";

/// Makes a server with a limit, and an agent with listings from the time before it.
async fn begin(server: TestServer) -> (TestServer, Client, Place) {
    let agent = server.agent("north").await;
    let place = Place::of(&agent, 1000).await;
    let agent = server.agent_of("limited", &[agent.branch()]).await;
    let server = server.limited_to(5).await;
    let agent = agent.after_restart(&server);
    (server, agent, place)
}

/// Calls until the limit is reached.
async fn exhaust(agent: &Client) -> Answer {
    manners::exhaust(async || agent.get("/milestone_group").await).await
}

sqlite_story! {
    async fn past_the_limit_every_call_is_refused(server) {
        let (limited, agent, place) = begin(server).await;
        server = limited;
        let answer = exhaust(&agent).await;
        let said = "429 rate_limited: Wait 1 s. The field RateLimit of each answer says how many \
            requests are left.";
        assert_eq!(answer.failure(), said);
        for call in CALLS {
            exhaust(&agent).await;
            let answer = place.call(&agent, call).await;
            // A place may have come back since: then the next call is refused.
            if answer.status == 429 {
                assert_eq!(answer.failure(), said, "{call:?}");
                assert_eq!(answer.header("retry-after"), "1", "{call:?}");
                assert_eq!(answer.header("ratelimit"), "\"client\";r=0;t=1", "{call:?}");
                assert_eq!(answer.header("ratelimit-policy"), POLICY, "{call:?}");
            }
        }
    }
}

sqlite_story! {
    async fn every_answer_shows_the_remaining_requests(server) {
        let (limited, agent, place) = begin(server).await;
        server = limited;
        let mut unknown = agent.clone();
        "abc".clone_into(&mut unknown.token);
        let first = format!("/listing/{}", place.listing);
        for (agent, path, status) in [(&agent, first.as_str(), 200), (&agent, "/listing/999", 404),
            (&agent, "/listing?page=x", 422), (&unknown, "/listing", 401)]
        {
            let answer = agent.get(path).await;
            assert_eq!(answer.status, status, "{path}");
            assert_eq!(answer.header("ratelimit-policy"), POLICY, "{path}");
            assert!(answer.header("ratelimit").starts_with("\"client\";r="), "{path}");
        }
    }
}

sqlite_story! {
    async fn a_write_past_the_limit_is_not_done_and_uses_up_no_key(server) {
        let (limited, agent, place) = begin(server).await;
        server = limited;
        let path = format!("/listing/{}", place.listing);
        let write = async |agent: &Client, price: i64| {
            let body = serde_json::json!({"price": price});
            let answer = agent.send_with_key(("PATCH", &path), &format!("key-{price}"), &body).await;
            (answer.status, answer.is_replayed())
        };
        // A place in the bucket may come back just before the write.
        let mut price = 0;
        loop {
            price += 1;
            exhaust(&agent).await;
            if write(&agent, price).await.0 == 429 {
                break;
            }
        }
        server = server.reconfigure(|_config| {}).await;
        let agent = agent.after_restart(&server);
        assert_ne!(agent.attributes(place.listing).await["price"], price);
        assert_eq!(write(&agent, price).await, (200, false));
    }
}
