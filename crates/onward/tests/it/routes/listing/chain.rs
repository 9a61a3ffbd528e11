//! The tests of the six listing-anchored shortcuts below `/api/v1/listing/chain` (S-45).

mod add;
mod check;
mod uncheck;

use http::Method;
use serde_json::json;

use crate::world::manners::{self, Call, all_of, code, send};
use crate::world::{Agent, Answer, BEGINNING, World};

/// An end, checked or unchecked through a listing of its chain.
#[derive(Debug, Clone, Copy)]
struct Marking {
    /// `check` or `uncheck`.
    verb: &'static str,
    /// `top` or `bottom`.
    end: &'static str,
}

impl Marking {
    fn call(self, anchor: impl std::fmt::Display) -> Call {
        let Self { verb, end } = self;
        Call::new(
            Method::POST,
            format!("/listing/chain/{anchor}/{verb}/{end}"),
        )
    }

    async fn mark(self, agent: &Agent, anchor: impl std::fmt::Display) -> Answer {
        send(self.call(anchor).by(agent)).await
    }

    fn reverse(self) -> Self {
        let verb = if self.verb == "check" {
            "uncheck"
        } else {
            "check"
        };
        Self { verb, ..self }
    }

    /// The end as it is before: unchecked for a check, checked for an uncheck.
    async fn prepare(self, agent: &Agent, anchor: i64) {
        if self.verb == "uncheck" {
            for end in ["top", "bottom"] {
                let before = Self { verb: "check", end };
                before.mark(agent, anchor).await.assert_success();
            }
        }
    }
}

/// Two listings of an agent, linked: the top and the bottom of a chain.
async fn pair(agent: &Agent) -> (i64, i64) {
    let (top, bottom) = (agent.list(1001).await, agent.list(1002).await);
    assert_eq!(agent.link(top, bottom).await.status, 200);
    (top, bottom)
}

/// Fails the story unless the anchor has to be a listing of the caller that is there.
async fn assert_anchors(agent: &Agent, other: &Agent, call: impl AsyncFn(&Agent, &str) -> Answer) {
    let unknown = |id: &str| format!("404 listing_unknown: listing {id} does not exist");
    for id in [
        "999",
        "0",
        "-1",
        "+1",
        "1.0",
        "1e0",
        "0x1",
        "x",
        "9223372036854775808",
        "9007199254740992",
        "99999999999999999999999999",
    ] {
        assert_eq!(call(agent, id).await.failure(), unknown(id));
    }
    let long = "7".repeat(2000);
    assert_eq!(call(agent, &long).await.failure(), unknown(&long[..64]));
    // Another's listing is 403, linked to one of the caller's or not.
    let (theirs, ours) = (other.list(71).await, agent.list(72).await);
    let foreign =
        format!("403 not_your_branch: listing {theirs} does not belong to one of your branches");
    assert_eq!(call(agent, &theirs.to_string()).await.failure(), foreign);
    agent.link(theirs, ours).await;
    assert_eq!(call(agent, &theirs.to_string()).await.failure(), foreign);
    for owner in [agent, other] {
        let gone = owner.list(73).await.to_string();
        owner
            .delete(&format!("/listing/{gone}"))
            .await
            .assert_success();
        assert_eq!(call(agent, &gone).await.failure(), unknown(&gone));
    }
}

/// Fails the story unless the marking ignores its body, whatever that is.
async fn assert_any_body(agent: &Agent, marking: Marking) {
    let (top, bottom) = pair(agent).await;
    marking.prepare(agent, top).await;
    let before = agent.checked_ends(top).await;
    let call = marking.call(bottom);
    for (kind, body) in BODIES {
        let request = call.by(agent).header("content-type", kind).body(body);
        send(request).await.assert_success();
        assert_ne!(agent.checked_ends(top).await, before, "{kind}");
        marking.reverse().mark(agent, top).await.assert_success();
    }
    let too_large = call.by(agent).body(vec![b' '; 64 * 1024 + 1]);
    assert_eq!(code(&send(too_large).await), "413 body_too_large");
    assert_eq!(agent.checked_ends(top).await, before);
}

/// Bodies that the shortcuts do not look at.
const BODIES: [(&str, &[u8]); 6] = [
    ("application/json", b"{"),
    (
        "application/json",
        br#"{"top": "x", "reason": 1, "seller": 1}"#,
    ),
    ("text/plain", b"\xff\x00"),
    ("application/x-www-form-urlencoded", b"top=false"),
    ("multipart/form-data", b""),
    ("", b"x"),
];

/// Fails the story unless the marking does its work through any listing of the chain, for each
/// reader at once; `told` is what document 1 says afterwards.
async fn assert_marks(world: &World, marking: Marking, told: &str) {
    let north = world.agent("north").await;
    let south = world.agent("south").await;
    let (top, bottom) = (north.list(1001).await, south.list(1002).await);
    north.link(top, bottom).await;
    marking.prepare(&north, top).await;
    let lender = world.lender().await;
    let before = world.told(&lender, 1001).await;
    let chain = north.chain_of(top).await;
    let seen = [north.history(top).await, south.history(bottom).await];
    world.clock.advance(60);

    // The anchor is at the other end.
    let (agent, anchor, name) = if marking.end == "top" {
        (&south, bottom, "south Ltd")
    } else {
        (&north, top, "north Ltd")
    };
    marking.mark(agent, anchor).await.assert_success();
    assert_ne!(world.told(&lender, 1001).await, before);
    assert_eq!(
        world.told(&lender, 1001).await,
        (chain.clone(), told.to_owned())
    );

    let reason = if marking.verb == "check" {
        "Checked"
    } else {
        "Unspecified"
    };
    let line = json!({
        "action": format!("end.{}ed", marking.verb), "at": BEGINNING + 60, "by": name,
        "chain_link_id": chain, "detail": {"end": marking.end, "reason": reason},
    });
    let mut expected = seen;
    expected[usize::from(marking.end == "bottom")].push(line);
    assert_eq!(
        [north.history(top).await, south.history(bottom).await],
        expected
    );
    assert_eq!(world.events().await, []);

    // Once more, and from the other side: success, and nothing changes (S-44).
    let after = [all_of(&north).await, all_of(&south).await];
    world.clock.advance(1);
    marking.mark(&north, top).await.assert_success();
    marking.mark(&south, bottom).await.assert_success();
    assert_eq!([all_of(&north).await, all_of(&south).await], after);
}

/// Fails the story unless the marking counts for each of several ends, wherever the anchor is.
async fn assert_several(world: &World, marking: Marking, told: &str) {
    let agent = world.agent("north").await;
    // Two tops: sale 1 pays for 2 and 3. Two bottoms: sales 1 and 2 pay for 3.
    let links = if marking.end == "top" {
        [(2, 1), (3, 1)]
    } else {
        [(3, 1), (3, 2)]
    };
    let ids = world.import_sales("north", 1..=3, &links).await;
    let lender = world.lender().await;
    for anchor in &ids {
        marking.prepare(&agent, *anchor).await;
        marking.mark(&agent, *anchor).await.assert_success();
        assert_eq!(world.told(&lender, 1).await.1, told, "{anchor}");
        marking
            .reverse()
            .mark(&agent, *anchor)
            .await
            .assert_success();
    }
}

/// Fails the story unless the marking is refused at an end with a locked listing, and there only.
async fn assert_lock(world: &World, marking: Marking) {
    let agent = world.agent("north").await;
    let (top, bottom) = pair(&agent).await;
    marking.prepare(&agent, top).await;
    let (locked, anchor) = if marking.end == "top" {
        (top, bottom)
    } else {
        (bottom, top)
    };
    let refusal = format!(
        "409 listing_locked: {} listing {locked} is locked; unlock it first",
        marking.end
    );
    let call = marking.call(anchor);
    manners::assert_lockable(world, &agent, locked, &call, &refusal).await;
    agent.lock(locked, true).await;
    // Even where nothing is to change.
    assert_eq!(marking.mark(&agent, locked).await.failure(), refusal);
    agent.lock(locked, false).await;
    agent.lock(anchor, true).await;
    marking.mark(&agent, anchor).await.assert_success();
}

/// Fails the story unless the marking keeps its answers under a key (S-52).
async fn assert_keyed(world: &World, marking: Marking) {
    let agent = world.agent("north").await;
    let (top, bottom) = pair(&agent).await;
    marking.prepare(&agent, top).await;
    let elsewhere = marking.reverse().call(bottom);
    manners::assert_keyed(world, &agent, &marking.call(bottom), &elsewhere).await;
}
