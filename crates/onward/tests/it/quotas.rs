//! The quotas of one caller (S-65). They never affect another caller.

use std::ops::RangeInclusive;

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

/// Lists homes with these texts and links them into one chain.
async fn build_chain(agent: &Client, uprns: RangeInclusive<i64>, text: impl Fn() -> String) -> i64 {
    let mut last = None;
    for uprn in uprns {
        let address = json!({"line1": text(), "line2": text(), "line3": text(), "postTown": text(),
            "line4": text(), "postcode": "LS1 4AP", "uprn": uprn});
        let body = json!({"address": address, "branch_id": agent.branch(), "price": 250_000});
        let answer = agent.post("/listing", body).await;
        assert_eq!(answer.status, 201, "{}", answer.json());
        let listing = answer.json()["data"]["id"].as_i64().unwrap();
        if let Some(last) = last {
            let answer = agent.link(last, listing).await;
            assert!(answer.status < 300, "{}", answer.json());
        }
        last = Some(listing);
    }
    last.unwrap()
}

/// A text of 200 characters that no compression makes short.
fn noise() -> String {
    signing::random::token(150).unwrap()
}

async fn count_sealed(server: &TestServer) -> (i64, i64) {
    let counting = server.storage.read(|read| {
        read.query_exactly_one(
            "select count(*), cast(coalesce(sum(length(document)), 0) as bigint) from sealed",
            &[],
            |row| Ok((row.integer(0)?, row.integer(1)?)),
        )
    });
    counting.await.unwrap()
}

story! {
    async fn the_changes_of_a_client_seal_so_many_bytes_a_day(server) {
        server = server.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_burst = 100_000;
            config.sealed_mebibytes_per_day = 1;
        }).await;
        let [north, south] = server.two_agents().await;
        let listing = build_chain(&north, 1..=20, noise).await;
        let mebibyte = 1024 * 1024;
        let mut last = north.record(listing, "sstc", "2026-11-01").await;
        for day in (2..=20).cycle().take(200) {
            if last.status != 200 {
                break;
            }
            last = north.record(listing, "sstc", &format!("2026-11-{day:02}")).await;
        }
        let said = "429 quota_used_up: Your changes of long chains have used your quota of a day up: \
            Onward keeps each state of a chain. Send this change later.";
        assert_eq!(last.failure(), said);
        let wait: u64 = last.header("retry-after").parse().unwrap();
        assert!((1..=86_400).contains(&wait), "{wait}");
        // The change that used the quota up is the last one, and the newest state is sealed soon.
        let (_count, bytes) = count_sealed(&server).await;
        assert!((mebibyte - 100_000..mebibyte + 200_000).contains(&bytes), "{bytes}");
        assert_eq!(add(&north, 99).await.status, 429, "a new chain is a change too");
        assert_eq!(north.get(&format!("/listing/{listing}")).await.status, 200, "reads go on");
        assert_eq!(add(&south, 1000).await.status, 201, "others do not pay for it");
        server = server.reconfigure(|config| config.rate_limit_enabled = false).await;
        let north = north.after_restart(&server).renewed(&server).await;
        assert_eq!(north.record(listing, "sstc", "2026-11-21").await.status, 200);
    }
}

story! {
    async fn the_default_quota_of_sealed_bytes_bounds_no_usual_chain(server) {
        server = server.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.rate_limit_burst = 100_000;
        }).await;
        let agent = server.agent("north").await;
        let listing = build_chain(&agent, 1..=10, || "12 Some Street".to_owned()).await;
        let (before, before_bytes) = count_sealed(&server).await;
        for day in (1..=20).cycle().take(100) {
            let answer = agent.record(listing, "sstc", &format!("2026-11-{day:02}")).await;
            assert_eq!(answer.status, 200);
        }
        let (count, bytes) = count_sealed(&server).await;
        let each = (bytes - before_bytes) / (count - before);
        // 64 MiB are 32,000 such changes, and a day has fewer than 1,000 in the longest chain.
        assert!(each < 2 * 1024, "{each}");
    }
}
