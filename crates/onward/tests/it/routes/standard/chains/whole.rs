//! A complete answer with every member of document 1 (S-9, S-12).

use serde_json::{Value, json};

use crate::story;

/// A flat with every value, below a new house with none.
const WHOLE: &str = r#"
{"type":"branch","branch":"b1","name":"Acorn & Co, Leeds","participant":"Acorn & Co"}
{"type":"property","uprn":1001,"line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","post_town":"Leeds","postcode":"ls63ab"}
{"type":"property","uprn":900000000001,"line1":"Plot 7","postcode":"LS2 8BB","display_address":"Plot 7, Mill Lane"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"price":1,"tenure":"leasehold","transaction_type":["probate","auction"],"seller_conveyancer":"Tarn LLP"}
{"type":"listing","branch":"b1","listing":"L2","uprn":900000000001}
{"type":"party","branch":"b1","listing":"L1","role":"buyer_conveyancer","name":"Dale Solicitors"}
{"type":"link","seller_branch":"b1","seller":"L2","buyer_branch":"b1","buyer":"L1"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-06-01"}
{"type":"milestone","branch":"b1","listing":"L1","key":"cash_buyer","date":"2026-11-21"}
{"type":"end_check","branch":"b1","listing":"L1","end":"bottom"}
"#;

story! {
    async fn every_member_has_its_place(server) {
        server.import(WHOLE).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let answer = server.query(&lender, &[("inputType", "uprn"), ("value[]", "1001")]).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "application/json");
        let mut body = answer.json();
        // Values that differ in each run.
        for member in ["/data/data/0/chainId", "/provenance/kid", "/provenance/signature",
            "/provenance/payloadHash/value"] {
            let value = body.pointer_mut(member).unwrap();
            assert!(value.is_string(), "{member}");
            *value = json!("…");
        }
        assert_shown!(compact(&body), @r#"
        {"data":{"data":[{"chainId":"…","chainSummary":{"chainLength":2,"chainType":"IN_CHAIN"},
        "properties":[{
        "address":{"displayAddress":"Flat 2, Mill House, 14 Example Road, Headingley, Leeds, LS6 3AB","line1":"Flat 2","line2":"Mill House","line3":"14 Example Road","line4":"Headingley","postTown":"Leeds","postcode":"LS6 3AB"},
        "connections":{"buyersSale":[],"onwardPurchase":[900000000001]},"id":1,"isBottomClosed":true,"isTopClosed":false,
        "milestones":{"completion":{"completed":null,"expected":null},"enquiries":{"completed":null,"started":null},"exchangeOfContracts":{"completed":null,"expected":null},"funding":{"completed":null,"isCashBuyer":true,"started":null},"listed":{"completed":null},"searches":{"drainageWater":{"completed":null},"environmental":{"completed":null},"localAuthority":{"completed":null,"expected":null},"started":null},"soldSubjectToContract":{"completed":"2026-06-01"}},
        "participants":{"buyerConveyancer":"Dale Solicitors","sellerConveyancer":"Tarn LLP","sellingAgent":"Acorn & Co, Leeds"},"tenure":"leasehold","transactionType":["probate","auction"],"uprn":1001},{
        "address":{"displayAddress":"Plot 7, Mill Lane","line1":"Plot 7","line2":"","line3":"","line4":"","postTown":"","postcode":"LS2 8BB"},
        "connections":{"buyersSale":[1001],"onwardPurchase":[]},"id":2,"isBottomClosed":false,"isTopClosed":false,
        "milestones":{"completion":{"completed":null,"expected":null},"enquiries":{"completed":null,"started":null},"exchangeOfContracts":{"completed":null,"expected":null},"funding":{"completed":null,"isCashBuyer":false,"started":null},"listed":{"completed":null},"searches":{"drainageWater":{"completed":null},"environmental":{"completed":null},"localAuthority":{"completed":null,"expected":null},"started":null},"soldSubjectToContract":{"completed":null}},
        "participants":{"buyerConveyancer":"","sellerConveyancer":"","sellingAgent":"Acorn & Co, Leeds"},"tenure":"","transactionType":[],"uprn":900000000001}],
        "queriedAddress":"Flat 2, Mill House, 14 Example Road, Headingley, Leeds, LS6 3AB"}],
        "pagination":{"currentPage":1,"lastPage":1,"perPage":15,"total":1}},
        "provenance":{"alg":"RS256","kid":"…","payloadHash":{"alg":"SHA-256","value":"…"},"signature":"…","signedAt":"2026-11-21T10:00:00Z"}}
        "#);
    }
}

/// JSON with a line for each of the larger members.
fn compact(value: &Value) -> String {
    let mut text = serde_json::to_string(value).unwrap();
    let members = "properties address connections milestones participants queriedAddress \
        pagination provenance";
    for member in members.split(' ') {
        let member = format!("\"{member}\":");
        text = text.replace(&member, &format!("\n{member}"));
    }
    text
}
