//! The TLS addresses of S-20, seen by a client that looks at the handshake itself.

mod authorities;
mod certificates;
mod hello;
pub(crate) mod proxy;
mod reload;
mod revoked;
mod store;

use std::io;
use std::sync::Arc;

use edge::tls::{ClientCertificate, TlsSettings};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, HandshakeKind, RootCertStore, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::sqlite_story;
use crate::test_server::{At, TestServer};

const TLS12: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];
const TLS13: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13];

/// Settings of a client that trusts the test's authority and may present a
/// certificate (chain and key, PEM).
pub(crate) fn trusting(server: &TestServer, identity: Option<&str>) -> Arc<ClientConfig> {
    trusting_with(server, identity, rustls::DEFAULT_VERSIONS)
}

fn trusting_with(
    server: &TestServer,
    identity: Option<&str>,
    versions: &[&'static SupportedProtocolVersion],
) -> Arc<ClientConfig> {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    trusting_by(server, identity, versions, provider)
}

fn trusting_by(
    server: &TestServer,
    identity: Option<&str>,
    versions: &[&'static SupportedProtocolVersion],
    provider: CryptoProvider,
) -> Arc<ClientConfig> {
    let ca = std::fs::read(server.directory.path().join("ca.pem")).unwrap();
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(&ca).unwrap())
        .unwrap();
    let builder = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots);
    Arc::new(match identity {
        None => builder.with_no_client_auth(),
        Some(pem) => {
            let chain = CertificateDer::pem_slice_iter(pem.as_bytes());
            let chain = chain.map(Result::unwrap).collect();
            let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        }
    })
}

/// Opens a connection. In TLS 1.3 the server's refusal of a certificate comes
/// only after this, with the first bytes that are read.
pub(crate) async fn connect(
    server: &TestServer,
    at: At,
    config: Arc<ClientConfig>,
) -> io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address(server, at)).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(config).connect(name, stream).await
}

/// Sends a request that asks to close the connection, and reads to its end.
pub(crate) async fn exchange(
    stream: &mut TlsStream<TcpStream>,
    request: &str,
) -> io::Result<String> {
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Host and port of one of the server's sockets.
fn address(server: &TestServer, at: At) -> String {
    let url = server.url(at, "");
    url.rsplit_once('/').unwrap().1.to_owned()
}

/// The status of an answer to a small request, or the alert that came instead.
async fn outcome(server: &TestServer, at: At, config: Arc<ClientConfig>) -> String {
    let attempt = async {
        let mut stream = connect(server, at, config).await?;
        let request = "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        exchange(&mut stream, request).await
    };
    match attempt.await {
        Ok(answer) => answer.split(' ').nth(1).unwrap_or_default().to_owned(),
        Err(error) => error.to_string(),
    }
}

sqlite_story! {
    async fn no_session_is_resumed(server) {
        let lender = server.register("lender", &["transaction-status"]).await;
        for at in [At::Base, At::Auth, At::Directory, At::Listing] {
            for versions in [TLS12, TLS13] {
                // One configuration, which remembers sessions and tickets.
                let config = trusting_with(&server, Some(&lender.identity), versions);
                for attempt in 1..=3 {
                    let mut stream = connect(&server, at, Arc::clone(&config)).await.unwrap();
                    let request = "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
                    let answer = exchange(&mut stream, request).await.unwrap();
                    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
                    let connection = stream.get_ref().1;
                    let label = format!("{at:?} {:?} attempt {attempt}", connection.protocol_version());
                    assert_eq!(connection.handshake_kind(), Some(HandshakeKind::Full), "{label}");
                    assert_eq!(connection.tls13_tickets_received(), 0, "{label}");
                }
            }
        }
    }
}

sqlite_story! {
    async fn the_server_chooses_the_suite(server) {
        for (versions, strongest) in [
            (TLS12, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
            (TLS13, "TLS13_AES_256_GCM_SHA384"),
        ] {
            // A client that names the strongest last.
            let mut provider = rustls::crypto::aws_lc_rs::default_provider();
            provider.cipher_suites.reverse();
            for at in [At::Base, At::Auth, At::Directory, At::Listing] {
                let config = trusting_by(&server, None, versions, provider.clone());
                let stream = connect(&server, at, config).await.unwrap();
                let chosen = stream.get_ref().1.negotiated_cipher_suite().unwrap();
                assert_eq!(format!("{:?}", chosen.suite()), strongest, "{at:?}");
            }
        }
    }
}

sqlite_story! {
    async fn the_settings_of_the_addresses(server) {
        for asked in [ClientCertificate::Requested, ClientCertificate::NotRequested] {
            let config = TlsSettings::load(&server.config.edge().tls).unwrap().server(asked);
            let suites = &config.crypto_provider().cipher_suites;
            let names: Vec<_> = suites.iter().map(|suite| format!("{:?}", suite.suite())).collect();
            assert_eq!(names, [
                "TLS13_AES_256_GCM_SHA384",
                "TLS13_AES_128_GCM_SHA256",
                "TLS13_CHACHA20_POLY1305_SHA256",
                "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
                "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
            ]);
            assert_eq!(config.max_early_data_size, 0, "a repeated request must not count");
            // Either alone would do in TLS 1.3, so that no handshake tells one from the other.
            assert_eq!(config.send_tls13_tickets, 0);
            assert!(!config.session_storage.can_cache());
        }
    }
}
