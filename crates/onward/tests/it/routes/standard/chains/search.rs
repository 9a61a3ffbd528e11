//! Which property a value finds: the current listing and the address search (S-6, S-7).

use serde_json::{Value, json};

use super::rows::Rows;
use crate::story;
use crate::test_server::{BEGINNING, Client};

pub(super) const SEVERAL: &str = "404 not-found: Several properties fit the address equally well. \
    Name the flat or building number, the street and the postcode, or ask by UPRN.";
pub(super) const NONE: &str = "404 not-found: No property with a current listing fits any of the \
    values asked for.";

/// A listing of property 1, recognised by its seller's conveyancer.
fn listing(name: &str, created_at: i64) -> Value {
    json!({
        "type": "listing", "branch": "b1", "listing": name, "uprn": 1, "created_at": created_at,
        "seller_conveyancer": name,
    })
}

/// The listing of property 1 that is shown, asked for in every way.
async fn find_shown(asker: &Client) -> String {
    let mut shown = Vec::new();
    for (kind, value) in [
        ("uprn", "1"),
        ("address", "1 High Street, Leeds, LS1 4AP"),
        ("address", "LS1 4AP"),
    ] {
        let answer = asker.ask(&[("inputType", kind), ("value[]", value)]).await;
        let chain = answer.chains().remove(0);
        let name = chain["properties"][0]["participants"]["sellerConveyancer"].clone();
        shown.push(name.as_str().unwrap().to_owned());
    }
    shown.dedup();
    shown.join(" or ")
}

story! {
    async fn an_import_without_offers_shows_the_newest_listing(server) {
        let asker = server.lender().await;
        let rows = Rows::new().property(1, "1 High Street", "LS1 4AP");
        let rows = rows.row(&listing("second", 2000)).row(&listing("first", 1000));
        server.import(rows.lines()).await;
        assert_eq!(find_shown(&asker).await, "second");
        // Of the same time: the highest id. A listing from the future waits.
        let rows = Rows::more().row(&listing("third", 2000));
        server.import(rows.row(&listing("later", BEGINNING + 60)).lines()).await;
        assert_eq!(find_shown(&asker).await, "third");
        let sstc = json!({"type": "milestone", "branch": "b1", "listing": "first", "key": "sstc",
            "date": "2026-11-20"});
        server.import(&sstc.to_string()).await;
        assert_eq!(find_shown(&asker).await, "first");
    }
}

story! {
    async fn a_postcode_alone_finds_its_best_placed_property(server) {
        let asker = server.lender().await;
        let mut rows = Rows::new().property(50, "50 High Street", "LS1 4AP");
        for uprn in [40, 30, 20, 10] {
            rows = rows.sale(uprn, &format!("{uprn} High Street"), "LS1 4AP");
        }
        rows = rows.sale(61, "1 Mill Lane", "LS2 8BB").sale(62, "2 Mill Lane", "LS2 8BB");
        server.import(rows.lines()).await;
        // All alike: the lowest id, which is not the lowest UPRN; and never one without a listing.
        assert_eq!(find_best(&asker).await, 40);
        let steps = [
            // A milestone counts as a change.
            (Rows::more().milestone(20, "sstc", "2026-11-01"), 20),
            // A chain comes before any change, and a link is one.
            (Rows::more().link(61, 30), 30),
            (Rows::more().milestone(20, "exchange", "2026-11-02"), 30),
            (Rows::more().link(62, 10), 10),
            (Rows::more().milestone(30, "sstc", "2026-11-03"), 30),
            // The same date again is no change.
            (Rows::more().milestone(10, "exchange", "2026-11-03"), 10),
            (Rows::more().milestone(30, "sstc", "2026-11-03"), 10),
            // Changed at the same time: the lowest id.
            (Rows::more().milestone(10, "completion", "2026-11-03")
                .milestone(30, "completion", "2026-11-03"), 30),
        ];
        for (number, (rows, best)) in steps.iter().enumerate() {
            server.clock.advance(10);
            server.import(rows.lines()).await;
            assert_eq!(find_best(&asker).await, *best, "step {number}");
        }
        assert_eq!(asker.ask_address("LS1 4AQ").await.problem(), NONE);
    }
}

story! {
    /// An agent may give any address to a UPRN that nobody knows.
    async fn a_verified_property_beats_an_unverified_one(server) {
        let asker = server.lender().await;
        let agent = server.agent("north").await;
        let made_up = json!({"line1": "1 High Street", "postTown": "Leeds", "postcode": "LS1 4AP",
            "uprn": 500});
        let body = json!({"address": made_up, "branch_id": agent.branch(), "price": 1});
        let listed = agent.post("/listing", body).await.json()["data"]["id"].as_i64().unwrap();
        let other = agent.list(600).await;
        assert_eq!(agent.link(listed, other).await.status, 200);
        let find = async |address: &str| {
            let chain = asker.ask_address(address).await.chains().remove(0);
            let properties = chain["properties"].as_array().unwrap().clone();
            properties.iter().map(|property| property["uprn"].as_u64().unwrap()).collect()
        };
        let shown: Vec<u64> = find("1 high street leeds ls14ap").await;
        assert_eq!(shown, [600, 500]);
        // It is in no chain, and was not changed later.
        server.import(Rows::new().sale(1, "1 High Street", "LS1 4AP").lines()).await;
        for address in ["1 high street leeds ls14ap", "LS1 4AP"] {
            let shown: Vec<u64> = find(address).await;
            assert_eq!(shown, [1], "{address}");
        }
    }
}

/// The property found by its postcode in all spellings.
async fn find_best(asker: &Client) -> u64 {
    let mut found = Vec::new();
    for address in ["LS1 4AP", "ls14ap", " Ls1  4aP. ", "L S 1 4 A P"] {
        let chain = asker.ask_address(address).await.chains().remove(0);
        // The other property of its chain stands above it.
        found.push(chain["properties"][0]["uprn"].as_u64().unwrap());
    }
    found.dedup();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]
}

story! {
    async fn an_ambiguous_number_is_no_match_and_says_so(server) {
        let asker = server.lender().await;
        let mut rows = Rows::new().sale(3, "3 High Street", "LS1 4AP");
        for uprn in [1, 2] {
            rows = rows.sale(uprn, "1 High Street", "LS1 4AP");
        }
        server.import(rows.lines()).await;
        let twice = "1 High Street, Leeds, LS1 4AP";
        assert_eq!(asker.ask_address(twice).await.problem(), SEVERAL);
        assert_eq!(asker.ask_address(&twice.to_lowercase()).await.problem(), SEVERAL);
        // Said as well where another value is merely unknown …
        let ask = [("inputType", "address"), ("value[]", "nowhere"), ("value[]", twice)];
        assert_eq!(asker.ask(&ask).await.problem(), SEVERAL);
        // … and left out like any value without a match where another one is found.
        let once = "3 high street leeds ls14ap";
        let ask = [("inputType", "address"), ("value[]", twice), ("value[]", once)];
        let chains = asker.ask(&ask).await.chains();
        assert_eq!(chains.len(), 1);
        assert_eq!(chains[0]["properties"][0]["uprn"], 3);
        // By number both are found.
        assert_eq!(asker.ask_uprns(&[1, 2]).await.chains().len(), 2);
        // Two properties of one name are no match either.
        let rows = Rows::more().sale(4, "Rose Cottage", "LS1 4AP");
        server.import(rows.sale(5, "Rose Cottage", "LS1 4AP").lines()).await;
        assert_eq!(asker.ask_address("Rose Cottage, Leeds, LS1 4AP").await.problem(), SEVERAL);
    }
}

story! {
    async fn a_changed_address_is_found_and_shown_at_once(server) {
        let asker = server.lender().await;
        server.import(Rows::new().sales([1, 2]).link(2, 1).lines()).await;
        let before = asker.shown_chain(2).await["properties"][0]["address"]["line1"].clone();
        assert_eq!(before, "1 High Street");
        server.import(Rows::more().property(1, "1 Low Street", "LS3 1AB").lines()).await;
        for address in ["1 Low Street, Leeds, LS3 1AB", "LS3 1AB"] {
            let chain = asker.ask_address(address).await.chains().remove(0);
            assert_eq!(chain["properties"][0]["address"]["line1"], "1 Low Street");
        }
        let old = asker.ask_address("1 High Street, Leeds, LS1 4AP").await;
        assert_eq!(old.problem(), NONE);
    }
}
