//! Bounds of connections: what a slow or greedy peer may take, while others are answered.
//!
//! These wait for real time, because it is the sockets' time; each bound is a second here.

mod hostile;
mod hosts;
mod http2;
mod not_ready;
mod refused;
mod unproven;

use std::net::SocketAddr;
use std::time::Duration;

use observe::clock::Stopwatch;
use server::config::Config;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::test_server::{At, PATIENCE, TestServer, http_client};
use crate::tls::{connect, trusting};

async fn start_server(change: impl FnOnce(&mut Config)) -> TestServer {
    TestServer::on_sqlite().await.reconfigure(change).await
}

fn socket(server: &TestServer, at: At) -> SocketAddr {
    let url = server.url(at, "");
    url.rsplit('/').next().unwrap().parse().unwrap()
}

/// The well-behaved caller is answered.
async fn check_others(server: &TestServer) {
    let http = http_client(server, None);
    for (at, path) in [
        (At::Directory, "/jwks"),
        (At::Base, "/openapi.json"),
        (At::Ops, "/health/ready"),
    ] {
        let answer = http
            .get(server.url(at, path))
            .timeout(PATIENCE)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
}

/// Waits until the peer has closed this connection; what it said before.
async fn read_to_close(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> String {
    let mut said = Vec::new();
    let reading = stream.read_to_end(&mut said);
    let read = tokio::time::timeout(PATIENCE, reading).await;
    // A connection that is cut off may end with an error.
    drop(read.expect("the connection stays open"));
    String::from_utf8_lossy(&said).into_owned()
}

/// Sends what begins a request, then a byte every now and then; what comes back.
async fn trickle(server: &TestServer, at: At, begin: &str) -> String {
    let stream = connect(server, at, trusting(server, None)).await.unwrap();
    let (mut reader, mut writer) = tokio::io::split(stream);
    writer.write_all(begin.as_bytes()).await.unwrap();
    let trickling = async {
        while writer.write_all(b"x").await.is_ok() && writer.flush().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        said = read_to_close(&mut reader) => said,
        () = trickling => unreachable!(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_header_that_trickles_in_is_not_waited_for() {
    let server = start_server(|config| config.header_timeout_seconds = 1).await;
    let waited = Stopwatch::start();
    let begin = "GET /nothing HTTP/1.1\r\nHost: x\r\nX-Slow: ";
    let (slow, ()) = tokio::join!(trickle(&server, At::Base, begin), check_others(&server));
    assert_eq!(slow, "");
    assert!(
        waited.elapsed() > Duration::from_millis(900),
        "closed at once"
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_trickles_in_is_refused() {
    let server = start_server(|config| config.body_timeout_seconds = 1).await;
    let begin = "POST /token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
        Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\n";
    let (slow, ()) = tokio::join!(trickle(&server, At::Auth, begin), check_others(&server));
    assert!(slow.starts_with("HTTP/1.1 408 "), "{slow}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_read_the_answers_is_cut_off() {
    let server = start_server(|config| config.answer_timeout_seconds = 1).await;
    let config = trusting(&server, None);
    let mut stream = connect(&server, At::Base, config).await.unwrap();
    let open = &server.node.edge.metrics.connections;
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000);
    // The server stops reading once nobody takes its answers; in the end it closes.
    let sent = tokio::time::timeout(PATIENCE, stream.write_all(requests.as_bytes()));
    let _all_or_cut_off = sent.await;
    check_others(&server).await;
    let waited = Stopwatch::start();
    // Others' connections may be kept for a while; this one is gone when it cannot be written to.
    while stream.write_all(b"GET").await.is_ok() && stream.flush().await.is_ok() {
        assert!(
            waited.elapsed() < PATIENCE,
            "it is still open, one of {}",
            open.get()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_says_nothing_is_not_waited_for() {
    let server = start_server(|config| {
        config.handshake_timeout_seconds = 1;
        config.idle_timeout_seconds = 1;
    })
    .await;
    let mut silent = TcpStream::connect(socket(&server, At::Base)).await.unwrap();
    assert_eq!(read_to_close(&mut silent).await, "", "before the handshake");
    let mut idle = connect(&server, At::Base, trusting(&server, None))
        .await
        .unwrap();
    assert_eq!(read_to_close(&mut idle).await, "", "before a request");
    let mut idle = connect(&server, At::Base, trusting(&server, None))
        .await
        .unwrap();
    idle.write_all(b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .unwrap();
    let said = read_to_close(&mut idle).await;
    assert!(said.starts_with("HTTP/1.1 404 "), "after a request: {said}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_cannot_have_all_connections() {
    let server = start_server(|config| config.connections_per_address_max = 3).await;
    let address = socket(&server, At::Directory);
    let greedy = async || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        socket.connect(address).await.unwrap()
    };
    let mut held = [greedy().await, greedy().await, greedy().await];
    let mut refused = greedy().await;
    assert_eq!(read_to_close(&mut refused).await, "");
    assert_eq!(server.node.edge.metrics.connections_refused.get(), 1);
    check_others(&server).await;
    // A place that is given back can be had again.
    held[0].shutdown().await.unwrap();
    let waited = Stopwatch::start();
    loop {
        let mut again = greedy().await;
        let mut byte = [0];
        let reading = tokio::time::timeout(Duration::from_millis(200), again.read(&mut byte));
        if reading.await.is_err() {
            break;
        }
        assert!(waited.elapsed() < PATIENCE, "the place was not given back");
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_is_told_when_all_connections_are_taken() {
    let server = start_server(|config| {
        config.connections_max = 1;
        config.handshake_timeout_seconds = 2;
    })
    .await;
    // One is served, one waits to be accepted, one in the kernel.
    let address = socket(&server, At::Directory);
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(TcpStream::connect(address).await.unwrap());
    }
    let http = http_client(&server, None);
    let health = http
        .get(server.url(At::Ops, "/health/ready"))
        .timeout(PATIENCE)
        .send();
    assert_eq!(health.await.unwrap().status(), 200);
    // Whoever keeps pace has a turn when the silent ones' time is up, at every address.
    let patient = http
        .get(server.url(At::Directory, "/jwks"))
        .timeout(PATIENCE * 3);
    assert_eq!(patient.send().await.unwrap().status(), 200);
    server.end().await;
}
