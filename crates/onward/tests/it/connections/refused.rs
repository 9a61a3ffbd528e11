//! Requests that are refused before their body is read: each gets its answer.

use axum::body::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use super::{http2, read_to_close, start_server};
use crate::test_server::{At, PATIENCE};
use crate::tls::{connect, trusting};

/// A call without a token.
fn head(fields: &str) -> String {
    format!(
        "POST /api/v1/standard/chains HTTP/1.1\r\nHost: x\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n{fields}\r\n\r\n"
    )
}

/// The header of the next answer on a connection that goes on.
async fn read_answer(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut said = Vec::new();
    while !said.ends_with(b"\r\n\r\n") {
        said.push(stream.read_u8().await.unwrap());
    }
    let said = String::from_utf8(said).unwrap().to_lowercase();
    let (_, length) = said.split_once("content-length: ").unwrap();
    let (length, _) = length.split_once("\r\n").unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_outlives_refusals_whose_bodies_come_later() {
    let server = start_server(|_config| {}).await;
    let config = trusting(&server, None);
    let mut stream = connect(&server, At::Base, config).await.unwrap();
    for round in 0..100 {
        let head = head("Content-Length: 200");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        tokio::task::yield_now().await;
        for _part in 0..2 {
            stream.write_all(&[b'a'; 100]).await.unwrap();
            stream.flush().await.unwrap();
        }
        let answer = timeout(PATIENCE, read_answer(&mut stream)).await.unwrap();
        assert!(answer.starts_with("http/1.1 401 "), "{round}: {answer}");
        assert!(!answer.contains("connection: close"), "{round}: {answer}");
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sends_more_than_is_read_still_gets_the_answer() {
    let server = start_server(|_config| {}).await;
    for announced in [true, false] {
        for _round in 0..10 {
            let stream = connect(&server, At::Base, trusting(&server, None))
                .await
                .unwrap();
            let (mut reader, mut writer) = tokio::io::split(stream);
            let sending = async {
                let field = if announced {
                    "Content-Length: 1000000"
                } else {
                    "Transfer-Encoding: chunked"
                };
                writer.write_all(head(field).as_bytes()).await.unwrap();
                let piece = format!("64\r\n{}\r\n", "a".repeat(100)).repeat(1000);
                for _piece in 0..10 {
                    // The server may have closed before it reads all of it.
                    if writer.write_all(piece.as_bytes()).await.is_err() {
                        break;
                    }
                }
                drop(writer.flush().await);
            };
            let (said, ()) = tokio::join!(read_to_close(&mut reader), sending);
            assert!(said.starts_with("HTTP/1.1 401 "), "{announced}: {said}");
            assert!(said.contains("connection: close"), "{announced}: {said}");
        }
    }
    server.end().await;
}

/// RFC 9110 section 10.1.1: the body is not asked for.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_holds_the_body_back_is_refused_without_it() {
    let server = start_server(|_config| {}).await;
    let mut stream = connect(&server, At::Base, trusting(&server, None))
        .await
        .unwrap();
    let head = head("Content-Length: 200\r\nExpect: 100-continue");
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = timeout(PATIENCE, read_answer(&mut stream)).await.unwrap();
    assert!(answer.starts_with("http/1.1 401 "), "{answer}");
    assert!(answer.contains("connection: close"), "{answer}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_stream_is_reset_because_its_body_was_not_read() {
    let server = start_server(|_config| {}).await;
    let (mut requests, connection) = http2::open(&server, At::Base, 65_535).await;
    for size in [0, 1, 1000, 60_000, 200_000, 1_048_576].repeat(20) {
        let body = Full::new(Bytes::from(vec![b'a'; size])).boxed_unsync();
        let request = Request::post("https://localhost/api/v1/standard/chains")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body)
            .unwrap();
        let answer = timeout(PATIENCE, requests.send_request(request))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(answer.status(), 401, "{size}");
        assert!(
            http2::read(answer).await.unwrap().starts_with(b"{"),
            "{size}"
        );
    }
    assert!(!connection.is_finished());
    server.end().await;
}
