//! Another branch's data never shows, in an answer or in an error (S-47).

use serde_json::json;

use super::place::{CALLS, Place};
use crate::story;
use crate::world::Answer;

/// Words that only the other branch's listings hold.
const SECRETS: [&str; 5] = [
    "Secret Street",
    "777777",
    "Tarn LLP",
    "S/secret",
    "Hidden Town",
];

fn check(answer: &Answer, case: &str) {
    let body = String::from_utf8_lossy(&answer.body);
    for secret in SECRETS {
        assert!(!body.contains(secret), "{case}: {secret} in {body}");
    }
    for (name, value) in &answer.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        assert!(!value.contains("secret"), "{case}: {name}: {value}");
    }
}

story! {
    async fn whatever_is_called_with_another_branch_s_ids(world) {
        let south = world.agent("south").await;
        let north = world.agent("north").await;
        let mut place = Place::of(&south, 1000).await;
        let body = json!({"branch_id": south.branch, "price": 777_777, "external_id": "S/secret",
            "parties": {"sellerConveyancer": "Tarn LLP"},
            "address": {"line1": "1 Secret Street", "postTown": "Hidden Town",
                "postcode": "LS1 4AP"}});
        let secret = south.post("/listing", body).await.json()["data"].clone();
        place.listing = secret["id"].as_i64().unwrap();
        place.address = secret["attributes"]["address_id"].as_i64().unwrap();
        south.record(place.listing, "sstc", "2026-11-20").await;
        let before = south.get(&format!("/listing/{}", place.listing)).await.json();
        for call in CALLS {
            let answer = place.call(&north, call).await;
            check(&answer, &format!("{call:?}"));
            let is_theirs = call.1.contains('{') || call.2.contains('{') && call.1 == "/listing";
            if is_theirs || call.1.starts_with("/chain/") {
                assert_eq!(answer.status, 403, "{call:?}");
                assert!(answer.failure().starts_with("403 not_your_branch"), "{call:?}");
            } else {
                assert_eq!(answer.status, 200, "{call:?}");
            }
        }
        assert_eq!(south.get(&format!("/listing/{}", place.listing)).await.json(), before);
        for query in ["?external_id=S%2Fsecret", "?updated_since=0", "?per_page=100"] {
            let answer = north.get(&format!("/listing{query}")).await;
            check(&answer, query);
            assert_eq!(answer.json()["meta"]["pagination"]["total"], 0, "{query}");
        }
    }
}

story! {
    async fn a_partner_in_a_chain_shows_its_attributes_and_no_more(world) {
        let south = world.agent("south").await;
        let north = world.agent("north").await;
        let ours = north.list(1).await;
        let body = json!({"branch_id": south.branch, "price": 5, "external_id": "S/secret",
            "parties": {"sellerConveyancer": "Tarn LLP"},
            "address": {"line1": "1 Lane", "postTown": "Leeds", "postcode": "LS1 4AP"}});
        let theirs = south.post("/listing", body).await.json()["data"]["id"].as_i64().unwrap();
        south.record(theirs, "sstc", "2026-11-20").await;
        check(&north.link(theirs, ours).await, "link");
        let includes = "buyer,seller,chain_data,chained_listings,milestones";
        let answer = north.get(&format!("/listing/{ours}?includes={includes}")).await;
        check(&answer, includes);
        // Their milestones are theirs.
        let kinds = answer.json()["included"].as_array().unwrap().clone();
        assert!(kinds.iter().all(|one| one["type"] != "milestone"));
        check(&north.get(&format!("/listing/{ours}/lagging")).await, "lagging");
        check(&north.get(&format!("/listing/{ours}/history")).await, "history");
        let chain = north.chain_of(ours).await;
        check(&north.get(&format!("/chain/{chain}/listings")).await, "chain");
    }
}
