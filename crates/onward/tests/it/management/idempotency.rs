//! `Idempotency-Key` (S-52): an operation that is sent twice is done once.

use http::Method;
use serde_json::{Value, json};

use super::place::{CALLS, Place};
use crate::test_server::manners::KEY;
use crate::test_server::{Answer, Client, send};
use crate::{sqlite_story, story};

/// Fails the test unless the second answer repeats the first one.
#[track_caller]
fn assert_replay(first: &Answer, second: &Answer) {
    assert!(second.is_replayed(), "{}", second.json());
    assert_eq!(second.status, first.status);
    assert_eq!(second.body, first.body);
    for name in ["content-type", "location"] {
        assert_eq!(second.header(name), first.header(name), "{name}");
    }
}

const POST: (&str, &str) = ("POST", "/listing");

fn new_listing(agent: &Client, uprn: i64) -> Value {
    json!({"branch_id": agent.branch(), "price": 1, "address": {"line1": format!("{uprn} High St"),
        "postTown": "Leeds", "postcode": "LS1 4AP", "uprn": uprn}})
}

async fn count(agent: &Client) -> usize {
    agent.get("/listing?per_page=100").await.page().1.len()
}

story! {
    async fn the_first_answer_is_given_again_whatever_has_happened_since(server) {
        let agent = server.agent("north").await;
        let node = server.start_node().await;
        let elsewhere = agent.on_node(&server, node);
        let body = new_listing(&agent, 1);
        let first = agent.send_with_key(POST, "key-1", &body).await;
        assert_eq!((first.status, first.is_replayed()), (201, false));
        let listing = first.listing();
        agent.patch(&format!("/listing/{listing}"), json!({"price": 7})).await;
        agent.withdraw(listing).await;
        for agent in [&agent, &elsewhere] {
            assert_replay(&first, &agent.send_with_key(POST, "key-1", &body).await);
        }
        assert_eq!(count(&agent).await, 0);
        // Another body is refused, and the first answer is still there.
        let other = agent.send_with_key(POST, "key-1", &new_listing(&agent, 2)).await;
        assert_eq!(other.code(), "422 idempotency_key_reused (Idempotency-Key)");
        assert!(!other.is_replayed());
        assert_replay(&first, &agent.send_with_key(POST, "key-1", &body).await);
        // Without the key, or with another one, it is a new operation.
        assert_eq!(agent.post("/listing", body.clone()).await.status, 201);
        assert_eq!(agent.send_with_key(POST, "key-2", &body).await.status, 201);
        assert_eq!(count(&agent).await, 2);
    }
}

story! {
    async fn of_many_equal_calls_at_once_one_is_done(server) {
        let agent = server.agent("north").await;
        let node = server.start_node().await;
        let elsewhere = agent.on_node(&server, node);
        let place = Place::of(&agent, 1000).await;
        let writes = CALLS.into_iter().filter(|call| call.0 != "GET" && !call.1.ends_with("/filter"));
        for (index, call) in writes.enumerate() {
            let key = format!("key-{index}");
            let ask = |agent: &Client| send(place.request(agent, call).header(KEY, &key));
            let (a, b, c, d) =
                tokio::join!(ask(&agent), ask(&elsewhere), ask(&agent), ask(&elsewhere));
            let answers = [a, b, c, d];
            let first = answers.iter().find(|answer| !answer.is_replayed()).unwrap();
            assert!(first.status < 300, "{call:?}: {}", first.json());
            let replayed = answers.iter().filter(|answer| answer.is_replayed());
            assert_eq!(replayed.clone().count(), 3, "{call:?}");
            replayed.for_each(|answer| assert_replay(first, answer));
            let before = agent.see_all().await;
            server.clock.advance(1);
            assert_replay(first, &ask(&agent).await);
            let rest = call.2.strip_prefix('{').unwrap_or("}");
            let other = (call.0, call.1, &*format!("{{ {rest}"));
            let reused = send(place.request(&agent, other).header(KEY, &key)).await;
            assert_eq!(reused.code(), "422 idempotency_key_reused (Idempotency-Key)", "{call:?}");
            assert_eq!(agent.see_all().await, before, "{call:?}");
        }
        // Four listings, less one that was withdrawn, and a new one.
        assert_eq!(count(&agent).await, 4);
        let actions = agent.history_lines(place.listing).await;
        let links = actions.iter().filter(|line| line.starts_with("link.added"));
        assert_eq!(links.count(), 3, "{actions:?}");
    }
}

story! {
    async fn a_late_repetition_undoes_nothing_and_sends_no_event(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let lender = server.lender().await;
        let put = ("PUT", &*format!("/listing/{listing}/milestone/sstc"));
        let (first, second) = (json!({"date": "2026-11-20"}), json!({"date": "2026-11-19"}));
        agent.send_with_key(put, "a", &first).await;
        agent.send_with_key(put, "b", &second).await;
        assert!(agent.send_with_key(put, "a", &first).await.is_replayed());
        let shown = lender.shown_property(1).await;
        assert_eq!(shown["milestones"]["soldSubjectToContract"]["completed"], "2026-11-19");
        assert_eq!(server.event_lines().await.len(), 2);
    }
}

story! {
    async fn a_key_counts_for_one_client_method_and_path(server) {
        let north = server.agent("north").await;
        let also = server.agent_of("also", &[north.branch()]).await;
        let [one, two] = north.list_each([1, 2]).await;
        let [first, second] = [one, two].map(|listing| format!("/listing/{listing}"));
        let (five, six) = (json!({"price": 5}), json!({"price": 6}));
        let kept = north.send_with_key(("PATCH", &first), "key", &five).await;
        for (agent, path, body) in [(&north, &second, &six), (&also, &first, &six)] {
            let answer = agent.send_with_key(("PATCH", path), "key", body).await;
            assert_eq!((answer.status, answer.is_replayed()), (200, false));
        }
        assert_eq!(north.attributes(two).await["price"], 6);
        // A new token is no new client.
        server.clock.advance(700);
        let north = north.renewed(&server).await;
        assert_replay(&kept, &north.send_with_key(("PATCH", &first), "key", &five).await);
        // Never the answer of the other method.
        let deleted = north.send_with_key(("DELETE", &first), "key", &json!({})).await;
        if deleted.status == 200 {
            deleted.assert_success();
            assert_eq!(north.get(&first).await.status, 404);
        } else {
            assert_eq!(deleted.code(), "422 idempotency_key_reused (Idempotency-Key)");
        }
    }
}

story! {
    async fn after_24_hours_a_key_is_free_again(server) {
        let agent = server.agent("north").await;
        let body = new_listing(&agent, 1);
        let first = agent.send_with_key(POST, "key", &body).await;
        server.clock.advance(24 * 3600 - 1);
        let agent = agent.renewed(&server).await;
        assert_replay(&first, &agent.send_with_key(POST, "key", &body).await);
        server.clock.advance(1);
        let later = agent.send_with_key(POST, "key", &body).await;
        assert_eq!((later.status, later.is_replayed()), (201, false));
        assert_ne!(later.listing(), first.listing());
        // Kept for 24 h from here, then free for any body.
        assert_replay(&later, &agent.send_with_key(POST, "key", &body).await);
        server.clock.advance(24 * 3600);
        let agent = agent.renewed(&server).await;
        let other = agent.send_with_key(POST, "key", &new_listing(&agent, 2)).await;
        assert_eq!(other.status, 201);
    }
}

story! {
    async fn refusals_by_rule_are_kept(server) {
        let [agent, south] = server.two_agents().await;
        let theirs = south.list(5).await;
        let [one, two, three] = agent.list_each([1, 2, 3]).await;
        agent.link(one, two).await;
        let patch = format!("/listing/{theirs}");
        let add = ("POST", "/chain/add/link");
        let calls = [
            (add, json!({"seller": one, "buyer": three}), 409),
            (add, json!({"seller": three + 1, "buyer": three}), 404),
            (("PATCH", patch.as_str()), json!({"price": 5}), 403),
        ];
        for (index, (call, body, status)) in calls.iter().enumerate() {
            let first = agent.send_with_key(*call, &format!("key-{index}"), body).await;
            assert_eq!(first.status, *status);
            let again = agent.send_with_key(*call, &format!("key-{index}"), body).await;
            assert_replay(&first, &again);
        }
        // Now the link would be allowed, and the unknown listing exists.
        agent.unlink(one, two).await.assert_success();
        assert_eq!(agent.list(4).await, three + 1);
        for (index, (call, body, status)) in calls[..2].iter().enumerate() {
            let kept = agent.send_with_key(*call, &format!("key-{index}"), body).await;
            assert_eq!(kept.status, *status);
        }
        assert_eq!(agent.send_with_key(add, "another", &calls[0].1).await.status, 200);
    }
}

story! {
    async fn refusals_of_the_caller_are_not_kept_and_a_replay_needs_the_same_rights(server) {
        let mut agent = server.agent("north").await;
        let body = new_listing(&agent, 1);
        let code = async |agent: &Client| agent.send_with_key(POST, "key", &body).await.code();
        let mut stranger = agent.clone();
        "garbage".clone_into(&mut stranger.token);
        assert_eq!(code(&stranger).await, "401 token_invalid");
        server.set_scopes(&agent.registration.id, &[]).await;
        assert_eq!(code(&agent).await, "403 insufficient_scope");
        server.set_scopes(&agent.registration.id, &["listing"]).await;
        server.clock.advance(600);
        assert_eq!(code(&agent).await, "401 token_invalid");
        agent = agent.renewed(&server).await;
        let first = agent.send_with_key(POST, "key", &body).await;
        assert_eq!((first.status, first.is_replayed()), (201, false));
        // The scope was withdrawn since: the kept answer does not show its data again.
        server.set_scopes(&agent.registration.id, &[]).await;
        assert_eq!(code(&agent).await, "403 insufficient_scope");
    }
}

sqlite_story! {
    async fn wrong_keys_are_named_and_reads_ignore_the_key(server) {
        let agent = server.agent("north").await;
        let body = new_listing(&agent, 1);
        let long = "x".repeat(256);
        for key in ["", "a b", "ä", "a\tb", " ", &long] {
            let answer = agent.send_with_key(POST, key, &body).await;
            assert_eq!(answer.code(), "422 value_invalid (Idempotency-Key)", "{key:?}");
        }
        let twice = agent.request(Method::POST, "/listing").header(KEY, "a").header(KEY, "a");
        let answer = send(twice.json(&body)).await;
        assert_eq!(answer.code(), "422 value_invalid (Idempotency-Key)");
        assert_eq!(count(&agent).await, 0);
        for key in ["x", "!", "~", "\"8e03978e-40d5-43dd-bc93-6894a57f9324\"", &long[..255]] {
            assert_eq!(agent.send_with_key(POST, key, &body).await.status, 201, "{key}");
        }
        for listings in [5, 6] {
            let request = agent.request(Method::GET, "/listing").header(KEY, "key");
            assert_eq!(send(request).await.page().1.len(), listings);
            agent.post("/listing", body.clone()).await;
        }
    }
}
