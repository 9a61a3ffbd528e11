//! `chain.changed`: links, end checks and current listings (S-39).

use serde_json::{Value, json};

use super::narrowed::take_lane;
use crate::story;
use crate::test_server::{Receiver, Reply, TestServer};

/// A receiver that subscribes to changes of chains, and its subscription's id.
async fn subscriber(server: &TestServer, key: &str, watch: Value) -> (Receiver, String) {
    let receiver = server.receiver().await;
    let body = json!({"participantName": "Lender", "callbackUrl": receiver.url,
        "events": ["chain.changed"], "watch": watch});
    let made = server.post_webhook(key, "/subscribe", body).await;
    assert_eq!(made.status, 201, "{}", made.json());
    let id = made.json()["subscriptionId"].as_str().unwrap().to_owned();
    (receiver, id)
}

/// Property acted on, chain, change and UPRNs of the newest events, sorted.
async fn newest(receiver: &Receiver, total: usize, count: usize) -> Vec<Value> {
    let arrived = receiver.wait_for(total).await;
    assert_eq!(arrived.len(), total);
    let events = arrived[total - count..].iter().map(|request| {
        let claims = request.claims();
        assert_eq!(claims["eventType"], "chain.changed");
        json!([
            claims["uprn"],
            claims["data"]["chainId"],
            claims["data"]["change"],
            claims["data"]["uprns"]
        ])
    });
    sorted(events)
}

/// Only events of one property keep their order.
fn sorted(events: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut events: Vec<_> = events.into_iter().collect();
    events.sort_by_key(Value::to_string);
    events
}

story! {
    async fn each_change_of_a_chain_is_told_once_for_each_chain_that_results(server) {
        let lender = server.lender().await;
        let key = server.api_key("lender Ltd").await;
        let (receiver, _) = subscriber(&server, &key, Value::Null).await;
        let milestones = server.receiver().await;
        server.subscribe(&key, &milestones).await;
        let agent = server.agent("north").await;
        let [one, two] = agent.list_each([1, 2]).await;
        let (first, second) = (agent.chain_of(one).await, agent.chain_of(two).await);
        assert_eq!(newest(&receiver, 2, 2).await, [
            json!(["1", first, "current", ["1"]]), json!(["2", second, "current", ["2"]])]);

        assert_eq!(agent.link(two, one).await.status, 200);
        let joined = agent.chain_of(one).await;
        assert_eq!(newest(&receiver, 3, 1).await, [json!(["1", joined, "linked", ["1", "2"]])]);
        agent.mark(one, "check/top").await;
        assert_eq!(newest(&receiver, 4, 1).await, [json!(["2", joined, "checked", ["1", "2"]])]);
        // It is checked already.
        agent.mark(one, "check/top").await;
        agent.mark(one, "uncheck/top").await;
        assert_eq!(newest(&receiver, 5, 1).await, [json!(["2", joined, "unchecked", ["1", "2"]])]);

        agent.unlink(two, one).await.assert_success();
        let (first, second) = (agent.chain_of(one).await, agent.chain_of(two).await);
        assert_eq!(newest(&receiver, 7, 2).await, sorted([
            json!(["1", first, "unlinked", ["1"]]), json!(["1", second, "unlinked", ["2"]])]));

        // Another agent sells the first property, and its listing takes the place.
        let other = server.agent("south").await;
        let again = other.list(1).await;
        let taken = other.chain_of(again).await;
        assert_eq!(newest(&receiver, 9, 2).await, sorted([
            json!(["1", taken, "current", ["1"]]), json!(["1", first, "current", ["1"]])]));
        other.withdraw(again).await;
        assert_eq!(newest(&receiver, 10, 1).await, [json!(["1", first, "current", ["1"]])]);
        assert_eq!(milestones.received().len(), 0);

        // Without a client that may query chains nothing is sent any more.
        server.disable_client(&lender.registration.id).await;
        assert_eq!(agent.link(two, one).await.status, 200);
        agent.record(two, "searches_ordered", "2026-11-02").await;
        milestones.wait_for(1).await;
        assert_eq!(receiver.received().len(), 10);
    }
}

story! {
    async fn a_watched_chain_is_the_one_before_or_after_the_change(server) {
        server.lender().await;
        let key = server.api_key("lender Ltd").await;
        let agent = server.agent("north").await;
        let [one, two, three] = agent.list_chain([1, 2, 3]).await;
        let watch = json!({"uprns": [1], "reach": "chain"});
        let (receiver, id) = subscriber(&server, &key, watch).await;
        let own = json!({"uprns": [1], "reach": "property"});
        let (narrow, _) = subscriber(&server, &key, own).await;
        // The listing of UPRN 1 leaves the others: both parts are told, of UPRN 2's link.
        agent.unlink(three, two).await.assert_success();
        let told: Vec<_> = newest(&receiver, 2, 2).await.into_iter().map(|event| event[3].clone()).collect();
        assert!(told.contains(&json!(["1", "2"])) && told.contains(&json!(["3"])), "{told:?}");
        // No part of that has UPRN 1 any more.
        agent.mark(three, "check/top").await;
        assert_eq!(agent.link(three, two).await.status, 200);
        assert_eq!(newest(&receiver, 3, 1).await[0][3], json!(["1", "2", "3"]));
        agent.unlink(two, one).await.assert_success();
        narrow.wait_for(2).await;
        receiver.wait_for(5).await;
        assert_eq!(narrow.received().len(), 2);

        server.clock.advance(60);
        server.wait_for_state(&key, &id, "delivered").await;
        let path = format!("/subscriptions/{id}/replay");
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        let answer = server.post_webhook(&key, &path, since).await;
        assert_eq!(answer.status, 202);
        assert!(answer.json()["deliveries"].as_i64().unwrap() >= 2, "{}", answer.json());
    }
}

story! {
    async fn only_who_may_query_chains_may_subscribe(server) {
        let said = "403 not-allowed: Events of the type `chain.changed`, and watches that reach chains, \
            need an active client of your organisation with the scope `transaction-status`. Ask the operator to register one.";
        let agent = server.agent("north").await;
        for participant in ["Nobody Ltd", "north Ltd"] {
            let key = server.api_key(participant).await;
            for events in [json!(["chain.changed"]), json!(["fallthrough", "chain.changed"])] {
                let body = json!({"participantName": "x", "callbackUrl": "https://localhost/x",
                    "events": events});
                let refused = server.post_webhook(&key, "/subscribe", body).await;
                assert_eq!(refused.problem(), said, "{participant}");
            }
            let none = server.webhook(&key, ("GET", "/subscriptions"), None).await;
            assert_eq!(none.json(), json!({"data": []}));
        }
        server.set_scopes(&agent.registration.id, &["listing", "transaction-status"]).await;
        let key = server.api_key("north Ltd").await;
        subscriber(&server, &key, Value::Null).await;
        let body = json!({"eventType": "chain.changed", "uprn": "5"});
        assert_eq!(server.post_webhook(&key, "/simulate", body).await.status, 202);
    }
}

story! {
    async fn a_withdrawn_right_is_asked_for_when_an_event_is_sent(server) {
        let agent = server.agent("north").await;
        server.set_scopes(&agent.registration.id, &["listing", "transaction-status"]).await;
        let key = server.api_key("north Ltd").await;
        let (receiver, id) = subscriber(&server, &key, Value::Null).await;
        receiver.answer([Reply::status(500)]);
        let agent = agent.renewed(&server).await;
        let [one, two] = agent.list_chain([1, 2]).await;
        let failed = async || {
            let all = server.deliveries(&key, &id).await;
            let found = all.into_iter().find(|one| one["attempts"][0]["status"] == 500);
            found.unwrap_or_default()
        };
        server.wait_until("one failed", async || failed().await["status"] == "waiting").await;
        assert_eq!(failed().await["event"]["eventType"], "chain.changed");
        server.set_scopes(&agent.registration.id, &["listing"]).await;
        // The log leaves out the claims of events that the subscriber may no longer receive.
        assert_eq!(failed().await["event"], Value::Null);
        let id_of_failed = failed().await["deliveryId"].as_str().unwrap().to_owned();
        let retry = format!("/subscriptions/{id}/retry");
        assert_eq!(server.webhook(&key, ("POST", &retry), None).await.status, 200);
        server.wait_until("it has ended", async || failed().await["status"] != "waiting").await;
        assert_eq!(failed().await["status"], "cancelled");
        let redeliver = format!("/subscriptions/{id}/deliveries/{id_of_failed}/redeliver");
        let refused = server.webhook(&key, ("POST", &redeliver), None).await;
        assert_eq!(refused.status, 403, "{}", refused.json());
        assert_eq!(failed().await["status"], "cancelled");
        agent.unlink(two, one).await.assert_success();
        let replay = format!("/subscriptions/{id}/replay");
        let since = json!({"since": "2026-11-21T00:00:00Z"});
        assert_eq!(server.post_webhook(&key, &replay, since).await.json()["deliveries"], 0);
    }
}

story! {
    async fn a_type_that_was_given_up_needs_its_right_to_be_sent_again(server) {
        let agent = server.agent("north").await;
        server.set_scopes(&agent.registration.id, &["listing", "transaction-status"]).await;
        let key = server.api_key("north Ltd").await;
        let (receiver, id) = subscriber(&server, &key, Value::Null).await;
        let agent = agent.renewed(&server).await;
        agent.list_chain([1, 2]).await;
        server.wait_for_state(&key, &id, "delivered").await;
        let arrived = receiver.received().len();
        let delivery = server.deliveries(&key, &id).await.remove(0);
        let delivery = delivery["deliveryId"].as_str().unwrap().to_owned();
        // The lane is with another node for half a minute, once this node has released it.
        let is_free = async || take_lane(&server).await.is_some();
        server.wait_until("the lane is free", is_free).await;
        let redeliver = format!("/subscriptions/{id}/deliveries/{delivery}/redeliver");
        assert_eq!(server.webhook(&key, ("POST", &redeliver), None).await.status, 202);
        let narrowed = receiver.subscribe_to(&server, &key, &["fallthrough"]).await;
        assert_eq!(narrowed.status, 200);
        server.set_scopes(&agent.registration.id, &["listing"]).await;
        server.clock.advance(31);
        server.wait_for_state(&key, &id, "cancelled").await;
        assert_eq!(receiver.received().len(), arrived);
    }
}
