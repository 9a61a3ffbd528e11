//! `/introspect`: a client learns the state of its own tokens (RFC 7662).

use serde_json::{Value, json};
use signing::access_token::{self, AccessTokenClaims};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use storage::clients;

use super::token::{ACCEPTED, check, read_token, thumbprint};
use crate::story;
use crate::test_server::{
    ASSERTION_TYPE, AUTH_URL, Answer, At, BASE_URL, BEGINNING, Registration, TestServer,
    http_client, send,
};

type Form = Vec<(&'static str, String)>;

/// The answer to this client about a token.
async fn introspect(server: &TestServer, client: &Registration, token: &str) -> Value {
    let answer = server.ask_about(client, "/introspect", token).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    answer.json()
}

fn inactive() -> Value {
    json!({"active": false})
}

story! {
    async fn a_client_sees_its_own_token(server) {
        let lender = server.register("lender", &["transaction-status", "listing"]).await;
        let token = server.token(&lender, None).await;
        let (_header, claims) = read_token(&token);
        assert_eq!(introspect(&server, &lender, &token).await, json!({
            "active": true,
            "scope": "transaction-status listing",
            "client_id": lender.id,
            "token_type": "Bearer",
            "exp": BEGINNING + 600,
            "iat": BEGINNING,
            "sub": lender.id,
            "aud": BASE_URL,
            "iss": AUTH_URL,
            "jti": claims["jti"],
            "cnf": {"x5t#S256": thumbprint(&lender.identity)},
        }));
    }
}

story! {
    async fn a_scope_that_was_withdrawn_is_not_shown(server) {
        let lender = server.register("lender", &["transaction-status", "listing"]).await;
        let token = server.token(&lender, None).await;
        server.set_scopes(&lender.id, &["listing"]).await;
        assert_eq!(introspect(&server, &lender, &token).await["scope"], "listing");
    }
}

story! {
    async fn nothing_is_said_of_any_other_token(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        let others = server.token(&other, None).await;
        let assertion = lender.assertion().sign(&lender.key);
        let forged = forge(&lender);
        let cut = &token[..token.len() - 4];
        for wrong in ["garbage", "a.b.c", cut, &others, &assertion, &forged] {
            assert_eq!(introspect(&server, &lender, wrong).await, inactive(), "{wrong}");
        }
        assert_eq!(introspect(&server, &lender, &token).await["active"], true);
        let revoked = server.ask_about(&lender, "/revoke", &token).await;
        assert_eq!(revoked.status, 200);
        assert_eq!(introspect(&server, &lender, &token).await, inactive(), "revoked");
        let before = server.token(&lender, None).await;
        for set_active in [clients::disable_client, clients::enable_client] {
            let id = lender.id.clone();
            let changed = server.storage.write(move |write| set_active(write, &id, BEGINNING));
            assert!(changed.await.unwrap());
        }
        assert_eq!(introspect(&server, &lender, &before).await, inactive(), "disabled since");
        let late = server.token(&lender, None).await;
        server.clock.advance(599);
        assert_eq!(introspect(&server, &lender, &late).await["active"], true);
        server.clock.advance(1);
        assert_eq!(introspect(&server, &lender, &late).await, inactive(), "expired");
    }
}

/// Registers a resource server for these scopes.
async fn resource_server(server: &TestServer, scopes: &[&str]) -> Registration {
    let introspects = scopes.iter().map(ToString::to_string).collect();
    let change = |client: &mut clients::StoredClient| client.introspects = introspects;
    server.register_as("resource", &[], change).await
}

story! {
    async fn a_resource_server_sees_tokens_with_its_scopes(server) {
        let both = server.register("lender", &["transaction-status", "listing"]).await;
        let agent = server.register("agent", &["listing"]).await;
        let resource = resource_server(&server, &["transaction-status"]).await;
        let token = server.token(&both, None).await;
        // S-75: neither the other scope, nor aud, nor jti.
        assert_eq!(introspect(&server, &resource, &token).await, json!({
            "active": true,
            "scope": "transaction-status",
            "client_id": both.id,
            "token_type": "Bearer",
            "exp": BEGINNING + 600,
            "iat": BEGINNING,
            "sub": both.id,
            "iss": AUTH_URL,
            "cnf": {"x5t#S256": thumbprint(&both.identity)},
        }));
        let others = server.token(&agent, None).await;
        assert_eq!(introspect(&server, &resource, &others).await, inactive(), "no scope of it");
        let narrow = server.token(&both, Some("listing")).await;
        assert_eq!(introspect(&server, &resource, &narrow).await, inactive(), "not in this token");
        // It gets no token with the scope, and its own token it sees in full.
        let assertion = resource.assertion_at(server.now());
        let refused = server.request_token(&resource, &assertion, Some("transaction-status")).await;
        assert_eq!(refused.json()["error"], "invalid_scope");
        let own = server.token(&resource, None).await;
        let shown = introspect(&server, &resource, &own).await;
        assert_eq!((&shown["scope"], &shown["aud"]), (&json!(""), &json!(BASE_URL)));
        // It revokes nothing of others.
        assert_eq!(server.ask_about(&resource, "/revoke", &token).await.status, 200);
        assert_eq!(introspect(&server, &both, &token).await["active"], true);
        // A scope withdrawn from the client, or from the resource server, is not seen any more.
        server.set_scopes(&both.id, &["listing"]).await;
        assert_eq!(introspect(&server, &resource, &token).await, inactive());
        server.set_scopes(&both.id, &["transaction-status"]).await;
        assert_eq!(introspect(&server, &resource, &token).await["active"], true);
        let id = resource.id.clone();
        let scopes = ["listing".to_owned()];
        let changed = server.storage.write(move |write| clients::update_introspects(write, &id, &scopes, 0));
        changed.await.unwrap();
        assert_eq!(introspect(&server, &resource, &token).await, inactive());
        // Revoked and expired tokens, and those of disabled clients, are inactive for it too.
        let id = resource.id.clone();
        let scopes = ["transaction-status".to_owned()];
        let changed = server.storage.write(move |write| clients::update_introspects(write, &id, &scopes, 0));
        changed.await.unwrap();
        assert_eq!(introspect(&server, &resource, &token).await["active"], true);
        server.ask_about(&both, "/revoke", &token).await;
        assert_eq!(introspect(&server, &resource, &token).await, inactive());
    }
}

story! {
    async fn an_assertion_for_one_endpoint_is_good_there_alone(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        let fapi = server.register_in("fapi2", "strict", &["transaction-status"]).await;
        let token = server.token(&lender, None).await;
        let form_for = |client: &Registration, endpoint: &str| {
            let aud = json!(format!("{AUTH_URL}{endpoint}"));
            form(&token, &client.assertion().claim("aud", aud).sign(&client.key))
        };
        for (called, audience, expected) in [
            ("/introspect", "/introspect", 200),
            ("/introspect", "/token", 200),
            ("/introspect", "/revoke", 401),
            ("/introspect", "/introspect/", 401),
            ("/revoke", "/introspect", 401),
            ("/token", "/introspect", 401),
            ("/token", "/revoke", 401),
            ("/revoke", "/revoke", 200),
        ] {
            let mut form = form_for(&lender, audience);
            if called == "/token" {
                form.push(("grant_type", "client_credentials".to_owned()));
            }
            let answer = post(&lender.http, &server.url(At::Auth, called), &form).await;
            assert_eq!(answer.status, expected, "{audience} at {called}");
        }
        let url = server.url(At::Auth, "/introspect");
        let strict = post(&fapi.http, &url, &form_for(&fapi, "/introspect")).await;
        assert_eq!(strict.status, 401, "FAPI 2.0 asks for the issuer");
    }
}

/// A token of the lender's with a key that is not the service's.
fn forge(lender: &Registration) -> String {
    let claims = AccessTokenClaims {
        iss: AUTH_URL.to_owned(),
        sub: lender.id.clone(),
        client_id: lender.id.clone(),
        aud: BASE_URL.to_owned(),
        scope: "transaction-status".to_owned(),
        iat: BEGINNING,
        exp: BEGINNING + 600,
        jti: "forged".to_owned(),
        certificate: None,
        generation: 0,
    };
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    access_token::issue(&claims, &key).unwrap()
}

story! {
    async fn the_caller_must_prove_itself(server) {
        check_authentication(&server, "/introspect").await;
    }
}

/// Fails the test unless the caller has to prove itself, with one fault after another in the form
/// of the client.
pub(super) async fn check_authentication(server: &TestServer, path: &str) {
    let lender = server.register("lender", &["transaction-status"]).await;
    let other = server.register("other", &["transaction-status"]).await;
    let token = server.token(&lender, None).await;
    let signed = || lender.assertion().sign(&lender.key);
    let used = signed();
    assert_eq!(server.request_token(&lender, &used, None).await.status, 200);
    let url = server.url(At::Auth, path);
    for (label, form, expected) in wrong_forms(&lender, &other, &token) {
        check(label, &post(&lender.http, &url, &form).await, expected);
    }
    // S-24: this client is bound to its certificate here as well.
    let bare = http_client(server, None);
    let get = send(lender.http.get(&url)).await;
    let in_query = format!("{url}?token=x");
    check("GET", &get, "405 invalid_request");
    let again = post(&lender.http, &url, &form(&token, &used)).await;
    check("used", &again, INVALID_CLIENT);
    let from_bare = post(&bare, &url, &form(&token, &signed())).await;
    check("bare", &from_bare, INVALID_CLIENT);
    let with_query = post(&lender.http, &in_query, &form(&token, &signed())).await;
    check("query", &with_query, INVALID_REQUEST);
    let outcome = super::token::call_with(server, &lender, &token).await;
    assert_eq!(outcome, ACCEPTED, "the token still counts");
    server.disable_client(&lender.id).await;
    let answer = post(&lender.http, &url, &form(&token, &signed())).await;
    check("disabled", &answer, INVALID_CLIENT);
}

const INVALID_CLIENT: &str = "401 invalid_client";
const INVALID_REQUEST: &str = "400 invalid_request";

/// Forms of the lender's with one fault each.
fn wrong_forms(
    lender: &Registration,
    other: &Registration,
    token: &str,
) -> Vec<(&'static str, Form, &'static str)> {
    let with = |name: &'static str, value: &str| {
        let mut form = form(token, &lender.assertion().sign(&lender.key));
        form.push((name, value.to_owned()));
        form
    };
    let claiming = |name: &str, value: Value| {
        let assertion = lender.assertion().claim(name, value);
        form(token, &assertion.sign(&lender.key))
    };
    let mut no_type = with("client_id", &lender.id);
    no_type.retain(|field| field.0 != "client_assertion_type");
    let signed = lender.assertion().sign(&lender.key);
    let by_other = lender.assertion().sign(&other.key);
    let with_secret = with("client_secret", "x");
    let with_other_id = with("client_id", &other.id);
    vec![
        ("no token", form("", &signed), INVALID_REQUEST),
        ("token twice", with("token", token), INVALID_REQUEST),
        ("a secret as well", with_secret, INVALID_REQUEST),
        ("another client_id", with_other_id, INVALID_REQUEST),
        ("no assertion type", no_type, INVALID_REQUEST),
        ("no assertion", form(token, ""), INVALID_CLIENT),
        ("another's key", form(token, &by_other), INVALID_CLIENT),
        ("nobody", claiming("iss", json!("x")), INVALID_CLIENT),
        ("another aud", claiming("aud", json!("x")), INVALID_CLIENT),
        ("expired", claiming("exp", json!(BEGINNING)), INVALID_CLIENT),
    ]
}

/// A form about this token.
pub(super) fn form(token: &str, assertion: &str) -> Form {
    [
        ("token", token),
        ("client_assertion_type", ASSERTION_TYPE),
        ("client_assertion", assertion),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

async fn post(http: &reqwest::Client, url: &str, form: &Form) -> Answer {
    send(http.post(url).form(form)).await
}
