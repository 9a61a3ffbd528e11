//! A proxy that ends TLS and passes the certificate on (S-20; RFC 9440).

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::RequestBuilder;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;

use crate::sqlite_story;
use crate::test_server::{Answer, At, Registration, TestServer, http_client, send, token_form};

/// The field's value for the first certificate of a PEM text.
pub(crate) fn client_cert(pem: &str) -> String {
    let der = CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    format!(":{}:", STANDARD.encode(&der))
}

fn with_fields(request: RequestBuilder, fields: &[String]) -> RequestBuilder {
    let add = |request: RequestBuilder, field| request.header("client-cert", field);
    fields.iter().fold(request, add)
}

/// Asks for a token with these `Client-Cert` fields; its answer.
pub(crate) async fn ask_with_fields(
    auth_url: &str,
    client: &Registration,
    http: &reqwest::Client,
    fields: &[String],
) -> Answer {
    let assertion = client.assertion().sign(&client.key);
    let request = http.post(format!("{auth_url}/token"));
    send(with_fields(request.form(&token_form(&assertion)), fields)).await
}

/// The status of a chain query with a token and these `Client-Cert` fields.
pub(crate) async fn query_with_fields(
    base_url: &str,
    http: &reqwest::Client,
    token: &str,
    fields: &[String],
) -> u16 {
    let form = [("inputType", "uprn"), ("value[]", "1")];
    let request = http.post(format!("{base_url}/api/v1/standard/chains"));
    let request = request.bearer_auth(token).form(&form);
    send(with_fields(request, fields)).await.status
}

async fn ask(
    server: &TestServer,
    client: &Registration,
    http: &reqwest::Client,
    fields: &[String],
) -> Answer {
    ask_with_fields(&server.url(At::Auth, ""), client, http, fields).await
}

async fn call(server: &TestServer, http: &reqwest::Client, token: &str, fields: &[String]) -> u16 {
    query_with_fields(&server.url(At::Base, ""), http, token, fields).await
}

async fn trusting(server: TestServer, proxies: &[&str]) -> TestServer {
    let proxies: Vec<IpAddr> = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
    server
        .reconfigure(|config| config.trusted_proxies = proxies)
        .await
}

sqlite_story! {
    async fn the_field_of_anybody_else_means_nothing(server) {
        server = trusting(server, &["192.0.2.7", "::1"]).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let bare = http_client(&server, None);
        let field = [client_cert(&lender.identity)];
        assert_eq!(ask(&server, &lender, &bare, &field).await.oauth(), "401 invalid_client");

        // Bound to the certificate of the handshake, not to that of the field.
        let token = ask(&server, &lender, &other.http, &field).await.access_token();
        assert_eq!(call(&server, &other.http, &token, &[]).await, 404);
        assert_eq!(call(&server, &other.http, &token, &field).await, 404);
        assert_eq!(call(&server, &lender.http, &token, &[]).await, 401);
        let token = ask(&server, &lender, &lender.http, &[]).await.access_token();
        assert_eq!(call(&server, &bare, &token, &field).await, 401);
        assert_eq!(call(&server, &other.http, &token, &field).await, 401);
    }
}

sqlite_story! {
    async fn a_trusted_proxy_says_which_certificate_it_saw(server) {
        server = trusting(server, &["127.0.0.1"]).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let proxy = http_client(&server, None);
        let [own, others] = [&lender, &other].map(|client| [client_cert(&client.identity)]);
        let token = ask(&server, &lender, &proxy, &own).await.access_token();
        assert_eq!(call(&server, &proxy, &token, &own).await, 404);
        assert_eq!(call(&server, &proxy, &token, &others).await, 401);
        assert_eq!(call(&server, &proxy, &token, &[]).await, 401);
        // The proxy's own certificate is not its caller's.
        assert_eq!(call(&server, &lender.http, &token, &[]).await, 401);
        let answer = ask(&server, &lender, &lender.http, &[]).await;
        assert_eq!(answer.oauth(), "401 invalid_client");
        assert_eq!(call(&server, &other.http, &token, &own).await, 404);
    }
}

sqlite_story! {
    async fn a_malformed_field_is_no_certificate(server) {
        server = trusting(server, &["127.0.0.1"]).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let proxy = http_client(&server, None);
        let right = client_cert(&lender.identity);
        let base64 = right.trim_matches(':').to_owned();
        let field = [right.clone()];
        let token = ask(&server, &lender, &proxy, &field).await.access_token();
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
            let answer = ask(&server, &lender, &proxy, &fields).await;
            assert_eq!(answer.oauth(), "401 invalid_client", "{label}");
            assert_eq!(call(&server, &proxy, &token, &fields).await, 401, "{label}");
        }
        let answer = ask(&server, &lender, &proxy, &[format!(" {right} ")]).await;
        assert_eq!(answer.oauth(), "200 -", "spaces around it");
    }
}
