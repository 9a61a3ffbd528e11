//! A home with a placeholder gets its UPRN by an import, and keeps its listings (S-12).

use observe::clock;
use serde_json::{Value, json};

use super::versions;
use crate::query::rows::Rows;
use crate::query::versions::{SCOPES, without_question};
use crate::story;
use crate::test_server::{Client, TestServer};

/// An agent's listing at an address in Leeds, without a UPRN unless one is given.
async fn list_at(agent: &Client, line1: &str, uprn: Option<i64>) -> i64 {
    let mut address = json!({"line1": line1, "postTown": "Leeds", "postcode": "LS1 4AP"});
    if let Some(uprn) = uprn {
        address["uprn"] = uprn.into();
    }
    let body = json!({"address": address, "branch_id": agent.branch(), "price": 1});
    let answer = agent.post("/listing", body).await;
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.listing()
}

/// The UPRN and the id of the property that a listing sells.
async fn sold(agent: &Client, listing: i64) -> (i64, i64) {
    let shown = agent.attributes(listing).await;
    let number = |name: &str| shown[name].as_i64().unwrap();
    (number("uprn"), number("address_id"))
}

async fn import(server: &TestServer, homes: &[(u64, &str)]) -> (u64, u64) {
    let rows = homes.iter().fold(Rows::more(), |rows, (uprn, line1)| {
        rows.property(*uprn, line1, "LS1 4AP")
    });
    let report = server.import(rows.lines()).await;
    (report.changed, report.unchanged)
}

/// The chain that a typed address means; null without one.
async fn chain_at(lender: &Client, address: &str) -> Value {
    let answer = lender.ask_address(address).await;
    match answer.status {
        200 => answer.chains().remove(0),
        _ => Value::Null,
    }
}

story! {
    async fn an_import_gives_a_home_with_a_placeholder_its_uprn(server) {
        let agent = server.agent("north").await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let listing = list_at(&agent, "7 High Street", None).await;
        let above = agent.list(2).await;
        agent.record(listing, "sstc", "2026-11-20").await;
        agent.link(above, listing).await;
        agent.mark(listing, "check/bottom").await;
        let (placeholder, id) = sold(&agent, listing).await;
        assert!(placeholder >= 900_000_000_000);
        let old = auditor.shown_chain(placeholder).await;
        let chain = old["chainId"].as_str().unwrap();
        let at = clock::to_rfc3339(server.now());
        server.clock.advance(60);

        let homes = [(6, "6 High Street"), (7, "7 High St."), (8, "8 High Street")];
        assert_eq!(import(&server, &homes).await, (3, 0));
        assert_eq!(import(&server, &homes).await, (0, 3));
        assert_eq!(sold(&agent, listing).await, (7, id));
        let shown = agent.attributes(listing).await;
        assert_eq!((&shown["is_current"], &shown["full_address"]),
            (&json!(true), &json!("7 High St., Leeds, LS1 4AP")));
        let new = auditor.shown_chain(7).await;
        for address in ["7 High Street, Leeds, LS1 4AP", "7 high st ls1 4ap"] {
            assert_eq!(without_question(chain_at(&auditor, address).await), without_question(new.clone()));
        }
        assert_eq!(auditor.shown_chain(placeholder).await, Value::Null);
        assert_eq!(auditor.shown_chain(8).await, Value::Null);
        // Nothing else has changed: the same chain, its links, dates and end checks.
        let expected = without_question(old.clone()).to_string();
        let expected = expected.replace(&placeholder.to_string(), "7");
        let expected = expected.replace("7 High Street", "7 High St.");
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(without_question(new.clone()), expected);

        // The chain's next version has the UPRN, and the version before it stays as it was.
        let last = versions(&server).await[chain];
        auditor.wait_for_version(chain, last).await;
        assert_eq!(auditor.read_version(chain, last).await, without_question(new));
        assert_eq!(auditor.read_version(chain, last - 1).await, without_question(old.clone()));
        let form = [("inputType", "uprn"), ("asOf", at.as_str()), ("value[]", "7")];
        let past = auditor.ask(&form).await.chains().remove(0);
        assert_eq!(without_question(past), without_question(old));
    }
}

story! {
    async fn events_and_watches_of_a_home_go_on_with_its_uprn(server) {
        let agent = server.agent("north").await;
        let listing = list_at(&agent, "7 High Street", None).await;
        let (placeholder, id) = sold(&agent, listing).await;
        let receiver = server.receiver().await;
        let key = server.api_key("Lender").await;
        let mut subscriptions = Vec::new();
        for (path, uprns) in [("", vec![placeholder]), ("/both", vec![placeholder, 7])] {
            let body = json!({"participantName": "Lender", "callbackUrl": format!("{}{path}", receiver.url),
                "events": ["milestone.updated"], "watch": {"uprns": uprns, "reach": "property"}});
            let made = server.post_webhook(&key, "/subscribe", body).await.json();
            subscriptions.push(made["subscriptionId"].as_str().unwrap().to_owned());
        }
        import(&server, &[(7, "7 High Street")]).await;
        assert_eq!(server.events().await.len(), 0);
        agent.record(listing, "sstc", "2026-11-20").await;
        for request in receiver.wait_for(2).await {
            let claims = request.claims();
            assert_eq!((&claims["uprn"], &claims["propertyId"]), (&json!("7"), &json!(id.to_string())));
        }
        for (subscription, watched) in subscriptions.iter().zip([1, 2]) {
            let shown = server.subscription(&key, subscription).await;
            assert_eq!(shown["watch"]["uprnCount"], watched);
        }
    }
}

story! {
    async fn a_listing_moves_to_the_property_that_has_the_uprn_already(server) {
        let [north, south] = server.two_agents().await;
        let lender = server.lender().await;
        let ours = list_at(&north, "7 High Street", None).await;
        let theirs = list_at(&south, "7 High Street", Some(7)).await;
        north.record(ours, "sstc", "2026-11-20").await;
        let (placeholder, orphan) = sold(&north, ours).await;
        let home = sold(&south, theirs).await;
        assert_ne!(placeholder, home.0);
        let before = north.chain_of(ours).await;

        assert_eq!(import(&server, &[(7, "7 High Street")]).await, (1, 0));
        assert_eq!(import(&server, &[(7, "7 High Street")]).await, (0, 1));
        assert_eq!((sold(&north, ours).await, sold(&south, theirs).await), (home, home));
        // Of its two listings, the one under offer is current.
        for chain in [lender.shown_chain(7).await,
            chain_at(&lender, "7 High Street, Leeds, LS1 4AP").await]
        {
            assert_eq!((&chain["chainId"], &chain["properties"][0]["uprn"]), (&json!(before), &json!(7)));
        }
        // Who still names the old property, names the home.
        for place in [
            json!({"address_id": orphan}),
            json!({"address": {"line1": "7 High Street", "postTown": "Leeds", "postcode": "LS1 4AP",
                "uprn": placeholder}}),
        ] {
            let mut body = place;
            body["branch_id"] = south.branch().into();
            body["price"] = 2.into();
            let again = south.post("/listing", body).await;
            assert_eq!(sold(&south, again.listing()).await, home);
        }
    }
}

story! {
    async fn a_listing_stays_where_its_home_is_not_certain(server) {
        let [north, south] = server.two_agents().await;
        let flat = list_at(&north, "Flat 1, 101 Queens Walk", None).await;
        let kept = sold(&north, flat).await;
        // Two homes of one chain are two homes, whatever their addresses say.
        let below = list_at(&north, "7 High Street", None).await;
        let middle = north.list(2).await;
        let top = list_at(&south, "7 High Street", Some(7)).await;
        north.link(middle, below).await;
        north.link(top, middle).await;
        let ends = (sold(&north, below).await, sold(&south, top).await);
        let homes = [
            (11, "Flat 1, Telford Court, 101 Queens Walk"),
            (12, "Flat 1, Tower House, 101 Queens Walk"),
            (7, "7 High Street"),
        ];
        import(&server, &homes).await;
        assert_eq!(sold(&north, flat).await, kept);
        assert_eq!((sold(&north, below).await, sold(&south, top).await), ends);
    }
}
