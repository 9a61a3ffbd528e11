//! Each row type, once and twice.

use serde_json::json;

use super::{generated, number, versions};
use crate::story;
use crate::test_server::BEGINNING;

pub(super) const EVERY_TYPE: &str = r#"
{"type":"branch","branch":"b1","name":"Acorn & Co, Leeds","participant":"Acorn Group"}
{"type":"branch","branch":"b2","name":"Oakfield, York"}
{"type":"property","uprn":1001,"line1":"Flat 3","line2":"Mill House","line3":"1 High Street","line4":"Headingley","post_town":"Leeds","postcode":"ls14ap","display_address":"Flat 3 Mill House, Leeds LS1 4AP"}
{"type":"property","uprn":999999999999,"line1":"Plot 7","postcode":"YO1 7HH"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"price":250000,"tenure":"leasehold","transaction_type":["probate","buy_to_let"],"seller_conveyancer":"Swift LLP","buyer_conveyancer":"Rook & Co","created_at":1790000000}
{"type":"listing","branch":"b2","listing":"L1","uprn":"999999999999"}
{"type":"party","branch":"b2","listing":"L1","role":"seller_conveyancer","name":"Wren Law"}
{"type":"party","branch":"b2","listing":"L1","role":"buyer_conveyancer","name":"Swift LLP"}
{"type":"link","seller_branch":"b2","seller":"L1","buyer_branch":"b1","buyer":"L1"}
{"type":"milestone","branch":"b1","listing":"L1","key":"property_listed","date":"2026-09-20"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-01"}
{"type":"milestone","branch":"b1","listing":"L1","key":"cash_buyer","date":"2026-10-02"}
{"type":"milestone","branch":"b1","listing":"L1","key":"proposed_completion","date":"2027-01-08"}
{"type":"milestone","branch":"b1","listing":"L1","key":"valuation_booked","date":"2026-10-03"}
{"type":"milestone","branch":"b2","listing":"L1","key":"fall_through","date":"2026-11-20"}
{"type":"end_check","branch":"b2","listing":"L1","end":"top"}
{"type":"end_check","branch":"b1","listing":"L1","end":"bottom"}
"#;

story! {
    async fn every_row_type_arrives(server) {
        let report = server.import(EVERY_TYPE).await;
        assert_eq!((report.rows, report.changed, report.unchanged, report.bad), (17, 17, 0, 0));
        let lender = server.lender().await;
        let chain = lender.shown_chain(1001).await;
        assert_eq!(chain["chainSummary"], json!({"chainLength": 2, "chainType": "IN_CHAIN"}));
        let (below, above) = (&chain["properties"][0], &chain["properties"][1]);
        assert_eq!(below["address"], json!({
            "line1": "Flat 3", "line2": "Mill House", "line3": "1 High Street",
            "line4": "Headingley", "postTown": "Leeds", "postcode": "LS1 4AP",
            "displayAddress": "Flat 3 Mill House, Leeds LS1 4AP",
        }));
        assert_eq!(below["participants"], json!({
            "sellingAgent": "Acorn & Co, Leeds",
            "sellerConveyancer": "Swift LLP", "buyerConveyancer": "Rook & Co",
        }));
        assert_eq!(below["tenure"], "leasehold");
        assert_eq!(below["transactionType"], json!(["probate", "buy_to_let"]));
        assert_eq!(below["connections"], json!({"buyersSale": [], "onwardPurchase": [999_999_999_999_i64]}));
        assert_eq!((&below["isBottomClosed"], &below["isTopClosed"]), (&json!(true), &json!(false)));
        let milestones = &below["milestones"];
        assert_eq!(milestones["listed"]["completed"], "2026-09-20");
        assert_eq!(milestones["soldSubjectToContract"]["completed"], "2026-10-01");
        assert_eq!(milestones["funding"]["isCashBuyer"], true);
        assert_eq!(milestones["completion"], json!({"completed": null, "expected": "2027-01-08"}));
        assert!(milestones.get("fallThrough").is_none());

        assert_eq!(above["address"], json!({
            "line1": "Plot 7", "line2": "", "line3": "", "line4": "", "postTown": "",
            "postcode": "YO1 7HH", "displayAddress": "Plot 7, YO1 7HH",
        }));
        assert_eq!(above["participants"], json!({
            "sellingAgent": "Oakfield, York",
            "sellerConveyancer": "Wren Law", "buyerConveyancer": "Swift LLP",
        }));
        assert_eq!((&above["tenure"], &above["transactionType"]), (&json!(""), &json!([])));
        assert_eq!((&above["isBottomClosed"], &above["isTopClosed"]), (&json!(false), &json!(true)));
        assert_eq!(above["milestones"]["fallThrough"]["completed"], "2026-11-20");

        // What only document 2 and the store show.
        assert_eq!(number(&server, "select max(price) from listing").await, 250_000);
        assert_eq!(number(&server, "select min(price) from listing").await, 0);
        assert_eq!(number(&server, "select min(created_at) from listing").await, 1_790_000_000);
        assert_eq!(number(&server, "select max(created_at) from listing").await, BEGINNING);
        assert_eq!(number(&server, "select min(origin) from milestone").await, 4, "import (S-51)");
        let participants = "select count(*) from participant where name in ('Acorn Group', 'Oakfield, York')";
        assert_eq!(number(&server, participants).await, 2);
    }
}

story! {
    async fn the_same_file_twice_changes_nothing(server) {
        for file in [EVERY_TYPE.to_owned(), generated(300, 5)] {
            let first = server.import(&file).await;
            assert_eq!((first.changed, first.unchanged), (first.rows, 0));
            let before = versions(&server).await;
            let touched = "select max(updated_at) from listing";
            let last_touched = number(&server, touched).await;
            server.clock.advance(60);
            let second = server.import(&file).await;
            assert_eq!((second.rows, second.changed, second.unchanged), (first.rows, 0, first.rows));
            assert_eq!(versions(&server).await, before);
            assert_eq!(number(&server, touched).await, last_touched);
        }
    }
}
