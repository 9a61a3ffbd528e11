//! Who may ask for chains: tokens, their binding to a certificate, scopes (document 1's
//! Authentication, S-23, S-24; RFC 6750, RFC 9068 section 4). What withdrawing a scope or a client
//! does is tested in `routes/token/scopes.rs`.

use http::Method;
use observe::clock::Clock;
use provision::authority::Authority;
use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};
use signing::key::SigningKey;
use signing::keyring::Purpose;
use signing::{base64url, jws};

use super::PATH;
use super::questions::read;
use crate::test_server::{Answer, Assertion, BEGINNING, Client, http_client};
use crate::test_server::{At, manners::grouped};
use crate::{sqlite_story, story};

/// No property is on sale, so callers with access get 404.
const ASK: [(&str, &str); 2] = [("inputType", "uprn"), ("value[]", "1")];
const ACCEPTED: &str = "404";
const NO_SCOPE: &str = "403 Bearer error=\"insufficient_scope\", scope=\"transaction-status\"";

/// Status, challenge and detail.
fn outcome(answer: &Answer) -> String {
    let detail = answer.json()["detail"].clone();
    let challenge = answer.challenge();
    let without = challenge.strip_suffix('"').and_then(|text| {
        let start = text.strip_suffix(detail.as_str()?)?;
        start.strip_suffix(", error_description=\"")
    });
    match without {
        // The description is the detail once more.
        Some(short) => format!("{} {short}: {}", answer.status, detail.as_str().unwrap()),
        None => format!("{} {challenge}", answer.status)
            .trim_end()
            .to_owned(),
    }
}

impl Client {
    /// Asks with another `Authorization` field.
    async fn ask_with(&self, authorization: &str) -> String {
        let request = self.unauthorised().header("authorization", authorization);
        outcome(&read(request).await)
    }

    fn unauthorised(&self) -> RequestBuilder {
        self.bare_question(&Method::POST, "").form(&ASK)
    }

    /// Asks with each of these tokens; the outcomes, grouped.
    async fn ask_with_tokens(&self, tokens: impl IntoIterator<Item = (String, String)>) -> String {
        let mut cases = Vec::new();
        for (label, token) in tokens {
            cases.push((label, self.ask_with(&format!("Bearer {token}")).await));
        }
        grouped(cases)
    }

    /// The header and the claims of the token, which a test may change.
    fn parts(&self) -> Assertion {
        let mut parts = self.token.split('.').map(|part| -> Map<String, Value> {
            serde_json::from_slice(&base64url::decode_strict(part).unwrap()).unwrap()
        });
        Assertion {
            header: parts.next().unwrap(),
            claims: parts.next().unwrap(),
        }
    }
}

sqlite_story! {
    async fn a_token_is_sent_in_one_authorization_field_of_scheme_bearer(server) {
        let asker = server.lender().await;
        let token = asker.token.as_str();
        for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            assert_eq!(asker.ask_with(&format!("{scheme} {token}")).await, ACCEPTED, "{scheme}");
        }
        // The challenge has no error where there is no token.
        assert_eq!(outcome(&read(asker.unauthorised()).await), "401 Bearer");
        for field in ["Basic bGVuZGVyOnNlY3JldA==", "Bearer", "", "Digest x", token,
            &format!("Basic {token}"), &format!("DPoP {token}")] {
            assert_eq!(asker.ask_with(field).await, "401 Bearer", "{field}");
        }
        // RFC 6750 section 2: neither of its other places counts.
        let query = format!("?access_token={token}");
        let in_query = asker.bare_question(&Method::POST, &query).form(&ASK);
        assert_eq!(outcome(&read(in_query).await), "401 Bearer");
        let form = [ASK[0], ASK[1], ("access_token", token)];
        let in_form = asker.bare_question(&Method::POST, "").form(&form);
        assert_eq!(outcome(&read(in_form).await), "401 Bearer");
        for second in [format!("Bearer {token}"), "Basic eDp5".to_owned()] {
            let request = asker.question("").header("authorization", second).form(&ASK);
            let refused = "401 Bearer error=\"invalid_token\": Send one Authorization field only.";
            assert_eq!(outcome(&read(request).await), refused);
        }
    }
}

sqlite_story! {
    async fn only_the_token_key_signs_tokens(server) {
        let asker = server.lender().await;
        let own = asker.registration.assertion();
        let typed = asker.registration.assertion().member("typ", json!("at+jwt"));
        let (start, signature) = asker.token.rsplit_once('.').unwrap();
        let other = if signature.starts_with('A') { "B" } else { "A" };
        let header = |name: &str, value: &str| asker.parts().member(name, json!(value)).signing_input();
        let altered = |name: &str, value: Value| {
            format!("{}.{signature}", asker.parts().claim(name, value).signing_input())
        };
        let keyring = &server.node.foundation.registry.snapshot().await.unwrap().keyring;
        let attacker = SigningKey::generate(keyring.current(Purpose::Token).unwrap().algorithm()).unwrap();
        let jwk = attacker.public_key().to_jwk();
        let named = |kid: &str| asker.parts().member("kid", json!(kid));
        let signed = |key: &SigningKey| jws::sign_compact("at+jwt", key, &asker.parts().claims).unwrap();
        let rows = [
            ("garbage", "garbage".to_owned()),
            ("9000 letters", "a".repeat(9000)),
            ("unsigned", format!("{}.", header("alg", "none"))),
            ("none", format!("{}.{signature}", header("alg", "none"))),
            ("an assertion", own.sign(&asker.registration.key)),
            ("an assertion typed as a token", typed.sign(&asker.registration.key)),
            ("altered signature", format!("{start}.{other}{}", &signature[1..])),
            ("altered scope", altered("scope", json!("transaction-status listing"))),
            ("an attacker's key", signed(&attacker)),
            ("the client's key", signed(&asker.registration.key)),
            ("the provenance key", signed(keyring.current(Purpose::Provenance).unwrap())),
            ("the event key", signed(keyring.current(Purpose::Event).unwrap())),
            ("an attacker under the right kid", asker.parts().sign(&attacker)),
            ("its kid as well", named(attacker.kid()).member("jwk", jwk).sign(&attacker)),
            // The same token anew by the right key: the others differ in their key alone.
            ("the token key", signed(keyring.current(Purpose::Token).unwrap())),
        ];
        let rows = rows.map(|(label, token)| (label.to_owned(), token));
        assert_shown!(asker.ask_with_tokens(rows).await, @r#"
        401 Bearer error="invalid_token": This is not an access token of this service.
          garbage  9000 letters  unsigned  none  an assertion  its kid as well
        401 Bearer error="invalid_token": The signature of the token does not verify. Get a new token.
          an assertion typed as a token  altered signature  altered scope  an attacker's key  the client's key  the provenance key  the event key  an attacker under the right kid
        404
          the token key
        "#);
    }
}

sqlite_story! {
    async fn each_claim_counts(server) {
        let asker = server.lender().await;
        let keyring = &server.node.foundation.registry.snapshot().await.unwrap().keyring;
        let own = keyring.current(Purpose::Token).unwrap();
        let rows = [
            ("at+jwt", "scope", asker.parts().claims["scope"].clone()),
            ("application/AT+JWT", "iat", json!(BEGINNING)),
            // Another node's clock may be ahead.
            ("at+jwt", "iat", json!(BEGINNING + 60)),
            ("at+jwt", "iat", json!(BEGINNING + 61)),
            ("JWT", "iat", json!(BEGINNING)),
            ("at+jwt", "iss", json!("https://elsewhere.example")),
            ("at+jwt", "aud", json!("https://elsewhere.example")),
            ("at+jwt", "exp", Value::Null),
            ("at+jwt", "exp", json!(BEGINNING)),
            ("at+jwt", "client_id", json!("https://rp.example/nobody")),
            ("at+jwt", "cnf", Value::Null),
            ("at+jwt", "cnf", json!({})),
            ("at+jwt", "cnf", json!({"x5t#S256": "A".repeat(43)})),
            ("at+jwt", "scope", json!("")),
            ("at+jwt", "scope", json!("listing")),
            ("at+jwt", "scope", json!("Transaction-Status transaction-status2")),
        ];
        let tokens = rows.map(|(typ, name, value)| {
            let label = format!("{typ} {name}={value}");
            let claims = asker.parts().claim(name, value).claims;
            (label, jws::sign_compact(typ, own, &claims).unwrap())
        });
        assert_shown!(asker.ask_with_tokens(tokens).await, @r#"
        404
          at+jwt scope="transaction-status"  application/AT+JWT iat=1795255200  at+jwt iat=1795255260
        401 Bearer error="invalid_token": The token is not valid yet. Check your clock.
          at+jwt iat=1795255261
        401 Bearer error="invalid_token": This is not an access token of this service.
          JWT iat=1795255200  at+jwt exp=null  at+jwt cnf={}
        401 Bearer error="invalid_token": The token comes from another issuer.
          at+jwt iss="https://elsewhere.example"
        401 Bearer error="invalid_token": The token is meant for another service.
          at+jwt aud="https://elsewhere.example"
        401 Bearer error="invalid_token": The token has expired. Get a new token.
          at+jwt exp=1795255200
        401 Bearer error="invalid_token": The client of this token is not registered any more.
          at+jwt client_id="https://rp.example/nobody"
        401 Bearer error="invalid_token": This call needs a token that is bound to a certificate.
          at+jwt cnf=null
        401 Bearer error="invalid_token": The token is bound to another certificate. Use the one that it was issued with.
          at+jwt cnf={"x5t#S256":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}
        403 Bearer error="insufficient_scope", scope="transaction-status"
          at+jwt scope=""  at+jwt scope="listing"  at+jwt scope="Transaction-Status transaction-status2"
        "#);
    }
}

sqlite_story! {
    async fn a_token_expires_after_ten_minutes(server) {
        let used = server.lender().await;
        let unused = server.sign_in(used.registration.clone()).await;
        let stranger = server.client("none", &[], &[]).await;
        assert_eq!(outcome(&stranger.ask(&ASK).await), NO_SCOPE);
        assert_eq!(outcome(&used.ask(&ASK).await), ACCEPTED);
        server.clock.advance(599);
        assert_eq!(outcome(&used.ask(&ASK).await), ACCEPTED);
        server.clock.advance(1);
        // Whether its signature was verified before or not; 401 comes before 403.
        for asker in [used, unused, stranger] {
            let refused = "401 Bearer error=\"invalid_token\": The token has expired. Get a new \
                token.";
            assert_eq!(outcome(&asker.ask(&ASK).await), refused);
            assert_ne!(asker.renewed(&server).await.ask(&ASK).await.status, 401);
        }
    }
}

sqlite_story! {
    async fn a_token_counts_with_its_certificate_only(server) {
        let asker = server.lender().await;
        let other = server.register("other", &["transaction-status"]).await;
        // A new certificate of the same subject, with a key of its own.
        for ending in ["pem", "key"] {
            std::fs::remove_file(server.directory.path().join(format!("lender.{ending}"))).unwrap();
        }
        let renewed = server.issue_certificate("lender");
        assert_eq!(outcome(&asker.ask(&ASK).await), ACCEPTED);
        let url = server.url(At::Base, PATH);
        for identity in [other.identity, renewed] {
            let http = http_client(&server, Some(&identity));
            let request = http.post(&url).bearer_auth(&asker.token).form(&ASK);
            let refused = "401 Bearer error=\"invalid_token\": The token is bound to another \
                certificate. Use the one that it was issued with.";
            assert_eq!(outcome(&read(request).await), refused);
        }
        let http = http_client(&server, None);
        let ask = || http.post(&url).bearer_auth(&asker.token).form(&ASK);
        let refused = "401 Bearer error=\"invalid_token\": Present the client certificate that \
            the token was issued with.";
        assert_eq!(outcome(&read(ask()).await), refused);
        // S-20: a certificate in a field counts from a trusted proxy only.
        let pem = asker.registration.identity.split("-----").nth(2).unwrap();
        let field = format!(":{}:", pem.split_whitespace().collect::<String>());
        assert_eq!(outcome(&read(ask().header("client-cert", field)).await), refused);
        // The certificate of another authority does not even connect.
        let elsewhere = tempfile::tempdir().unwrap();
        let authority = Authority::ensure(elsewhere.path(), Clock::System.now_seconds()).unwrap();
        authority.ensure_client_certificate(elsewhere.path(), "lender", "Test Ltd").unwrap();
        let file = |name: &str| std::fs::read_to_string(elsewhere.path().join(name)).unwrap();
        let http = http_client(&server, Some(&(file("lender.pem") + &file("lender.key"))));
        let request = http.post(&url).bearer_auth(&asker.token).form(&ASK);
        assert!(request.send().await.is_err());
    }
}

story! {
    async fn the_token_is_bound_and_has_the_scope(server) {
        let scopes = ["transaction-status", "listing"];
        let agent = server.agent("north").await;
        assert_eq!(outcome(&agent.ask(&ASK).await), NO_SCOPE);
        let mut client = server
            .register_as("both", &scopes, |client| client.certificate_bound = false)
            .await;
        let mut bound = server.sign_in(client.clone()).await;
        assert_eq!(outcome(&bound.ask(&ASK).await), ACCEPTED);
        // Assigned, but not asked for.
        bound.token = server.token(&bound.registration, Some("listing")).await;
        assert_eq!(outcome(&bound.ask(&ASK).await), NO_SCOPE);
        let with_certificate = client.http;
        client.http = http_client(&server, None);
        let mut unbound = server.sign_in(client).await;
        let refused = "401 Bearer error=\"invalid_token\": This call needs a token that is bound \
            to a certificate.";
        assert_eq!(outcome(&unbound.ask(&ASK).await), refused);
        // Not even beside a certificate.
        unbound.registration.http = with_certificate;
        assert_eq!(outcome(&unbound.ask(&ASK).await), refused);
    }
}
