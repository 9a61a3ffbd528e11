//! The tests of everything below `/api/v1/chain`: rules that several of its routes share.

mod add;
mod check;
mod history;
mod listings;
mod remove;
mod uncheck;

use http::Method;
use serde_json::json;

use crate::test_server::{Answer, Client, send};
use crate::{sqlite_story, story};

/// Checks or unchecks an end of a chain.
async fn mark_end(agent: &Client, chain: &str, verb: &str, reason: &str, top: bool) -> Answer {
    let body = json!({"reason": reason, "top": top});
    agent.post(&format!("/chain/{chain}/{verb}"), body).await
}

/// How many lines of a listing's history have this action.
async fn count_actions(agent: &Client, listing: i64, action: &str) -> usize {
    let lines = agent.history(listing).await;
    lines.iter().filter(|line| line["action"] == action).count()
}

sqlite_story! {
    async fn both_sides_of_a_link_are_ids(server) {
        let agent = server.agent("north").await;
        for path in ["/chain/add/link", "/chain/remove/link"] {
            for value in [json!("1"), json!(0), json!(-1), json!(1.5), json!(true), json!([1]),
                json!({}), json!(9_007_199_254_740_992_i64), json!(u64::MAX), json!(1e300)] {
                let answer = agent.post(path, json!({"seller": 2, "buyer": value})).await;
                let expected = "422 value_invalid (buyer): buyer: must be an integer from 1 to \
                    9007199254740991";
                assert_eq!(answer.failure(), expected, "{value}");
                let answer = agent.post(path, json!({"seller": value, "buyer": 2})).await;
                assert_eq!(answer.code(), "422 value_invalid (seller)", "{value}");
            }
            for (body, expected) in [
                ("{}", "422 value_invalid (seller), value_invalid (buyer): seller: is missing; buyer: is missing"),
                (r#"{"seller": 1}"#, "422 value_invalid (buyer): buyer: is missing"),
                (r#"{"seller": null, "buyer": 2}"#, "422 value_invalid (seller): seller: is missing"),
                // The largest id is a value like any other.
                (r#"{"seller": 9007199254740991, "buyer": 2}"#,
                    "404 listing_unknown (seller): seller listing 9007199254740991 does not exist"),
            ] {
                let request = agent.request(Method::POST, path).body(body);
                let request = request.header("content-type", "application/json");
                assert_eq!(send(request).await.failure(), expected, "{path} {body}");
            }
        }
    }
}

sqlite_story! {
    async fn a_check_and_an_uncheck_need_a_reason_and_an_end(server) {
        let (agent, listing) = server.agent_with_listing().await;
        let chain = agent.chain_of(listing).await;
        let before = agent.see_all().await;
        let three = "one of `Unspecified`, `Not EOC`, `Dont Know If EOC`";
        for (verb, good, reasons) in [("check", "Checked", "`Checked`"), ("uncheck", "Not EOC", three)] {
            let unknown = format!("reason: must be {reasons}");
            for (body, expected) in [
                (json!({}), "reason: is missing; top: is missing"),
                (json!({"reason": good}), "top: is missing"),
                (json!({"reason": good, "top": null}), "top: is missing"),
                (json!({"reason": good, "top": "true"}), "top: must be true or false"),
                (json!({"reason": good, "top": 1}), "top: must be true or false"),
                (json!({"top": true}), "reason: is missing"),
                (json!({"reason": 1, "top": true}), "reason: must be a string"),
                (json!({"reason": "x", "top": []}), &*format!("{unknown}; top: must be true or false")),
            ] {
                let failure = agent.post(&format!("/chain/{chain}/{verb}"), body).await.failure();
                let (codes, message) = failure.split_once(": ").unwrap();
                assert_eq!(message, expected);
                let fields = expected.split("; ").map(|error| error.split(':').next().unwrap());
                let fields: Vec<String> = fields.map(|name| format!("value_invalid ({name})")).collect();
                assert_eq!(codes, format!("422 {}", fields.join(", ")));
            }
            let other = if verb == "check" { "Unspecified" } else { "Checked" };
            for reason in ["", &good.to_lowercase(), &format!(" {good}"), &format!("{good} "), other,
                "Don't Know If EOC", "Not  EOC"] {
                let answer = mark_end(&agent, &chain, verb, reason, true).await;
                assert_eq!(answer.failure(), format!("422 value_invalid (reason): {unknown}"));
            }
        }
        assert_eq!(agent.see_all().await, before);
    }
}

/// Asks for each of the calls about a chain.
async fn ask_about(agent: &Client, chain: &str) -> [Answer; 3] {
    [
        agent.get(&format!("/chain/{chain}/listings")).await,
        mark_end(agent, chain, "check", "Checked", true).await,
        mark_end(agent, chain, "uncheck", "Not EOC", true).await,
    ]
}

story! {
    async fn a_chain_is_for_callers_with_a_listing_in_it(server) {
        let [agent, other] = server.two_agents().await;
        let assert_failures = async |agent: &Client, chain: &str, expected: String| {
            for answer in ask_about(agent, chain).await {
                assert_eq!(answer.failure(), expected);
            }
        };
        let unknown = |id: &str| {
            format!(
                "404 chain_unknown: chain {id} does not exist; read the chain_link_id from one of \
                 your listings, for it changes when links are added or broken"
            )
        };
        let never = "00000000-0000-4000-8000-000000000000";
        for id in [never, "1", "x", &never[1..], "null"] {
            assert_failures(&agent, id, unknown(id)).await;
        }
        let long = "x".repeat(2000);
        assert_failures(&agent, &long, unknown(&long[..64])).await;
        let [seller, buyer, alone] = other.list_each([71, 72, 73]).await;
        let (kept, joined) = (other.chain_of(seller).await, other.chain_of(buyer).await);
        other.link(seller, buyer).await;
        let foreign =
            format!("403 not_your_branch: no listing of chain {kept} belongs to one of your branches");
        assert_failures(&agent, &kept, foreign).await;
        let withdrawn = other.chain_of(alone).await;
        other.withdraw(alone).await;
        // Nobody learns more of a chain that was than of one that never was.
        for asker in [&agent, &other] {
            for gone in [&joined, &withdrawn] {
                assert_failures(asker, gone, unknown(gone)).await;
            }
        }
        // An id is the same in capitals.
        for answer in ask_about(&other, &kept.to_uppercase()).await {
            assert_eq!(answer.status, 200);
        }
    }
}

story! {
    async fn each_end_is_checked_and_unchecked_by_itself(server) {
        let [north, south] = server.two_agents().await;
        let (top, bottom) = (north.list(1001).await, south.list(1002).await);
        north.link(top, bottom).await;
        let chain = north.chain_of(top).await;
        let lender = server.lender().await;
        // Another agent's end: a listing anywhere in the chain is enough (S-47).
        for (agent, verb, is_top, reason, shown, ends) in [
            (&south, "check", true, "Checked", "1002 buys 1001, 1001 top", "top"),
            (&north, "check", false, "Checked", "1002 bottom buys 1001, 1001 top", "top bottom"),
            (&south, "uncheck", true, "Unspecified", "1002 bottom buys 1001, 1001", "bottom"),
            (&north, "uncheck", false, "Not EOC", "1002 buys 1001, 1001", ""),
            (&north, "check", true, "Checked", "1002 buys 1001, 1001 top", "top"),
            (&north, "uncheck", true, "Dont Know If EOC", "1002 buys 1001, 1001", ""),
        ] {
            server.clock.advance(60);
            let before = [north.history(top).await, south.history(bottom).await];
            mark_end(agent, &chain, verb, reason, is_top).await.assert_success();
            assert_eq!(north.checked_ends(top).await, ends);
            let expected = (chain.clone(), format!("IN_CHAIN 2: {shown}"));
            assert_eq!(lender.describe_chain(1001).await, expected);
            // The listing at the end remembers who did it and why.
            let mut expected = before;
            let by = if agent.branch() == north.branch() { "north Ltd" } else { "south Ltd" };
            expected[usize::from(!is_top)].push(json!({
                "action": format!("end.{verb}ed"), "at": server.now(), "by": by,
                "chain_link_id": chain,
                "detail": {"end": if is_top { "top" } else { "bottom" }, "reason": reason},
            }));
            assert_eq!([north.history(top).await, south.history(bottom).await], expected);
            // Once more: success, and nothing changes (S-44).
            let after = [north.see_all().await, south.see_all().await];
            mark_end(agent, &chain, verb, reason, is_top).await.assert_success();
            assert_eq!([north.see_all().await, south.see_all().await], after);
        }
        assert_eq!(server.events().await, []);
    }
}
