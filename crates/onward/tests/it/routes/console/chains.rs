//! `/chains` and `/chains/{chain}`.

mod evidence;
mod history;
mod shares;

use serde_json::Value;

use super::chase::record_slow_chain;
use crate::forecasts::{learn_from_past_sales, record_unsigned_step};
use crate::story;
use crate::test_server::Browser;

story! {
    async fn a_progressor_sees_own_chains_only(server) {
        let agent = server.agent("north").await;
        let other = server.agent("south").await;
        let ids = server.import_sales("north", [1, 2, 3], &[(2, 1), (3, 2)]).await;
        let foreign = server.import_sales("south", [8, 9], &[(9, 8)]).await;
        let (chain, foreign) = (agent.chain_of(ids[0]).await, other.chain_of(foreign[0]).await);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let list = kim.get("/chains").await;
        list.assert_shows("1 Row");
        list.assert_hides("8 Row");
        let page = kim.get(&format!("/chains/{chain}")).await;
        assert_eq!(page.status, 200);
        page.assert_shows("Chain of 3: 1 Row to 3 Row");
        page.assert_shows("Your branch");
        page.assert_shows("Confirm the top");
        let refused = kim.get(&format!("/chains/{foreign}")).await;
        assert_eq!(refused.status, 404);
        for ending in [".json", ".csv", ".ics", "/history"] {
            let refused = kim.get(&format!("/chains/{foreign}{ending}")).await;
            assert!([403, 404].contains(&refused.status), "{ending}");
        }
        for path in ["/chains/1", "/chains/x.json", "/chains/00000000-0000-0000-0000-000000000000"] {
            assert_eq!(kim.get(path).await.status, 404, "{path}");
        }
    }
}

story! {
    async fn a_reader_sees_the_chain_of_the_home_that_was_looked_up(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.get(&format!("/chains/{chain}")).await.status, 404);
        assert_eq!(lee.get(&format!("/chains/{chain}?uprn=7")).await.status, 404);
        let page = lee.get(&format!("/chains/{chain}?uprn=2")).await;
        page.assert_shows("Chain of 2: 1 Row to 2 Row");
        for hidden in ["Confirm the top", "Share", "History", "Your branch"] {
            page.assert_hides(hidden);
        }
        assert_eq!(lee.get("/chains").await.status, 403);
    }
}

story! {
    async fn the_signed_answer_is_document_1s(server) {
        let agent = server.agent("north").await;
        let lender = server.lender().await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let shown = kim.get(&format!("/chains/{chain}.json")).await;
        let shown: Value = serde_json::from_str(&shown.html).unwrap();
        let asked = lender.ask(&[("inputType", "uprn"), ("value[]", "1")]).await.json();
        assert_eq!(shown["data"]["data"][0], asked["data"]["data"][0]);
        assert_eq!(shown["provenance"]["payloadHash"], asked["provenance"]["payloadHash"]);
        assert_eq!(shown["provenance"]["signature"], asked["provenance"]["signature"]);
    }
}

story! {
    async fn tables_and_dates_are_files(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1, 2], &[(2, 1)]).await;
        assert_eq!(agent.record(ids[0], "proposed_exchange", "2026-12-18").await.status, 200);
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let csv = kim.get(&format!("/chains/{chain}.csv")).await.html;
        let lines: Vec<_> = csv.lines().collect();
        assert!(lines[0].starts_with("uprn,address,selling_agent,"));
        assert!(lines[1].starts_with("2,\"2 Row, Leeds, LS1 4AP\","), "{csv}");
        assert!(lines[2].contains(",2026-12-18,"), "{csv}");
        let dates = kim.get(&format!("/chains/{chain}.ics")).await.html;
        assert!(dates.contains("DTSTART;VALUE=DATE:20261218\r\n"), "{dates}");
        assert!(dates.contains("SUMMARY:Proposed Exchange: 1 Row\r\n"), "{dates}");
    }
}

story! {
    async fn files_of_a_reader_have_document_1s_members_alone(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        for (key, date) in [
            ("completion_date_set", "2026-11-18"),
            ("cash_buyer", "2026-11-17"),
            ("sstc", "2026-11-16"),
        ] {
            assert_eq!(agent.record(ids[0], key, date).await.status, 200, "{key}");
        }
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let own = kim.get(&format!("/chains/{chain}.csv")).await.html;
        assert!(own.contains("2026-11-18") && own.contains("2026-11-17"), "{own}");
        let mut lee = server.sign_in_as("lender", &[]).await;
        let shown = lee.get(&format!("/chains/{chain}.csv?uprn=1")).await.html;
        assert!(shown.contains(",2026-11-16,") && shown.contains(",yes,"), "{shown}");
        assert!(!shown.contains("2026-11-18") && !shown.contains("2026-11-17"), "{shown}");
        assert!(!shown.contains("completion_date_set"), "{shown}");
    }
}

story! {
    async fn a_list_shows_no_step_that_only_another_branch_may_see(server) {
        let [north, south] = server.two_agents().await;
        let ours = server.import_sales("north", [1], &[]).await;
        let theirs = server.import_sales("south", [2], &[]).await;
        assert_eq!(north.link(ours[0], theirs[0]).await.status, 200);
        assert_eq!(south.record(theirs[0], "mortgage_offer_expected", "2026-12-17").await.status, 200);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        kim.get("/chains").await.assert_hides("Mortgage Offer Expected");
        let mut sam = server.sign_in_as("progressor", &["south"]).await;
        sam.get("/chains").await.assert_shows("Mortgage Offer Expected");
    }
}

story! {
    async fn lists_are_filtered(server) {
        let (_agent, _ids, mut kim) = server.progressor_with_sales([1, 2, 3], &[(2, 1)]).await;
        let list = kim.get("/chains?q=3+row").await;
        list.assert_shows("3 Row");
        list.assert_hides("1 Row");
        kim.get("/chains?ends=open").await.assert_shows("1 Row");
        let odd = "/chains?branch=x&stage=nothing&after=nonsense&q=%00";
        assert_eq!(kim.get(odd).await.status, 200);
    }
}

story! {
    async fn an_expected_date_is_over_once_its_step_is_done(server) {
        let agent = server.agent("north").await;
        let ids = server.import_sales("north", [1], &[]).await;
        agent.record(ids[0], "mortgage_offer_expected", "2026-11-10").await;
        agent.record(ids[0], "proposed_exchange", "2026-12-18").await;
        let chain = agent.chain_of(ids[0]).await;
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let calendar = format!("/chains/{chain}.ics");
        kim.get("/chains").await.assert_shows("Mortgage Offer Expected");
        assert!(kim.get(&calendar).await.html.contains("20261110"));
        // Readers see the types of document 1 alone.
        let mut lee = server.sign_in_as("lender", &[]).await;
        let read = lee.get(&format!("/chains/{chain}.ics?uprn=1")).await.html;
        assert!(read.contains("20261218") && !read.contains("20261110"), "{read}");
        agent.record(ids[0], "mortgage_offered", "2026-11-12").await;
        let list = kim.get("/chains").await;
        list.assert_hides("Mortgage Offer Expected");
        list.assert_shows("Proposed Exchange");
        agent.record(ids[0], "exchange", "2026-11-20").await;
        kim.get("/chains").await.assert_hides("Proposed Exchange");
        let calendar = kim.get(&calendar).await.html;
        assert!(!calendar.contains("20261110") && !calendar.contains("20261218"), "{calendar}");
    }
}

story! {
    async fn a_progressor_sees_the_sale_that_holds_the_chain(server) {
        learn_from_past_sales(&server).await;
        let agent = server.agent("north").await;
        let (one, [sales, days]) = record_slow_chain(&agent).await;
        let chain = agent.chain_of(one).await;
        let path = format!("/chains/{chain}");
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get(&path).await;
        page.assert_shows(&format!("901 High Street : enquiries are not closed, 119 days after \
            Enquiries Opened on 25 Jul. Of {sales} comparable sales, 9 in 10 did this within {days} days."));
        page.assert_shows("Chase the seller’s conveyancer.");
        page.assert_shows("When exchange may come");
        kim.get("/chains").await.assert_shows("▲ 901 High Street enquiries are not closed, 119 days");
        let fresh = agent.list(903).await;
        agent.record(fresh, "sstc", "2026-11-20").await;
        kim.get("/chains").await.assert_shows("903 High Street");
        let stuck = kim.get("/chains?stuck=1").await;
        stuck.assert_shows("901 High Street");
        stuck.assert_hides("903 High Street");
        let mut lee = server.sign_in_as("lender", &[]).await;
        let page = lee.get(&format!("{path}?uprn=901")).await;
        assert_eq!(page.status, 200);
        for hidden in ["What holds it up", "When exchange may come", "enquiries are not"] {
            page.assert_hides(hidden);
        }
    }
}

story! {
    async fn without_comparable_sales_the_page_says_so(server) {
        let agent = server.agent("north").await;
        let listing = agent.list(901).await;
        let path = format!("/chains/{}", agent.chain_of(listing).await);
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        kim.get(&path).await.assert_shows("901 High Street has no buyer yet");
        for (key, shown) in [
            ("sstc", "Too few sales to say: 0 comparable sales ended these steps, and the rule needs 30."),
            ("fall_through", "The chain is broken at 901 High Street : its sale fell through on 20 Nov."),
            ("exchange", "Nothing holds it up : all sales have exchanged."),
        ] {
            agent.record(listing, key, "2026-11-20").await;
            let page = kim.get(&path).await;
            page.assert_shows(shown);
            page.assert_shows("No forecast.");
        }
    }
}

story! {
    async fn other_branches_share_only_milestones_with_a_label(server) {
        let ([north, _south], [ours, _theirs]) = record_unsigned_step(&server).await;
        let path = format!("/chains/{}", north.chain_of(ours).await);
        let mut sam = server.sign_in_as("progressor", &["south"]).await;
        sam.get(&path).await.assert_shows(
            "902 High Street : the contract is not received, 30 days after Contract Sent on 22 Oct.");
        let mut kim = server.sign_in_as("progressor", &["north"]).await;
        let page = kim.get(&path).await;
        page.assert_shows("902 High Street : enquiries are not opened.");
        for hidden in ["22 Oct", "contract is not received", "Contract Sent"] {
            page.assert_hides(hidden);
        }
        let list = kim.get("/chains").await;
        list.assert_shows("▲ 902 High Street enquiries are not opened");
        list.assert_hides("30 days");
    }
}

/// The chains of all pages of a list, page by page.
async fn follow(kim: &mut Browser, first: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut next = Some(first.to_owned());
    while let Some(path) = next {
        let page = kim.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        let rows = page.html.split("<th scope=\"row\"><a href=\"").skip(1);
        let rows = rows.map(|row| row.split('"').next().unwrap().to_owned());
        pages.push(rows.collect());
        let link = page.html.split("\">Next chains").next();
        let link = link.filter(|before| before.len() < page.html.len());
        next = link.map(|link| link.rsplit("href=\"").next().unwrap().replace("&#38;", "&"));
    }
    pages
}

story! {
    async fn each_chain_stands_on_one_page(server) {
        server.agent("north").await;
        server.agent("south").await;
        server.import_sales("north", 1..=104, &[(2, 1), (104, 103)]).await;
        // The newest and the oldest sale of one chain are of two branches of one person.
        server.import_sales("south", [200], &[]).await;
        let rows = r#"{"type":"link","seller_branch":"south","seller":"200","buyer_branch":"north","buyer":"3"}"#;
        server.import(rows).await;
        let mut kim = server.sign_in_as("progressor", &["north", "south"]).await;
        let pages = follow(&mut kim, "/chains").await;
        let sizes: Vec<_> = pages.iter().map(Vec::len).collect();
        assert_eq!(sizes, [50, 50, 2]);
        let mut all: Vec<_> = pages.concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 102);
    }
}

story! {
    async fn a_page_looks_at_a_part_of_many_sales(server) {
        let (_agent, _ids, mut kim) = server.progressor_with_sales(1..=520, &[]).await;
        let first = kim.get("/chains?q=zzzz").await;
        first.assert_shows("No chain fits among those that changed last.");
        first.assert_shows("Each page looks at a part of your chains");
        // The lowest number is the oldest sale, and stands on the next page.
        let pages = follow(&mut kim, "/chains?q=1+row%2C").await;
        assert!(pages.len() > 1, "{pages:?}");
        assert_eq!(pages.concat().len(), 52);
        // A sale without buyer is in no list of late sales, and costs it nothing.
        kim.get("/chains?stuck=1").await.assert_shows("No chain fits.");
    }
}
