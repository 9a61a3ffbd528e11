//! The tests of the six shortcuts below `/api/v1/listing/chain`, which name a chain by one of its
//! listings, the anchor (S-45).

mod add;
mod check;
mod uncheck;

use serde_json::json;

use crate::test_server::{BEGINNING, Client, TestServer};

/// The other one of the words for the ends or for the verbs.
fn other(word: &str) -> &'static str {
    match word {
        "top" => "bottom",
        "bottom" => "top",
        "check" => "uncheck",
        _ => "check",
    }
}

/// Two listings of an agent, linked: the one at this end and the one at the other end.
async fn list_pair(agent: &Client, end: &str) -> (i64, i64) {
    let [bottom, top] = agent.list_chain([1002, 1001]).await;
    if end == "top" {
        (top, bottom)
    } else {
        (bottom, top)
    }
}

/// Links that give three sales two ends of this kind: sale 1 pays for 2 and 3, or 1 and 2 pay
/// for 3.
fn split_links(end: &str) -> [(i64, i64); 2] {
    if end == "top" {
        [(2, 1), (3, 1)]
    } else {
        [(3, 1), (3, 2)]
    }
}

/// Closes the ends of a chain if they are to be unchecked.
async fn prepare(agent: &Client, verb: &str, anchor: i64) {
    if verb == "uncheck" {
        agent.close_chain(anchor).await;
    }
}

/// Fails the test unless the shortcut works through any listing of the chain and each reader
/// sees it at once. Document 1 shows a chain with one such end, and one with two, as in `shown`.
async fn assert_marks(server: &TestServer, verb: &str, end: &str, shown: [&str; 2]) {
    let action = format!("{verb}/{end}");
    let [north, south] = server.two_agents().await;
    let (top, bottom) = (north.list(1001).await, south.list(1002).await);
    north.link(top, bottom).await;
    prepare(&north, verb, top).await;
    let lender = server.lender().await;
    let chain = north.chain_of(top).await;
    let mut expected = [north.history(top).await, south.history(bottom).await];
    server.clock.advance(60);
    // The anchor is at the other end.
    let (agent, anchor, by) = if end == "top" {
        (&south, bottom, "south Ltd")
    } else {
        (&north, top, "north Ltd")
    };
    agent.mark(anchor, &action).await;
    let now = lender.describe_chain(1001).await;
    assert_eq!(now, (chain.clone(), shown[0].to_owned()));
    let reason = if verb == "check" {
        "Checked"
    } else {
        "Unspecified"
    };
    expected[usize::from(end == "bottom")].push(json!({
        "action": format!("end.{verb}ed"), "at": BEGINNING + 60, "by": by,
        "chain_link_id": chain, "detail": {"end": end, "reason": reason},
    }));
    let histories = [north.history(top).await, south.history(bottom).await];
    assert_eq!(histories, expected);
    assert_eq!(server.events().await, []);
    // Once more, and from the other side: success, and nothing changes (S-44).
    let after = [north.see_all().await, south.see_all().await];
    server.clock.advance(1);
    north.mark(top, &action).await;
    south.mark(bottom, &action).await;
    assert_eq!([north.see_all().await, south.see_all().await], after);
    assert_locks(&north, verb, end).await;
    // Each of several ends counts, wherever the anchor is.
    let ids = server.import_sales("north", 1..=3, &split_links(end)).await;
    for anchor in ids {
        prepare(&north, verb, anchor).await;
        north.mark(anchor, &action).await;
        assert_eq!(lender.describe_chain(1).await.1, shown[1], "{anchor}");
        north.mark(anchor, &format!("{}/{end}", other(verb))).await;
    }
}

/// Fails the test unless a lock at that end forbids the shortcut, and one elsewhere does not.
async fn assert_locks(agent: &Client, verb: &str, end: &str) {
    let (locked, anchor) = list_pair(agent, end).await;
    prepare(agent, verb, locked).await;
    agent.lock(locked, true).await;
    let before = agent.see_all().await;
    for anchor in [locked, anchor] {
        let path = format!("/listing/chain/{anchor}/{verb}/{end}");
        assert_eq!(
            agent.post_nothing(&path).await.failure(),
            format!("409 listing_locked: {end} listing {locked} is locked; unlock it first")
        );
    }
    assert_eq!(agent.see_all().await, before);
    agent.lock(locked, false).await;
    agent.lock(anchor, true).await;
    agent.mark(anchor, &format!("{verb}/{end}")).await;
}
