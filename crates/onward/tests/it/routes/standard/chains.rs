//! The chain query.

use signing::jwk::JwkSet;
use signing::provenance::verify_envelope;

use crate::story;

/// Two houses in one chain, and a flat alone.
const CHAIN: &str = r#"
{"type":"branch","branch":"b1","name":"Acorn & Co, Leeds"}
{"type":"property","uprn":1001,"line1":"1 High Street","post_town":"Leeds","postcode":"LS1 4AP"}
{"type":"property","uprn":1002,"line1":"2 Mill Lane","post_town":"Leeds","postcode":"LS2 8BB"}
{"type":"property","uprn":1003,"line1":"Flat 3","line2":"9 Park Row","post_town":"Leeds","postcode":"LS1 5AA"}
{"type":"listing","branch":"b1","listing":"L1","uprn":1001,"price":250000,"tenure":"freehold"}
{"type":"listing","branch":"b1","listing":"L2","uprn":1002,"price":350000,"tenure":"leasehold"}
{"type":"listing","branch":"b1","listing":"L3","uprn":1003,"price":150000}
{"type":"link","seller_branch":"b1","seller":"L2","buyer_branch":"b1","buyer":"L1"}
{"type":"milestone","branch":"b1","listing":"L1","key":"sstc","date":"2026-10-01"}
{"type":"end_check","branch":"b1","listing":"L2","end":"top"}
"#;

story! {
    async fn a_chain_is_answered_and_signed(world) {
        world.import(CHAIN).await;
        let lender = world.register("lender", &["transaction-status"]).await;
        let answer = world.query(&lender, &[("inputType", "uprn"), ("value[]", "1001")]).await;
        let chains = answer.chains();
        assert_eq!(chains.len(), 1);
        assert_eq!(chains[0]["chainSummary"]["chainType"], "IN_CHAIN");
        let keys = JwkSet::parse(&world.jwks().await).unwrap();
        verify_envelope(&answer.body, &keys).unwrap();
    }
}
