//! The token endpoint.

mod assertion;
mod binding;
mod limits;
mod published_keys;
mod registration;
mod replay;
mod request;
mod scopes;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};
use signing::jws::Unverified;
use signing::keyring::Purpose;

use crate::sqlite_story;
use crate::test_server::{
    AUTH_URL, Answer, At, BASE_URL, BEGINNING, Registration, TestServer, send,
};

const PROFILES: [&str; 2] = ["sector", "fapi2"];

/// The outcome of a chain query whose caller has access: there are no chains.
pub(super) const ACCEPTED: &str = "404 -";
pub(super) const INVALID_TOKEN: &str = "401 Bearer error=\"invalid_token\"";

/// Compares status and OAuth error code (`-`: none), and checks the rules for every answer of
/// the token endpoint (RFC 6749 sections 5.1 and 5.2).
#[track_caller]
pub(super) fn check(label: &str, answer: &Answer, expected: &str) {
    let text = String::from_utf8_lossy(&answer.body);
    let kind = answer.header("content-type");
    assert_eq!(kind, "application/json", "{label}: {text}");
    assert_eq!(answer.oauth(), expected, "{label}: {text}");
    assert_eq!(answer.header("cache-control"), "no-store", "{label}");
    assert_eq!(answer.header("pragma"), "no-cache", "{label}");
    assert_ne!(answer.header("date"), "", "{label}");
    assert_ne!(answer.header("x-request-id"), "", "{label}");
    let body = answer.json();
    let mut members: Vec<_> = body.as_object().unwrap().keys().collect();
    members.sort();
    if answer.status == 200 {
        let expected = ["access_token", "expires_in", "scope", "token_type"];
        assert_eq!(members, expected, "{label}: above all no refresh_token");
    } else {
        assert_eq!(members, ["error", "error_description"], "{label}");
        let description = body["error_description"].as_str().unwrap();
        let is_allowed = |c: char| matches!(c, ' '..='~') && c != '"' && c != '\\';
        let is_sane = !description.is_empty() && description.chars().all(is_allowed);
        assert!(is_sane, "{label}: {text}");
    }
}

/// The same for a request without an `Authorization` field: the answer has no challenge.
#[track_caller]
fn check_plain(label: &str, answer: &Answer, expected: &str) {
    check(label, answer, expected);
    assert_eq!(answer.header("www-authenticate"), "", "{label}");
}

/// Status and challenge of a chain query with this `Authorization` field, the
/// challenge without its description.
async fn call(url: &str, http: &reqwest::Client, authorization: Option<&str>) -> String {
    let mut request = http
        .post(url)
        .form(&[("inputType", "uprn"), ("value[]", "9")]);
    if let Some(authorization) = authorization {
        request = request.header("authorization", authorization);
    }
    outcome(&send(request).await)
}

fn outcome(answer: &Answer) -> String {
    let challenge = answer.challenge().split(", ").next();
    let challenge = challenge.filter(|challenge| !challenge.is_empty());
    format!("{} {}", answer.status, challenge.unwrap_or("-"))
}

/// The outcome of a chain query with this token over the client's connection.
pub(super) async fn call_with(server: &TestServer, client: &Registration, token: &str) -> String {
    let url = server.url(At::Base, "/api/v1/standard/chains");
    call(&url, &client.http, Some(&format!("Bearer {token}"))).await
}

/// Header and claims of a token, nothing verified.
pub(super) fn read_token(token: &str) -> (Value, Value) {
    let mut parts = token.split('.');
    let mut part = || {
        let bytes = URL_SAFE_NO_PAD.decode(parts.next().unwrap()).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    (part(), part())
}

/// `x5t#S256` of the first certificate of a PEM text, by RFC 8705 section 3.1
/// and by none of the code under test.
pub(super) fn thumbprint(pem: &str) -> String {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let suite = TLS13_AES_128_GCM_SHA256.tls13().unwrap();
    URL_SAFE_NO_PAD.encode(suite.common.hash_provider.hash(&der))
}

sqlite_story! {
    async fn the_token_is_that_of_rfc_9068(server) {
        let lender = server.register("lender", &["transaction-status", "listing"]).await;
        let assertion = lender.assertion().sign(&lender.key);
        let answer = server.request_token(&lender, &assertion, None).await;
        check_plain("granted", &answer, "200 -");
        let mut body = answer.json();
        let token = body["access_token"].take().as_str().unwrap().to_owned();
        assert_eq!(body, json!({
            "access_token": null, "token_type": "Bearer", "expires_in": 600,
            "scope": "transaction-status listing",
        }));

        let snapshot = server.node.foundation.registry.snapshot().await.unwrap();
        let key = snapshot.keyring.current(Purpose::Token).unwrap();
        let (header, mut claims) = read_token(&token);
        assert_eq!(header, json!({"alg": "ES256", "kid": key.kid(), "typ": "at+jwt"}));
        Unverified::parse(&token).unwrap().verify(key.public_key()).unwrap();
        let published: Value = serde_json::from_slice(&server.jwks().await).unwrap();
        for published in published["keys"].as_array().unwrap() {
            assert_ne!(published["kid"], header["kid"], "a token key is no provenance key");
        }

        // A claim of our own: it tells the tokens of this registration from those of an earlier one.
        let generation = claims.as_object_mut().unwrap().remove("generation").unwrap();
        assert!(generation.as_i64().unwrap() > 0, "{generation}");
        let jti = claims.as_object_mut().unwrap().remove("jti").unwrap();
        // 128 bits at least (RFC 6749 section 10.10).
        assert!(jti.as_str().unwrap().len() >= 22, "{jti}");
        assert_eq!(claims, json!({
            "iss": AUTH_URL,
            "sub": lender.id,
            "client_id": lender.id,
            "aud": BASE_URL,
            "scope": "transaction-status listing",
            "iat": BEGINNING,
            "exp": BEGINNING + 600,
            "cnf": {"x5t#S256": thumbprint(&lender.identity)},
        }));
        let (_header, other) = read_token(&server.token(&lender, None).await);
        assert_ne!(other["jti"], jti);
    }
}
