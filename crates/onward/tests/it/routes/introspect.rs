//! What a token is good for, told to its own client (RFC 7662).

use serde_json::{Value, json};
use signing::access_token::{self, AccessTokenClaims};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use storage::clients;

use super::token::{ASSERTION_TYPE, check, read_token, thumbprint};
use crate::story;
use crate::world::{AUTH_URL, Answer, At, BASE_URL, BEGINNING, TestClient, World, http_client};

type Form = Vec<(&'static str, String)>;

/// What is said of a token to this client.
async fn introspect(world: &World, client: &TestClient, token: &str) -> Value {
    let answer = world.ask_about(client, "/introspect", token).await;
    assert_eq!(answer.status, 200, "{}", answer.json());
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    answer.json()
}

fn inactive() -> Value {
    json!({"active": false})
}

story! {
    async fn a_client_sees_its_own_token(world) {
        let lender = world.register("lender", &["transaction-status", "listing"]).await;
        let token = world.token(&lender, None).await;
        let (_header, claims) = read_token(&token);
        assert_eq!(introspect(&world, &lender, &token).await, json!({
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
    async fn a_scope_that_was_withdrawn_is_not_shown(world) {
        let lender = world.register("lender", &["transaction-status", "listing"]).await;
        let token = world.token(&lender, None).await;
        let (id, left) = (lender.id.clone(), ["listing".to_owned()]);
        let changed = world.storage.write(move |write| {
            clients::update_scopes(write, &id, &left, BEGINNING)
        });
        assert!(changed.await.unwrap());
        assert_eq!(introspect(&world, &lender, &token).await["scope"], "listing");
    }
}

story! {
    async fn nothing_is_said_of_any_other_token(world) {
        let lender = world.register("lender", &["transaction-status"]).await;
        let other = world.register("other", &["transaction-status"]).await;
        let token = world.token(&lender, None).await;
        let others = world.token(&other, None).await;
        let assertion = lender.assertion().sign(&lender.key);
        let forged = forge(&lender);
        let cut = &token[..token.len() - 4];
        for wrong in ["garbage", "a.b.c", cut, &others, &assertion, &forged] {
            assert_eq!(introspect(&world, &lender, wrong).await, inactive(), "{wrong}");
        }
        assert_eq!(introspect(&world, &lender, &token).await["active"], true);
        let revoked = world.ask_about(&lender, "/revoke", &token).await;
        assert_eq!(revoked.status, 200);
        assert_eq!(introspect(&world, &lender, &token).await, inactive(), "revoked");
        let before = world.token(&lender, None).await;
        for set_active in [clients::disable_client, clients::enable_client] {
            let id = lender.id.clone();
            let changed = world.storage.write(move |write| set_active(write, &id, BEGINNING));
            assert!(changed.await.unwrap());
        }
        assert_eq!(introspect(&world, &lender, &before).await, inactive(), "disabled since");
        let late = world.token(&lender, None).await;
        world.clock.advance(599);
        assert_eq!(introspect(&world, &lender, &late).await["active"], true);
        world.clock.advance(1);
        assert_eq!(introspect(&world, &lender, &late).await, inactive(), "expired");
    }
}

/// A token of the lender's with a key that is not the service's.
fn forge(lender: &TestClient) -> String {
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
    async fn the_caller_must_prove_itself(world) {
        check_authentication(&world, "/introspect").await;
    }
}

/// One field of the form after another is wrong or missing, everything else right.
pub(super) async fn check_authentication(world: &World, path: &str) {
    let lender = world.register("lender", &["transaction-status"]).await;
    let other = world.register("other", &["transaction-status"]).await;
    let token = world.token(&lender, None).await;
    let fresh = || lender.assertion();
    let signed = || fresh().sign(&lender.key);
    let used = signed();
    assert_eq!(world.request_token(&lender, &used, None).await.status, 200);
    let url = world.url(At::Auth, path);
    for (label, form, expected) in wrong_forms(&lender, &other, (&token, &used)) {
        let answer = post(&lender.http, &url, &form).await;
        check(label, &answer, expected);
    }
    // S-24: this client is bound to its certificate here as well.
    let bare = http_client(world, None);
    let answer = post(&bare, &url, &form(&token, &signed())).await;
    check("no certificate", &answer, "401 invalid_client");
    let get = Answer::read(lender.http.get(&url).send().await.unwrap()).await;
    check("GET", &get, "405 invalid_request");
    let query = post(
        &lender.http,
        &format!("{url}?token=x"),
        &form(&token, &signed()),
    )
    .await;
    check("in the query string", &query, "400 invalid_request");
    assert!(
        super::token::call_with(world, &lender, &token)
            .await
            .starts_with("404"),
        "it lives"
    );
    let id = lender.id.clone();
    let disabled = world
        .storage
        .write(move |write| clients::disable_client(write, &id, BEGINNING));
    assert!(disabled.await.unwrap());
    let answer = post(&lender.http, &url, &form(&token, &signed())).await;
    check("disabled", &answer, "401 invalid_client");
}

/// Forms of the lender's with one fault each; `used` is an assertion that was used.
fn wrong_forms(
    lender: &TestClient,
    other: &TestClient,
    (token, used): (&String, &str),
) -> Vec<(&'static str, Form, &'static str)> {
    let fresh = || lender.assertion();
    let signed = || fresh().sign(&lender.key);
    let (mut twice, mut no_type) = (form(token, &signed()), form(token, &signed()));
    twice.push(("token", token.clone()));
    no_type.retain(|field| field.0 != "client_assertion_type");
    let mut two_clients = form(token, &signed());
    two_clients.push(("client_id", other.id.clone()));
    let mut secret = form(token, &signed());
    secret.push(("client_secret", "x".to_owned()));
    let nobody = fresh().claim("iss", json!("x")).claim("sub", json!("x"));
    vec![
        ("no token", form("", &signed()), "400 invalid_request"),
        ("token twice", twice, "400 invalid_request"),
        ("a secret as well", secret, "400 invalid_request"),
        ("another client_id", two_clients, "400 invalid_request"),
        ("no assertion type", no_type, "400 invalid_request"),
        ("no assertion", form(token, ""), "401 invalid_client"),
        (
            "used at the token endpoint",
            form(token, used),
            "401 invalid_client",
        ),
        (
            "another's key",
            form(token, &fresh().sign(&other.key)),
            "401 invalid_client",
        ),
        (
            "nobody",
            form(token, &nobody.sign(&lender.key)),
            "401 invalid_client",
        ),
        (
            "for another server",
            form(
                token,
                &fresh().claim("aud", json!("https://x")).sign(&lender.key),
            ),
            "401 invalid_client",
        ),
        (
            "expired",
            form(
                token,
                &fresh().claim("exp", json!(BEGINNING)).sign(&lender.key),
            ),
            "401 invalid_client",
        ),
    ]
}

fn form(token: &str, assertion: &str) -> Form {
    [
        ("token", token),
        ("client_assertion_type", ASSERTION_TYPE),
        ("client_assertion", assertion),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

async fn post(http: &reqwest::Client, url: &str, form: &Form) -> Answer {
    Answer::read(http.post(url).form(form).send().await.unwrap()).await
}
