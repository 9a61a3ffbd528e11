//! Rows that cannot be loaded, among others that can.

use super::{THREE, change, link, number};
use crate::story;

const MIXED: &str = r#"{"type":"branch","branch":"b1","name":"Acorn & Co, Leeds"}
{"type":"listing","branch":"b9","listing":"L1","uprn":1001}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001}
{"type":"property","uprn":1001,"line1":"1 High Street","postcode":"LS1 4AP"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001}
{"type":"party","branch":"b1","listing":"L7","role":"seller_conveyancer","name":"Wren Law"}
{"type":"party","branch":"b9","listing":"L1","role":"seller_conveyancer","name":"Wren Law"}
{"type":"link","seller_branch":"b1","seller":"L7","buyer_branch":"b1","buyer":"L1"}
{"type":"link","seller_branch":"b1","seller":"L1","buyer_branch":"b1","buyer":"L7"}

{"type":"milestone","branch":"b1","listing":"L7","key":"sstc","date":"2026-10-01"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sold","date":"2026-10-01"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-02-30"}
{"type":"end_check","branch":"b1","listing":"L7","end":"top"}
{"type":"listing","branch":"b1","listing":"L2","uprn":1001,"prise":1}
{"type":"property","uprn":1002,"line1":"2 High Street","postcode":"LS1"}
nothing at all
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-01"}
"#;

story! {
    async fn bad_rows_are_named_and_good_ones_load(server) {
        let (report, refused) = server.import_with_refusals(MIXED).await;
        assert_eq!((report.rows, report.changed, report.unchanged, report.bad), (17, 4, 0, 13));
        assert_eq!(refused, [
            "2: branch `b9` is not known: put its row before this one",
            "3: property 1001 is not known: put its row before this one",
            "6: listing `L7` of branch `b1` is not known: put its row before this one",
            "7: branch `b9` is not known: put its row before this one",
            "8: listing `L7` of branch `b1` is not known: put its row before this one",
            "9: listing `L7` of branch `b1` is not known: put its row before this one",
            "11: listing `L7` of branch `b1` is not known: put its row before this one",
            "12: key `sold` is no key of the milestone catalogue: write one such as sstc or exchange",
            "13: date `2026-02-30` must be a day of the calendar from 1900 to 2200",
            "14: listing `L7` of branch `b1` is not known: put its row before this one",
            "15: a row of type listing has no member `prise`: remove it or correct its name to one of branch, listing, uprn, price, tenure, transaction_type, seller_conveyancer, buyer_conveyancer, created_at",
            "16: postcode `LS1` must be a full UK postcode, such as LS1 4AP",
            "17: the line is not one JSON object: expected ident at line 1 column 2",
        ]);
        let lender = server.lender().await;
        let property = lender.shown_property(1001).await;
        assert_eq!(property["milestones"]["soldSubjectToContract"]["completed"], "2026-10-01");
        assert_eq!(number(&server, "select count(*) from listing").await, 1);
        assert_eq!(number(&server, "select count(*) from chain").await, 1);

        let (again, refused_again) = server.import_with_refusals(MIXED).await;
        // The listing of line 3 came before its property, which is known by now.
        assert_eq!((again.rows, again.changed, again.unchanged, again.bad), (17, 0, 5, 12));
        assert_eq!(refused_again.len(), 12);
    }
}

story! {
    async fn a_milestone_needs_a_date_that_its_type_can_have(server) {
        server.import(THREE).await;
        let (report, refused) = server.import_with_refusals(
            r#"{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-11-22"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"1950-10-14"}
{"type":"milestone","branch":"b1","listing":"L1","key":"proposed_exchange","date":"2026-11-22"}
"#).await;
        assert_eq!((report.changed, report.bad), (1, 2));
        assert_eq!(refused, [
            "1: sstc cannot have the date 2026-11-22: write one from 1990-01-01 to 2026-11-21",
            "2: sstc cannot have the date 1950-10-14: write one from 1990-01-01 to 2026-11-21",
        ]);
    }
}

story! {
    async fn an_end_check_must_be_at_an_end(server) {
        server.import(THREE).await;
        server.import(&link("L2", "L1", false)).await;
        let (report, refused) = server.import_with_refusals(
            r#"{"type":"end_check","branch":"b1","listing":"L1","end":"top"}
{"type":"end_check","branch":"b1","listing":"L2","end":"bottom"}
{"type":"end_check","branch":"b1","listing":"L2","end":"top"}
{"type":"end_check","branch":"b2","listing":"L3","end":"top"}
{"type":"end_check","branch":"b2","listing":"L3","end":"bottom"}
"#).await;
        assert_eq!((report.changed, report.bad), (3, 2));
        assert_eq!(refused, [
            "1: listing `L1` is not the top of its chain: something is linked above it",
            "2: listing `L2` is not the bottom of its chain: something is linked below it",
        ]);
        assert_eq!(number(&server, "select count(*) from end_check").await, 3);
    }
}

story! {
    async fn a_withdrawn_listing_stays_withdrawn(server) {
        server.import(THREE).await;
        let withdraw = "update listing set deleted_at = 1795255200 where external_id = 'L1'";
        change(&server, withdraw).await;
        change(&server, "update property set current_listing_id = null where uprn = 1001").await;
        let (report, refused) = server.import_with_refusals(
            r#"{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"price":1}
{"type":"party","branch":"b1","listing":"L1","role":"seller_conveyancer","name":"Wren Law"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-01"}
{"type":"link","seller_branch":"b1","seller":"L1","buyer_branch":"b1","buyer":"L2"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001}
"#).await;
        assert_eq!((report.changed, report.bad), (0, 5));
        let unknown = "listing `L1` of branch `b1` is not known: put its row before this one";
        assert_eq!(refused, [
            "1: listing `L1` was withdrawn",
            &format!("2: {unknown}"),
            &format!("3: {unknown}"),
            &format!("4: {unknown}"),
            "5: listing `L1` was withdrawn",
        ]);
        let lender = server.lender().await;
        assert_eq!(lender.ask_uprns(&[1001]).await.status, 404);
        // Another listing sells the property again (S-6).
        server.import(r#"{"type":"listing","branch":"b2","listing":"L1","uprn":1001}"#).await;
        assert_eq!(lender.ask_uprns(&[1001]).await.status, 200);
    }
}

story! {
    async fn nothing_of_a_locked_listing_is_linked_or_checked(server) {
        // S-53.
        server.import(THREE).await;
        change(&server, "update listing set is_locked = 1 where external_id = 'L2'").await;
        let check = r#"{"type":"end_check","branch":"b1","listing":"L2","end":"top"}"#;
        let rows = link("L2", "L1", false) + &link("L1", "L2", true) + check;
        let (report, refused) = server.import_with_refusals(&rows).await;
        assert_eq!((report.changed, report.bad), (0, 3));
        assert_eq!(refused, [
            "1: seller listing `L2` of branch `b1` is locked; unlock it first",
            "2: buyer listing `L2` of branch `b1` is locked; unlock it first",
            "3: listing `L2` is locked; unlock it first",
        ]);
        change(&server, "update listing set is_locked = 0 where external_id = 'L2'").await;
        server.import(check).await;
        change(&server, "update listing set is_locked = 1 where external_id = 'L2'").await;
        let again = server.import(check).await;
        assert_eq!(again.unchanged, 1, "what stands already may be said again");
    }
}
