//! Another branch's listings are refused, and no answer or error shows their data (S-47).

use serde_json::{Value, json};

use super::place::{CALLS, Place};
use crate::story;
use crate::test_server::{Answer, Client};

/// Words that only the other branch's listings hold.
const SECRETS: [&str; 5] = [
    "Secret Street",
    "777777",
    "Tarn LLP",
    "S/secret",
    "Hidden Town",
];

fn assert_no_secret(answer: &Answer, case: &str) {
    let body = String::from_utf8_lossy(&answer.body);
    for secret in SECRETS {
        assert!(!body.contains(secret), "{case}: {secret} in {body}");
    }
    for (name, value) in &answer.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        assert!(!value.contains("secret"), "{case}: {name}: {value}");
    }
}

/// Lists a property with secrets of this price and address; the listing.
async fn list_secret(south: &Client, price: i64, address: Value) -> Value {
    let body = json!({"branch_id": south.branch(), "price": price, "external_id": "S/secret",
        "parties": {"sellerConveyancer": "Tarn LLP"}, "address": address});
    let listing = south.post("/listing", body).await.json()["data"].clone();
    let id = listing["id"].as_i64().unwrap();
    south.record(id, "sstc", "2026-11-20").await;
    listing
}

story! {
    async fn every_call_with_another_branch_s_ids_is_refused(server) {
        let [north, south] = server.two_agents().await;
        let mut place = Place::of(&south, 1000).await;
        let address = json!({"line1": "1 Secret Street", "postTown": "Hidden Town",
            "postcode": "LS1 4AP"});
        let secret = list_secret(&south, 777_777, address).await;
        place.listing = secret["id"].as_i64().unwrap();
        place.address = secret["attributes"]["address_id"].as_i64().unwrap();
        let before = south.see_all().await;
        for call in CALLS {
            let answer = place.call(&north, call).await;
            assert_no_secret(&answer, &format!("{call:?}"));
            let is_theirs = call.1.contains('{') || call.2.contains('{') && call.1 == "/listing";
            if is_theirs || call.1.starts_with("/chain/") {
                assert_eq!(answer.code(), "403 not_your_branch", "{call:?}");
            } else {
                assert_eq!(answer.status, 200, "{call:?}");
            }
        }
        assert_eq!(south.see_all().await, before);
        for query in ["?external_id=S%2Fsecret", "?updated_since=0", "?per_page=100"] {
            let answer = north.get(&format!("/listing{query}")).await;
            assert_no_secret(&answer, query);
            assert_eq!(answer.page().1.len(), 0, "{query}");
        }
    }
}

story! {
    async fn a_listing_that_is_foreign_unknown_or_withdrawn_is_refused_by_every_call(server) {
        let [north, south] = server.two_agents().await;
        let mut place = Place::of(&north, 1000).await;
        let theirs = south.list(1).await;
        // A chain in common gives no right to the other listing.
        north.link(theirs, north.list(2).await).await;
        let gone = north.list(3).await;
        north.record(gone, "sstc", "2026-11-20").await;
        north.withdraw(gone).await;
        let before = south.see_all().await;
        for call in CALLS.into_iter().filter(|call| call.1.contains("{listing}")) {
            for (listing, is_foreign) in [(theirs, true), (999, false), (gone, false)] {
                place.listing = listing;
                let answer = place.call(&north, call).await;
                if listing == gone && call.1.ends_with("/history") {
                    assert_eq!(answer.status, 200);
                    continue;
                }
                let expected = if is_foreign {
                    format!("403 not_your_branch: listing {listing} does not belong to one of your branches")
                } else {
                    format!("404 listing_unknown: listing {listing} does not exist")
                };
                assert_eq!(answer.failure(), expected, "{call:?}");
            }
        }
        assert_eq!(south.see_all().await, before);
    }
}

story! {
    async fn a_partner_in_a_chain_shows_its_attributes_and_no_more(server) {
        let [north, south] = server.two_agents().await;
        let ours = north.list(1).await;
        let address = json!({"line1": "1 Lane", "postTown": "Leeds", "postcode": "LS1 4AP"});
        let theirs = list_secret(&south, 5, address).await["id"].as_i64().unwrap();
        assert_no_secret(&north.link(theirs, ours).await, "link");
        let includes = "buyer,seller,chain_data,chained_listings,milestones";
        let answer = north.get(&format!("/listing/{ours}?includes={includes}")).await;
        assert_no_secret(&answer, includes);
        // Their milestones are theirs.
        let kinds = answer.json()["included"].as_array().unwrap().clone();
        assert!(kinds.iter().all(|one| one["type"] != "milestone"));
        let chain = north.chain_of(ours).await;
        for path in [format!("/listing/{ours}/lagging"), format!("/listing/{ours}/history"),
            format!("/listing/{ours}/bottleneck"), format!("/listing/{ours}/forecast"),
            format!("/chain/{chain}/listings")] {
            assert_no_secret(&north.get(&path).await, &path);
        }
    }
}
