//! Each request names one host (RFC 9112 section 3.2, RFC 9113 section 8.3.1), and each refusal has a request id.

use http::{Request, StatusCode, header};
use http_body_util::{BodyExt as _, Empty};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;

use super::{http2, read_to_close, start_server};
use crate::sqlite_story;
use crate::test_server::{At, PATIENCE, TestServer};
use crate::tls::{connect, trusting};

/// Sends a request of HTTP/1.1 with these fields; the answer.
async fn send(server: &TestServer, at: At, fields: &str) -> String {
    let mut stream = connect(server, at, trusting(server, None)).await.unwrap();
    let request = format!("GET /openapi.json HTTP/1.1\r\n{fields}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    read_to_close(&mut stream).await
}

fn assert_has_id(answer: &str) {
    let (_, id) = answer.split_once("x-request-id: ").expect(answer);
    let (id, _) = id.split_once("\r\n").unwrap();
    assert!(uuid::Uuid::parse_str(id).is_ok(), "{answer}");
}

sqlite_story! {
    async fn a_request_of_http_1_has_one_host(server) {
        for at in [At::Base, At::Auth, At::Directory, At::Listing] {
            assert!(send(&server, at, "Host: x\r\n").await.starts_with("HTTP/1.1 200 "));
            for fields in [
                "",
                "Host: x\r\nHost: x\r\n",
                "Host: x\r\nHost: y\r\n",
                "Host: x, y\r\n",
                "Host:\r\n",
                "Host: me@x\r\n",
            ] {
                let answer = send(&server, at, fields).await;
                assert!(answer.starts_with("HTTP/1.1 400 "), "{at:?} {fields} {answer}");
                assert!(answer.contains("host-invalid") || answer.contains("host_invalid"), "{answer}");
                assert_has_id(&answer);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_of_http_2_names_no_second_host() {
    let server = start_server(|_config| {}).await;
    let (mut requests, _connection) = http2::open(&server, At::Base, 1 << 20).await;
    for (host, expected) in [
        ("localhost", StatusCode::OK),
        ("LOCALHOST:443", StatusCode::OK),
        ("other.example", StatusCode::BAD_REQUEST),
        ("localhost:8440", StatusCode::BAD_REQUEST),
    ] {
        let request = Request::get("https://localhost/openapi.json").header(header::HOST, host);
        let request = request.body(Empty::new().boxed_unsync()).unwrap();
        let answer = timeout(PATIENCE, requests.send_request(request)).await;
        let answer = answer.unwrap().unwrap();
        assert_eq!(answer.status(), expected, "{host}");
        assert!(answer.headers().contains_key("x-request-id"));
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_of_the_parser_has_a_request_id() {
    let server = start_server(|_config| {}).await;
    let good = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
    let many = format!(
        "GET / HTTP/1.1\r\nHost: x\r\n{}\r\n",
        "A: b\r\n".repeat(200)
    );
    for (bytes, status) in [
        ("nonsense\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost x\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n", "400"),
        (&*many, "431"),
    ] {
        // On a new connection, and after an answer.
        for before in ["", good] {
            let mut stream = connect(&server, At::Base, trusting(&server, None))
                .await
                .unwrap();
            stream.write_all(before.as_bytes()).await.unwrap();
            stream.write_all(bytes.as_bytes()).await.unwrap();
            let said = read_to_close(&mut stream).await;
            let refusals: Vec<_> = said.match_indices(&format!("HTTP/1.1 {status} ")).collect();
            let [(begin, _)] = refusals[..] else {
                panic!("{bytes:.40} {said}");
            };
            assert!(
                said[begin..].contains("x-request-id: "),
                "{bytes:.40} {}",
                &said[begin..]
            );
            assert_has_id(&said[begin..]);
            assert!(said.ends_with("\r\n\r\n"));
        }
    }
    server.end().await;
}
