//! Rows that say something new of what is there already.

use serde_json::{Value, json};

use super::{THREE, change, link, number, versions};
use crate::story;
use crate::test_server::{Client, TestServer};

/// Imports one row and looks at a part of the property 1001, as a warm server
/// answers it.
async fn check(server: &TestServer, lender: &Client, row: &str, part: &str, expected: Value) {
    let before = versions(server).await;
    lender.shown_chain(1001).await;
    let report = server.import(row).await;
    assert_eq!((report.changed, report.unchanged), (1, 0), "{row}");
    let after = versions(server).await;
    let chain = lender.shown_chain(1001).await;
    let id = chain["chainId"].as_str().unwrap();
    assert!(after[id] > before[id], "the version stands still: {row}");
    let property = lender.shown_property(1001).await;
    assert_eq!(property.pointer(part), Some(&expected), "{row}");

    let again = server.import(row).await;
    assert_eq!((again.changed, again.unchanged), (0, 1), "{row}");
    assert_eq!(versions(server).await, after, "{row}");
}

story! {
    async fn a_correction_changes_what_is_shown_and_raises_the_version(server) {
        server.import(THREE).await;
        server.import(&link("L2", "L1", false)).await;
        let lender = server.lender().await;
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
            check(&server, &lender, row, part, expected).await;
        }
        // What a neighbour shows counts as well: it is the same chain.
        let neighbour = r#"{"type":"milestone","branch":"b1","listing":"L2","key":"exchange","date":"2026-11-02"}"#;
        check(&server, &lender, neighbour, "/tenure", json!("")).await;
    }
}

story! {
    async fn a_listing_may_turn_out_to_sell_another_property(server) {
        server.import(THREE).await;
        let lender = server.lender().await;
        assert_eq!(lender.ask_uprns(&[1001]).await.status, 200);
        let moved = r#"
            {"type":"property","uprn":1009,"line1":"9 High Street","postcode":"LS1 4AP"}
            {"type":"listing","branch":"b1","listing":"L1","uprn":1009}"#;
        assert_eq!(server.import(moved).await.changed, 2);
        assert_eq!(lender.ask_uprns(&[1001]).await.status, 404);
        let property = lender.shown_property(1009).await;
        assert_eq!(property["address"]["line1"], "9 High Street");
    }
}

/// A row that says that L1 sells the property 1003.
const MOVED: &str = r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1003}"#;
const MOVE_REFUSED: &str = "listing `L1` was linked or has milestones, so it cannot move to property 1003: \
                            give that sale another `listing`";

story! {
    async fn the_sale_of_a_home_never_becomes_the_sale_of_another(server) {
        // S-56.
        server.import(THREE).await;
        let sstc = r#"{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-01"}"#;
        refuse_the_move(&server, sstc).await;
        // A withdrawn milestone holds nothing, and Property Listed is of any home.
        change(&server, "update milestone set deleted_at = 1").await;
        let listed = sstc.replace("sstc", "property_listed");
        assert_eq!(server.import(&format!("{listed}\n{MOVED}")).await.changed, 2);
        let back = MOVED.replace("1003", "1001");
        assert_eq!(server.import(&back).await.changed, 1);

        refuse_the_move(&server, &link("L2", "L1", false)).await;
        // It was linked once.
        change(&server, "delete from link").await;
        let (_report, refused) = server.import_with_refusals(MOVED).await;
        assert_eq!(refused, [format!("1: {MOVE_REFUSED}")]);
    }
}

/// Makes L1 a sale with this row, and tries to move it in the same batch and in a later one.
async fn refuse_the_move(server: &TestServer, row: &str) {
    let (report, refused) = server
        .import_with_refusals(&format!("{}\n{MOVED}", row.trim()))
        .await;
    assert_eq!((report.changed, report.bad), (1, 1), "{row}");
    assert_eq!(refused, [format!("2: {MOVE_REFUSED}")]);
    let (report, refused) = server.import_with_refusals(MOVED).await;
    assert_eq!((report.changed, report.bad), (0, 1), "{row}");
    assert_eq!(refused, [format!("1: {MOVE_REFUSED}")]);
    let moved = "select count(*) from listing l join property p on p.id = l.property_id \
         where l.external_id = 'L1' and p.uprn <> 1001";
    assert_eq!(number(server, moved).await, 0);
}

story! {
    async fn a_listing_that_moves_loses_its_end_checks(server) {
        let check = |end: &str| {
            format!(r#"{{"type":"end_check","branch":"b1","listing":"L1","end":"{end}"}}"#) + "\n"
        };
        let count = "select count(*) from end_check";
        server.import(THREE).await;
        server.import(&(check("top") + &check("bottom"))).await;
        assert_eq!(number(&server, count).await, 2);
        assert_eq!(server.import(MOVED).await.changed, 1);
        assert_eq!(number(&server, count).await, 0);
        // Checks before the move in one batch go, and those after it stay.
        let back = MOVED.replace("1003", "1001") + "\n";
        server.import(&(check("top") + &check("bottom") + &back + &check("top"))).await;
        assert_eq!(number(&server, count).await, 1);
        let lender = server.lender().await;
        let property = lender.shown_property(1001).await;
        assert_eq!((&property["isTopClosed"], &property["isBottomClosed"]), (&json!(true), &json!(false)));
    }
}

story! {
    async fn a_withdrawn_milestone_can_be_recorded_again(server) {
        server.import(THREE).await;
        let row = r#"{"type":"milestone","branch":"b1","listing":"L1","key":"exchange","date":"2026-11-02"}"#;
        server.import(row).await;
        change(&server, "update milestone set deleted_at = 1").await;
        assert_eq!(server.import(row).await.changed, 1);
        let count = "select count(*) from milestone where deleted_at is null";
        assert_eq!(number(&server, count).await, 1);
    }
}

story! {
    async fn one_file_may_correct_itself(server) {
        // Within one batch what was read before must not be believed later.
        server.import(THREE).await;
        let lender = server.lender().await;
        let file = r#"
            {"type":"party","branch":"b1","listing":"L1","role":"buyer_conveyancer","name":"Rook & Co"}
            {"type":"listing","branch":"b1","listing":"L1","uprn":1001,"tenure":"leasehold"}
            {"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":"Wren Law"}
            {"type":"branch","branch":"b1","name":"Acorn, Leeds"}
            {"type":"listing","branch":"b1","listing":"L1","uprn":1001,"tenure":"freehold","buyer_conveyancer":"Swift LLP"}
            {"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":"Finch"}"#;
        assert_eq!(server.import(file).await.changed, 6);
        let property = lender.shown_property(1001).await;
        assert_eq!(property["tenure"], "freehold");
        assert_eq!(property["participants"], json!({
            "sellingAgent": "Acorn, Leeds", "sellerConveyancer": "Finch", "buyerConveyancer": "Swift LLP",
        }));
    }
}

/// An unchanged row, so often that the rows around them are in different batches.
fn far_apart(before: &str, after: &str) -> String {
    let between = r#"{"type":"property","uprn":1003,"line1":"3 Park Row","post_town":"York","postcode":"YO1 7HH"}"#;
    format!("{before}{}{after}", format!("{between}\n").repeat(2_500))
}

story! {
    async fn the_history_shows_no_steps_within_an_import(server) {
        let first = THREE.to_owned() + r#"{"type":"listing","branch":"b2","listing":"L4","uprn":1001,"created_at":1}"# + "\n";
        let second = r#"{"type":"milestone","branch":"b2","listing":"L4","key":"sstc","date":"2026-10-01"}"#;
        server.import(&far_apart(&first, second)).await;
        let current = "select l.id from property p join listing l on l.id = p.current_listing_id \
             where p.uprn = 1001 and l.external_id = 'L4'";
        assert!(number(&server, current).await > 0);
        assert_eq!(number(&server, "select count(*) from history").await, 0);
    }
}
