//! `/api/v1/webhook/subscriptions/{id}/watch` (S-39).

use serde_json::{Value, json};
use storage::lanes;

use crate::delivery::narrowed::hold_lane;
use crate::test_server::{Receiver, Reply, TestServer};
use crate::{sqlite_story, story};

/// An API key of a participant that may see chains.
async fn chain_reader(server: &TestServer) -> String {
    server.register("lender", &["transaction-status"]).await;
    server.api_key("lender Ltd").await
}

/// A new receiver with a subscription to milestones that watches these properties.
async fn watcher(server: &TestServer, key: &str, watch: Value) -> (Receiver, String) {
    let receiver = server.receiver().await;
    let body = json!({"participantName": "Lender", "callbackUrl": receiver.url,
        "events": ["milestone.updated"], "watch": watch});
    let made = server.post_webhook(key, "/subscribe", body).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let id = made.json()["subscriptionId"].as_str().unwrap().to_owned();
    (receiver, id)
}

/// The UPRNs that all subscriptions of the store watch.
async fn count_watched(server: &TestServer) -> i64 {
    let counting = server.storage.read(|read| {
        read.query_exactly_one("select count(*) from watched", &[], |row| row.integer(0))
    });
    counting.await.unwrap()
}

/// The UPRNs of the events that arrived so far, sorted: only events of one property keep their order.
fn uprns(receiver: &Receiver) -> Vec<String> {
    let arrived = receiver.received();
    let uprns = arrived
        .iter()
        .map(|request| request.claims()["uprn"].as_str().unwrap().to_owned());
    let mut uprns: Vec<_> = uprns.collect();
    uprns.sort_unstable();
    uprns
}

story! {
    async fn events_of_watched_properties_or_of_their_chains_arrive(server) {
        let key = chain_reader(&server).await;
        let (all, _) = watcher(&server, &key, Value::Null).await;
        let (own, own_id) = watcher(&server, &key, json!({"uprns": [2, 98], "reach": "property"})).await;
        let (chain, chain_id) = watcher(&server, &key, json!({"uprns": ["2"], "reach": "chain"})).await;
        let (none, _) = watcher(&server, &key, json!({"uprns": [], "reach": "chain"})).await;
        let agent = server.agent("north").await;
        let [one, two, three] = agent.list_chain([1, 2, 3]).await;
        let four = agent.list(4).await;
        for listing in [one, two, three, four] {
            agent.record(listing, "searches_ordered", "2026-11-02").await;
        }
        all.wait_for(4).await;
        chain.wait_for(3).await;
        own.wait_for(1).await;
        assert_eq!(uprns(&chain), ["1", "2", "3"]);
        assert_eq!(uprns(&own), ["2"]);

        // Another chain from now on, and what was sent stays.
        agent.unlink(two, one).await.assert_success();
        for listing in [one, three] {
            agent.record(listing, "exchange", "2026-11-03").await;
        }
        all.wait_for(6).await;
        chain.wait_for(4).await;
        assert_eq!(uprns(&chain), ["1", "2", "3", "3"]);
        assert_eq!((uprns(&own).len(), none.received().len()), (1, 0));

        // A replay looks at the chain of today.
        server.clock.advance(60);
        for (id, receiver, count) in [(&own_id, &own, 1), (&chain_id, &chain, 3)] {
            server.wait_for_state(&key, id, "delivered").await;
            let path = format!("/subscriptions/{id}/replay");
            let since = json!({"since": "2026-11-01T00:00:00Z"});
            let answer = server.post_webhook(&key, &path, since).await;
            assert_eq!((answer.status, answer.json()), (202, json!({"deliveries": count})));
            receiver.wait_for(receiver.received().len().max(count)).await;
        }
    }
}

story! {
    async fn a_listing_that_is_not_current_draws_in_nobody(server) {
        let key = chain_reader(&server).await;
        let (chain, _) = watcher(&server, &key, json!({"uprns": [1], "reach": "chain"})).await;
        let (all, _) = watcher(&server, &key, Value::Null).await;
        let (north, south) = (server.agent("north").await, server.agent("south").await);
        let [_one, two] = north.list_chain([1, 2]).await;
        // The same property, sold by another agent: the first listing stays current.
        let [_again, five] = south.list_chain([1, 5]).await;
        south.record(five, "searches_ordered", "2026-11-02").await;
        north.record(two, "searches_ordered", "2026-11-02").await;
        all.wait_for(2).await;
        chain.wait_for(1).await;
        assert_eq!(uprns(&chain), ["2"]);
    }
}

sqlite_story! {
    async fn a_watch_is_set_and_changed_in_parts(server) {
        let key = chain_reader(&server).await;
        let (receiver, id) = watcher(&server, &key, Value::Null).await;
        let path = format!("/subscriptions/{id}/watch");
        let made = server.subscription(&key, &id).await;
        assert_eq!(made.get("watch"), None);
        let early = server.webhook(&key, ("PATCH", &path), Some(&json!({"add": [1]}))).await;
        let said = "409 conflict: The subscription has no watch. Set one with PUT first.";
        assert_eq!(early.problem(), said);
        for (method, body, expected) in [
            ("PUT", json!({"uprns": [1, 2, "3", 3], "reach": "chain"}), json!({"reach": "chain", "uprnCount": 3})),
            ("PATCH", json!({"add": [3, 4], "remove": [1, 77]}), json!({"reach": "chain", "uprnCount": 3})),
            ("PATCH", json!({"reach": "property"}), json!({"reach": "property", "uprnCount": 3})),
            ("PATCH", json!({"add": [9], "remove": [9]}), json!({"reach": "property", "uprnCount": 4})),
            ("PUT", json!({"uprns": [5], "reach": "property"}), json!({"reach": "property", "uprnCount": 1})),
        ] {
            let answer = server.webhook(&key, (method, &path), Some(&body)).await;
            assert_eq!((answer.status, &answer.json()["watch"]), (200, &expected), "{body}");
            assert_eq!(server.subscription(&key, &id).await["watch"], expected);
        }
        // Subscribing again keeps it, and null removes it.
        for (watch, expected) in [
            (None, json!({"reach": "property", "uprnCount": 1})),
            (Some(json!({"uprns": [6, 7], "reach": "chain"})), json!({"reach": "chain", "uprnCount": 2})),
            (Some(Value::Null), Value::Null),
        ] {
            let mut body = json!({"participantName": "Lender", "callbackUrl": receiver.url,
                "events": "milestone.updated"});
            if let Some(watch) = watch {
                body["watch"] = watch;
            }
            let again = server.post_webhook(&key, "/subscribe", body).await;
            assert_eq!((again.status, &again.json()["watch"]), (200, &expected));
        }
    }
}

sqlite_story! {
    async fn wrong_watches_are_refused_and_change_nothing(server) {
        let key = chain_reader(&server).await;
        let watch = json!({"uprns": [1], "reach": "property"});
        let (receiver, id) = watcher(&server, &key, watch).await;
        let path = format!("/subscriptions/{id}/watch");
        let many: Vec<i64> = (1..=4_001).collect();
        for (method, body, said) in [
            ("PUT", json!({}), "uprns is missing"),
            ("PUT", json!({"uprns": 1, "reach": "chain"}), "uprns must be an array of at most 4000 numbers"),
            ("PUT", json!({"uprns": many, "reach": "chain"}), "uprns must be an array of at most 4000 numbers"),
            ("PUT", json!({"uprns": [0], "reach": "chain"}),
                "uprns has 0, but each must be an integer from 1 to 999999999999"),
            ("PUT", json!({"uprns": [1, "x"], "reach": "chain"}),
                "uprns has \"x\", but each must be an integer from 1 to 999999999999"),
            ("PUT", json!({"uprns": [1.5], "reach": "chain"}),
                "uprns has 1.5, but each must be an integer from 1 to 999999999999"),
            ("PUT", json!({"uprns": [1], "reach": "street"}), "reach must be `property` or `chain`"),
            ("PUT", json!({"uprns": [1], "reach": "chain", "add": [2]}),
                "add is not known here; known are reach, uprns"),
            ("PATCH", json!({}), "add is missing: send `add`, `remove` or `reach`"),
            ("PATCH", json!({"add": null}), "add is missing: send `add`, `remove` or `reach`"),
            ("PATCH", json!({"add": [1], "reach": null}),
                "reach must not be null; leave it out to keep its value"),
        ] {
            let answer = server.webhook(&key, (method, &path), Some(&body)).await;
            assert_eq!(answer.status, 422, "{body}");
            let error = &answer.json()["errors"][0];
            let found = format!("{} {}", error["pointer"].as_str().unwrap(), error["detail"].as_str().unwrap());
            assert_eq!(found.trim_start_matches('/'), said, "{body}");
        }
        let body = json!({"participantName": "Lender", "callbackUrl": receiver.url,
            "events": "milestone.updated", "watch": {"uprns": [3], "reach": "street"}});
        let refused = server.post_webhook(&key, "/subscribe", body).await;
        assert_eq!(refused.status, 422);
        assert_eq!(refused.json()["errors"][0]["pointer"].as_str().unwrap().trim_start_matches('/'),
            "watch.reach");
        let other = server.api_key("Other Ltd").await;
        let body = json!({"uprns": [1], "reach": "chain"});
        let foreign = server.webhook(&other, ("PUT", &path), Some(&body)).await;
        assert_eq!(foreign.problem(), "404 not-found: There is no such subscription of yours.");
        let kept = server.subscription(&key, &id).await;
        assert_eq!(kept["watch"], json!({"reach": "property", "uprnCount": 1}));
        server.assert_key_is_needed(&path, "GET,PUT,PATCH").await;
    }
}

sqlite_story! {
    async fn a_subscription_watches_at_most_100_000_properties(server) {
        let key = server.api_key("Example Lender").await;
        let (_receiver, id) = watcher(&server, &key, json!({"uprns": [], "reach": "property"})).await;
        let path = format!("/subscriptions/{id}/watch");
        for part in 0..25 {
            let add: Vec<i64> = (1..=4_000).map(|number| part * 4_000 + number).collect();
            let answer = server.webhook(&key, ("PATCH", &path), Some(&json!({"add": add}))).await;
            assert_eq!(answer.status, 200);
        }
        let known = server.webhook(&key, ("PATCH", &path), Some(&json!({"add": [1]}))).await;
        assert_eq!(known.json()["watch"]["uprnCount"], 100_000);
        let refused = server.webhook(&key, ("PATCH", &path), Some(&json!({"add": [100_001]}))).await;
        let said = "409 quota-used-up: A subscription watches at most 100000 UPRNs. Remove some, or use \
            another subscription.";
        assert_eq!(refused.problem(), said);
        assert_eq!(server.subscription(&key, &id).await["watch"]["uprnCount"], 100_000);
        let gone = server.webhook(&key, ("DELETE", &format!("/subscriptions/{id}")), None).await;
        assert_eq!(gone.status, 204);
    }
}

story! {
    async fn a_watch_reaches_chains_only_with_the_right_to_see_them(server) {
        let nobody = server.api_key("Nobody Ltd").await;
        let (_receiver, id) = watcher(&server, &nobody, json!({"uprns": [1], "reach": "property"})).await;
        let path = format!("/subscriptions/{id}/watch");
        for (method, body) in [
            ("PUT", json!({"uprns": [1], "reach": "chain"})),
            ("PATCH", json!({"reach": "chain"})),
        ] {
            let refused = server.webhook(&nobody, (method, &path), Some(&body)).await;
            assert!(refused.problem().starts_with("403 not-allowed: "), "{method}");
        }
        // The right goes after the watch was set: only the watched property is left.
        let client = server.register("lender", &["transaction-status"]).await;
        let key = server.api_key("lender Ltd").await;
        let (chain, id) = watcher(&server, &key, json!({"uprns": [2], "reach": "chain"})).await;
        server.set_scopes(&client.id, &[]).await;
        let agent = server.agent("north").await;
        let listings = agent.list_chain([1, 2, 3]).await;
        for listing in listings {
            agent.record(listing, "searches_ordered", "2026-11-02").await;
        }
        chain.wait_for(1).await;
        server.wait_for_state(&key, &id, "delivered").await;
        let replay = format!("/subscriptions/{id}/replay");
        let since = json!({"since": "2026-11-01T00:00:00Z"});
        server.clock.advance(60);
        assert_eq!(server.post_webhook(&key, &replay, since).await.json()["deliveries"], 1);
        chain.wait_for(2).await;
        assert_eq!(uprns(&chain), ["2", "2"]);
    }
}

story! {
    async fn no_narrower_watch_sends_what_the_right_to_see_chains_was_for(server) {
        let client = server.register("lender", &["transaction-status"]).await;
        let key = server.api_key("lender Ltd").await;
        let (chain, id) = watcher(&server, &key, json!({"uprns": [2], "reach": "chain"})).await;
        let agent = server.agent("north").await;
        let listings = agent.list_chain([1, 2, 3]).await;
        let lane = hold_lane(&server).await;
        for listing in listings {
            agent.record(listing, "searches_ordered", "2026-11-02").await;
        }
        // Nothing was sent before the right ends and the watch is narrowed.
        server.set_scopes(&client.id, &[]).await;
        let path = format!("/subscriptions/{id}/watch");
        let narrower = json!({"uprns": [2, 3], "reach": "property"});
        assert_eq!(server.webhook(&key, ("PUT", &path), Some(&narrower)).await.status, 200);
        let releasing = server.storage.write(move |write| lanes::release_lane(write, &lane));
        releasing.await.unwrap();
        chain.wait_for(1).await;
        let is_over = async || {
            let log = server.deliveries(&key, &id).await;
            log.iter().all(|one| one["status"] != "waiting")
        };
        server.wait_until("nothing waits", is_over).await;
        assert_eq!(uprns(&chain), ["2"]);
        // With the right, what is pending stays.
        server.set_scopes(&client.id, &["transaction-status"]).await;
        let wider = json!({"reach": "chain"});
        assert_eq!(server.webhook(&key, ("PATCH", &path), Some(&wider)).await.status, 200);
        chain.answer_always(Reply::status(500));
        agent.record(listings[0], "searches_ordered", "2026-11-03").await;
        server.wait_for_attempts(&key, &id, 1).await;
        assert_eq!(server.webhook(&key, ("PUT", &path), Some(&narrower)).await.status, 200);
        chain.answer_always(Reply::status(200));
        let retry = format!("/subscriptions/{id}/retry");
        assert_eq!(server.webhook(&key, ("POST", &retry), None).await.status, 200);
        server.wait_for_state(&key, &id, "delivered").await;
    }
}

story! {
    async fn a_change_ends_when_a_newer_one_begins_on_another_node(server) {
        let key = chain_reader(&server).await;
        let (_receiver, id) = watcher(&server, &key, json!({"uprns": [9000], "reach": "property"})).await;
        let path = format!("/subscriptions/{id}/watch");
        let uprns: Vec<i64> = (1..=2_000).collect();
        let body = json!({"uprns": uprns, "reach": "property"});
        let newer = async {
            let is_under_way = async || count_watched(&server).await > 1;
            server.wait_until("the change has begun", is_under_way).await;
            let beginning = server.storage.write(|write| {
                storage::watches::begin_change(write, storage::subscriptions::SubscriptionId(1))
            });
            beginning.await.unwrap();
        };
        let (answer, ()) = tokio::join!(server.webhook(&key, ("PUT", &path), Some(&body)), newer);
        assert!(answer.problem().starts_with("409 conflict: A newer change"), "{}", answer.problem());
        // Nothing was removed.
        assert!((2..2_001).contains(&count_watched(&server).await));
    }
}

sqlite_story! {
    async fn watched_uprns_of_a_participant_are_bounded_and_counted(server) {
        server = server.reconfigure(|config| {
            config.rate_limit_enabled = true;
            config.watched_uprns_max = 5;
            config.watch_changes_per_minute = 12;
        }).await;
        let [key, same] = [server.api_key("A Ltd").await, server.api_key("A Ltd").await];
        let (_one, first) = watcher(&server, &key, json!({"uprns": [1, 2, 3], "reach": "property"})).await;
        let (_two, second) = watcher(&server, &same, json!({"uprns": [4], "reach": "property"})).await;
        let [first, second] = [first, second].map(|id| format!("/subscriptions/{id}/watch"));
        let change = async |key: &str, path: &str, body: Value| {
            server.webhook(key, ("PATCH", path), Some(&body)).await
        };
        let said = "409 quota-used-up: The subscriptions of a participant watch at most 5 UPRNs \
            together. Remove some.";
        assert_eq!(change(&same, &second, json!({"add": [5, 6]})).await.problem(), said);
        // A watch that is too large already may shrink, and not grow.
        server.storage.write(|write| write.execute(
            "update subscription set watched_uprns = 7 where watched_uprns = 3", &[])).await.unwrap();
        assert_eq!(change(&key, &first, json!({"add": [7]})).await.problem(), said);
        let shrunk = change(&key, &first, json!({"remove": [3]})).await;
        assert_eq!(shrunk.json()["watch"]["uprnCount"], 6);
        let said = "429 quota-used-up: A participant changes at most 12 watched UPRNs a minute.";
        assert_eq!(change(&same, &second, json!({"remove": [1, 2, 3, 4, 5]})).await.problem(), said);
    }
}
