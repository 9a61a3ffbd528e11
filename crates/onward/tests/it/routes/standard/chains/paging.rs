//! Pages, order, and which value leads to which element (S-2, S-4, S-5).

use serde_json::{Value, json};

use super::rows::Rows;
use crate::test_server::Answer;
use crate::{sqlite_story, story};

const ASK: [(&str, &str); 4] = [
    ("inputType", "uprn"),
    ("value[]", "1"),
    ("value[]", "2"),
    ("value[]", "3"),
];

sqlite_story! {
    async fn rows_come_from_the_body_before_the_query_string(server) {
        let asker = server.lender_with_sales([1, 2, 3]).await;
        let cases = [
            ("", None, 15),
            ("?rows=2", None, 2),
            ("", Some("1"), 1),
            ("?rows=2", Some("1"), 1),
            // The query string's is not looked at then.
            ("?rows=none", Some("1"), 1),
            ("", Some("100"), 100),
            ("?rows=100", None, 100),
        ];
        for (query, in_body, per_page) in cases {
            let mut form = ASK.to_vec();
            form.extend(in_body.map(|rows| ("rows", rows)));
            let answer = asker.ask_at(query, &form).await;
            let shown = answer.chains().len() as u64;
            assert_eq!(shown, per_page.min(3), "{query} {in_body:?}");
            let last = 3_u64.div_ceil(per_page);
            assert_eq!(pages(&answer), (3, per_page, 1, last), "{query} {in_body:?}");
        }
    }
}

sqlite_story! {
    async fn rows_and_page_outside_their_bounds_are_refused(server) {
        let asker = server.lender_with_sales([1, 2, 3]).await;
        // Encoded for a URL, in which a plus sign is a space.
        let nonsense = ["", "0", "-1", "+1", "%2B1", "%201", "1%20", "1.0", "1e1", "0x1", "1,000",
            "one", "%D9%A1", "1%00", "99999999999999999999", "-99999999999999999999"];
        let rows_detail = "rows: must be an integer from 1 to 100";
        for text in nonsense.iter().chain(&["101", "18446744073709551615"]) {
            let answer = asker.ask_at(&format!("?rows={text}"), &ASK).await;
            assert_eq!(answer.problem(), format!("422 values-invalid: {rows_detail}"), "{text}");
            let body = format!("inputType=uprn&value[]=1&rows={text}");
            let answer = asker.send_form(&body).await;
            assert_eq!(answer.problem(), format!("422 values-invalid: {rows_detail}"), "{text}");
        }
        // Beyond 2^53 - 1 the number would not survive canonical JSON (RFC 8785 section 3.1).
        for text in nonsense.iter().chain(&["9007199254740992", "18446744073709551615"]) {
            let answer = asker.ask_at(&format!("?page={text}"), &ASK).await;
            let errors = answer.json()["errors"].clone();
            assert_eq!(answer.status, 422, "{text}");
            assert_eq!(errors.as_array().unwrap().len(), 1, "{text}");
            assert_eq!(errors[0]["pointer"], "page", "{text}");
        }
        let answer = asker.ask_at("?page=0&rows=0", &ASK).await;
        assert_eq!(answer.json()["errors"].as_array().unwrap().len(), 2);
    }
}

sqlite_story! {
    async fn a_page_in_the_body_is_ignored_whatever_it_holds(server) {
        let asker = server.lender_with_sales([1, 2, 3]).await;
        for text in ["2", "0", "-1", "nonsense", "", "99999999999999999999"] {
            let mut form = ASK.to_vec();
            form.extend([("rows", "2"), ("page", text)]);
            assert_eq!(pages(&asker.ask(&form).await), (3, 2, 1, 2), "{text}");
            // Also beside one in the query string, which counts.
            assert_eq!(pages(&asker.ask_at("?page=2", &form).await), (3, 2, 2, 2), "{text}");
        }
    }
}

sqlite_story! {
    async fn pages_follow_each_other_and_end_in_empty_ones(server) {
        let asker = server.lender_with_sales([1, 2, 3]).await;
        let mut form = vec![("rows", "2"), ("value[]", "99")];
        form.extend(ASK);
        let cases: [(&str, &[u64]); 5] = [
            ("1", &[1, 2]),
            ("2", &[3]),
            ("3", &[]),
            ("4000000000", &[]),
            ("9007199254740991", &[]),
        ];
        for (page, shown) in cases {
            let answer = asker.ask_at(&format!("?page={page}"), &form).await;
            // The value without a match does not count.
            assert_eq!(pages(&answer), (3, 2, page.parse().unwrap(), 2));
            assert_eq!(firsts(&answer), shown, "page {page}");
        }
        // The node may keep the answer for one value alone.
        for (page, rows, shown) in [(1, 2, 1), (2, 2, 0), (1, 3, 1), (1, 2, 1), (2, 3, 0)] {
            let query = format!("?page={page}&rows={rows}");
            let answer = asker.ask_at(&query, &ASK[..2]).await;
            assert_eq!(pages(&answer), (1, rows, page, 1), "{query}");
            assert_eq!(answer.chains().len(), shown, "{query}");
        }
    }
}

story! {
    async fn each_matched_value_is_one_element_in_the_order_asked(server) {
        let rows = Rows::new().sales([1, 2, 3]).link(2, 1);
        server.import(rows.lines()).await;
        let asker = server.lender().await;
        // 1 and 2 are in one chain; 77 and 78 are nowhere.
        let answer = asker.ask_uprns(&[78, 3, 2, 77, 1, 3]).await;
        let chains = answer.chains();
        assert_eq!(firsts(&answer), [3, 1, 1, 3]);
        assert_eq!(chains[1]["chainId"], chains[2]["chainId"]);
        assert_eq!(chains[0], chains[3]);
        assert_eq!(pages(&answer), (4, 100, 1, 1));
        let shown: Vec<&Value> = chains.iter().map(|chain| &chain["queriedAddress"]).collect();
        let address = |number: u64| json!(format!("{number} High Street, Leeds, LS1 4AP"));
        assert_eq!(shown, [&address(3), &address(2), &address(1), &address(3)]);
    }
}

story! {
    async fn no_match_at_all_is_not_found(server) {
        server.import(Rows::new().sales([1]).property(2, "2 Mill Lane", "LS2 8BB").lines()).await;
        let asker = server.lender().await;
        let detail = "404 not-found: No property with a current listing fits any of the values \
            asked for.";
        for uprns in [&[99_i64][..], &[99, 98], &[2], &[999_999_999_999]] {
            assert_eq!(asker.ask_uprns(uprns).await.problem(), detail);
        }
        for address in ["99 Nowhere Lane", "ZE3 9JP", "2 Mill Lane, Leeds, LS2 8BB"] {
            assert_eq!(asker.ask_address(address).await.problem(), detail);
        }
        // Not even on a page that would be empty.
        let nothing = [("inputType", "uprn"), ("value[]", "99")];
        assert_eq!(asker.ask_at("?page=7", &nothing).await.problem(), detail);
    }
}

sqlite_story! {
    async fn the_queried_address_is_the_value_as_sent_or_the_property_s(server) {
        let rows = Rows::new().row(&json!({
            "type": "property", "uprn": 1, "line1": "1 High Street", "post_town": "Leeds",
            "postcode": "LS1 4AP", "display_address": "1 High Street, Leeds LS1 4AP",
        }));
        server.import(rows.listing(1, "L1").lines()).await;
        let asker = server.lender().await;
        for sent in ["1 High Street, Leeds LS1 4AP", "  1 HIGH street;\tleeds\n ls14ap ",
            "LS1 4AP", "ls14ap", "1 “High” Street \\ \"Leeds\" LS1 4AP \u{1f3e0}\u{2028}"] {
            let answer = asker.ask_address(sent).await;
            assert_eq!(answer.chains()[0]["queriedAddress"], sent);
        }
        for sent in ["1", "0001", " 1 "] {
            let answer = asker.ask(&[("inputType", "uprn"), ("value[]", sent)]).await;
            let shown = "1 High Street, Leeds LS1 4AP";
            assert_eq!(answer.chains()[0]["queriedAddress"], shown);
        }
    }
}

/// `total`, `perPage`, `currentPage`, `lastPage`.
fn pages(answer: &Answer) -> (u64, u64, u64, u64) {
    let body = answer.json();
    assert_eq!(answer.status, 200, "{body}");
    let pagination = body["data"]["pagination"].as_object().unwrap();
    assert_eq!(pagination.len(), 4);
    let number = |member: &str| pagination[member].as_u64().unwrap();
    let last = number("lastPage");
    (
        number("total"),
        number("perPage"),
        number("currentPage"),
        last,
    )
}

/// The number of the lowest property of each chain.
fn firsts(answer: &Answer) -> Vec<u64> {
    let chains = answer.chains().into_iter();
    chains
        .map(|chain| chain["properties"][0]["uprn"].as_u64().unwrap())
        .collect()
}
