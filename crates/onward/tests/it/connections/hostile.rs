//! Requests and handshakes that are wrong on purpose: each is refused or closed in bounded time.

use std::sync::Arc;
use std::time::Duration;

use http::header::{HeaderName, HeaderValue};
use reqwest::{Client, StatusCode, Version};
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::{check_others, read_to_close, socket, start_server};
use crate::test_server::{At, PATIENCE, TestServer};
use crate::tls::{connect, trusting};

/// Clients of either version of HTTP.
fn clients(server: &TestServer) -> [(Client, Version); 2] {
    let ca = std::fs::read(server.directory.path().join("ca.pem")).unwrap();
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    [Version::HTTP_11, Version::HTTP_2].map(|version| {
        let builder = Client::builder()
            .tls_certs_only([reqwest::Certificate::from_pem(&ca).unwrap()])
            .timeout(PATIENCE)
            .no_proxy();
        let builder = match version {
            Version::HTTP_2 => builder,
            _ => builder.http1_only(),
        };
        (builder.build().unwrap(), version)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_a_header_is_refused() {
    let server = start_server(|_config| {}).await;
    let large = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    for (http, version) in clients(&server) {
        let ask = async |count: usize, bytes: usize| {
            let mut request = http.get(server.url(At::Base, "/nothing"));
            for number in 0..count {
                let name = HeaderName::try_from(format!("x-{number}")).unwrap();
                let value = HeaderValue::try_from("v".repeat(bytes)).unwrap();
                request = request.header(name, value);
            }
            let answer = match request.send().await {
                Ok(answer) => answer,
                // It may be closed before all of it is sent.
                Err(error) if bytes * count > 100_000 && !error.is_timeout() => return large,
                Err(error) => panic!("{error:?}"),
            };
            assert_eq!(answer.version(), version);
            answer.status()
        };
        assert_eq!(ask(20, 1000).await, 404, "{version:?} many, and large");
        assert_eq!(ask(1, 140_000).await, large, "{version:?} one too large");
        assert_eq!(ask(80, 2000).await, large, "{version:?} too large together");
        assert_eq!(ask(2000, 1).await, large, "{version:?} too many");
    }
    check_others(&server).await;
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_large_a_body_is_refused() {
    let server = start_server(|config| config.body_timeout_seconds = 1).await;
    for (http, version) in clients(&server) {
        let form = "application/x-www-form-urlencoded";
        let url = server.url(At::Auth, "/token");
        let request = http.post(url).header("content-type", form);
        let answer = request.body("a".repeat(64 * 1024 + 1)).send().await;
        assert_eq!(answer.unwrap().status(), 413, "{version:?}");
    }
    // One that is announced and does not come is waited for as any other.
    let config = trusting(&server, None);
    let mut stream = connect(&server, At::Auth, config).await.unwrap();
    let request = "POST /token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
        Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000000\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let said = read_to_close(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
    server.end().await;
}

/// The first bytes of a handshake.
fn hello(server: &TestServer) -> Vec<u8> {
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(trusting(server, None), name).unwrap();
    let mut hello = Vec::new();
    client.write_tls(&mut hello).unwrap();
    hello
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handshake_that_drips_or_stops_is_not_waited_for() {
    let server = Arc::new(start_server(|config| config.handshake_timeout_seconds = 1).await);
    let hello = hello(&server);
    let failed = &server.node.edge.metrics.handshakes_failed;
    let before = failed.get();
    let dripping = async {
        let stream = TcpStream::connect(socket(&server, At::Base)).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (mut reader, mut writer) = stream.into_split();
        let drip = async {
            for byte in hello.iter().cycle() {
                if writer.write_all(&[*byte]).await.is_err() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            said = read_to_close(&mut reader) => said,
            () = drip => unreachable!(),
        }
    };
    // The server has answered this one, which says no more.
    let stopping = async {
        let mut stream = TcpStream::connect(socket(&server, At::Base)).await.unwrap();
        stream.write_all(&hello).await.unwrap();
        read_to_close(&mut stream).await
    };
    let garbage = async {
        let mut stream = TcpStream::connect(socket(&server, At::Base)).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        read_to_close(&mut stream).await
    };
    let (dripped, stopped, _alert, ()) =
        tokio::join!(dripping, stopping, garbage, check_others(&server));
    assert_eq!(dripped, "");
    assert!(!stopped.is_empty(), "the server's part of the handshake");
    // The last one is counted just after it was closed.
    let counted = async {
        while failed.get() - before < 3 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(PATIENCE, counted).await;
    assert!(waited.is_ok() && failed.get() - before == 3, "{failed:?}");
    Arc::into_inner(server).unwrap().end().await;
}
