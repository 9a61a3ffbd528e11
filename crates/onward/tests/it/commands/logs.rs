//! What the server logs.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::jws;
use signing::key::SigningKey;

use super::folder::Folder;
use super::program::find_ports;
use crate::test_server::token_form;

#[test]
fn each_line_is_an_object_that_names_the_request() {
    let folder = Folder::new();
    let port = find_ports();
    let listen = format!("listen_ops=127.0.0.1:{port}");
    let mut server = folder.serve(&["log_format=json", "log=info,onward=debug", &listen]);
    server.wait_for("serving");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let request = "GET /no\u{202e}\u{9b}thing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, id) = answer.split_once("x-request-id: ").unwrap();
    let id = id.split("\r\n").next().unwrap();

    let line: Value = serde_json::from_str(&server.wait_for_line(id)).unwrap();
    let fields = &line["fields"];
    assert_eq!(line["level"], "DEBUG");
    assert!(line["timestamp"].is_string(), "{line}");
    assert_eq!(fields["request_id"], id);
    // A terminal must not obey control characters of a path.
    assert_eq!(fields["path"], r"/no\u{202e}\u{9b}thing");
    assert_eq!(fields["status"], 404);
    server.signal("TERM");
    let finished = server.wait();
    assert_eq!(finished.status, Some(0), "{}", finished.err);
    for line in finished.err.lines() {
        let object: Result<Value, _> = serde_json::from_str(line);
        let has_text = object.is_ok_and(|object| object["fields"]["message"].is_string());
        assert!(has_text, "{line}");
    }
}

/// Nobody who is not proven writes lines of the log, and the one about him names the request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_not_proven_is_logged_once() {
    let telling = tokio::task::spawn_blocking(|| {
        let folder = Folder::new();
        let port = find_ports();
        let listen = format!("listen_auth=127.0.0.1:{port}");
        let mut server = folder.serve(&["log=info,onward=debug", &listen]);
        server.wait_for("serving");
        let ca = std::fs::read(folder.path("ca.pem")).unwrap();
        (folder, server, port, ca)
    });
    let (folder, server, port, ca) = telling.await.unwrap();
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let http = reqwest::Client::builder()
        .tls_certs_only([reqwest::Certificate::from_pem(&ca).unwrap()])
        .no_proxy()
        .build()
        .unwrap();
    let forged = "https://rp.example/x\n1970-01-01 ERROR onward: all is lost";
    let key = SigningKey::generate(Algorithm::Es256).unwrap();
    let claims = json!({
        "iss": forged, "sub": "https://rp.example/x", "aud": "https://onward.example", "jti": "1",
        "iat": 1, "exp": 2,
    });
    let assertion = jws::sign_compact("JWT", &key, &claims).unwrap();
    let url = format!("https://localhost:{port}/token");
    let request = http.post(url).form(&token_form(&assertion));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 401);
    let id = answer.headers()["x-request-id"].to_str().unwrap();
    let ending = tokio::task::spawn_blocking(move || {
        server.signal("TERM");
        drop(folder);
        server.wait().err
    });
    let log = ending.await.unwrap();
    let named: Vec<_> = log.lines().filter(|line| line.contains(id)).collect();
    let said = "must both be the client id";
    let is_told = |line: &&str| line.contains(" INFO ") && line.contains(said);
    assert!(named.iter().any(is_told), "{log}");
    let is_shown = log.contains("all is lost");
    assert!(is_shown, "at this level the id is shown: {log}");
    assert!(log.lines().all(|line| !line.starts_with("1970")), "{log}");
}
