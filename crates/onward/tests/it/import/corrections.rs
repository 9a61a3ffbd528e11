//! Rows that say something new of what is there already.

use serde_json::{Value, json};

use super::{Lender, THREE, change, link, number, versions};
use crate::story;
use crate::world::World;

/// Imports one row and looks at a part of the property 1001, as a warm server
/// answers it.
async fn check(world: &World, lender: &Lender, row: &str, part: &str, expected: Value) {
    let before = versions(world).await;
    lender.chain(world, 1001).await;
    let report = world.import(row).await;
    assert_eq!((report.changed, report.unchanged), (1, 0), "{row}");
    let after = versions(world).await;
    let chain = lender.chain(world, 1001).await;
    let id = chain["chainId"].as_str().unwrap();
    assert!(after[id] > before[id], "the version stands still: {row}");
    let property = lender.property(world, 1001).await;
    assert_eq!(property.pointer(part), Some(&expected), "{row}");

    let again = world.import(row).await;
    assert_eq!((again.changed, again.unchanged), (0, 1), "{row}");
    assert_eq!(versions(world).await, after, "{row}");
}

story! {
    async fn a_correction_changes_what_is_shown_and_raises_the_version(world) {
        world.import(THREE).await;
        world.import(&link("L2", "L1", false)).await;
        let lender = Lender::new(&world).await;
        let none = json!(null);
        for (row, part, expected) in [
            (r#"{"type":"property","uprn":1001,"line1":"1a High Street","post_town":"Leeds","postcode":"LS1 4AP"}"#, "/address/displayAddress", json!("1a High Street, Leeds, LS1 4AP")),
            (r#"{"type":"property","uprn":1001,"line1":"1a High Street","postcode":"LS1 4AQ","display_address":"1a High Street"}"#, "/address/postTown", json!("")),
            (r#"{"type":"branch","branch":"b1","name":"Acorn, Leeds"}"#, "/participants/sellingAgent", json!("Acorn, Leeds")),
            (r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"tenure":"freehold"}"#, "/tenure", json!("freehold")),
            (r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"transaction_type":["auction"]}"#, "/transactionType", json!(["auction"])),
            (r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1001}"#, "/transactionType", json!([])),
            (r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"seller_conveyancer":"Swift LLP"}"#, "/participants/sellerConveyancer", json!("Swift LLP")),
            // A listing that says nothing of its conveyancers leaves them as they are.
            (r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"price":5}"#, "/participants/sellerConveyancer", json!("Swift LLP")),
            (r#"{"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":"Wren Law"}"#, "/participants/sellerConveyancer", json!("Wren Law")),
            (r#"{"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":""}"#, "/participants/sellerConveyancer", json!("")),
            (r#"{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-01"}"#, "/milestones/soldSubjectToContract/completed", json!("2026-10-01")),
            (r#"{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-02"}"#, "/milestones/soldSubjectToContract/completed", json!("2026-10-02")),
            (r#"{"type":"milestone","branch":"b1","listing":"L1","key":"valuation_booked","date":"2026-10-02"}"#, "/milestones/funding/started", none),
            (r#"{"type":"end_check","branch":"b1","listing":"L1","end":"bottom"}"#, "/isBottomClosed", json!(true)),
        ] {
            check(&world, &lender, row, part, expected).await;
        }
        // What a neighbour shows counts as well: it is the same chain.
        let neighbour = r#"{"type":"milestone","branch":"b1","listing":"L2","key":"exchange","date":"2026-11-02"}"#;
        check(&world, &lender, neighbour, "/tenure", json!("")).await;
    }
}

story! {
    async fn a_listing_may_turn_out_to_sell_another_property(world) {
        world.import(THREE).await;
        let lender = Lender::new(&world).await;
        assert_eq!(lender.status(&world, 1001).await, 200);
        let moved = r#"
            {"type":"property","uprn":1009,"line1":"9 High Street","postcode":"LS1 4AP"}
            {"type":"listing","branch":"b1","listing":"L1","uprn":1009}"#;
        assert_eq!(world.import(moved).await.changed, 2);
        assert_eq!(lender.status(&world, 1001).await, 404);
        let property = lender.property(&world, 1009).await;
        assert_eq!(property["address"]["line1"], "9 High Street");
    }
}

story! {
    async fn a_withdrawn_milestone_can_be_recorded_again(world) {
        world.import(THREE).await;
        let row = r#"{"type":"milestone","branch":"b1","listing":"L1","key":"exchange","date":"2026-11-02"}"#;
        world.import(row).await;
        change(&world, "update milestone set deleted_at = 1").await;
        assert_eq!(world.import(row).await.changed, 1);
        assert_eq!(number(&world, "select count(*) from milestone where deleted_at is null").await, 1);
    }
}

story! {
    async fn one_file_may_correct_itself(world) {
        // Within one batch what was read before must not be believed later.
        world.import(THREE).await;
        let lender = Lender::new(&world).await;
        let file = r#"
            {"type":"party","branch":"b1","listing":"L1","role":"buyer_conveyancer","name":"Rook & Co"}
            {"type":"listing","branch":"b1","listing":"L1","uprn":1001,"tenure":"leasehold"}
            {"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":"Wren Law"}
            {"type":"branch","branch":"b1","name":"Acorn, Leeds"}
            {"type":"listing","branch":"b1","listing":"L1","uprn":1001,"tenure":"freehold","buyer_conveyancer":"Swift LLP"}
            {"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":"Finch"}"#;
        assert_eq!(world.import(file).await.changed, 6);
        let property = lender.property(&world, 1001).await;
        assert_eq!(property["tenure"], "freehold");
        assert_eq!(property["participants"], json!({
            "sellingAgent": "Acorn, Leeds", "sellerConveyancer": "Finch", "buyerConveyancer": "Swift LLP",
        }));
    }
}
