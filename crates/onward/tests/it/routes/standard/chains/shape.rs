//! Orientation, ends and words of a chain in an answer (S-8 to S-12, S-43). The model in
//! `model/standard.rs` compares types, orders and connections.

use serde_json::{Value, json};

use super::rows::Rows;
use crate::story;

story! {
    async fn the_orientation_is_that_of_the_example(server) {
        // Seller S, buyer B: B lies below S. A placeholder UPRN is a number like any other.
        let (s, b) = (900_000_000_001, 2002);
        let rows = Rows::new().sales([s, b]).link(s, b);
        server.import(rows.end_check(s, "top").end_check(b, "bottom").lines()).await;
        let chain = server.lender().await.shown_chain(s).await;
        assert_eq!(list_uprns(&chain), [b, s]);
        assert_eq!(find(&chain, b)["connections"]["onwardPurchase"], json!([s]));
        assert_eq!(find(&chain, b)["connections"]["buyersSale"], json!([]));
        assert_eq!(find(&chain, s)["connections"]["buyersSale"], json!([b]));
        assert_eq!(find(&chain, s)["connections"]["onwardPurchase"], json!([]));
        assert_eq!(list_ends(&chain), [(b, false, true), (s, true, false)]);
    }
}

story! {
    async fn only_checked_ends_are_closed(server) {
        let asker = server.lender().await;
        // Alone and unchecked; alone and checked at both ends; two tops, of which one is checked.
        let rows = Rows::new().sales([1, 2, 3, 4, 5, 6, 7]);
        let rows = rows.end_check(2, "top").end_check(2, "bottom");
        let rows = rows.split(4, 3).split(5, 3).end_check(4, "top");
        let rows = rows.split(7, 6);
        server.import(rows.lines()).await;
        assert_eq!(list_ends(&asker.shown_chain(1).await), [(1, false, false)]);
        assert_eq!(list_ends(&asker.shown_chain(2).await), [(2, true, true)]);
        let split = [(3, false, false), (4, true, false), (5, false, false)];
        assert_eq!(list_ends(&asker.shown_chain(3).await), split);
        // Not even by a check that a link failed to clear.
        let left = server.storage.write(|write| {
            for (end, first, second) in [("top", "3", "6"), ("bottom", "5", "7")] {
                let insert = "insert into end_check (listing_id, chain_end, checked_at) \
                    select id, $1, created_at from listing where external_id in ($2, $3)";
                write.execute(insert, &[end.into(), first.into(), second.into()])?;
            }
            write.execute("update chain set version = version + 1", &[])
        });
        assert!(left.await.unwrap() > 0);
        assert_eq!(list_ends(&asker.shown_chain(3).await), split);
        assert_eq!(list_ends(&asker.shown_chain(6).await), [(6, false, false), (7, false, false)]);
    }
}

story! {
    async fn tenures_and_transaction_types_are_document_1_s_words(server) {
        let asker = server.lender().await;
        let types = ["auction", "buy_to_let", "freehold_enfranchisement", "power_of_attorney",
            "probate", "repossession", "shared_ownership"];
        let tenures = ["freehold", "leasehold", "commonhold", "shareoffreehold"];
        let mut rows = Rows::new().property(1, "1 High Street", "LS1 4AP");
        for (uprn, tenure) in (2..).zip(tenures) {
            rows = rows.property(uprn, "1 High Street", "LS1 4AP").row(&json!({
                "type": "listing", "branch": "b1", "listing": tenure, "uprn": uprn,
                "tenure": tenure,
            }));
        }
        let all = json!({
            "type": "listing", "branch": "b1", "listing": "all", "uprn": 1,
            "transaction_type": types,
        });
        server.import(rows.row(&all).lines()).await;
        let property = asker.shown_chain(1).await["properties"][0].clone();
        assert_eq!(property["transactionType"], json!(types));
        assert_eq!(property["tenure"], "");
        for (uprn, tenure) in (2..).zip(tenures) {
            let property = asker.shown_chain(uprn).await["properties"][0].clone();
            assert_eq!(property["tenure"], tenure);
            assert_eq!(property["transactionType"], json!([]));
        }
    }
}

fn list_uprns(chain: &Value) -> Vec<u64> {
    let properties = chain["properties"].as_array().unwrap().iter();
    properties
        .map(|property| property["uprn"].as_u64().unwrap())
        .collect()
}

fn find(chain: &Value, uprn: u64) -> &Value {
    let mut properties = chain["properties"].as_array().unwrap().iter();
    properties
        .find(|property| property["uprn"] == uprn)
        .unwrap()
}

/// Number, `isTopClosed` and `isBottomClosed` of each property, from bottom to top.
fn list_ends(chain: &Value) -> Vec<(u64, bool, bool)> {
    let properties = chain["properties"].as_array().unwrap().iter();
    properties
        .map(|property| {
            let closed = |member: &str| property[member].as_bool().unwrap();
            let uprn = property["uprn"].as_u64().unwrap();
            (uprn, closed("isTopClosed"), closed("isBottomClosed"))
        })
        .collect()
}
