//! A real proxy that ends TLS and says which certificate it saw (S-20; RFC 9440).

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::balancer::HaProxy;
use crate::commands::program::find_ports;
use crate::story;
use crate::test_server::{At, TestServer, http_client};
use crate::tls::proxy::{ask_with_fields, client_cert, query_with_fields};

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
fn configure(folder: &Path, first_port: u16, server: &TestServer) -> String {
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
        let address = server.url(at, "").replace("https://", "");
        write!(
            text,
            "frontend {name}\n    bind 127.0.0.1:{port} ssl crt {} ca-file {} verify optional \
             alpn h2,http/1.1 no-tls-tickets\n    \
             http-request del-header Client-Cert\n    \
             http-request del-header Client-Cert-Chain\n    \
             http-request set-header Client-Cert :%[ssl_c_der,base64]: if {{ ssl_c_used }}\n    \
             default_backend {name}\n\
             backend {name}\n    server node {address} ssl verify required ca-file {} \
             verifyhost localhost sni str(localhost) source {PROXY}\n",
            file("both.pem"),
            file("ca.pem"),
            file("ca.pem"),
        )
        .unwrap();
    }
    text
}

async fn start(server: &TestServer) -> (Way, HaProxy) {
    let folder = server.directory.path();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    std::fs::write(
        folder.join("both.pem"),
        read("server.pem") + &read("server.key"),
    )
    .unwrap();
    let first_port = find_ports();
    let proxy = HaProxy::start(folder, &configure(folder, first_port, server));
    let statistics = format!("http://127.0.0.1:{}/", first_port + 4);
    server
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

story! {
    async fn a_real_proxy_is_believed_and_nobody_else(server) {
        let trusted = vec![PROXY.parse().unwrap()];
        server = server.reconfigure(|config| config.trusted_proxies = trusted).await;
        let agent = server.agent("north").await;
        agent.list(1).await;
        let lender = server.register("lender", &["transaction-status"]).await;
        let other = server.register("other", &["transaction-status"]).await;
        let (behind, proxy) = start(&server).await;
        let past = Way { base: server.url(At::Base, ""), auth: server.url(At::Auth, "") };
        let bare = http_client(&server, None);
        let field = [client_cert(&lender.identity)];

        // The certificate that the proxy saw is the caller's.
        let granted = ask_with_fields(&behind.auth, &lender, &lender.http, &[]).await;
        assert_eq!(granted.oauth(), "200 -");
        let token = granted.access_token();
        assert_eq!(query_with_fields(&behind.base, &lender.http, &token, &[]).await, 200);
        let of_other = query_with_fields(&behind.base, &other.http, &token, &[]).await;
        assert_eq!(of_other, 401, "another certificate");
        assert_eq!(query_with_fields(&behind.base, &bare, &token, &[]).await, 401, "none");
        let refused = ask_with_fields(&behind.auth, &lender, &bare, &[]).await;
        assert_eq!(refused.oauth(), "401 invalid_client");

        // What a caller puts into the field itself is thrown away.
        assert_eq!(query_with_fields(&behind.base, &other.http, &token, &field).await, 401);
        assert_eq!(query_with_fields(&behind.base, &bare, &token, &field).await, 401);
        let refused = ask_with_fields(&behind.auth, &lender, &bare, &field).await;
        assert_eq!(refused.oauth(), "401 invalid_client");
        let others = [client_cert(&other.identity)];
        let overwritten = query_with_fields(&behind.base, &lender.http, &token, &others).await;
        assert_eq!(overwritten, 200, "overwritten");

        // Past the proxy the field is not believed, and the token is good all the same.
        assert_eq!(query_with_fields(&past.base, &bare, &token, &field).await, 401);
        assert_eq!(query_with_fields(&past.base, &other.http, &token, &field).await, 401);
        let refused = ask_with_fields(&past.auth, &lender, &bare, &field).await;
        assert_eq!(refused.oauth(), "401 invalid_client");
        assert_eq!(query_with_fields(&past.base, &lender.http, &token, &[]).await, 200);
        let shown = ask_with_fields(&past.auth, &lender, &lender.http, &[]).await.json();
        assert_eq!(shown["expires_in"], json!(600));
        drop(proxy);
    }
}
