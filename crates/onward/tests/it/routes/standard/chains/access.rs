//! Who may ask: tokens, their binding to a certificate, scopes (document 1's Authentication, S-23,
//! S-24).

use http::Method;
use observe::clock::Clock;
use provision::authority::Authority;
use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};
use signing::key::SigningKey;
use signing::keyring::Purpose;
use signing::{base64url, jws};
use storage::clients;

use super::asker::{Asker, read};
use super::rows::Rows;
use crate::story;
use crate::world::{Answer, Assertion, BEGINNING, World, http_client};

const ASK: [(&str, &str); 2] = [("inputType", "uprn"), ("value[]", "1")];

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
        None => format!("{} {challenge}", answer.status),
    }
}

impl Asker {
    /// Asks with another `Authorization` field.
    async fn ask_with(&self, authorization: &str) -> Answer {
        read(self.unauthorised().header("authorization", authorization)).await
    }

    fn unauthorised(&self) -> RequestBuilder {
        self.request_as(&Method::POST, "").form(&ASK)
    }

    /// The header and the claims of the token.
    fn parts(&self) -> [Map<String, Value>; 2] {
        let mut parts = self.token.split('.').map(|part| {
            let json = base64url::decode_strict(part).unwrap_or_default();
            serde_json::from_slice(&json).unwrap_or_default()
        });
        [parts.next().unwrap(), parts.next().unwrap()]
    }

    /// The token with a claim that is different and its old signature.
    fn altered(&self, name: &str, value: Value) -> String {
        let [header, mut claims] = self.parts();
        claims.insert(name.to_owned(), value);
        let signature = self.token.rsplit('.').next().unwrap();
        format!(
            "{}.{signature}",
            Assertion { header, claims }.signing_input()
        )
    }

    /// The token as the service's own key would sign it with other claims.
    fn forged(&self, key: &SigningKey, typ: &str, changes: &Value) -> String {
        let [_header, mut claims] = self.parts();
        for (name, value) in changes.as_object().unwrap() {
            if value.is_null() {
                claims.remove(name);
            } else {
                claims.insert(name.clone(), value.clone());
            }
        }
        jws::sign_compact(typ, key, &claims).unwrap()
    }
}

story! {
    async fn the_scheme_is_bearer_in_any_case(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            let answer = asker.ask_with(&format!("{scheme} {}", asker.token)).await;
            assert_eq!(answer.status, 200, "{scheme}");
        }
    }
}

story! {
    async fn without_a_token_the_challenge_has_no_error(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        assert_eq!(outcome(&read(asker.unauthorised()).await), "401 Bearer");
        for authorization in ["Basic bGVuZGVyOnNlY3JldA==", "Bearer", "", "Digest x", "DPoP x"] {
            assert_eq!(outcome(&asker.ask_with(authorization).await), "401 Bearer");
        }
        // A token alone, without its scheme.
        assert_eq!(outcome(&asker.ask_with(&asker.token).await), "401 Bearer");
        // RFC 6750 section 2: neither of its other places counts.
        let query = format!("?access_token={}", asker.token);
        let answer = read(asker.request_as(&Method::POST, &query).form(&ASK)).await;
        assert_eq!(outcome(&answer), "401 Bearer");
        let mut form = ASK.to_vec();
        form.push(("access_token", &asker.token));
        let answer = read(asker.request_as(&Method::POST, "").form(&form)).await;
        assert_eq!(outcome(&answer), "401 Bearer");
    }
}

story! {
    async fn two_authorization_fields_are_refused(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        for second in [format!("Bearer {}", asker.token), "Basic eDp5".to_owned()] {
            let request = asker.request("").header("authorization", second).form(&ASK);
            let refused = "401 Bearer error=\"invalid_token\": Send one Authorization field only.";
            assert_eq!(outcome(&read(request).await), refused);
        }
    }
}

story! {
    async fn what_is_no_token_of_ours_is_refused(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let (start, signature) = asker.token.rsplit_once('.').unwrap();
        let other = if signature.starts_with('A') { "B" } else { "A" };
        let [header, claims] = asker.parts();
        let of = |name: &str, value: &str| {
            let changed = Assertion { header: header.clone(), claims: claims.clone() };
            changed.member(name, json!(value))
        };
        let malformed = [
            "garbage".to_owned(),
            "a.b.c".to_owned(),
            "..".to_owned(),
            "a".repeat(9000),
            start.to_owned(),
            format!("{}.", of("alg", "none").signing_input()),
            format!("{}.{signature}", of("alg", "none").signing_input()),
            format!("{}.{signature}", of("alg", "HS256").signing_input()),
            format!("{}.x", asker.token),
            format!("{} x", asker.token),
            // A right assertion is no token, whoever signed it.
            asker.client.assertion().sign(&asker.client.key),
        ];
        for token in malformed {
            let answer = asker.ask_with(&format!("Bearer {token}")).await;
            let refused = "401 Bearer error=\"invalid_token\": This is not an access token of \
                this service.";
            assert_eq!(outcome(&answer), refused, "{token}");
        }
        let unsigned = [
            format!("{start}.{other}{}", &signature[1..]),
            format!("{start}."),
            asker.altered("scope", json!("transaction-status listing")),
            asker.altered("exp", json!(BEGINNING + 6000)),
            asker.altered("client_id", json!("https://rp.example/other")),
        ];
        for token in unsigned {
            let answer = asker.ask_with(&format!("Bearer {token}")).await;
            let refused = "401 Bearer error=\"invalid_token\": The signature of the token does \
                not verify. Get a new token.";
            assert_eq!(outcome(&answer), refused, "{token}");
        }
    }
}

story! {
    async fn only_the_token_key_signs_tokens(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let keyring = &world.server.foundation.registry.snapshot().await.unwrap().keyring;
        let own = keyring.current(Purpose::Token);
        // The same token, signed by the right key: what the others differ in is their key.
        let right = asker.forged(own, "at+jwt", &json!({}));
        assert_eq!(asker.ask_with(&format!("Bearer {right}")).await.status, 200);
        let attacker = SigningKey::generate(own.algorithm()).unwrap();
        let [header, claims] = asker.parts();
        let named = Assertion { header, claims };
        let jwk = attacker.public_key().to_jwk();
        for token in [
            asker.forged(&attacker, "at+jwt", &json!({})),
            asker.forged(&asker.client.key, "at+jwt", &json!({})),
            asker.forged(keyring.current(Purpose::Provenance), "at+jwt", &json!({})),
            asker.forged(keyring.current(Purpose::Event), "at+jwt", &json!({})),
            // With the name of the right key, and with a key brought along.
            named.sign(&attacker),
            named.clone().member("jwk", jwk.clone()).sign(&attacker),
            named.clone().member("jwk", jwk).member("kid", json!(attacker.kid())).sign(&attacker),
        ] {
            let answer = asker.ask_with(&format!("Bearer {token}")).await;
            let refused = "401 Bearer error=\"invalid_token\": ";
            assert!(outcome(&answer).starts_with(refused), "{token}");
        }
    }
}

story! {
    async fn each_claim_counts(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let keyring = &world.server.foundation.registry.snapshot().await.unwrap().keyring;
        let own = keyring.current(Purpose::Token);
        let mut shown = String::new();
        for (typ, changes) in [
            ("JWT", json!({})),
            ("at+jwt", json!({"iss": "https://elsewhere.example"})),
            ("at+jwt", json!({"aud": "https://elsewhere.example"})),
            ("at+jwt", json!({"aud": ["https://localhost:8440"]})),
            ("at+jwt", json!({"exp": null})),
            ("at+jwt", json!({"exp": "2099-01-01"})),
            ("at+jwt", json!({"exp": BEGINNING})),
            ("at+jwt", json!({"iat": BEGINNING + 3600})),
            ("at+jwt", json!({"client_id": "https://rp.example/nobody"})),
            ("at+jwt", json!({"cnf": null})),
            ("at+jwt", json!({"cnf": {}})),
            ("at+jwt", json!({"cnf": {"x5t#S256": 5}})),
            ("at+jwt", json!({"cnf": {"x5t#S256": ""}})),
            ("at+jwt", json!({"scope": ""})),
            ("at+jwt", json!({"scope": "listing"})),
            ("at+jwt", json!({"scope": "Transaction-Status transaction-status2"})),
        ] {
            let token = asker.forged(own, typ, &changes);
            let answer = asker.ask_with(&format!("Bearer {token}")).await;
            shown += &[typ, " ", &changes.to_string(), "\n  ", &outcome(&answer), "\n"].concat();
        }
        assert_shown!(shown, @r#"
        JWT {}
          401 Bearer error="invalid_token": This is not an access token of this service.
        at+jwt {"iss":"https://elsewhere.example"}
          401 Bearer error="invalid_token": The token comes from another issuer.
        at+jwt {"aud":"https://elsewhere.example"}
          401 Bearer error="invalid_token": The token is meant for another service.
        at+jwt {"aud":["https://localhost:8440"]}
          401 Bearer error="invalid_token": This is not an access token of this service.
        at+jwt {"exp":null}
          401 Bearer error="invalid_token": This is not an access token of this service.
        at+jwt {"exp":"2099-01-01"}
          401 Bearer error="invalid_token": This is not an access token of this service.
        at+jwt {"exp":1795255200}
          401 Bearer error="invalid_token": The token has expired. Get a new token.
        at+jwt {"iat":1795258800}
          401 Bearer error="invalid_token": The token is not valid yet. Check your clock.
        at+jwt {"client_id":"https://rp.example/nobody"}
          401 Bearer error="invalid_token": The client of this token is not registered any more.
        at+jwt {"cnf":null}
          401 Bearer error="invalid_token": This call needs a token that is bound to a certificate.
        at+jwt {"cnf":{}}
          401 Bearer error="invalid_token": This is not an access token of this service.
        at+jwt {"cnf":{"x5t#S256":5}}
          401 Bearer error="invalid_token": This is not an access token of this service.
        at+jwt {"cnf":{"x5t#S256":""}}
          401 Bearer error="invalid_token": The token is bound to another certificate. Use the one that it was issued with.
        at+jwt {"scope":""}
          403 Bearer error="insufficient_scope", scope="transaction-status"
        at+jwt {"scope":"listing"}
          403 Bearer error="insufficient_scope", scope="transaction-status"
        at+jwt {"scope":"Transaction-Status transaction-status2"}
          403 Bearer error="insufficient_scope", scope="transaction-status"
        "#);
    }
}

story! {
    async fn a_token_expires_after_ten_minutes(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let used = Asker::new(&world).await;
        let unused = Asker::of(&world, used.client.clone()).await;
        assert_eq!(used.ask(&ASK).await.status, 200);
        world.clock.advance(599);
        assert_eq!(used.ask(&ASK).await.status, 200);
        world.clock.advance(1);
        // Whether its signature was verified before or not.
        for asker in [used, unused] {
            let refused = "401 Bearer error=\"invalid_token\": The token has expired. Get a new \
                token.";
            assert_eq!(outcome(&asker.ask(&ASK).await), refused);
            assert_eq!(asker.renewed(&world).await.ask(&ASK).await.status, 200);
        }
    }
}

/// A new certificate of the same subject, with a key of its own.
fn renew_certificate(world: &World, name: &str) -> String {
    for ending in ["pem", "key"] {
        std::fs::remove_file(world.directory.path().join(format!("{name}.{ending}"))).unwrap();
    }
    world.issue_certificate(name)
}

story! {
    async fn a_token_counts_with_its_certificate_only(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        let other = world.register("other", &["transaction-status"]).await;
        let renewed = renew_certificate(&world, "lender");
        assert_eq!(asker.ask(&ASK).await.status, 200);
        for identity in [other.identity, renewed] {
            let http = http_client(&world, Some(&identity));
            let request = http.post(&asker.url).bearer_auth(&asker.token).form(&ASK);
            let refused = "401 Bearer error=\"invalid_token\": The token is bound to another \
                certificate. Use the one that it was issued with.";
            assert_eq!(outcome(&read(request).await), refused);
        }
        let http = http_client(&world, None);
        let ask = || http.post(&asker.url).bearer_auth(&asker.token).form(&ASK);
        let refused = "401 Bearer error=\"invalid_token\": Present the client certificate that \
            the token was issued with.";
        assert_eq!(outcome(&read(ask()).await), refused);
        // S-20: a certificate in a field counts from a trusted proxy only.
        let pem = asker.client.identity.split("-----").nth(2).unwrap();
        let field = format!(":{}:", pem.split_whitespace().collect::<String>());
        assert_eq!(outcome(&read(ask().header("client-cert", field)).await), refused);
    }
}

story! {
    async fn a_certificate_of_another_authority_does_not_connect(world) {
        let asker = Asker::new(&world).await;
        let elsewhere = tempfile::tempdir().unwrap();
        let authority = Authority::ensure(elsewhere.path(), Clock::System.now_seconds()).unwrap();
        authority.ensure_client_certificate(elsewhere.path(), "lender", "Test Ltd").unwrap();
        let read = |name: &str| std::fs::read_to_string(elsewhere.path().join(name)).unwrap();
        let http = http_client(&world, Some(&(read("lender.pem") + &read("lender.key"))));
        let request = http.post(&asker.url).bearer_auth(&asker.token).form(&ASK);
        assert!(request.send().await.is_err());
        assert_eq!(asker.ask(&ASK).await.status, 404);
    }
}

story! {
    async fn an_unbound_token_is_not_enough(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let scopes = ["transaction-status", "listing"];
        let mut client = world
            .register_as("agent", &scopes, |client| client.certificate_bound = false)
            .await;
        let bound = Asker::of(&world, client.clone()).await;
        assert_eq!(bound.ask(&ASK).await.status, 200);
        let with_certificate = client.http;
        client.http = http_client(&world, None);
        let mut unbound = Asker::of(&world, client).await;
        let refused = "401 Bearer error=\"invalid_token\": This call needs a token that is bound \
            to a certificate.";
        assert_eq!(outcome(&unbound.ask(&ASK).await), refused);
        // Not even beside a certificate.
        unbound.client.http = with_certificate;
        assert_eq!(outcome(&unbound.ask(&ASK).await), refused);
    }
}

story! {
    async fn the_scope_is_needed_and_can_be_withdrawn(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let refused = "403 Bearer error=\"insufficient_scope\", scope=\"transaction-status\"";
        for (name, scopes) in [("none", &[][..]), ("agent", &["listing"])] {
            let asker = Asker::of(&world, world.register(name, scopes).await).await;
            assert_eq!(outcome(&asker.ask(&ASK).await), refused, "{name}");
        }
        // Assigned, but not asked for.
        let both = world.register("both", &["transaction-status", "listing"]).await;
        let mut asker = Asker::of(&world, both).await;
        assert_eq!(asker.ask(&ASK).await.status, 200);
        let all = asker.token.clone();
        asker.token = world.token(&asker.client, Some("listing")).await;
        assert_eq!(outcome(&asker.ask(&ASK).await), refused);
        // Assigned, asked for, and withdrawn since (S-23).
        asker.token = all;
        let id = asker.client.id.clone();
        let withdrawn = world.storage.write(move |write| {
            clients::update_scopes(write, &id, &["listing".to_owned()], BEGINNING)
        });
        assert!(withdrawn.await.unwrap());
        assert_eq!(outcome(&asker.ask(&ASK).await), refused);
    }
}

story! {
    async fn a_disabled_client_s_tokens_end_at_once(world) {
        world.import(Rows::new().sales([1]).lines()).await;
        let asker = Asker::new(&world).await;
        assert_eq!(asker.ask(&ASK).await.status, 200);
        let id = asker.client.id.clone();
        let disabled = world
            .storage
            .write(move |write| clients::disable_client(write, &id, BEGINNING));
        assert!(disabled.await.unwrap());
        let refused = "401 Bearer error=\"invalid_token\": The client of this token is not \
            registered any more.";
        assert_eq!(outcome(&asker.ask(&ASK).await), refused);
    }
}
