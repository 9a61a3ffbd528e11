//! Answers of a hostile issuer, and tokens of hostile clients.

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::base64url;
use signing::jws;
use signing::key::SigningKey;

use super::{ACCEPTED, LENDER, OTHER, ask, members, status};
use crate::story;
use crate::test_server::{AUTH_URL, FRAMEWORK, FakeFramework, FrameworkReply, http_client};

story! {
    async fn a_token_is_good_on_connections_with_its_certificate_alone(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let other = server.member(&framework.folder, "other", OTHER);
        framework.issue(&lender, "opaque", server.now());
        assert_eq!(ask(&server, &http_client(&server, None), "opaque").await.status, 401);
        assert_eq!(framework.asked("opaque"), 0);
        assert_eq!(status(&server, &other, "opaque").await, 401);
        assert_eq!(status(&server, &lender, "opaque").await, ACCEPTED);
        assert_eq!(status(&server, &other, "opaque").await, 401, "a cached answer");
        assert_eq!(status(&server, &lender, "opaque").await, ACCEPTED);
        assert_eq!(framework.asked("opaque"), 1);
        // Nobody else vouches for it here (S-75).
        let own = server.register("own", &["transaction-status"]).await;
        let shown = server.ask_about(&own, "/introspect", "opaque").await;
        assert_eq!(shown.json(), json!({"active": false}));
    }
}

story! {
    async fn wrong_values_are_401_and_unreadable_answers_503(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let now = server.now();
        let wrong = |name: &str, value: Value| {
            let mut answer = FakeFramework::active(&lender, now);
            answer[name] = value;
            FrameworkReply::json(&answer)
        };
        let good = FrameworkReply::json(&FakeFramework::active(&lender, now));
        let twice = good.body.replace("{\"active\"", "{\"active\":false,\"active\"");
        let cases = [
            (wrong("iss", json!("https://framework.example/")), 401),
            (wrong("iss", json!("https://other.example")), 401),
            (wrong("aud", json!("https://other.example")), 401),
            (wrong("cnf", json!({"jkt": lender.thumbprint})), 401),
            (wrong("cnf", Value::Null), 401),
            (wrong("exp", json!((now + 60).to_string())), 401),
            (wrong("exp", json!(now)), 401),
            (wrong("token_type", json!("DPoP")), 401),
            (wrong("active", json!("true")), 503),
            (FrameworkReply { body: twice, ..good.clone() }, 503),
            (FrameworkReply { body: "x".repeat(70_000), ..good.clone() }, 503),
            (FrameworkReply { field: ("content-type", "text/html".to_owned()), ..good.clone() }, 503),
            (FrameworkReply { status: 401, ..good.clone() }, 503),
            (FrameworkReply { status: 400, ..good.clone() }, 401),
        ];
        for (number, (reply, expected)) in cases.into_iter().enumerate() {
            // So many unknown tokens in one second are too many.
            server.clock.advance(1);
            let token = format!("token-{number}");
            framework.reply(&token, reply);
            let answer = ask(&server, &lender.http, &token).await;
            assert_eq!(answer.status, expected, "{number}: {}", answer.json());
            if expected == 503 {
                assert_eq!(answer.header("retry-after"), "5");
            }
        }
        // None of the answers is kept as an active one.
        framework.reply("token-0", good);
        assert_eq!(status(&server, &lender, "token-0").await, ACCEPTED);
    }
}

story! {
    async fn a_redirect_is_not_followed(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        // The first call reads the registry, and is made again if that has changed.
        framework.issue(&lender, "known", server.now());
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        let there = server.url(crate::test_server::At::Ops, "/health/live");
        framework.reply("opaque", FrameworkReply { status: 302, field: ("location", there), body: String::new() });
        assert_eq!(status(&server, &lender, "opaque").await, 503);
        assert_eq!(framework.asked("opaque"), 1);
    }
}

story! {
    async fn the_issuer_of_a_jwt_decides_alone(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let own = server.register("own", &["transaction-status"]).await;
        let token = server.token(&own, None).await;
        assert_eq!(ask(&server, &own.http, &token).await.status, ACCEPTED);
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let make = |iss: &str| jws::sign_compact("at+jwt", &key, &json!({"iss": iss})).unwrap();
        for iss in [AUTH_URL, "https://stranger.example", "https://framework.example/"] {
            let token = make(iss);
            framework.issue(&lender, &token, server.now());
            assert_eq!(status(&server, &lender, &token).await, 401, "{iss}");
        }
        // A forged token of ours is not sent to the framework, nor is one of anybody else.
        assert_eq!(framework.asked(""), 0);
        let token = make(FRAMEWORK);
        framework.issue(&lender, &token, server.now());
        assert_eq!(status(&server, &lender, &token).await, ACCEPTED);
        let key = server.api_key("Example Lender").await;
        for text in [base64url::encode(&[7; 4000]), key, "a b".to_owned()] {
            assert_eq!(status(&server, &lender, &text).await, 401, "{text}");
        }
        assert_eq!(framework.asked(""), 1);
    }
}

story! {
    async fn invented_tokens_reach_the_issuer_ten_times_a_second(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        let other = server.member(&framework.folder, "other", OTHER);
        framework.issue(&lender, "known", server.now());
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        for number in 0..20 {
            let answer = ask(&server, &lender.http, &format!("invented-{number}")).await;
            // The known token was the first of the ten.
            assert_eq!(answer.status, if number < 9 { 401 } else { 429 }, "{number}");
            if number >= 9 {
                assert_eq!(answer.header("retry-after"), "1");
            }
        }
        assert_eq!(framework.asked("invented"), 9);
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        framework.issue(&other, "others", server.now());
        assert_eq!(status(&server, &other, "others").await, ACCEPTED);
    }
}

story! {
    async fn one_call_about_a_token_and_four_of_an_organisation_are_under_way(server) {
        let (changed, framework) = server.with_framework(&members()).await;
        server = changed;
        let lender = server.member(&framework.folder, "lender", LENDER);
        for number in 0..5 {
            framework.issue(&lender, &format!("token-{number}"), server.now());
        }
        // Its answer has outlived the cache when the others are under way.
        framework.issue(&lender, "known", server.now());
        assert_eq!(status(&server, &lender, "known").await, ACCEPTED);
        server.clock.advance(60);
        framework.hold(true);
        let asking = |token: &'static str| {
            let url = server.url(crate::test_server::At::Base, "/api/v1/standard/chains");
            let request = lender.http.post(url).bearer_auth(token);
            let request = request.form(&[("inputType", "uprn"), ("value[]", "1")]);
            tokio::spawn(async move { request.send().await.unwrap().status().as_u16() })
        };
        let first = ["token-0", "token-0", "token-1", "token-2", "token-3"].map(asking);
        framework.wait_for("token", 4).await;
        assert_eq!(status(&server, &lender, "token-4").await, 429);
        assert_eq!(status(&server, &lender, "known").await, 429);
        framework.hold(false);
        for answer in first {
            assert_eq!(answer.await.unwrap(), ACCEPTED);
        }
        assert_eq!(framework.asked("token-0"), 1);
        assert_eq!(status(&server, &lender, "token-4").await, ACCEPTED);
    }
}
