//! The search for addresses: candidates for people and programs that choose.

use http::Method;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::query::questions::read;
use crate::query::rows::Rows;
use crate::test_server::{Answer, Client, TestServer};
use crate::{sqlite_story, story};

const PATH: &str = "/api/v1/standard/addresses";

async fn begin(server: &TestServer) -> Client {
    let rows = Rows::new()
        .sale(1, "12 Church Road", "LS1 4AP")
        .sale(2, "14 Church Road", "LS1 4AP")
        .sale(3, "Flat 1, 20 Mill Lane", "LS2 8BB")
        .sale(4, "Flat 2, 20 Mill Lane", "LS2 8BB")
        .property(5, "16 Church Road", "LS1 4AP");
    server.import(rows.lines()).await;
    server.lender().await
}

/// A request with the token.
fn request(asker: &Client, method: &Method, query: &str) -> RequestBuilder {
    let request = asker.at_base(method, &format!("{PATH}{query}"));
    request.bearer_auth(&asker.token)
}

async fn look_up(asker: &Client, parameters: &[(&str, &str)]) -> Answer {
    read(request(asker, &Method::GET, "").query(parameters)).await
}

async fn suggestions(asker: &Client, parameters: &[(&str, &str)]) -> Vec<Value> {
    let answer = look_up(asker, parameters).await;
    assert_eq!(answer.status, 200, "{parameters:?}");
    answer.json()["data"].as_array().unwrap().clone()
}

story! {
    async fn the_most_likely_candidates_come_first(server) {
        let asker = begin(&server).await;
        let found = suggestions(&asker, &[("q", "12 church rd, leeds ls1 4ap")]).await;
        assert_eq!(found[0]["uprn"], 1);
        assert_eq!(found[0]["displayAddress"], "12 Church Road, Leeds, LS1 4AP");
        let confidence: Vec<f64> =
            found.iter().map(|found| found["confidence"].as_f64().unwrap()).collect();
        assert!(confidence[0] >= 0.75 && confidence[0] <= 1.0, "{confidence:?}");
        assert!(confidence.is_sorted_by(|first, second| first >= second), "{confidence:?}");
        assert_eq!(found[0].as_object().unwrap().len(), 3);
    }
}

story! {
    async fn candidates_are_listed_for_a_choice(server) {
        let asker = begin(&server).await;
        for (text, expected) in [
            ("20 mill lane leeds ls2 8bb", &[3, 4][..]),
            // With and without a listing.
            ("LS1 4AP", &[1, 2, 5]),
            ("1 Nowhere Street, York", &[]),
        ] {
            let found = suggestions(&asker, &[("q", text)]).await;
            let mut found: Vec<u64> = found.iter().map(|one| one["uprn"].as_u64().unwrap()).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
        // A limit keeps the first.
        let all = suggestions(&asker, &[("q", "ls14ap")]).await;
        let first = suggestions(&asker, &[("q", "ls14ap"), ("limit", "2")]).await;
        assert_eq!(first[..], all[..2]);
    }
}

story! {
    async fn a_street_is_found_while_it_is_typed(server) {
        let asker = begin(&server).await;
        for text in ["church road", "Church Rd, Leeds", "church road ls1"] {
            let found = suggestions(&asker, &[("q", text)]).await;
            let found: Vec<&Value> = found.iter().map(|one| &one["uprn"]).collect();
            assert_eq!(found, [&json!(1), &json!(2), &json!(5)], "{text}");
        }
        assert_eq!(suggestions(&asker, &[("q", "church lane")]).await, Vec::<Value>::new());
    }
}

story! {
    async fn the_confidence_is_that_of_the_query(server) {
        let asker = begin(&server).await;
        for text in ["12 church rd, leeds", "12 Churhc Road, LS1 4AP", "LS1 4AP"] {
            let form = [("inputType", "address"), ("explain", "true"), ("value[]", text)];
            let explained = asker.ask(&form).await.json()["explanation"][0].clone();
            let found = suggestions(&asker, &[("q", text)]).await;
            assert_eq!(found[0]["confidence"], explained["confidence"], "{text}");
            let hundredths = found[0]["confidence"].as_f64().unwrap() * 100.0;
            assert!((hundredths - hundredths.round()).abs() < 1e-9, "{text}: {hundredths}");
        }
    }
}

sqlite_story! {
    async fn wrong_parameters_are_named(server) {
        let asker = begin(&server).await;
        let long = "x".repeat(201);
        for (parameters, pointers) in [
            (vec![], json!(["q"])),
            (vec![("q", "  ")], json!(["q"])),
            (vec![("q", long.as_str())], json!(["q"])),
            (vec![("q", "LS1 4AP"), ("limit", "0")], json!(["limit"])),
            (vec![("q", "LS1 4AP"), ("limit", "21")], json!(["limit"])),
            (vec![("q", ""), ("limit", "many")], json!(["q", "limit"])),
        ] {
            let answer = look_up(&asker, &parameters).await;
            assert_eq!(answer.status, 422, "{parameters:?}");
            let errors = answer.json()["errors"].clone();
            let named = errors.as_array().unwrap().iter().map(|error| error["pointer"].clone());
            assert_eq!(named.collect::<Value>(), pointers);
        }
    }
}

sqlite_story! {
    async fn it_needs_the_token_and_the_certificate_of_the_query(server) {
        let asker = begin(&server).await;
        let bare = asker.at_base(&Method::GET, &format!("{PATH}?q=LS1+4AP"));
        let answer = read(bare).await;
        let challenge = answer.header("www-authenticate");
        assert!(answer.status == 401 && challenge.starts_with("Bearer"), "{challenge}");
        let agent = server.agent("north").await;
        assert_eq!(look_up(&agent, &[("q", "LS1 4AP")]).await.status, 403);
        let mut thief = server.client("thief", &["transaction-status"], &[]).await;
        thief.token.clone_from(&asker.token);
        assert_eq!(look_up(&thief, &[("q", "LS1 4AP")]).await.status, 401);
    }
}

sqlite_story! {
    async fn it_counts_as_a_request_and_takes_get_and_head_only(server) {
        let asker = begin(&server).await;
        let head = request(&asker, &Method::HEAD, "?q=LS1+4AP");
        assert_eq!(read(head).await.status, 200);
        let post = request(&asker, &Method::POST, "?q=LS1+4AP");
        let answer = read(post).await;
        assert_eq!((answer.status, answer.header("allow")), (405, "GET, HEAD"));
        server = server.limited_to(2).await;
        let asker = asker.after_restart(&server);
        let mut answered = 0;
        while look_up(&asker, &[("q", "LS1 4AP")]).await.status == 200 && answered < 100 {
            answered += 1;
        }
        assert!((2..100).contains(&answered), "{answered}");
    }
}

story! {
    async fn hostile_texts_are_answered(server) {
        let asker = begin(&server).await;
        let letters = "a".repeat(200);
        let digits = "1 ".repeat(100);
        for text in [
            letters.as_str(), digits.as_str(), "\u{0}\u{1}\u{7f}", "\u{202e}gnirts \u{200f}12",
            "' or 1=1 --", "\" OR * AND NEAR(a b, 9) NOT ^x", "tokens: t1 OR t2", "{1,2,3}",
            "🏠🏠🏠 12 🏠", "LS", "%_%", "Ⅻ ½ ⅓", "--", "((((((((((", "\\", "null",
        ] {
            let answer = look_up(&asker, &[("q", text)]).await;
            assert!([200, 422].contains(&answer.status), "{text:?}: {}", answer.status);
        }
    }
}
