//! Real answers hold to the document, and show nothing that it does not name.

use http::Method;
use serde_json::{Value, json};

use super::strict::{check, check_answer};
use super::{ADDRESSES, Described, document};
use crate::query::rows::Rows;
use crate::query::versions::SCOPES;
use crate::sqlite_story;
use crate::test_server::{Answer, At, Registration, TestServer, http_client, send};

const CHAINS: &str = "/api/v1/standard/chains";
const FORM: &str = "application/x-www-form-urlencoded";

/// A link, and among its listings each kind of value that a property can show.
fn rows() -> String {
    let listing = json!({"type": "listing", "branch": "b1", "listing": "2", "uprn": 2,
        "tenure": "freehold", "transaction_type": ["auction", "probate"],
        "seller_conveyancer": "Deed LLP"});
    let rows = Rows::new().sales([1, 2]).row(&listing).link(2, 1);
    let keys = chain::milestone::CATALOGUE.iter().map(|kind| kind.key);
    let rows = keys.fold(rows, |rows, key| rows.milestone(2, key, "2026-10-01"));
    rows.lines().to_owned()
}

sqlite_story! {
    async fn each_page_and_probe(server) {
        server.make_operator("Onward").await;
        // The log has begun.
        server.wait_for_log().await;
        let http = http_client(&server, None);
        let common = ["/", "/openapi.json", "/docs"];
        for (at, own) in [
            (At::Base, &["/.well-known/oauth-protected-resource"][..]),
            (At::Auth, &["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]),
            (At::Directory, &["/jwks", "/participants", "/checkpoint"]),
            (At::Listing, &["/.well-known/oauth-protected-resource"]),
            (At::Ops, &["/health/live", "/health/ready", "/metrics"]),
        ] {
            let mut described = Described::new(&server, at, "").await;
            for path in common.iter().chain(own) {
                for method in [Method::GET, Method::HEAD] {
                    let call = format!("{method} {path}");
                    let request = http.request(method.clone(), server.url(at, path));
                    let id = "c770aef3-6784-41f7-8e0e-ff5f97bddb3a";
                    let answer = send(request.header("x-fapi-interaction-id", id)).await;
                    assert_eq!((answer.status, answer.header("x-fapi-interaction-id")), (200, id));
                    described.check(&call, &answer);
                    let etag = answer.header("etag");
                    if !etag.is_empty() {
                        let request = http.request(method, server.url(at, path));
                        let answer = send(request.header("if-none-match", etag)).await;
                        assert_eq!(answer.status, 304);
                        described.check(&call, &answer);
                    }
                }
            }
            described.compare_with_examples();
        }
    }
}

sqlite_story! {
    async fn tokens(server) {
        let mut described = Described::new(&server, At::Auth, "").await;
        let client = server.register("lender", &["transaction-status"]).await;
        let assertion = client.assertion().sign(&client.key);
        let granted = server.request_token(&client, &assertion, None).await;
        let repeated = server.request_token(&client, &assertion, None).await;
        let other = client.assertion().sign(&client.key);
        let unassigned = server.request_token(&client, &other, Some("listing")).await;
        let no_grant = server.post_token(&client.http, &[("grant_type", "password")]).await;
        let url = server.url(At::Auth, "/token");
        let bare = || client.http.post(&url).header("content-type", FORM);
        let basic = send(bare().basic_auth("a", Some("b"))).await;
        let large = send(bare().body("a".repeat(70_000))).await;
        let json = send(client.http.post(&url).body("{}")).await;
        let answers = [granted, repeated, unassigned, no_grant, basic, large, json];
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [200, 401, 400, 400, 401, 413, 400]);
        for answer in &answers {
            described.check("POST /token", answer);
        }
        described.compare_with_examples();
    }
}

sqlite_story! {
    async fn questions_about_tokens(server) {
        let mut described = Described::new(&server, At::Auth, "").await;
        let client = server.register("lender", &["transaction-status"]).await;
        let token = server.token(&client, None).await;
        for (path, token, status) in [
            ("/introspect", token.as_str(), 200),
            ("/introspect", "garbage", 200),
            ("/introspect", "", 400),
            ("/revoke", &token, 200),
            ("/revoke", "", 400),
        ] {
            let answer = server.ask_about(&client, path, token).await;
            assert_eq!(answer.status, status, "{path}");
            described.check(&format!("POST {path}"), &answer);
            let url = server.url(At::Auth, path);
            let basic = client.http.post(url).header("content-type", FORM);
            let refused = send(basic.basic_auth("a", Some("b"))).await;
            assert_eq!(refused.status, 401, "{path}");
            described.check(&format!("POST {path}"), &refused);
        }
        described.compare_with_examples();
    }
}

sqlite_story! {
    async fn chains(server) {
        server.import(&rows()).await;
        server = server.limited_to(11).await;
        let mut described = Described::new(&server, At::Base, "").await;
        let call = format!("POST {CHAINS}");
        let lender = server.register("lender", &["transaction-status"]).await;
        let answers = ask(&server, &lender).await;
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses, [200, 200, 404, 422, 400, 415, 413, 200, 404, 415, 429, 401, 401]);
        assert_eq!(answers[0].chains()[0]["properties"].as_array().unwrap().len(), 2);
        for answer in &answers {
            described.check(&call, answer);
        }
        let agent = server.register("agent", &["listing"]).await;
        let refused = server.query(&agent, &[("inputType", "uprn"), ("value[]", "1")]).await;
        assert_eq!(refused.status, 403);
        described.check(&call, &refused);
        described.compare_with_examples();
    }
}

sqlite_story! {
    async fn suggestions_of_addresses(server) {
        server.import(&rows()).await;
        let mut described = Described::new(&server, At::Base, "").await;
        let lender = server.lender().await;
        let path = "/api/v1/standard/addresses";
        let request = lender.at_base(&Method::GET, &format!("{path}?q=LS1+4AP"));
        let answer = send(request.bearer_auth(&lender.token)).await;
        assert_eq!(answer.status, 200);
        described.check(&format!("GET {path}"), &answer);
        described.compare_with_examples();
    }
}

sqlite_story! {
    async fn past_states(server) {
        server.import(&rows()).await;
        let mut described = Described::new(&server, At::Base, "").await;
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let chain = auditor.shown_chain(1).await["chainId"].as_str().unwrap().to_owned();
        let versions = auditor.wait_for_version(&chain, 1).await;
        server.clock.advance(6);
        let form = [("inputType", "uprn"), ("value[]", "1"), ("asOf", versions[0].1.as_str())];
        let answer = auditor.ask(&form).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        check_answer(&document(&server, At::Base).await, CHAINS, &Method::POST, &answer);
        let list = format!("GET {CHAINS}/{{chainId}}/versions");
        let one = format!("{list}/{{version}}");
        for (path, call, status) in [
            (format!("{chain}/versions"), &list, 200),
            (format!("{chain}/versions?rows=0"), &list, 422),
            ("none/versions".to_owned(), &list, 404),
            (format!("{chain}/versions/1"), &one, 200),
            (format!("{chain}/versions/99"), &one, 404),
        ] {
            let answer = auditor.read_below(&path).await;
            assert_eq!(answer.status, status, "{path}");
            described.check(call, &answer);
        }
        described.compare_with_examples();
    }
}

sqlite_story! {
    async fn evidence(server) {
        server.import(&rows()).await;
        let mut described = Described::new(&server, At::Base, "").await;
        let call = "POST /api/v1/evidence";
        let lender = server.lender().await;
        let answer = lender.ask_uprns(&[1]).await;
        let pack = lender.wait_for_evidence(&server, &answer.body).await;
        described.check(call, &pack);
        for body in [&b"{}"[..], b""] {
            let refused = lender.ask_evidence(body).await;
            assert_eq!(refused.status, 422);
            described.check(call, &refused);
        }
        described.compare_with_examples();
    }
}

/// Each kind of answer to a query; the limit is reached on the way.
async fn ask(server: &TestServer, lender: &Registration) -> Vec<Answer> {
    let token = server.token(lender, None).await;
    let post = |kind: &'static str, body: &str| {
        let request = lender
            .http
            .post(server.url(At::Base, CHAINS))
            .bearer_auth(&token);
        send(request.header("content-type", kind).body(body.to_owned()))
    };
    let mut answers = vec![
        post(FORM, "inputType=uprn&value[]=1&value[]=2").await,
        post(
            FORM,
            "inputType=address&value[]=2+High+Street,+Leeds,+LS1+4AP",
        )
        .await,
        post(FORM, "inputType=uprn&value[]=3").await,
        post(FORM, "inputType=ufo&value[]=3").await,
        post("multipart/form-data", "").await,
        post("application/json", "{}").await,
        post(FORM, &"a".repeat(300_000)).await,
        post(FORM, "inputType=uprn&value[]=1&value[]=3&explain=true").await,
        post(FORM, "inputType=uprn&value[]=3&explain=true").await,
    ];
    let encoded = lender.http.post(server.url(At::Base, CHAINS));
    let encoded = encoded.bearer_auth(&token).header("content-type", FORM);
    answers.push(send(encoded.header("content-encoding", "gzip")).await);
    let mut limited = post(FORM, "").await;
    while limited.status != 429 {
        limited = post(FORM, "").await;
    }
    answers.push(limited);
    let form = [("inputType", "uprn"), ("value[]", "1")];
    let url = server.url(At::Base, CHAINS);
    answers.push(server.query_with(lender, "no-token", &form).await);
    answers.push(send(lender.http.post(url).form(&form)).await);
    answers
}

sqlite_story! {
    async fn examples_hold_to_their_schemas(server) {
        for at in ADDRESSES {
            let document = document(&server, at).await;
            let count = check_examples(&document, &document["paths"]);
            assert!(count > 0 || !matches!(at, At::Base | At::Auth), "{at:?} has no examples");
            check_presence(&document);
        }
    }
}

/// Each success with JSON has an example, except for the document itself.
fn check_presence(document: &Value) {
    let paths = document["paths"].as_object().unwrap();
    for (path, item) in paths
        .iter()
        .filter(|(path, _item)| *path != "/openapi.json")
    {
        for (method, operation) in item.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let content = response["content"].as_object().into_iter().flatten();
                let json = content.filter(|(kind, _content)| kind.contains("json"));
                for (_kind, content) in json.filter(|_| status.starts_with('2')) {
                    let example = &content["examples"]["recorded"];
                    assert!(
                        example.is_object(),
                        "{method} {path} {status} has no example"
                    );
                }
            }
        }
    }
}

/// Wherever a schema and examples stand together; how many there were.
fn check_examples(document: &Value, part: &Value) -> usize {
    let mut count = 0;
    if let Some(examples) = part["examples"].as_object() {
        for (name, example) in examples {
            check(document, &part["schema"], &example["value"], name);
            count += 1;
        }
    }
    let members = part
        .as_object()
        .into_iter()
        .flat_map(|object| object.values());
    count
        + members
            .map(|member| check_examples(document, member))
            .sum::<usize>()
}
