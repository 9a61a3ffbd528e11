//! Connections to a node that is not ready: they end, so that callers move to another node.

use std::path::PathBuf;

use tokio::io::AsyncWriteExt as _;

use super::http2::{get, open, read};
use super::{read_to_close, start_server};
use crate::test_server::{At, PATIENCE};
use crate::tls::{connect, trusting};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_not_ready_ends_its_connections() {
    let server = start_server(|_config| {}).await;
    let trusted = trusting(&server, None);
    let mut old = connect(&server, At::Directory, trusted).await.unwrap();
    let (mut requests, connection) = open(&server, At::Directory, 1 << 20).await;
    let answer = get(&mut requests, "/jwks").await;
    assert_eq!(answer.status(), 200);
    read(answer).await.unwrap();
    assert!(!connection.is_finished());

    let store = PathBuf::from(&server.config.store);
    let away = server.directory.path().join("away.db");
    std::fs::rename(&store, &away).unwrap();
    server.wait_until_not_ready("store_files").await;
    let request = b"GET /jwks HTTP/1.1\r\nHost: x\r\n\r\n";
    old.write_all(request).await.unwrap();
    let said = read_to_close(&mut old).await;
    assert!(said.starts_with("HTTP/1.1 200 "), "it answers all the same");
    assert!(said.contains("connection: close\r\n"), "{said}");
    let answer = get(&mut requests, "/jwks").await;
    assert_eq!(answer.status(), 200);
    read(answer).await.unwrap();
    // The peer of a GOAWAY ends the connection when all its answers have come.
    let ended = tokio::time::timeout(PATIENCE, connection).await;
    ended.unwrap().unwrap().unwrap();

    std::fs::rename(&away, &store).unwrap();
    server.wait_until_ready().await;
    let (mut requests, connection) = open(&server, At::Directory, 1 << 20).await;
    for _request in 0..2 {
        let answer = get(&mut requests, "/jwks").await;
        read(answer).await.unwrap();
    }
    assert!(!connection.is_finished());
    server.end().await;
}
