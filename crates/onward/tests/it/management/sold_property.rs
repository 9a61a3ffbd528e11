//! Which property a new listing sells, and who may say where it is.

use serde_json::{Value, json};

use crate::query::rows::Rows;
use crate::story;
use crate::test_server::{Answer, Client};

fn address(line1: &str, uprn: Option<i64>) -> Value {
    let mut address = json!({"line1": line1, "postTown": "Leeds", "postcode": "LS1 4AP"});
    if let Some(uprn) = uprn {
        address["uprn"] = uprn.into();
    }
    address
}

async fn list(agent: &Client, address: Value) -> Answer {
    let body = json!({"address": address, "branch_id": agent.branch(), "price": 1});
    agent.post("/listing", body).await
}

/// The property's id, its address, and whether it is verified.
async fn sold(agent: &Client, answer: &Answer) -> (i64, String, bool) {
    assert_eq!(answer.status, 201, "{}", answer.json());
    let path = format!("/listing/{}?includes=milestones", answer.listing());
    let attributes = agent.get(&path).await.json()["data"]["attributes"].take();
    let text = attributes["full_address"].as_str().unwrap().to_owned();
    let id = attributes["address_id"].as_i64().unwrap();
    (id, text, attributes["verified_as_property"] == 1)
}

story! {
    async fn an_address_that_an_import_has_verified_stays(server) {
        let agent = server.agent("north").await;
        server.import(Rows::new().property(7, "7 High Street", "LS1 4AP").lines()).await;
        let known = "7 High Street, Leeds, LS1 4AP";
        for line1 in ["8 High Street", "Flat 7, 9 High Street", "7 Mill Lane"] {
            let refused = list(&agent, address(line1, Some(7))).await;
            assert_eq!(refused.failure(), format!("409 address_differs (address): UPRN 7 is \
                `{known}`; correct the UPRN or the address, or leave the UPRN out"), "{line1}");
        }
        let mut ids = Vec::new();
        for (line1, uprn) in [
            ("7 High Street", Some(7)), ("7, HIGH ST.", Some(7)), ("7 High Street", None),
            ("7 high st", None),
        ] {
            let answer = list(&agent, address(line1, uprn)).await;
            let (id, text, is_verified) = sold(&agent, &answer).await;
            assert_eq!((text.as_str(), is_verified), (known, true), "{line1}");
            ids.push(id);
        }
        ids.dedup();
        assert_eq!(ids.len(), 1);
        let other = list(&agent, address("7A High Street", None)).await;
        assert_ne!(sold(&agent, &other).await.0, ids[0]);
    }
}

story! {
    async fn an_agent_s_own_address_is_unverified_until_an_import_confirms_it(server) {
        let agent = server.agent("north").await;
        let first = list(&agent, address("Somewhere", Some(7))).await;
        let (id, text, is_verified) = sold(&agent, &first).await;
        assert_eq!((text.as_str(), is_verified), ("Somewhere, Leeds, LS1 4AP", false));
        // Nobody has confirmed it, so it binds nobody.
        let second = list(&agent, address("Elsewhere", Some(7))).await;
        assert_eq!(sold(&agent, &second).await, (id, text, false));
        let listed = server.storage.read(storage::properties::list_unverified).await.unwrap();
        let listed: Vec<_> = listed.iter().map(|one| (one.uprn.value(), &*one.branch)).collect();
        assert_eq!(listed, [(7, "branch north")]);
        let rows = Rows::new().property(7, "7 High Street", "LS1 4AP");
        assert_eq!(server.import(rows.lines()).await.changed, 2);
        assert_eq!(server.import(rows.lines()).await.changed, 0);
        let shown = (id, "7 High Street, Leeds, LS1 4AP".to_owned(), true);
        assert_eq!(sold(&agent, &first).await, shown);
        assert_eq!(server.storage.read(storage::properties::list_unverified).await.unwrap(), []);
    }
}

story! {
    async fn no_new_uprn_takes_the_place_of_a_verified_address(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let row = json!({"type": "property", "uprn": 7, "line1": "Flat 11", "line2": "Telford Court",
            "line3": "101 Queens Walk", "post_town": "Leeds", "postcode": "LS1 4AP"});
        server.import(&row.to_string()).await;
        let known = list(&agent, address("Flat 11, Telford Court, 101 Queens Walk", Some(7))).await;
        assert_eq!(known.status, 201);
        for line1 in ["Flat 11, 101 Queens Walk", "Flat 11, Telford Court, 101 Queens Walk"] {
            let refused = list(&agent, address(line1, Some(778))).await;
            assert_eq!(refused.failure(), "409 address_taken (address): this is `Flat 11, Telford \
                Court, 101 Queens Walk, Leeds, LS1 4AP`, which has UPRN 7: send that UPRN, or leave \
                the UPRN out", "{line1}");
        }
        let asked = lender.ask_address("Flat 11, 101 Queens Walk, Leeds, LS1 4AP").await;
        assert_eq!(asked.chains()[0]["properties"][0]["uprn"], 7);
        // The flat next door is another home.
        let next = list(&agent, address("Flat 12, Telford Court, 101 Queens Walk", Some(779))).await;
        assert_eq!(next.status, 201);
    }
}
