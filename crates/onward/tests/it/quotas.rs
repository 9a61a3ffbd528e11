//! The quotas of one caller (S-65). They never affect another caller.

use http::Method;
use serde_json::{Value, json};
use storage::idempotency::{AnswerKey, KeptAnswer, keep_answer};

use crate::story;
use crate::test_server::manners::KEY;
use crate::test_server::{Answer, Client, TestServer, send};

const DAY_SECONDS: i64 = 86_400;

async fn with_quotas(server: TestServer, listings: u32, properties: u32) -> TestServer {
    server
        .reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.listings_per_day = listings;
            config.properties_per_day = properties;
        })
        .await
}

fn listing(agent: &Client, uprn: i64, external_id: &str) -> Value {
    let address = json!({"line1": format!("{uprn} High Street"), "postTown": "Leeds",
        "postcode": "LS1 4AP", "uprn": uprn});
    json!({"address": address, "branch_id": agent.branch(), "price": 250_000,
        "external_id": external_id})
}

async fn add(agent: &Client, uprn: i64) -> Answer {
    let external_id = format!("{}-{uprn}", agent.branch());
    agent
        .post("/listing", listing(agent, uprn, &external_id))
        .await
}

story! {
    async fn a_branch_adds_so_many_listings_a_day(server) {
        server = with_quotas(server, 2, 100).await;
        let [north, south] = server.two_agents().await;
        assert_eq!(add(&north, 1).await.status, 201);
        assert_eq!(add(&north, 2).await.status, 201);
        let refused = add(&north, 3).await;
        let said = format!(
            "429 quota_used_up: Branch {} has added 2 listings within a day, which is its quota. Add \
             more later, or have the operator import them.",
            north.branch()
        );
        assert_eq!(refused.failure(), said);
        assert_eq!(refused.header("retry-after"), "600");
        assert_eq!(add(&north, 1).await.status, 200, "a change of a listing is no new one");
        assert_eq!(add(&south, 3).await.status, 201);
        // The sum has slots of ten minutes.
        server.clock.advance(DAY_SECONDS + 600);
        let north = north.renewed(&server).await;
        assert_eq!(add(&north, 3).await.status, 201);
        // The sandbox's --no-rate-limit lifts it.
        server = server.reconfigure(|config| config.rate_limit_enabled = false).await;
        let north = north.after_restart(&server).renewed(&server).await;
        for uprn in 4..8 {
            assert_eq!(add(&north, uprn).await.status, 201);
        }
    }
}

story! {
    async fn a_branch_adds_so_many_properties_a_day(server) {
        server = with_quotas(server, 100, 2).await;
        let [north, south] = server.two_agents().await;
        assert_eq!(add(&north, 1).await.status, 201);
        assert_eq!(add(&south, 10).await.status, 201);
        assert_eq!(add(&north, 10).await.status, 201, "somebody else added this property");
        // A listing that moves to a new property adds one too.
        let moved = listing(&north, 2, &format!("{}-1", north.branch()));
        assert_eq!(north.post("/listing", moved).await.status, 200);
        let refused = add(&north, 3).await.failure();
        assert!(refused.starts_with("429 quota_used_up: "), "{refused}");
        assert!(refused.contains("2 new properties within a day"), "{refused}");
        assert_eq!(add(&south, 3).await.status, 201);
        assert_eq!(add(&north, 3).await.status, 201, "now the property is known");
    }
}

story! {
    async fn the_answers_kept_for_a_client_are_bounded(server) {
        server = server.reconfigure(|config| config.kept_answers_mebibytes = 1).await;
        let [north, south] = server.two_agents().await;
        let write = async |agent: &Client, key: &str| {
            let body = listing(agent, 1, &format!("{}", agent.branch()));
            let request = agent.request(Method::POST, "/listing").json(&body);
            let request = if key.is_empty() { request } else { request.header(KEY, key) };
            send(request).await
        };
        assert_eq!(write(&north, "first").await.status, 201);
        let (client_id, now) = (north.registration.id.clone(), server.now());
        let filling = server.storage.write(move |write| {
            let key = AnswerKey { client_id: &client_id, path: "/", key: "large" };
            let answer = KeptAnswer {
                body_digest: String::new(),
                status: 200,
                body: "x".repeat(1024 * 1024),
                branches_digest: None,
            };
            keep_answer(write, &key, &answer, now + DAY_SECONDS)
        });
        filling.await.unwrap();
        let refused = write(&north, "second").await;
        assert!(refused.failure().starts_with("429 quota_used_up: Answers of 1048576 bytes"));
        assert_eq!(write(&north, "first").await.status, 201, "a repetition adds nothing");
        assert_eq!(write(&north, "").await.status, 200, "nor does a write without a key");
        assert_eq!(write(&south, "second").await.status, 201);
    }
}

story! {
    async fn a_participant_simulates_so_many_events_a_minute(server) {
        server = server
            .reconfigure(|config| {
                config.rate_limit_enabled = true;
                config.simulations_per_minute = 2;
            })
            .await;
        let [key, same, other] = [
            server.api_key("Example Lender").await,
            server.api_key("Example Lender").await,
            server.api_key("Other Ltd").await,
        ];
        let event = json!({"eventType": "fallthrough", "uprn": "999", "date": "2026-01-31"});
        let simulate = async |key: &str| {
            let answer = server.post_webhook(key, "/simulate", event.clone()).await;
            answer.problem()
        };
        // Nobody receives these, which is another refusal.
        assert!(simulate(&key).await.starts_with("409 conflict: "));
        assert!(simulate(&same).await.starts_with("409 conflict: "));
        let said = "429 quota-used-up: A participant simulates at most 2 events a minute.";
        assert_eq!(simulate(&key).await, said);
        assert_eq!(simulate(&same).await, said);
        assert!(simulate(&other).await.starts_with("409 conflict: "));
    }
}

story! {
    async fn a_participant_has_so_many_subscriptions(server) {
        server = server.reconfigure(|config| config.subscriptions_max = 3).await;
        let [key, same, other] = [
            server.api_key("Example Lender").await,
            server.api_key("Example Lender").await,
            server.api_key("Other Ltd").await,
        ];
        let subscribe = async |key: &str, number: usize| {
            let wish = json!({"participantName": "A", "events": ["fallthrough"],
                "callbackUrl": format!("https://localhost/{number}")});
            server.post_webhook(key, "/subscribe", wish).await
        };
        let mut ids = Vec::new();
        for (number, key) in [&key, &key, &same].into_iter().enumerate() {
            let answer = subscribe(key, number).await;
            assert_eq!(answer.status, 201);
            ids.push(answer.json()["subscriptionId"].as_str().unwrap().to_owned());
        }
        let said = "409 quota-used-up: A participant has at most 3 subscriptions, disabled ones \
            included. Delete one first.";
        assert_eq!(subscribe(&key, 3).await.problem(), said);
        assert_eq!(subscribe(&same, 3).await.problem(), said);
        assert_eq!(subscribe(&key, 0).await.status, 200, "a known URL is no further one");
        assert_eq!(subscribe(&other, 0).await.status, 201);
        // A disabled one makes no room. It is enabled only while fewer are active.
        let of_store = server.storage.write(|write| {
            write.execute(
                "update subscription set status = 'disabled' where callback_url = $1",
                &["https://localhost/0".into()],
            )
        });
        of_store.await.unwrap();
        assert_eq!(subscribe(&key, 3).await.problem(), said);
        server.storage.write(|write| write.execute(
            "insert into subscription (reference, api_key_id, participant_name, callback_url, \
             status, created_at, updated_at) \
             select reference || '-', api_key_id, 'A', 'https://localhost/older', 'active', 0, 0 \
             from subscription where callback_url = $1",
            &["https://localhost/0".into()],
        )).await.unwrap();
        let enable = format!("/subscriptions/{}/enable", ids[0]);
        assert_eq!(server.webhook(&key, ("POST", &enable), None).await.problem(), said);
        assert_eq!(subscribe(&key, 0).await.problem(), said);
        let delete = format!("/subscriptions/{}", ids[1]);
        assert_eq!(server.webhook(&key, ("DELETE", &delete), None).await.status, 204);
        assert_eq!(server.webhook(&key, ("POST", &enable), None).await.status, 200);
    }
}

story! {
    async fn a_participant_replays_so_many_deliveries_a_day(server) {
        server = server.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.replays_per_day = 3;
        }).await;
        let (receiver, key, id) = server.subscriber().await;
        let agent = server.agent("north").await;
        for uprn in 1..=2 {
            let listing = agent.list(uprn).await;
            agent.record(listing, "sstc", "2026-11-01").await;
        }
        receiver.wait_for(2).await;
        let path = format!("/subscriptions/{id}/replay");
        let replay = async || {
            server.wait_until("all are delivered", async || {
                server.deliveries(&key, &id).await.iter().all(|one| one["status"] == "delivered")
            }).await;
            let since = json!({"since": "2026-11-21T00:00:00Z"});
            server.post_webhook(&key, &path, since).await
        };
        assert_eq!(replay().await.json(), json!({"deliveries": 2}));
        let cut = replay().await.json();
        assert_eq!((&cut["deliveries"], cut["nextSince"].is_string()), (&json!(1), true));
        let said = "429 quota-used-up: A participant replays at most 3 deliveries within a day.";
        assert_eq!(replay().await.problem(), said);
        // One that is sent again counts as well.
        let delivery = server.deliveries(&key, &id).await[0]["deliveryId"].as_str().unwrap().to_owned();
        let again = format!("/subscriptions/{id}/deliveries/{delivery}/redeliver");
        assert_eq!(server.webhook(&key, ("POST", &again), None).await.problem(), said);
        server.clock.advance(DAY_SECONDS + 600);
        assert_eq!(server.webhook(&key, ("POST", &again), None).await.status, 202);
        assert_eq!(replay().await.status, 202);
    }
}
