//! New certificates of the server while it serves.

use observe::clock::Stopwatch;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use super::{connect, trusting};
use crate::sqlite_story;
use crate::test_server::{At, TestServer};

/// Opens a connection to the key set's address.
async fn open(server: &TestServer) -> TlsStream<TcpStream> {
    let config = trusting(server, None);
    connect(server, At::Directory, config).await.unwrap()
}

/// The certificate that the server showed on this connection, DER.
fn shown(stream: &TlsStream<TcpStream>) -> Vec<u8> {
    stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
}

/// Asks for the key set and leaves the connection open; the status.
async fn ask(stream: &mut TlsStream<TcpStream>) -> String {
    let request = b"GET /jwks HTTP/1.1\r\nHost: x\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    loop {
        stream.read_buf(&mut answer).await.unwrap();
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let (_, length) = head.split_once("content-length: ").unwrap();
        let length = length.split("\r\n").next().unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return text.split(' ').nth(1).unwrap().to_owned();
        }
    }
}

/// Puts a new certificate and its key in the place of the old ones.
fn renew(server: &TestServer) {
    server
        .authority
        .issue_server_certificate(server.directory.path(), "server")
        .unwrap();
}

sqlite_story! {
    async fn a_new_certificate_is_served_and_an_open_connection_goes_on(server) {
        let mut old = open(&server).await;
        assert_eq!(ask(&mut old).await, "200");
        renew(&server);
        assert_eq!(shown(&open(&server).await), shown(&old), "nobody has said so yet");
        server.node.reload_certificates().await;
        let mut new = open(&server).await;
        assert_ne!(shown(&new), shown(&old));
        assert_eq!(ask(&mut new).await, "200");
        assert_eq!(ask(&mut old).await, "200");
        assert_eq!(server.node.edge.metrics.tls_reloads.get(), 1);
    }
}

sqlite_story! {
    async fn new_files_are_found_without_a_signal(server) {
        server = server.reconfigure(|config| config.certificate_check_seconds = 1).await;
        let old = shown(&open(&server).await);
        renew(&server);
        let waiting = Stopwatch::start();
        while shown(&open(&server).await) == old {
            assert!(waiting.elapsed().as_secs() < 30, "they were not found");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

sqlite_story! {
    async fn files_that_cannot_be_used_change_nothing(server) {
        let before = shown(&open(&server).await);
        let folder = server.directory.path().to_owned();
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        let good = (read("server.pem"), read("ca.pem"));
        server.authority.issue_server_certificate(&folder, "other").unwrap();
        let mut refused = 0;
        for (name, bad) in [
            ("server.pem", b"no certificate".to_vec()),
            ("server.pem", Vec::new()),
            // Another key's certificate.
            ("server.pem", read("other.pem")),
            ("ca.pem", b"no authority".to_vec()),
        ] {
            std::fs::write(folder.join(name), bad).unwrap();
            server.node.reload_certificates().await;
            refused += 1;
            assert_eq!(server.node.edge.metrics.tls_reloads_refused.get(), refused, "{name}");
            std::fs::write(folder.join("ca.pem"), &good.1).unwrap();
            assert_eq!(shown(&open(&server).await), before, "{name}");
            std::fs::write(folder.join("server.pem"), &good.0).unwrap();
        }
        assert_eq!(server.node.edge.metrics.tls_reloads.get(), 0);
    }
}
