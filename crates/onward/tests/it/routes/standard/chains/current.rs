//! Which listing of a property is shown and emits events when several are listed (S-6).

use serde_json::{Value, json};

use super::rows::Rows;
use super::search::NONE;
use crate::story;
use crate::test_server::{BEGINNING, Client, TestServer};

const DAY: i64 = 86_400;

/// Two agents and a lender.
async fn begin(server: &TestServer) -> (Client, Client, Client) {
    let north = server.agent("north").await;
    let south = server.agent("south").await;
    (north, south, server.lender().await)
}

/// The agent that the signed answer names for property 1, and the length of the chain.
async fn shown(lender: &Client) -> String {
    let chain = lender.shown_chain(1).await;
    let mut properties = chain["properties"].as_array().unwrap().iter();
    let property = properties.find(|one| one["uprn"] == 1).unwrap();
    let agent = property["participants"]["sellingAgent"].as_str().unwrap();
    let agent = agent.strip_prefix("branch ").unwrap_or(agent);
    format!("{agent} {}", chain["chainSummary"]["chainLength"])
}

async fn flags(agent: &Client, listing: i64) -> (Value, Value) {
    let attributes = agent.attributes(listing).await;
    (
        attributes["is_current"].clone(),
        attributes["contested"].clone(),
    )
}

async fn withdraw(agent: &Client, listing: i64, key: &str) {
    let path = format!("/listing/{listing}/milestone/{key}");
    agent.delete(&path).await.assert_success();
}

/// The events so far, as the listing and the date of each.
async fn events(server: &TestServer) -> Vec<(i64, String)> {
    let events = server.events().await.into_iter();
    events
        .map(|event| (event.listing.0, event.date.to_string()))
        .collect()
}

story! {
    async fn nobody_takes_the_place_of_a_listing_under_offer(server) {
        let (north, south, lender) = begin(&server).await;
        let [first, above] = north.list_each([1, 2]).await;
        north.link(above, first).await;
        assert_eq!(shown(&lender).await, "north 2");
        let second = south.list(1).await;
        south.record(second, "sstc", "2026-11-20").await;
        south.record(second, "fall_through", "2026-11-21").await;
        assert_eq!(shown(&lender).await, "north 2");
        assert_eq!(events(&server).await, []);
        assert_eq!(flags(&north, first).await, (json!(true), Value::Null));
        assert_eq!(flags(&south, second).await, (json!(false), Value::Null));
        withdraw(&south, second, "fall_through").await;
        assert_eq!(flags(&north, first).await, (json!(true), json!(true)));
        assert_eq!(flags(&south, second).await, (json!(false), json!(true)));
        // The place is free as soon as the offer has ended, and goes to the other offer.
        north.unlink(above, first).await.assert_success();
        assert_eq!(shown(&lender).await, "south 1");
        assert_eq!(flags(&north, first).await, (json!(false), Value::Null));
        let lost = north.history(first).await.pop().unwrap();
        assert_eq!(lost["action"], "current.lost");
        assert_eq!(lost["by"], "north Ltd");
        assert_eq!(lost["detail"], json!({}));
        let gained = south.history(second).await.pop().unwrap();
        assert_eq!(gained["action"], "current.gained");
    }
}

story! {
    async fn a_new_listing_and_one_that_comes_under_offer_take_a_free_place(server) {
        let (north, south, lender) = begin(&server).await;
        let first = north.list(1).await;
        let second = south.list(1).await;
        assert_eq!(shown(&lender).await, "south 1");
        north.record(first, "draft_contracts_prepared", "2026-11-20").await;
        assert_eq!(shown(&lender).await, "south 1");
        north.record(first, "sstc", "2026-11-20").await;
        assert_eq!(shown(&lender).await, "north 1");
        // Whoever falls through keeps the place until somebody else sells, and says so.
        north.record(first, "fall_through", "2026-11-21").await;
        assert_eq!(shown(&lender).await, "north 1");
        south.record(second, "sstc", "2026-11-19").await;
        assert_eq!(shown(&lender).await, "south 1");
        let told = [(first, "2026-11-20"), (first, "2026-11-21"), (second, "2026-11-19")];
        assert_eq!(events(&server).await, told.map(|(id, date)| (id, date.to_owned())));
    }
}

story! {
    async fn the_end_of_an_offer_emits_its_event_and_passes_the_place_to_the_earliest_offer(server) {
        let (north, south, lender) = begin(&server).await;
        let first = north.list(1).await;
        north.record(first, "sstc", "2026-11-01").await;
        let early = south.list(1).await;
        let west = server.agent("west").await;
        let late = west.list(1).await;
        server.clock.advance(1);
        south.record(early, "sstc", "2026-11-20").await;
        server.clock.advance(1);
        west.record(late, "sstc", "2026-11-02").await;
        assert_eq!(shown(&lender).await, "north 1");
        north.record(first, "completion", "2026-11-21").await;
        assert_eq!(shown(&lender).await, "south 1");
        let told = [(first, "2026-11-01"), (first, "2026-11-21")];
        assert_eq!(events(&server).await, told.map(|(id, date)| (id, date.to_owned())));
        south.delete(&format!("/listing/{early}")).await.assert_success();
        assert_eq!(shown(&lender).await, "west 1");
        // Without an offer left: the newest listing, then none.
        west.delete(&format!("/listing/{late}")).await.assert_success();
        assert_eq!(shown(&lender).await, "north 1");
        north.delete(&format!("/listing/{first}")).await.assert_success();
        assert_eq!(lender.ask_uprns(&[1]).await.problem(), NONE);
        for address in ["1 High Street, Leeds, LS1 4AP", "LS1 4AP"] {
            assert_eq!(lender.ask_address(address).await.problem(), NONE);
        }
    }
}

story! {
    async fn an_offer_takes_the_place_of_one_that_nobody_writes_any_more(server) {
        let (north, south, lender) = begin(&server).await;
        let first = north.list(1).await;
        north.record(first, "sstc", "2026-11-20").await;
        let second = south.list(1).await;
        south.record(second, "sstc", "2026-11-20").await;
        server.clock.advance(120 * DAY - 1);
        let [north, south] = [north.renewed(&server).await, south.renewed(&server).await];
        south.record(second, "draft_contracts_prepared", "2026-11-20").await;
        assert_eq!(shown(&lender.renewed(&server).await).await, "north 1");
        server.clock.advance(1);
        south.record(second, "solicitors_instructed", "2026-11-20").await;
        assert_eq!(shown(&lender.renewed(&server).await).await, "south 1");
        // The other way the same holds.
        north.record(first, "exchange", "2026-11-20").await;
        assert_eq!(shown(&lender.renewed(&server).await).await, "south 1");
    }
}

story! {
    async fn an_import_keeps_an_offer_and_else_takes_the_earliest_one(server) {
        let (_north, south, lender) = begin(&server).await;
        let listing = |name: &str| json!({"type": "listing", "branch": "b1", "listing": name,
            "uprn": 1, "created_at": BEGINNING - 100});
        let sstc = |name: &str, date: &str| json!({"type": "milestone", "branch": "b1",
            "listing": name, "key": "sstc", "date": date});
        // The rows of the earlier offer come later.
        let rows = Rows::new().property(1, "1 High Street", "LS1 4AP");
        let rows = rows.row(&listing("x")).row(&listing("y"));
        let rows = rows.row(&sstc("y", "2026-11-20")).row(&sstc("x", "2026-11-19"));
        server.import(rows.lines()).await;
        let current = "select l.external_id from property p join listing l \
            on l.id = p.current_listing_id where p.uprn = 1";
        let find = async || {
            let read = server.storage.read(move |read| {
                read.query_exactly_one(current, &[], |row| row.optional_text(0))
            });
            read.await.unwrap().unwrap_or_else(|| "none".to_owned())
        };
        assert_eq!(find().await, "x");
        // An offer with an earlier SSTC does not displace a current one.
        let rows = Rows::more().row(&listing("z")).row(&sstc("z", "2026-11-01"));
        server.import(rows.lines()).await;
        assert_eq!(find().await, "x");
        south.list(1).await;
        assert_eq!(find().await, "x");
        assert_ne!(shown(&lender).await, "south 1");
    }
}
