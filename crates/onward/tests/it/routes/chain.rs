//! The tests of everything below `/api/v1/chain`.

mod add;
mod check;
mod listings;
mod remove;
mod uncheck;

use serde_json::{Value, json};

use crate::world::Agent;
use crate::world::manners::{code, send};

/// Fails the story unless a call to this path wants `seller` and `buyer`, both listing ids.
async fn assert_link_values(agent: &Agent, path: &str) {
    let wrong = |value: Value| json!({"seller": value, "buyer": 2});
    for value in [
        json!(null),
        json!("1"),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(true),
        json!([1]),
        json!({}),
        json!(9_007_199_254_740_992_i64),
        json!(18_446_744_073_709_551_615_u64),
        json!(1e300),
    ] {
        let answer = agent.post(path, wrong(value.clone())).await;
        assert_eq!(code(&answer), "422 value_invalid (seller)", "{value}");
    }
    for (body, expected) in [
        (
            json!({}),
            "422 value_invalid (seller), value_invalid (buyer): seller: is missing; buyer: is missing",
        ),
        (
            json!({"seller": 1}),
            "422 value_invalid (buyer): buyer: is missing",
        ),
        (
            json!({"SELLER": 1, "buyer": 2}),
            "422 value_invalid (seller): seller: is missing",
        ),
        (
            json!({"seller": 1, "buyer": 0}),
            "422 value_invalid (buyer): buyer: must be an integer from 1 to 9007199254740991",
        ),
        // The largest id is a value like any other.
        (
            json!({"seller": 9_007_199_254_740_991_i64, "buyer": 2}),
            "404 listing_unknown (seller): seller listing 9007199254740991 does not exist",
        ),
    ] {
        assert_eq!(agent.post(path, body).await.failure(), expected);
    }
    // A member that stands twice counts as what it is last.
    let twice = agent
        .request(http::Method::POST, path)
        .header("content-type", "application/json");
    let twice = send(twice.body(r#"{"seller": "x", "seller": 99, "buyer": 98}"#)).await;
    assert_eq!(
        twice.failure(),
        "404 listing_unknown (seller): seller listing 99 does not exist"
    );
}

/// Fails the story unless a call below this path wants a `reason` of its own and a boolean `top`.
async fn assert_end_values(agent: &Agent, path: &str, reasons: &str, good: &str) {
    for (body, expected) in [
        (json!({}), "reason: is missing; top: is missing".to_owned()),
        (json!({"reason": good}), "top: is missing".to_owned()),
        (
            json!({"reason": good, "top": null}),
            "top: is missing".to_owned(),
        ),
        (
            json!({"reason": good, "top": "true"}),
            "top: must be true or false".to_owned(),
        ),
        (
            json!({"reason": good, "top": 1}),
            "top: must be true or false".to_owned(),
        ),
        (json!({"top": true}), "reason: is missing".to_owned()),
        (
            json!({"reason": 1, "top": true}),
            "reason: must be a string".to_owned(),
        ),
        (
            json!({"reason": "", "top": true}),
            format!("reason: must be {reasons}"),
        ),
        (
            json!({"reason": good.to_lowercase(), "top": true}),
            format!("reason: must be {reasons}"),
        ),
        (
            json!({"reason": format!(" {good}"), "top": true}),
            format!("reason: must be {reasons}"),
        ),
        (
            json!({"reason": "x", "top": []}),
            format!("reason: must be {reasons}; top: must be true or false"),
        ),
    ] {
        let failure = agent.post(path, body).await.failure();
        let (codes, message) = failure.split_once(": ").unwrap();
        assert_eq!(message, expected);
        let fields: Vec<String> = expected
            .split("; ")
            .map(|error| format!("value_invalid ({})", error.split(':').next().unwrap()))
            .collect();
        assert_eq!(codes, format!("422 {}", fields.join(", ")));
    }
}

/// Fails the story unless this kind of call refuses a chain that is not there or not the
/// caller's, and says the same of both a chain that never was and one that is no more.
async fn assert_chain_ids(
    agent: &Agent,
    other: &Agent,
    call: impl AsyncFn(&Agent, &str) -> crate::world::Answer,
) {
    let unknown = |id: &str| {
        format!(
            "404 chain_unknown: chain {id} does not exist; read the chain_link_id from one of \
             your listings, for it changes when links are added or broken"
        )
    };
    let never = "00000000-0000-4000-8000-000000000000";
    for id in [
        never,
        "1",
        "x",
        "00000000-0000-4000-8000-00000000000",
        "null",
    ] {
        assert_eq!(call(agent, id).await.failure(), unknown(id));
    }
    let long = "x".repeat(2000);
    assert_eq!(call(agent, &long).await.failure(), unknown(&long[..64]));

    let [seller, buyer, alone] = [
        other.list(71).await,
        other.list(72).await,
        other.list(73).await,
    ];
    let (kept, gone) = (other.chain_of(seller).await, other.chain_of(buyer).await);
    other.link(seller, buyer).await;
    assert_eq!(
        call(agent, &kept).await.failure(),
        format!("403 not_your_branch: no listing of chain {kept} belongs to one of your branches")
    );
    for asker in [agent, other] {
        assert_eq!(call(asker, &gone).await.failure(), unknown(&gone));
    }
    let withdrawn = other.chain_of(alone).await;
    other
        .delete(&format!("/listing/{alone}"))
        .await
        .assert_success();
    for asker in [agent, other] {
        assert_eq!(call(asker, &withdrawn).await.failure(), unknown(&withdrawn));
    }
}
