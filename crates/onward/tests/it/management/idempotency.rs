//! `Idempotency-Key` (S-52): an operation told twice is done once.

use http::Method;
use serde_json::{Value, json};

use super::Witness;
use super::place::{CALLS, Place};
use crate::story;
use crate::world::{Agent, Answer, send};

/// A call with a key.
async fn keyed(agent: &Agent, call: (&str, &str), key: &str, body: &Value) -> Answer {
    let method: Method = call.0.parse().unwrap();
    let request = agent.request(method, call.1).header("idempotency-key", key);
    send(request.json(body)).await
}

fn is_replayed(answer: &Answer) -> bool {
    match answer.header("idempotency-replayed") {
        "true" => true,
        "" => false,
        other => panic!("{other}"),
    }
}

/// Whether the second answer repeats the first one.
#[track_caller]
fn assert_replay(first: &Answer, second: &Answer) {
    assert!(is_replayed(second), "{}", second.json());
    assert_eq!(second.status, first.status);
    assert_eq!(second.body, first.body);
    for name in ["content-type", "location"] {
        assert_eq!(second.header(name), first.header(name), "{name}");
    }
}

const POST: (&str, &str) = ("POST", "/listing");

fn new_listing(agent: &Agent, uprn: i64) -> Value {
    json!({"branch_id": agent.branch, "price": 1, "address": {"line1": format!("{uprn} High St"),
        "postTown": "Leeds", "postcode": "LS1 4AP", "uprn": uprn}})
}

async fn count(agent: &Agent) -> i64 {
    let body = agent.get("/listing").await.json();
    body["meta"]["pagination"]["total"].as_i64().unwrap()
}

story! {
    async fn the_first_answer_is_given_again(world) {
        let agent = world.agent("north").await;
        let body = new_listing(&agent, 1);
        let first = keyed(&agent, POST, "key-1", &body).await;
        assert_eq!(first.status, 201);
        assert!(!is_replayed(&first));
        // Whatever has happened since.
        let listing = first.json()["data"]["id"].as_i64().unwrap();
        agent.patch(&format!("/listing/{listing}"), json!({"price": 7})).await;
        agent.delete(&format!("/listing/{listing}")).await.assert_success();
        for _time in 0..2 {
            assert_replay(&first, &keyed(&agent, POST, "key-1", &body).await);
        }
        assert_eq!(count(&agent).await, 0);
        // Without the key, or with another one, it is a new operation.
        assert_eq!(agent.post("/listing", body.clone()).await.status, 201);
        assert_eq!(keyed(&agent, POST, "key-2", &body).await.status, 201);
        assert_eq!(count(&agent).await, 2);
    }
}

story! {
    async fn every_write_can_be_told_twice(world) {
        let agent = world.agent("north").await;
        let place = Place::of(&agent, 1000).await;
        let writes = CALLS.into_iter().filter(|(method, path, _)| {
            *method != "GET" && !path.ends_with("/filter")
        });
        for (index, call) in writes.enumerate() {
            let key = format!("key-{index}");
            let request = || place.request(&agent, call).header("idempotency-key", &key);
            let first = send(request()).await;
            assert!(first.status < 300, "{call:?}: {}", first.json());
            assert!(!is_replayed(&first), "{call:?}");
            let history = agent.history_lines(place.listing).await;
            assert_replay(&first, &send(request()).await);
            assert_eq!(agent.history_lines(place.listing).await, history, "{call:?}");
        }
    }
}

story! {
    async fn an_event_is_told_once(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let witness = Witness::of(&world).await;
        let path = format!("/listing/{listing}/milestone/sstc");
        let (first, second) = (json!({"date": "2026-11-20"}), json!({"date": "2026-11-19"}));
        keyed(&agent, ("PUT", &path), "a", &first).await;
        keyed(&agent, ("PUT", &path), "b", &second).await;
        // A late repetition of the first does not undo the second.
        let late = keyed(&agent, ("PUT", &path), "a", &first).await;
        assert!(is_replayed(&late));
        let shown = witness.property(1).await;
        assert_eq!(shown["milestones"]["soldSubjectToContract"]["completed"], "2026-11-19");
        assert_eq!(witness.events().await.len(), 2);
    }
}

story! {
    async fn another_body_under_the_same_key_is_refused(world) {
        let agent = world.agent("north").await;
        let body = new_listing(&agent, 1);
        let first = keyed(&agent, POST, "key-1", &body).await;
        let failure = keyed(&agent, POST, "key-1", &new_listing(&agent, 2)).await.failure();
        let expected = "422 idempotency_key_reused (Idempotency-Key): ";
        assert!(failure.starts_with(expected), "{failure}");
        assert_eq!(count(&agent).await, 1);
        // The first answer is still there.
        assert_replay(&first, &keyed(&agent, POST, "key-1", &body).await);
    }
}

story! {
    async fn a_key_counts_for_its_path_only(world) {
        let agent = world.agent("north").await;
        let (one, two) = (agent.list(1).await, agent.list(2).await);
        let paths = [format!("/listing/{one}"), format!("/listing/{two}")];
        let (five, six) = (json!({"price": 5}), json!({"price": 6}));
        let first = keyed(&agent, ("PATCH", &paths[0]), "key", &five).await;
        let other = keyed(&agent, ("PATCH", &paths[1]), "key", &six).await;
        assert_eq!((first.status, other.status), (200, 200));
        assert!(!is_replayed(&other));
        assert_eq!(agent.attributes(two).await["price"], 6);
        assert_replay(&first, &keyed(&agent, ("PATCH", &paths[0]), "key", &five).await);
    }
}

story! {
    async fn the_method_is_part_of_the_operation(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let path = format!("/listing/{listing}/milestone/sstc");
        let put = keyed(&agent, ("PUT", &path), "key", &json!({"date": "2026-11-20"})).await;
        assert_eq!(put.status, 200);
        // Never the answer of the other method.
        let deleted = keyed(&agent, ("DELETE", &path), "key", &json!({})).await;
        if deleted.status == 200 {
            deleted.assert_success();
            assert_eq!(agent.get(&path).await.status, 204);
        } else {
            let failure = deleted.failure();
            assert!(failure.starts_with("422 idempotency_key_reused "), "{failure}");
        }
    }
}

story! {
    async fn a_key_is_the_client_s_own(world) {
        let north = world.agent("north").await;
        let also = world.agent_of("also", &[north.branch]).await;
        let body = new_listing(&north, 1);
        let first = keyed(&north, POST, "key", &body).await;
        let second = keyed(&also, POST, "key", &body).await;
        assert_eq!((first.status, second.status), (201, 201));
        assert!(!is_replayed(&second));
        assert_ne!(first.json()["data"]["id"], second.json()["data"]["id"]);
        // A new token is no new client.
        world.clock.advance(700);
        let renewed = north.renewed(&world).await;
        assert_replay(&first, &keyed(&renewed, POST, "key", &body).await);
    }
}

story! {
    async fn after_24_hours_a_key_is_free_again(world) {
        let agent = world.agent("north").await;
        let body = new_listing(&agent, 1);
        let first = keyed(&agent, POST, "key", &body).await;
        world.clock.advance(24 * 3600 - 1);
        let agent = agent.renewed(&world).await;
        assert_replay(&first, &keyed(&agent, POST, "key", &body).await);
        world.clock.advance(1);
        let later = keyed(&agent, POST, "key", &body).await;
        assert_eq!(later.status, 201);
        assert!(!is_replayed(&later));
        assert_ne!(later.json()["data"]["id"], first.json()["data"]["id"]);
        // Kept for 24 h from here, with any body.
        assert_replay(&later, &keyed(&agent, POST, "key", &body).await);
        world.clock.advance(24 * 3600);
        let agent = agent.renewed(&world).await;
        let other = keyed(&agent, POST, "key", &new_listing(&agent, 2)).await;
        assert_eq!(other.status, 201);
    }
}

story! {
    async fn refusals_by_rule_are_kept(world) {
        let agent = world.agent("north").await;
        let south = world.agent("south").await;
        let theirs = south.list(5).await;
        let (one, two, three) = (agent.list(1).await, agent.list(2).await, agent.list(3).await);
        agent.link(one, two).await;
        let patch = format!("/listing/{theirs}");
        let calls = [
            (("POST", "/chain/add/link"), json!({"seller": one, "buyer": three}), 409),
            (("POST", "/chain/add/link"), json!({"seller": 999, "buyer": three}), 404),
            (("PATCH", patch.as_str()), json!({"price": 5}), 403),
        ];
        for (index, (call, body, status)) in calls.iter().enumerate() {
            let first = keyed(&agent, *call, &format!("key-{index}"), body).await;
            assert_eq!(first.status, *status);
            let again = keyed(&agent, *call, &format!("key-{index}"), body).await;
            assert_replay(&first, &again);
        }
        // Though it would be allowed by now.
        let link = json!({"seller": one, "buyer": two});
        agent.post("/chain/remove/link", link).await.assert_success();
        let (call, body, _status) = &calls[0];
        assert_eq!(keyed(&agent, *call, "key-0", body).await.status, 409);
        assert_eq!(keyed(&agent, *call, "another", body).await.status, 200);
    }
}

story! {
    async fn refusals_of_the_caller_or_of_the_moment_are_not_kept(world) {
        let agent = world.agent("north").await;
        let body = new_listing(&agent, 1);
        let mut stranger = agent.clone();
        stranger.token = "garbage".to_owned();
        assert_eq!(keyed(&stranger, POST, "key", &body).await.status, 401);
        let none = world.register("none", &[]).await;
        let mut stranger = agent.clone();
        stranger.token = world.token(&none, None).await;
        stranger.client = none;
        assert_eq!(keyed(&stranger, POST, "key", &body).await.status, 403);
        let first = keyed(&agent, POST, "key", &body).await;
        assert_eq!(first.status, 201);
        assert!(!is_replayed(&first));
    }
}

story! {
    async fn a_replay_needs_the_same_rights(world) {
        // The branch was withdrawn since: the kept answer must not show its data again.
        let agent = world.agent("north").await;
        let body = new_listing(&agent, 1);
        assert_eq!(keyed(&agent, POST, "key", &body).await.status, 201);
        let id = agent.client.id.clone();
        let now = crate::world::BEGINNING;
        let scope = world.storage.write(move |write| {
            storage::clients::update_scopes(write, &id, &[], now)
        });
        assert!(scope.await.unwrap());
        assert_eq!(keyed(&agent, POST, "key", &body).await.status, 403);
    }
}

story! {
    async fn wrong_keys_are_named(world) {
        let agent = world.agent("north").await;
        let body = new_listing(&agent, 1);
        let long = "x".repeat(256);
        for key in ["", "a b", "ä", "a\tb", " ", &long] {
            let failure = keyed(&agent, POST, key, &body).await.failure();
            let expected = "422 value_invalid (Idempotency-Key): ";
            assert!(failure.starts_with(expected), "{key:?}: {failure}");
        }
        let request = agent.request(Method::POST, "/listing").json(&body);
        let twice = request.header("idempotency-key", "a").header("idempotency-key", "b");
        let failure = send(twice).await.failure();
        assert!(failure.starts_with("422 value_invalid (Idempotency-Key): "), "{failure}");
        assert_eq!(count(&agent).await, 0);
        for key in ["x", "!", "~", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", &long[..255]] {
            assert_eq!(keyed(&agent, POST, key, &body).await.status, 201, "{key}");
        }
    }
}

story! {
    async fn at_the_same_time_it_is_done_once(world) {
        let node = world.start_node().await;
        let agent = world.agent("north").await;
        let elsewhere = agent.on_node(&world, node);
        for round in 0..5 {
            let key = format!("key-{round}");
            let body = new_listing(&agent, round + 1);
            let before = count(&agent).await;
            let (a, b, c, d) = tokio::join!(
                keyed(&agent, POST, &key, &body),
                keyed(&elsewhere, POST, &key, &body),
                keyed(&agent, POST, &key, &body),
                keyed(&elsewhere, POST, &key, &body),
            );
            let answers = [a, b, c, d];
            assert_eq!(count(&agent).await, before + 1);
            let replayed = answers.iter().filter(|answer| is_replayed(answer)).count();
            assert_eq!(replayed, 3);
            for answer in &answers {
                assert_eq!((answer.status, &answer.body), (201, &answers[0].body));
            }
        }
    }
}

story! {
    async fn reads_pass_the_key_over(world) {
        let agent = world.agent("north").await;
        let listing = agent.list(1).await;
        let path = format!("/listing/{listing}");
        let read = || agent.request(Method::GET, &path).header("idempotency-key", "key");
        let first = send(read()).await;
        agent.patch(&path, json!({"price": 5})).await;
        let second = send(read()).await;
        assert_eq!((first.status, second.status), (200, 200));
        assert_eq!(second.json()["data"]["attributes"]["price"], 5);
    }
}
