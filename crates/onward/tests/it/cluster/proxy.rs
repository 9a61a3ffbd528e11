//! A real proxy that ends TLS and says which certificate it saw (S-20; RFC 9440).

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::RequestBuilder;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::json;

use super::balancer::HaProxy;
use crate::commands::program::find_ports;
use crate::story;
use crate::world::{Answer, At, TestClient, World, http_client};

/// Where the proxy's own connections come from; it is the only one that is believed.
const PROXY: &str = "127.0.0.2";

/// The base and the token address, behind the proxy or past it.
#[derive(Clone)]
struct Way {
    base: String,
    auth: String,
}

/// As `docs/scaling.md` has it. No session is resumed, for a resumed one may not show the
/// certificate (S-20).
fn configure(folder: &Path, first_port: u16, world: &World) -> String {
    let file = |name: &str| folder.join(name).display().to_string();
    let mut text = format!(
        "global\n    maxconn 400\n    tune.ssl.cachesize 0\n\
         defaults\n    mode http\n    timeout connect 2s\n    timeout client 30s\n    \
         timeout server 30s\n\
         frontend statistics\n    bind 127.0.0.1:{}\n    http-request return status 200\n",
        first_port + 4
    );
    for ((name, at), port) in [("base", At::Base), ("auth", At::Auth)]
        .into_iter()
        .zip(first_port..)
    {
        let server = world.url(at, "").replace("https://", "");
        write!(
            text,
            "frontend {name}\n    bind 127.0.0.1:{port} ssl crt {} ca-file {} verify optional \
             alpn h2,http/1.1 no-tls-tickets\n    \
             http-request del-header Client-Cert\n    \
             http-request del-header Client-Cert-Chain\n    \
             http-request set-header Client-Cert :%[ssl_c_der,base64]: if {{ ssl_c_used }}\n    \
             default_backend {name}\n\
             backend {name}\n    server node {server} ssl verify required ca-file {} \
             verifyhost localhost sni str(localhost) source {PROXY}\n",
            file("both.pem"),
            file("ca.pem"),
            file("ca.pem"),
        )
        .unwrap();
    }
    text
}

async fn start(world: &World) -> (Way, HaProxy) {
    let folder = world.directory.path();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    std::fs::write(
        folder.join("both.pem"),
        read("server.pem") + &read("server.key"),
    )
    .unwrap();
    let first_port = find_ports();
    let proxy = HaProxy::start(folder, &configure(folder, first_port, world));
    let statistics = format!("http://127.0.0.1:{}/", first_port + 4);
    world
        .wait_until("the proxy listens", async || {
            reqwest::get(&statistics).await.is_ok()
        })
        .await;
    let url = |offset: u16| format!("https://127.0.0.1:{}", first_port + offset);
    (
        Way {
            base: url(0),
            auth: url(1),
        },
        proxy,
    )
}

fn client_cert(client: &TestClient) -> String {
    let der = CertificateDer::from_pem_slice(client.identity.as_bytes()).unwrap();
    format!(":{}:", STANDARD.encode(&der))
}

fn with_field(request: RequestBuilder, smuggled: Option<&str>) -> RequestBuilder {
    match smuggled {
        Some(field) => request.header("client-cert", field),
        None => request,
    }
}

async fn ask_token(
    way: &Way,
    client: &TestClient,
    http: &reqwest::Client,
    smuggled: Option<&str>,
) -> Answer {
    let assertion = client.assertion().sign(&client.key);
    let form = [
        ("grant_type", "client_credentials"),
        (
            "client_assertion_type",
            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        ),
        ("client_assertion", assertion.as_str()),
    ];
    let request = http.post(format!("{}/token", way.auth)).form(&form);
    Answer::read(with_field(request, smuggled).send().await.unwrap()).await
}

async fn query(way: &Way, http: &reqwest::Client, token: &str, smuggled: Option<&str>) -> u16 {
    let form = [("inputType", "uprn"), ("value[]", "1")];
    let request = http.post(format!("{}/api/v1/standard/chains", way.base));
    let request = with_field(request.bearer_auth(token).form(&form), smuggled);
    request.send().await.unwrap().status().as_u16()
}

story! {
    async fn a_real_proxy_is_believed_and_nobody_else(world) {
        world = world.reconfigure(|config| config.trusted_proxies = vec![PROXY.parse().unwrap()]).await;
        let agent = world.agent("north").await;
        agent.list(1).await;
        let lender = world.register("lender", &["transaction-status"]).await;
        let other = world.register("other", &["transaction-status"]).await;
        let (behind, proxy) = start(&world).await;
        let past = Way { base: world.url(At::Base, ""), auth: world.url(At::Auth, "") };
        let bare = http_client(&world, None);
        let field = client_cert(&lender);

        // The certificate that the proxy saw is the caller's.
        let granted = ask_token(&behind, &lender, &lender.http, None).await;
        assert_eq!(granted.oauth(), "200 -");
        let token = granted.json()["access_token"].as_str().unwrap().to_owned();
        assert_eq!(query(&behind, &lender.http, &token, None).await, 200);
        assert_eq!(query(&behind, &other.http, &token, None).await, 401, "another certificate");
        assert_eq!(query(&behind, &bare, &token, None).await, 401, "none");
        let refused = ask_token(&behind, &lender, &bare, None).await;
        assert_eq!(refused.oauth(), "401 invalid_client");

        // What a caller puts into the field itself is thrown away.
        assert_eq!(query(&behind, &other.http, &token, Some(&field)).await, 401);
        assert_eq!(query(&behind, &bare, &token, Some(&field)).await, 401);
        let refused = ask_token(&behind, &lender, &bare, Some(&field)).await;
        assert_eq!(refused.oauth(), "401 invalid_client");
        let others = client_cert(&other);
        assert_eq!(query(&behind, &lender.http, &token, Some(&others)).await, 200, "overwritten");

        // Past the proxy the field is not believed, and the token is good all the same.
        assert_eq!(query(&past, &bare, &token, Some(&field)).await, 401);
        assert_eq!(query(&past, &other.http, &token, Some(&field)).await, 401);
        let refused = ask_token(&past, &lender, &bare, Some(&field)).await;
        assert_eq!(refused.oauth(), "401 invalid_client");
        assert_eq!(query(&past, &lender.http, &token, None).await, 200);
        let shown = ask_token(&past, &lender, &lender.http, None).await.json();
        assert_eq!(shown["expires_in"], json!(600));
        drop(proxy);
    }
}
