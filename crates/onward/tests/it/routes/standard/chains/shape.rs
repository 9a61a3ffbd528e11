//! What an answer shows of a chain: structure, order, ends, addresses (S-8 to S-12, S-42, S-43).

use serde_json::{Value, json};

use super::asker::Asker;
use super::rows::Rows;
use crate::story;

/// What it is about, links as seller and buyer, then type and order as shown.
type Case = (&'static str, &'static [Link], &'static str, &'static [u64]);

type Link = (u64, u64);

/// Types, lengths and orders of chains.
#[rustfmt::skip]
const CHAINS: [Case; 7] = [
    ("one listing", &[], "NOT_IN_CHAIN", &[1]),
    ("two listings", &[(2, 1)], "IN_CHAIN", &[1, 2]),
    ("listed from top to bottom", &[(2, 3), (1, 2)], "IN_CHAIN", &[3, 2, 1]),
    ("two buyers' sales below", &[(3, 1), (3, 2)], "SPLIT_CHAIN", &[1, 2, 3]),
    ("two onward purchases above", &[(2, 1), (3, 1)], "SPLIT_CHAIN", &[1, 2, 3]),
    ("the longest distance counts", &[(1, 4), (2, 3), (1, 2)], "SPLIT_CHAIN", &[3, 4, 2, 1]),
    ("a split in the middle", &[(2, 4), (3, 4), (4, 5), (1, 2)], "SPLIT_CHAIN", &[5, 4, 2, 3, 1]),
];

story! {
    async fn type_length_and_order_follow_from_the_links(world) {
        let asker = Asker::new(&world).await;
        let mut rows = Rows::new();
        for (index, (_name, links, _kind, order)) in CHAINS.iter().enumerate() {
            // Each chain has numbers of its own; their order is that of the listing ids.
            let base = 1000 * (index as u64 + 1);
            let mut uprns = order.to_vec();
            uprns.sort_unstable();
            rows = rows.sales(uprns.iter().map(|uprn| base + uprn));
            for (seller, buyer) in *links {
                rows = rows.split(base + seller, base + buyer);
            }
        }
        world.import(rows.lines()).await;
        for (index, (name, links, kind, order)) in CHAINS.iter().enumerate() {
            let base = 1000 * (index as u64 + 1);
            let order: Vec<u64> = order.iter().map(|uprn| base + uprn).collect();
            // Whichever property is asked for, the chain is the same one.
            for uprn in &order {
                let chain = asker.chain_of(*uprn).await;
                let summary = json!({"chainType": kind, "chainLength": order.len()});
                assert_eq!(chain["chainSummary"], summary, "{name}");
                assert_eq!(list_uprns(&chain), order, "{name}");
                for property in chain["properties"].as_array().unwrap() {
                    check_connections(property, base, links, name);
                }
            }
        }
    }
}

/// Every link is shown on both of its sides, and nothing else is.
fn check_connections(property: &Value, base: u64, links: &[Link], name: &str) {
    let own = property["uprn"].as_u64().unwrap() - base;
    let numbers = |member: &str| {
        let shown = property["connections"][member].as_array().unwrap().iter();
        let mut numbers: Vec<u64> = shown.map(|uprn| uprn.as_u64().unwrap() - base).collect();
        numbers.sort_unstable();
        numbers
    };
    let sorted = |found: Vec<u64>| {
        let mut found = found;
        found.sort_unstable();
        found
    };
    let mine = links.iter().filter(|(_seller, buyer)| *buyer == own);
    let above = sorted(mine.map(|(seller, _buyer)| *seller).collect());
    assert_eq!(numbers("onwardPurchase"), above, "{name}: {own}");
    let mine = links.iter().filter(|(seller, _buyer)| *seller == own);
    let below = sorted(mine.map(|(_seller, buyer)| *buyer).collect());
    assert_eq!(numbers("buyersSale"), below, "{name}: {own}");
}

story! {
    async fn the_orientation_is_that_of_the_example(world) {
        // Seller S, buyer B: B lies below S.
        let (s, b) = (2001, 2002);
        let rows = Rows::new().sales([s, b]).link(s, b);
        world.import(rows.end_check(s, "top").end_check(b, "bottom").lines()).await;
        let chain = Asker::new(&world).await.chain_of(s).await;
        assert_eq!(list_uprns(&chain), [b, s]);
        assert_eq!(find(&chain, b)["connections"]["onwardPurchase"], json!([s]));
        assert_eq!(find(&chain, b)["connections"]["buyersSale"], json!([]));
        assert_eq!(find(&chain, s)["connections"]["buyersSale"], json!([b]));
        assert_eq!(find(&chain, s)["connections"]["onwardPurchase"], json!([]));
        assert_eq!(list_ends(&chain), [(b, false, true), (s, true, false)]);
    }
}

story! {
    async fn only_checked_ends_are_closed(world) {
        let asker = Asker::new(&world).await;
        // Alone and unchecked; alone and checked at both ends; two tops, of which one is checked.
        let rows = Rows::new().sales([1, 2, 3, 4, 5, 6, 7]);
        let rows = rows.end_check(2, "top").end_check(2, "bottom");
        let rows = rows.split(4, 3).split(5, 3).end_check(4, "top");
        let rows = rows.split(7, 6);
        world.import(rows.lines()).await;
        assert_eq!(list_ends(&asker.chain_of(1).await), [(1, false, false)]);
        assert_eq!(list_ends(&asker.chain_of(2).await), [(2, true, true)]);
        let split = [(3, false, false), (4, true, false), (5, false, false)];
        assert_eq!(list_ends(&asker.chain_of(3).await), split);
        // Not even by a check that a link failed to clear.
        let left = world.storage.write(|write| {
            write.execute(
                "insert into end_check (listing_id, chain_end, checked_at) \
                 select id, $1, created_at from listing where external_id in ($2, $3)",
                &["top".into(), "3".into(), "6".into()],
            )?;
            write.execute(
                "insert into end_check (listing_id, chain_end, checked_at) \
                 select id, $1, created_at from listing where external_id in ($2, $3)",
                &["bottom".into(), "5".into(), "7".into()],
            )?;
            write.execute("update chain set version = version + 1", &[])
        });
        assert!(left.await.unwrap() > 0);
        assert_eq!(list_ends(&asker.chain_of(3).await), split);
        assert_eq!(list_ends(&asker.chain_of(6).await), [(6, false, false), (7, false, false)]);
    }
}

story! {
    async fn a_link_clears_the_end_checks_that_it_covers(world) {
        let asker = Asker::new(&world).await;
        let mut rows = Rows::new().sales([1, 2]);
        for uprn in [1, 2] {
            rows = rows.end_check(uprn, "top").end_check(uprn, "bottom");
        }
        world.import(rows.lines()).await;
        world.import(Rows::more().link(2, 1).lines()).await;
        // S-43: the outer ends keep theirs.
        let ends = [(1, false, true), (2, true, false)];
        assert_eq!(list_ends(&asker.chain_of(1).await), ends);
    }
}

story! {
    async fn the_chain_id_stays_with_as_many_readers_as_it_can(world) {
        let asker = Asker::new(&world).await;
        world.import(Rows::new().sales([1, 2, 3, 4, 5]).lines()).await;
        let mut alone = Vec::new();
        for uprn in 1..=5 {
            alone.push(asker.chain_of(uprn).await["chainId"].clone());
        }
        // S-42. Of equal length: the seller's.
        world.import(Rows::more().link(2, 1).lines()).await;
        assert_eq!(asker.chain_of(1).await["chainId"], alone[1]);
        assert_eq!(asker.chain_of(2).await["chainId"], alone[1]);
        // Otherwise the longer one's, be it the buyer's …
        world.import(Rows::more().link(3, 2).lines()).await;
        assert_eq!(asker.chain_of(3).await["chainId"], alone[1]);
        // … or the seller's.
        world.import(Rows::more().link(1, 4).lines()).await;
        assert_eq!(asker.chain_of(4).await["chainId"], alone[1]);
        assert_eq!(asker.chain_of(5).await["chainId"], alone[4]);
        let id = alone[1].as_str().unwrap();
        assert_eq!(uuid::Uuid::parse_str(id).unwrap().to_string(), id);
    }
}

story! {
    async fn a_placeholder_uprn_is_a_number_like_any_other(world) {
        let asker = Asker::new(&world).await;
        let new_build = 900_000_000_001;
        world.import(Rows::new().sales([1, new_build]).link(new_build, 1).lines()).await;
        let chain = asker.chain_of(new_build).await;
        assert_eq!(list_uprns(&chain), [1, new_build]);
        assert_eq!(find(&chain, 1)["connections"]["onwardPurchase"], json!([new_build]));
    }
}

story! {
    async fn tenures_and_transaction_types_are_document_1_s_words(world) {
        let asker = Asker::new(&world).await;
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
        world.import(rows.row(&all).lines()).await;
        let property = asker.chain_of(1).await["properties"][0].clone();
        assert_eq!(property["transactionType"], json!(types));
        assert_eq!(property["tenure"], "");
        for (uprn, tenure) in (2..).zip(tenures) {
            let property = asker.chain_of(uprn).await["properties"][0].clone();
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
