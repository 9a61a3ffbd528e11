//! The tests of everything below `/api/v1/listing/chain/{listing}/add`.

mod bottom;
mod top;

use http::Method;
use serde_json::json;

use super::{BODIES, assert_anchors, pair};
use crate::world::manners::{self, Call, all_of, code, send};
use crate::world::{Agent, Answer, BEGINNING, World};

/// The end at which a listing is added: `top` or `bottom`.
type End = &'static str;

/// Adds `added` at an end of the anchor's chain.
fn call(end: End, anchor: impl std::fmt::Display, added: impl std::fmt::Display) -> Call {
    Call::new(
        Method::POST,
        format!("/listing/chain/{anchor}/add/{end}/{added}"),
    )
}

async fn add(end: End, agent: &Agent, anchor: i64, added: i64) -> Answer {
    send(call(end, anchor, added).by(agent)).await
}

/// The side on which the added listing stands, and the other one.
fn sides(end: End) -> (&'static str, &'static str) {
    if end == "top" {
        ("seller", "buyer")
    } else {
        ("buyer", "seller")
    }
}

/// The ids of a chain when `added` lies at this end.
fn with<T>(end: End, mut chain: Vec<T>, added: T) -> Vec<T> {
    let at = if end == "top" { chain.len() } else { 0 };
    chain.insert(at, added);
    chain
}

/// Fails the story unless the listing is added at the end of the anchor's chain, whichever its
/// anchor is, and each reader sees it; `told` is what document 1 says in the end.
async fn assert_adds(world: &World, end: End, told: &str) {
    let north = world.agent("north").await;
    let south = world.agent("south").await;
    let (top, bottom) = pair(&north).await;
    let chain = north.chain_of(top).await;
    // Another's listing, and the anchor is at the other end.
    let added = south.list(1003).await;
    let (at, anchor) = if end == "top" {
        (top, bottom)
    } else {
        (bottom, top)
    };
    let lender = world.lender().await;
    assert_eq!(
        world.told(&lender, 1001).await.1,
        "IN_CHAIN 2: 1002 buys 1001, 1001"
    );
    world.clock.advance(60);
    add(end, &north, anchor, added).await.assert_success();
    assert_eq!(
        north.members(anchor).await,
        with(end, vec![bottom, top], added)
    );
    assert_eq!(
        world.told(&lender, 1003).await,
        (chain.clone(), told.to_owned())
    );

    let (seller, buyer) = if end == "top" {
        (added, at)
    } else {
        (at, added)
    };
    let line = json!({
        "action": "link.added", "at": BEGINNING + 60, "by": "north Ltd", "chain_link_id": chain,
        "detail": {"seller": seller, "buyer": buyer},
    });
    for (agent, listing) in [(&north, at), (&south, added)] {
        assert_eq!(agent.history(listing).await.pop(), Some(line.clone()));
        assert_eq!(
            agent.attributes(listing).await["updated_at"],
            BEGINNING + 60
        );
    }
    assert_eq!(north.history(anchor).await.len(), 2);
    assert_eq!(world.events().await, []);

    // The anchor stands for its chain: neither its end nor the added listing is the caller's.
    let next = south.list(1004).await;
    add(end, &north, anchor, next).await.assert_success();
    let chain = with(end, with(end, vec![bottom, top], added), next);
    assert_eq!(north.members(anchor).await, chain);
}

/// Fails the story unless the longer chain's id survives, else the seller's (S-42), and the link
/// clears the two checks that it covers and no other (S-43).
async fn assert_joins(world: &World, end: End) {
    let agent = world.agent("north").await;
    let (top, bottom) = pair(&agent).await;
    let ids = world.import_sales("north", 1..=4, &[(2, 1), (4, 3)]).await;
    let close = async |listing: i64| {
        for end in ["top", "bottom"] {
            let path = format!("/listing/chain/{listing}/check/{end}");
            agent.post_nothing(&path).await.assert_success();
        }
    };
    close(top).await;
    close(ids[0]).await;
    // Equal lengths.
    let added = if end == "top" { ids[0] } else { ids[1] };
    let survivor = agent.chain_of(if end == "top" { added } else { top }).await;
    add(end, &agent, bottom, added).await.assert_success();
    let joined = if end == "top" {
        [bottom, top, ids[0], ids[1]]
    } else {
        [ids[0], ids[1], bottom, top]
    };
    assert_eq!(agent.members(top).await, joined);
    assert_eq!(agent.chain_of(added).await, survivor);
    assert_eq!(agent.checked_ends(top).await, "top bottom");
    // Two to four.
    close(ids[2]).await;
    let added = if end == "top" { ids[2] } else { ids[3] };
    add(end, &agent, top, added).await.assert_success();
    assert_eq!(agent.chain_of(added).await, survivor);
    assert_eq!(agent.checked_ends(top).await, "top bottom");
    // A single listing, unchecked, takes the place of the checked end.
    let single = agent.list(99).await;
    add(end, &agent, top, single).await.assert_success();
    assert_eq!(agent.chain_of(single).await, survivor);
    let other_end = if end == "top" { "bottom" } else { "top" };
    assert_eq!(agent.checked_ends(top).await, other_end);
}

/// Fails the story unless a listing that cannot be added is named with its side.
async fn assert_refusals(world: &World, end: End) {
    let agent = world.agent("north").await;
    let south = world.agent("south").await;
    let (top, bottom) = pair(&agent).await;
    let (upper, lower) = (south.list(1).await, south.list(2).await);
    south.link(upper, lower).await;
    let (own, other) = sides(end);
    let gone = south.list(3).await;
    south
        .delete(&format!("/listing/{gone}"))
        .await
        .assert_success();
    let before = [all_of(&agent).await, all_of(&south).await];
    world.clock.advance(1);
    for unknown in [gone, 999, 9_007_199_254_740_991] {
        assert_eq!(
            add(end, &agent, top, unknown).await.failure(),
            format!("404 listing_unknown ({own}): {own} listing {unknown} does not exist")
        );
    }
    for unknown in ["0", "-1", "x", "1.0", "99999999999999999999"] {
        let answer = send(call(end, top, unknown).by(&agent)).await;
        assert_eq!(
            answer.failure(),
            format!("404 listing_unknown: listing {unknown} does not exist")
        );
    }
    let (taken, within, reverse) = if end == "top" {
        (upper, top, bottom)
    } else {
        (lower, bottom, top)
    };
    assert_eq!(
        add(end, &agent, top, taken).await.failure(),
        format!("409 {own}_has_{other} ({own}): {own} listing {taken} already has a {other}")
    );
    // The end itself, and the other end, which would close a ring.
    assert_eq!(
        code(&add(end, &agent, reverse, within).await),
        "409 same_listing"
    );
    assert_eq!(
        code(&add(end, &agent, reverse, reverse).await),
        "409 same_chain"
    );
    assert_eq!([all_of(&agent).await, all_of(&south).await], before);
}

/// Fails the story unless the end is asked for where there are several: they are named, and an
/// anchor that is one of them stands for itself.
async fn assert_several(world: &World, end: End) {
    let agent = world.agent("north").await;
    let links = if end == "top" {
        [(2, 1), (3, 1)]
    } else {
        [(3, 1), (3, 2)]
    };
    let ids = world.import_sales("north", 1..=3, &links).await;
    let (anchor, ends) = if end == "top" {
        (ids[0], [ids[1], ids[2]])
    } else {
        (ids[2], [ids[0], ids[1]])
    };
    let added = agent.list(9).await;
    assert_eq!(
        add(end, &agent, anchor, added).await.failure(),
        format!(
            "409 several_ends: the chain has several {end}s: listings {}, {}; name one of them",
            ends[0], ends[1]
        )
    );
    assert_eq!(agent.members(added).await, [added]);
    add(end, &agent, ends[1], added).await.assert_success();
    assert_eq!(agent.members(added).await.len(), 4);
    let last = agent.history(ends[1]).await.pop().unwrap();
    assert_eq!(last["action"], "link.added");
    // Listing `ends[1]` is no end any more.
    let next = agent.list(10).await;
    assert_eq!(
        code(&add(end, &agent, ends[1], next).await),
        "409 several_ends"
    );
}

/// Fails the story unless a locked side forbids it, and a locked anchor between them does not.
async fn assert_lock(world: &World, end: End) {
    let agent = world.agent("north").await;
    let (top, bottom) = pair(&agent).await;
    let (at, anchor) = if end == "top" {
        (top, bottom)
    } else {
        (bottom, top)
    };
    let added = agent.list(1).await;
    let (own, other) = sides(end);
    agent.lock(at, true).await;
    assert_eq!(
        add(end, &agent, anchor, added).await.failure(),
        format!("409 listing_locked ({other}): {other} listing {at} is locked; unlock it first")
    );
    agent.lock(at, false).await;
    agent.lock(anchor, true).await;
    let refusal =
        format!("409 listing_locked ({own}): {own} listing {added} is locked; unlock it first");
    let call = call(end, anchor, added);
    manners::assert_lockable(world, &agent, added, &call, &refusal).await;
}

/// Fails the story unless the body is ignored, and one listing more than the limit is refused.
async fn assert_any_body_up_to_the_limit(world: &World, end: End) {
    let agent = world.agent("north").await;
    let links: Vec<(i64, i64)> = (1..94).map(|uprn| (uprn + 1, uprn)).collect();
    let ids = world.import_sales("north", 1..=94, &links).await;
    for (number, (kind, body)) in (201..).zip(BODIES) {
        let call = call(end, ids[50], agent.list(number).await);
        let request = call.by(&agent).header("content-type", kind).body(body);
        send(request).await.assert_success();
    }
    let one_more = agent.list(301).await;
    let refused = add(end, &agent, ids[50], one_more).await.failure();
    assert!(refused.starts_with("409 chain_too_long: "), "{refused}");
    assert!(
        refused.ends_with("a chain of 101 listings; the limit is 100"),
        "{refused}"
    );
}

/// Fails the story unless an answer is kept under a key (S-52).
async fn assert_keyed(world: &World, end: End) {
    let agent = world.agent("north").await;
    let (top, _bottom) = pair(&agent).await;
    let (added, next) = (agent.list(1).await, agent.list(2).await);
    let elsewhere = call(end, top, next);
    manners::assert_keyed(world, &agent, &call(end, top, added), &elsewhere).await;
}

/// Fails the story unless the anchor is a listing of the caller.
async fn assert_anchor(world: &World, end: End) {
    let agent = world.agent("north").await;
    let other = world.agent("south").await;
    let added = agent.list(1).await;
    assert_anchors(&agent, &other, async |agent, id| {
        send(call(end, id, added).by(agent)).await
    })
    .await;
    assert_eq!(agent.members(added).await, [added]);
    // 404 comes before 403 here as well (S-41).
    let (theirs, side) = (other.list(74).await, sides(end).0);
    assert_eq!(
        add(end, &agent, theirs, 999).await.failure(),
        format!("404 listing_unknown ({side}): {side} listing 999 does not exist")
    );
    assert_eq!(
        code(&add(end, &agent, theirs, theirs).await),
        "403 not_your_branch"
    );
}
