//! A proxy that ends TLS and passes the certificate on (S-20; RFC 9440).

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::Value;

use crate::story;
use crate::world::{Answer, At, TestClient, World, http_client};

/// The field's value for the first certificate of a PEM text.
fn client_cert(pem: &str) -> String {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    format!(":{}:", STANDARD.encode(&der))
}

/// Asks for a token with these `Client-Cert` fields; its answer.
async fn ask(
    world: &World,
    client: &TestClient,
    http: &reqwest::Client,
    fields: &[String],
) -> Answer {
    let assertion = client.assertion().sign(&client.key);
    let form = [
        ("grant_type", "client_credentials"),
        (
            "client_assertion_type",
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ),
        ("client_assertion", &assertion),
    ];
    let mut request = http.post(world.url(At::Auth, "/token")).form(&form);
    for field in fields {
        request = request.header("client-cert", field);
    }
    Answer::read(request.send().await.unwrap()).await
}

/// The status of a chain query with a token and these `Client-Cert` fields.
async fn call(world: &World, http: &reqwest::Client, token: &str, fields: &[String]) -> u16 {
    let url = world.url(At::Base, "/api/v1/standard/chains");
    let form = [("inputType", "uprn"), ("value[]", "9")];
    let mut request = http.post(url).bearer_auth(token).form(&form);
    for field in fields {
        request = request.header("client-cert", field);
    }
    request.send().await.unwrap().status().as_u16()
}

fn token_of(answer: &Answer) -> String {
    let body: Value = answer.json();
    let token = body["access_token"].as_str();
    token
        .unwrap_or_else(|| panic!("no token: {body}"))
        .to_owned()
}

async fn trusting(world: World, proxies: &[&str]) -> World {
    let proxies: Vec<IpAddr> = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
    world
        .reconfigure(|config| config.trusted_proxies = proxies)
        .await
}

story! {
    async fn the_field_of_anybody_else_means_nothing(world) {
        world = trusting(world, &["192.0.2.7", "::1"]).await;
        let lender = world.register("lender", &["transaction-status"]).await;
        let other = world.register("other", &["transaction-status"]).await;
        let bare = http_client(&world, None);
        let field = [client_cert(&lender.identity)];
        assert_eq!(ask(&world, &lender, &bare, &field).await.oauth(), "401 invalid_client");

        // Bound to the certificate of the handshake, not to that of the field.
        let token = token_of(&ask(&world, &lender, &other.http, &field).await);
        assert_eq!(call(&world, &other.http, &token, &[]).await, 404);
        assert_eq!(call(&world, &other.http, &token, &field).await, 404);
        assert_eq!(call(&world, &lender.http, &token, &[]).await, 401);
        let token = token_of(&ask(&world, &lender, &lender.http, &[]).await);
        assert_eq!(call(&world, &bare, &token, &field).await, 401);
        assert_eq!(call(&world, &other.http, &token, &field).await, 401);
    }
}

story! {
    async fn a_trusted_proxy_says_which_certificate_it_saw(world) {
        world = trusting(world, &["127.0.0.1"]).await;
        let lender = world.register("lender", &["transaction-status"]).await;
        let other = world.register("other", &["transaction-status"]).await;
        let proxy = http_client(&world, None);
        let [own, others] = [&lender, &other].map(|client| [client_cert(&client.identity)]);
        let token = token_of(&ask(&world, &lender, &proxy, &own).await);
        assert_eq!(call(&world, &proxy, &token, &own).await, 404);
        assert_eq!(call(&world, &proxy, &token, &others).await, 401);
        assert_eq!(call(&world, &proxy, &token, &[]).await, 401);
        // The proxy's own certificate is not its caller's.
        assert_eq!(call(&world, &lender.http, &token, &[]).await, 401);
        let answer = ask(&world, &lender, &lender.http, &[]).await;
        assert_eq!(answer.oauth(), "401 invalid_client");
        assert_eq!(call(&world, &other.http, &token, &own).await, 404);
    }
}

story! {
    async fn a_malformed_field_is_no_certificate(world) {
        world = trusting(world, &["127.0.0.1"]).await;
        let lender = world.register("lender", &["transaction-status"]).await;
        let proxy = http_client(&world, None);
        let right = client_cert(&lender.identity);
        let base64 = right.trim_matches(':').to_owned();
        let token = token_of(&ask(&world, &lender, &proxy, std::slice::from_ref(&right)).await);
        for (label, fields) in [
            ("empty", vec![String::new()]),
            ("no bytes", vec!["::".to_owned()]),
            ("one colon", vec![":".to_owned()]),
            ("without colons", vec![base64.clone()]),
            ("without the last colon", vec![format!(":{base64}")]),
            ("not base64", vec![":*:".to_owned()]),
            ("a string", vec![format!("\"{base64}\"")]),
            ("a list", vec![format!("{right}, {right}")]),
            ("percent-encoded PEM", vec!["-----BEGIN%20CERTIFICATE-----".to_owned()]),
            // What a caller sent itself may stand before what the proxy added.
            ("two fields", vec![right.clone(), right.clone()]),
            ("two fields, the first malformed", vec!["x".to_owned(), right.clone()]),
        ] {
            let answer = ask(&world, &lender, &proxy, &fields).await;
            assert_eq!(answer.oauth(), "401 invalid_client", "{label}");
            assert_eq!(call(&world, &proxy, &token, &fields).await, 401, "{label}");
        }
        let answer = ask(&world, &lender, &proxy, &[format!(" {right} ")]).await;
        assert_eq!(answer.oauth(), "200 -", "spaces around it");
    }
}
