//! The tests of everything below `/api/v1/listing/chain/{listing}/add`.

mod bottom;
mod top;

use serde_json::json;

use super::{list_pair, other, split_links};
use crate::test_server::{Answer, BEGINNING, Client, TestServer};

/// Adds a listing at an end of the anchor's chain.
async fn add(agent: &Client, end: &str, anchor: i64, added: impl std::fmt::Display) -> Answer {
    agent
        .post_nothing(&format!("/listing/chain/{anchor}/add/{end}/{added}"))
        .await
}

/// The side of the link on which the added listing stands.
fn side(end: &str) -> &'static str {
    if end == "top" { "seller" } else { "buyer" }
}

/// The ids of a chain from its other end to this one, bottom to top.
fn ordered<const N: usize>(end: &str, mut listings: [i64; N]) -> [i64; N] {
    if end == "bottom" {
        listings.reverse();
    }
    listings
}

/// Fails the test unless the listing is added at the end of the anchor's chain, whichever its
/// anchor is, and everybody sees it; `expected` is document 1's answer in the end.
async fn assert_adds(server: &TestServer, end: &str, expected: &str) {
    let [north, south] = server.two_agents().await;
    let (at, anchor) = list_pair(&north, end).await;
    let chain = north.chain_of(at).await;
    let added = south.list(1003).await;
    let lender = server.lender().await;
    let before = lender.describe_chain(1001).await.1;
    assert_eq!(before, "IN_CHAIN 2: 1002 buys 1001, 1001");
    server.clock.advance(60);
    add(&north, end, anchor, added).await.assert_success();
    assert_eq!(
        north.members(anchor).await,
        ordered(end, [anchor, at, added])
    );
    let shown = lender.describe_chain(1003).await;
    assert_eq!(shown, (chain.clone(), expected.to_owned()));
    let [seller, buyer] = ordered(other(end), [at, added]);
    let line = json!({
        "action": "link.added", "at": BEGINNING + 60, "by": "north Ltd", "chain_link_id": chain,
        "detail": {"seller": seller, "buyer": buyer},
    });
    for (agent, listing) in [(&north, at), (&south, added)] {
        assert_eq!(agent.history(listing).await.pop(), Some(line.clone()));
        let attributes = agent.attributes(listing).await;
        assert_eq!(attributes["updated_at"], BEGINNING + 60);
    }
    assert_eq!(north.history(anchor).await.len(), 2);
    assert_eq!(server.events().await, []);
    // Neither the end nor the added listing is the caller's: the anchor alone gives no right.
    let next = south.list(1004).await;
    let [seller, buyer] = ordered(other(end), [added, next]);
    assert_eq!(
        add(&north, end, anchor, next).await.failure(),
        format!(
            "403 not_your_branch: neither seller listing {seller} nor buyer listing {buyer} belongs \
             to one of your branches"
        )
    );
    // The end or the added listing is enough.
    let own = north.list(1005).await;
    add(&north, end, anchor, own).await.assert_success();
    assert_eq!(
        north.members(anchor).await,
        ordered(end, [anchor, at, added, own])
    );
    assert_refusals(&north, &south, end).await;
    assert_several(server, &north, end).await;
}

/// Fails the test unless a chain has a hundred listings at most (S-54).
async fn assert_limit(server: &TestServer, end: &str) {
    let agent = server.agent("north").await;
    let links: Vec<(i64, i64)> = (1..99).map(|uprn| (uprn + 1, uprn)).collect();
    let ids = server.import_sales("north", 1..=99, &links).await;
    let [last, one_more] = agent.list_each([201, 202]).await;
    let at = if end == "top" { ids[98] } else { ids[0] };
    add(&agent, end, ids[50], last).await.assert_success();
    assert_eq!(agent.members(at).await.len(), 100);
    let [seller, buyer] = ordered(other(end), [last, one_more]);
    assert_eq!(
        add(&agent, end, ids[50], one_more).await.failure(),
        format!(
            "409 chain_too_long: linking seller listing {seller} and buyer listing {buyer} would \
             make a chain of 101 listings; the limit is 100"
        )
    );
}

/// Fails the test unless a listing that cannot be added is named with its side.
async fn assert_refusals(agent: &Client, south: &Client, end: &str) {
    let (at, anchor) = list_pair(agent, end).await;
    let [lower, upper] = south.list_chain([12, 11]).await;
    let gone = south.list(13).await;
    south.withdraw(gone).await;
    let (own, beside) = (side(end), side(other(end)));
    let before = [agent.see_all().await, south.see_all().await];
    for unknown in ["999", "9007199254740991", &gone.to_string()] {
        // 404 comes before 403 (S-41).
        for anchor in [at, lower] {
            assert_eq!(
                add(agent, end, anchor, unknown).await.failure(),
                format!("404 listing_unknown ({own}): {own} listing {unknown} does not exist")
            );
        }
    }
    assert_eq!(
        add(agent, end, lower, lower).await.code(),
        "403 not_your_branch"
    );
    let taken = if end == "top" { upper } else { lower };
    assert_eq!(
        add(agent, end, at, taken).await.failure(),
        format!("409 {own}_has_{beside} ({own}): {own} listing {taken} already has a {beside}")
    );
    // The end itself, and the other end, which would close a ring.
    assert_eq!(add(agent, end, anchor, at).await.code(), "409 same_listing");
    assert_eq!(
        add(agent, end, anchor, anchor).await.code(),
        "409 same_chain"
    );
    assert_eq!([agent.see_all().await, south.see_all().await], before);
    // A lock on either side forbids it, and one elsewhere does not.
    let added = agent.list(14).await;
    for (locked, side) in [(at, beside), (added, own)] {
        agent.lock(locked, true).await;
        assert_eq!(
            add(agent, end, anchor, added).await.failure(),
            format!(
                "409 listing_locked ({side}): {side} listing {locked} is locked; unlock it first"
            )
        );
        agent.lock(locked, false).await;
    }
    agent.lock(anchor, true).await;
    add(agent, end, anchor, added).await.assert_success();
}

/// Fails the test unless the end is asked for where there are several: they are named, and an
/// anchor that is one of them stands for itself.
async fn assert_several(server: &TestServer, agent: &Client, end: &str) {
    let ids = server.import_sales("north", 1..=3, &split_links(end)).await;
    let (anchor, ends) = if end == "top" {
        (ids[0], [ids[1], ids[2]])
    } else {
        (ids[2], [ids[0], ids[1]])
    };
    let [added, next] = agent.list_each([9, 10]).await;
    assert_eq!(
        add(agent, end, anchor, added).await.failure(),
        format!(
            "409 several_ends: the chain has several {end}s: listings {}, {}; name one of them",
            ends[0], ends[1]
        )
    );
    assert_eq!(agent.members(added).await, [added]);
    add(agent, end, ends[1], added).await.assert_success();
    assert_eq!(agent.members(added).await.len(), 4);
    let last = agent.history(ends[1]).await.pop().unwrap();
    assert_eq!(last["action"], "link.added");
    // Listing `ends[1]` is no end any more.
    assert_eq!(
        add(agent, end, ends[1], next).await.code(),
        "409 several_ends"
    );
}
