//! A subscriber's receiver on this machine, over real TLS, that does as it is told.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tempfile::NamedTempFile;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The name in a receiver's certificate, besides its addresses.
pub(super) const NAME: &str = "hooks.example";

/// What a receiver does with each request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Behaviour {
    /// Writes this answer and keeps the connection.
    Answer(&'static str),
    /// Writes this, however little it is, and closes.
    Close(&'static str),
    /// Accepts the connection and does not even shake hands.
    NoHandshake,
    /// Reads the request and says nothing.
    Silent,
    /// Answers 200 and writes one byte of its body now and then, for ever.
    Drip,
    /// Answers 200 and writes its body as fast as it can, for ever.
    Flood,
}

/// A receiver; it ends with the test's runtime.
pub(super) struct Receiver {
    pub(super) port: u16,
    /// PEM file of the authority of its certificate.
    pub(super) ca_file: NamedTempFile,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    connections: AtomicUsize,
    requests: Mutex<Vec<String>>,
}

/// A certificate, its key and the authority that it comes from.
pub(super) struct Identity {
    pub(super) config: Arc<ServerConfig>,
    ca_pem: String,
}

impl Identity {
    /// For these names and addresses, valid up to the beginning of a year.
    pub(super) fn issue(names: &[&str], last_year: i32) -> Self {
        let ca_key = KeyPair::generate().unwrap();
        let mut ca = CertificateParams::default();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca_pem = ca.self_signed(&ca_key).unwrap().pem();
        let issuer = Issuer::new(ca, ca_key);
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Self {
            config: Arc::new(config),
            ca_pem,
        }
    }

    /// One that any client accepts who trusts the authority.
    pub(super) fn good() -> Self {
        Self::issue(&[NAME, "localhost", "127.0.0.1", "::1"], 4000)
    }
}

impl Receiver {
    pub(super) async fn start(behaviour: Behaviour) -> Self {
        Self::start_with(behaviour, Identity::good()).await
    }

    pub(super) async fn start_with(behaviour: Behaviour, identity: Identity) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Seen::default());
        let acceptor = TlsAcceptor::from(identity.config);
        tokio::spawn({
            let seen = Arc::clone(&seen);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    seen.connections.fetch_add(1, Ordering::SeqCst);
                    let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
                    tokio::spawn(async move {
                        drop(receive(stream, acceptor, behaviour, &seen).await);
                    });
                }
            }
        });
        let mut ca_file = NamedTempFile::new().unwrap();
        ca_file.write_all(identity.ca_pem.as_bytes()).unwrap();
        Self {
            port,
            ca_file,
            seen,
        }
    }

    pub(super) fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }
}

async fn receive(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    behaviour: Behaviour,
    seen: &Seen,
) -> io::Result<()> {
    if matches!(behaviour, Behaviour::NoHandshake) {
        let _open = stream;
        return std::future::pending().await;
    }
    let mut stream = acceptor.accept(stream).await?;
    loop {
        let request = read_request(&mut stream).await?;
        seen.requests.lock().unwrap().push(request);
        match behaviour {
            Behaviour::Answer(text) => stream.write_all(text.as_bytes()).await?,
            Behaviour::Close(text) => {
                stream.write_all(text.as_bytes()).await?;
                return stream.shutdown().await;
            }
            Behaviour::NoHandshake | Behaviour::Silent => return std::future::pending().await,
            Behaviour::Drip => pour(&mut stream, b"x", Duration::from_millis(10)).await?,
            Behaviour::Flood => pour(&mut stream, &[b'x'; 8192], Duration::ZERO).await?,
        }
    }
}

/// Ends only when the other side has had enough.
async fn pour(stream: &mut TlsStream<TcpStream>, bytes: &[u8], pause: Duration) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    loop {
        stream.write_all(bytes).await?;
        stream.flush().await?;
        tokio::time::sleep(pause).await;
    }
}

/// One request as text, its body by `content-length`.
async fn read_request(stream: &mut TlsStream<TcpStream>) -> io::Result<String> {
    let mut request = String::new();
    loop {
        request.push(char::from(stream.read_u8().await?));
        let Some(head) = request.strip_suffix("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap_or("0").parse().unwrap()];
        stream.read_exact(&mut body).await?;
        request.push_str(std::str::from_utf8(&body).unwrap());
        return Ok(request);
    }
}
