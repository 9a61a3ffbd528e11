//! How often a client may ask for tokens and about them: its one bucket counts all (S-14).

use serde_json::json;
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use storage::registry::find_revision;

use super::{ACCEPTED, call_with, check_plain};
use crate::test_server::{Answer, At, Registration, TestServer, http_client, send};
use crate::{sqlite_story, story};

const LIMITED: &str = "429 temporarily_unavailable";

async fn request(server: &TestServer, client: &Registration, key: &SigningKey) -> Answer {
    let assertion = client.assertion().sign(key);
    server.request_token(client, &assertion, None).await
}

/// Asks for tokens until the limit is reached; the assertion that was too many, and its answer.
async fn exhaust(server: &TestServer, client: &Registration) -> (String, Answer) {
    for _request in 0..100 {
        let assertion = client.assertion().sign(&client.key);
        let answer = server.request_token(client, &assertion, None).await;
        if answer.status == 429 {
            return (assertion, answer);
        }
        check_plain("within the limit", &answer, "200 -");
    }
    panic!("no limit was reached");
}

async fn revision(server: &TestServer) -> i64 {
    server.storage.read(find_revision).await.unwrap()
}

story! {
    async fn past_the_limit_no_token_is_issued_and_no_assertion_used_up(server) {
        server = server.limited_to(3).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let (assertion, refused) = exhaust(&server, &lender).await;
        check_plain("refused", &refused, LIMITED);
        assert_eq!(refused.json()["error_description"], "too many requests: wait 1 s");
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(refused.header("ratelimit-policy"), "\"client\";q=3;w=3");
        assert_eq!(refused.header("ratelimit"), "\"client\";r=0;t=1");
        server = server.reconfigure(|_config| {}).await;
        let answer = server.request_token(&lender, &assertion, None).await;
        check_plain("the same assertion, without a limit", &answer, "200 -");
    }
}

sqlite_story! {
    async fn tokens_questions_and_queries_are_counted_together(server) {
        server = server.limited_to(1000).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let first = request(&server, &lender, &lender.key).await;
        let token = first.access_token();
        let form = [("inputType", "uprn"), ("value[]", "9")];
        let answers = [
            first,
            server.ask_about(&lender, "/introspect", &token).await,
            server.query_with(&lender, &token, &form).await,
            server.ask_about(&lender, "/revoke", "garbage").await,
            server.ask_about(&lender, "/revoke", &token).await,
        ];
        assert_eq!(answers.each_ref().map(|answer| answer.status), [200, 200, 404, 200, 200]);
        for (counted, answer) in (1..).zip(&answers) {
            assert_eq!(answer.header("ratelimit-policy"), "\"client\";q=1000;w=1000");
            // One may have come back for each second that went by.
            let left = answer.requests_left();
            assert!((1000 - counted..1000).contains(&left), "request {counted}: {left}");
        }
        assert!(answers[4].requests_left() < 998, "{}", answers[4].requests_left());
    }
}

story! {
    async fn past_the_limit_nothing_is_looked_at_or_revoked(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let mut tokens = Vec::new();
        for _token in 0..6 {
            tokens.push(server.token(&lender, None).await);
        }
        server = server.limited_to(3).await;
        let mut kept = Vec::new();
        for (token, path) in tokens.iter().zip(["/introspect", "/revoke"].iter().cycle()) {
            exhaust(&server, &lender).await;
            let before = revision(&server).await;
            let answer = server.ask_about(&lender, path, token).await;
            // The next place in the bucket may have come between the two.
            if answer.status == 429 {
                check_plain(path, &answer, LIMITED);
                assert_eq!(answer.header("retry-after"), "1", "{path}");
                assert_eq!(revision(&server).await, before, "the registry stands");
                kept.push((*path, token));
            }
        }
        assert!(kept.iter().any(|(path, _token)| *path == "/introspect"), "{kept:?}");
        assert!(kept.iter().any(|(path, _token)| *path == "/revoke"), "{kept:?}");
        server = server.reconfigure(|_config| {}).await;
        for (_path, token) in kept {
            assert_eq!(call_with(&server, &lender, token).await, ACCEPTED);
        }
    }
}

story! {
    async fn who_is_not_the_client_uses_up_nothing_of_its_limit(server) {
        server = server.limited_to(3).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let foreign = SigningKey::generate(Algorithm::Es256).unwrap();
        for _request in 0..10 {
            let answer = request(&server, &lender, &foreign).await;
            check_plain("another's key", &answer, "401 invalid_client");
            assert_eq!(answer.requests_left(), 3, "nobody was counted");
            let late = lender.assertion().claim("exp", json!(1)).sign(&lender.key);
            let answer = server.request_token(&lender, &late, None).await;
            check_plain("expired", &answer, "401 invalid_client");
        }
        let assertion = lender.assertion().sign(&lender.key);
        let answer = server.request_token(&lender, &assertion, None).await;
        check_plain("the client", &answer, "200 -");
        assert_eq!(answer.requests_left(), 2);
        for _copy in 0..10 {
            let answer = server.request_token(&lender, &assertion, None).await;
            check_plain("a copy", &answer, "401 invalid_client");
            assert_eq!(answer.requests_left(), 3, "nobody was counted");
        }
    }
}

sqlite_story! {
    async fn every_answer_shows_the_limit_but_the_operator_s(server) {
        server = server.limited_to(3).await;
        let http = http_client(&server, None);
        for (at, path, status) in [
            (At::Auth, "/token", 405),
            (At::Auth, "/nothing", 404),
            (At::Auth, "/.well-known/oauth-authorization-server", 200),
            (At::Auth, "/openapi.json", 200),
            (At::Directory, "/jwks", 200),
            (At::Directory, "/participants", 200),
            (At::Directory, "/nothing", 404),
            (At::Base, "/.well-known/oauth-protected-resource", 200),
            (At::Base, "/nothing", 404),
            (At::Listing, "/api/v1/listing", 401),
            (At::Listing, "/docs", 200),
        ] {
            let answer = send(http.get(server.url(at, path))).await;
            assert_eq!(answer.status, status, "{at:?} {path}");
            let shown = [answer.header("ratelimit-policy"), answer.header("ratelimit")];
            let untouched = ["\"client\";q=3;w=3", "\"client\";r=3;t=1"];
            assert_eq!(shown, untouched, "{at:?} {path}");
        }
        let answer = send(http.get(server.url(At::Ops, "/health/live"))).await;
        assert_eq!(answer.header("ratelimit"), "");
    }
}
