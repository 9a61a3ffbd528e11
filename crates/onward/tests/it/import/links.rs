//! Links: who may be linked, which chain id survives, which end checks go.

use std::fmt::Write as _;

use serde_json::{Value, json};
use storage::{Read, StorageError};

use super::{THREE, link, number};
use crate::story;
use crate::test_server::TestServer;

/// A branch with listings `L1` to `L{count}` of the properties 1001, 1002 …
fn listings(count: i64) -> String {
    let mut rows = "{\"type\":\"branch\",\"branch\":\"b1\",\"name\":\"Acorn\"}\n".to_owned();
    for number in 1..=count {
        let uprn = 1000 + number;
        writeln!(rows, r#"{{"type":"property","uprn":{uprn},"line1":"{number} High Street","postcode":"LS1 4AP"}}"#).unwrap();
        writeln!(
            rows,
            r#"{{"type":"listing","branch":"b1","listing":"L{number}","uprn":{uprn}}}"#
        )
        .unwrap();
    }
    rows
}

/// The refusal of one link row, without the branch of its listings.
async fn refusal(server: &TestServer, row: &str) -> String {
    let (report, mut refused) = server.import_with_refusals(row).await;
    assert_eq!((report.changed, report.bad), (0, 1), "{row}");
    let text = refused.remove(0);
    text.replace('`', "").replace(" of branch b1", "")
}

fn uprns(chain: &Value) -> Vec<i64> {
    let properties = chain["properties"].as_array().unwrap().iter();
    properties
        .map(|property| property["uprn"].as_i64().unwrap())
        .collect()
}

fn id(chain: &Value) -> String {
    chain["chainId"].as_str().unwrap().to_owned()
}

story! {
    async fn plain_links_are_one_to_one(server) {
        server.import(&listings(5)).await;
        server.import(&(link("L2", "L1", false) + &link("L3", "L2", false))).await;
        for (seller, buyer, said) in [
            ("L1", "L1", "1: seller and buyer are both listing L1; name two listings"),
            ("L4", "L1", "1: buyer listing L1 already has a seller"),
            ("L2", "L4", "1: seller listing L2 already has a buyer"),
            ("L1", "L3", "1: seller listing L1 and buyer listing L3 are already in one chain; linking them would close a ring"),
        ] {
            assert_eq!(refusal(&server, &link(seller, buyer, false)).await, said);
        }
        let again = r#"{"type":"listing","branch":"b1","listing":"L9","uprn":1005}"#;
        server.import(again).await;
        assert_eq!(
            refusal(&server, &link("L9", "L5", false)).await,
            "1: seller listing L9 and buyer listing L5 are of the same property",
        );
        server.import(r#"{"type":"listing","branch":"b1","listing":"L10","uprn":1001}"#).await;
        for is_split in [false, true] {
            assert_eq!(
                refusal(&server, &link("L10", "L3", is_split)).await,
                "1: linking seller listing L10 and buyer listing L3 would close a ring: a home \
                 with several listings would lie above itself",
            );
        }
        let lender = server.lender().await;
        let chain = lender.shown_chain(1002).await;
        assert_eq!(uprns(&chain), [1001, 1002, 1003], "bottom to top (S-9)");
        assert_eq!(lender.shown_chain(1004).await["chainSummary"]["chainType"], "NOT_IN_CHAIN");
    }
}

story! {
    async fn split_links_split_and_never_close_a_ring(server) {
        server.import(&listings(5)).await;
        let diamond = link("L2", "L1", false) + &link("L3", "L1", true) + &link("L4", "L2", true)
            + &link("L4", "L3", true);
        server.import(&diamond).await;
        let lender = server.lender().await;
        let chain = lender.shown_chain(1004).await;
        assert_eq!(chain["chainSummary"], json!({"chainLength": 4, "chainType": "SPLIT_CHAIN"}));
        assert_eq!(uprns(&chain), [1001, 1002, 1003, 1004]);
        let connections = |place: usize| chain["properties"][place]["connections"].clone();
        assert_eq!(connections(0), json!({"buyersSale": [], "onwardPurchase": [1002, 1003]}));
        assert_eq!(connections(3), json!({"buyersSale": [1002, 1003], "onwardPurchase": []}));
        assert_eq!(
            refusal(&server, &link("L1", "L4", true)).await,
            "1: buyer listing L4 already lies above seller listing L1; linking them would close a ring",
        );
        assert_eq!(
            refusal(&server, &link("L1", "L1", true)).await,
            "1: seller and buyer are both listing L1; name two listings",
        );
        assert_eq!(server.import(&diamond).await.unchanged, 4);
    }
}

story! {
    async fn a_chain_ends_at_100_listings(server) {
        // S-54.
        server.import(&listings(101)).await;
        let mut links = String::new();
        for number in 1..100 {
            links += &link(&format!("L{}", number + 1), &format!("L{number}"), false);
        }
        server.import(&links).await;
        let lender = server.lender().await;
        let chain = lender.shown_chain(1050).await;
        assert_eq!(chain["chainSummary"], json!({"chainLength": 100, "chainType": "IN_CHAIN"}));
        assert_eq!(uprns(&chain), (1001..=1100).collect::<Vec<_>>());
        for (seller, buyer, split) in [("L101", "L100", false), ("L1", "L101", true)] {
            let said = refusal(&server, &link(seller, buyer, split)).await;
            assert_eq!(said, format!(
                "1: linking seller listing {seller} and buyer listing {buyer} would make a chain of 101 listings; the limit is 100"
            ));
        }
    }
}

story! {
    async fn the_longer_chain_keeps_its_id(server) {
        // S-42.
        server.import(&listings(6)).await;
        let lender = server.lender().await;
        let sellers = id(&lender.shown_chain(1002).await);
        server.import(&link("L2", "L1", false)).await;
        assert_eq!(id(&lender.shown_chain(1001).await), sellers, "equal length: the seller's");
        let longer = sellers;
        server.import(&link("L3", "L2", false)).await;
        assert_eq!(id(&lender.shown_chain(1003).await), longer, "the longer one bought");
        server.import(&link("L1", "L4", false)).await;
        assert_eq!(id(&lender.shown_chain(1004).await), longer, "the longer one sold");
        server.import(&link("L6", "L5", false)).await;
        server.import(&link("L4", "L6", false)).await;
        let chain = lender.shown_chain(1005).await;
        assert_eq!((id(&chain), uprns(&chain)), (longer, vec![1005, 1006, 1004, 1001, 1002, 1003]));
        assert_eq!(number(&server, "select count(*) from chain").await, 1);
    }
}

story! {
    async fn a_link_clears_the_ends_that_it_covers(server) {
        // S-43.
        server.import(THREE).await;
        let mut checks = String::new();
        for (branch, listing) in [("b1", "L1"), ("b1", "L2"), ("b2", "L3")] {
            for end in ["top", "bottom"] {
                writeln!(checks, r#"{{"type":"end_check","branch":"{branch}","listing":"{listing}","end":"{end}"}}"#).unwrap();
            }
        }
        server.import(&checks).await;
        server.import(&link("L2", "L1", false)).await;
        let lender = server.lender().await;
        let chain = lender.shown_chain(1001).await;
        let closed = |place: usize| {
            let property = &chain["properties"][place];
            (property["isBottomClosed"].clone(), property["isTopClosed"].clone())
        };
        assert_eq!([closed(0), closed(1)], [(json!(true), json!(false)), (json!(false), json!(true))]);
        // Cleared, not hidden: the four outer ones are left.
        assert_eq!(number(&server, "select count(*) from end_check").await, 4);
        let alone = lender.shown_property(1003).await;
        assert_eq!((&alone["isBottomClosed"], &alone["isTopClosed"]), (&json!(true), &json!(true)));
    }
}

story! {
    async fn a_link_is_in_the_history_of_both_listings(server) {
        server.import(&listings(4)).await;
        // One batch makes a chain of two chains.
        let links = link("L2", "L1", false) + &link("L4", "L3", false) + &link("L3", "L2", false);
        server.import(&links).await;
        assert_eq!(server.import(&links).await.unchanged, 3);
        let history = server.storage.read(|read: &mut Read<'_>| {
            let sql = "select s.external_id, h.action, h.actor, h.detail, h.chain_id, s.chain_id \
                 from history h join listing s on s.id = h.listing_id order by h.id";
            read.query(sql, &[], |row| {
                let [listing, action, actor, detail] = [row.text(0)?, row.text(1)?, row.text(2)?, row.text(3)?];
                assert_eq!(row.text(4)?, row.text(5)?);
                Ok(format!("{listing} {action} {actor} {detail}"))
            })
        });
        let history: Result<Vec<String>, StorageError> = history.await;
        assert_eq!(history.unwrap(), [
            r#"L2 link.added import {"seller":2,"buyer":1}"#,
            r#"L1 link.added import {"seller":2,"buyer":1}"#,
            r#"L4 link.added import {"seller":4,"buyer":3}"#,
            r#"L3 link.added import {"seller":4,"buyer":3}"#,
            r#"L3 link.added import {"seller":3,"buyer":2}"#,
            r#"L2 link.added import {"seller":3,"buyer":2}"#,
        ]);
        // The branches of the chain are told (S-93), each of each line once.
        assert_eq!(number(&server, "select count(*) from new_change").await, 6);
    }
}
