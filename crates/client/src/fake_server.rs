//! A fake service with mutual TLS in the test's own process, and the keys with which it signs.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::{Value, json};
use signing::algorithm::Algorithm;
use signing::key::SigningKey;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::token::parse_assertion_key;
use crate::{Client, Clock, Credentials, Endpoints, Trust};

/// The time at which the fake server's clock starts, in Unix seconds.
pub(crate) const NOW: u64 = 1_800_000_000;

/// Three RSA keys for all tests of the process, because RSA keys take long to generate.
pub(crate) static KEYS: LazyLock<[SigningKey; 3]> =
    LazyLock::new(|| [0; 3].map(|_| SigningKey::generate(Algorithm::Rs256).unwrap()));

/// The published key set that holds `keys`.
pub(crate) fn publish(keys: &[&SigningKey]) -> Value {
    let jwks: Vec<Value> = keys.iter().map(|key| key.public_key().to_jwk()).collect();
    json!({"keys": jwks})
}

/// A request to the fake server.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Method and path, with the path's query.
    pub(crate) line: String,
    pub(crate) body: String,
    pub(crate) has_certificate: bool,
    headers: HashMap<String, String>,
}

impl Request {
    /// The header field with this lower-case name, or an empty text.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// An answer of the fake server.
#[derive(Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// One header line, or empty.
    pub(crate) header: &'static str,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self {
            body: body.to_string(),
            ..Self::empty(status, "")
        }
    }

    pub(crate) fn empty(status: u16, header: &'static str) -> Self {
        let body = String::new();
        Self {
            status,
            header,
            body,
        }
    }
}

/// Makes the reply to a request. The number says how many earlier requests had the same line.
type Answers = dyn Fn(&Request, usize) -> Reply + Send + Sync;

/// A running fake server. It stops with the test's runtime.
pub(crate) struct FakeServer {
    address: String,
    authority: Authority,
    requests: Arc<Mutex<Vec<Request>>>,
    now_seconds: Arc<AtomicU64>,
}

impl FakeServer {
    pub(crate) async fn start(
        answers: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let authority = Authority::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let acceptor = TlsAcceptor::from(Arc::new(authority.server_config()));
        let server = Self {
            address: format!("https://localhost:{port}"),
            authority,
            requests: Arc::default(),
            now_seconds: Arc::new(AtomicU64::new(NOW)),
        };
        let requests = Arc::clone(&server.requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A client that ends its connection early is part of some tests.
                let _ = serve(stream, &acceptor, &requests, &answers).await;
            }
        });
        server
    }

    /// A client that this server accepts.
    pub(crate) fn client(&self) -> Client {
        self.client_that_trusts(&self.trust())
    }

    /// A client that this server accepts, and that trusts only `trust`.
    pub(crate) fn client_that_trusts(&self, trust: &Trust) -> Client {
        let endpoints = Endpoints {
            base_url: self.address.clone(),
            auth_url: format!("{}/", self.address),
            jwks_url: format!("{}/jwks", self.address),
        };
        let credentials = self.authority.credentials();
        Client::new(endpoints, credentials, trust, self.clock()).unwrap()
    }

    /// `https` without a path.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn trust(&self) -> Trust {
        Trust::Only(self.authority.certificate_pem.as_bytes().to_vec())
    }

    /// The clock that [`Self::advance`] moves.
    pub(crate) fn clock(&self) -> Clock {
        let now_seconds = Arc::clone(&self.now_seconds);
        Arc::new(move || UNIX_EPOCH + Duration::from_secs(now_seconds.load(Ordering::SeqCst)))
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.now_seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The lines of all requests so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|it| it.line).collect()
    }
}

/// A certificate authority that lives for one test.
struct Authority {
    issuer: rcgen::Issuer<'static, rcgen::KeyPair>,
    certificate_pem: String,
}

impl Authority {
    fn new() -> Self {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let certificate_pem = params.self_signed(&key).unwrap().pem();
        Self {
            issuer: rcgen::Issuer::new(params, key),
            certificate_pem,
        }
    }

    fn issue(&self) -> (rcgen::Certificate, String) {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate, key.serialize_pem())
    }

    fn credentials(&self) -> Credentials {
        let (certificate, key_pem) = self.issue();
        Credentials {
            client_id: "https://directory.example/client/1".to_owned(),
            certificate_pem: certificate.pem().into_bytes(),
            // The two keys may be the same one in a test.
            assertion_key: parse_assertion_key(key_pem.as_bytes(), "ES256").unwrap(),
            key_pem: key_pem.into_bytes(),
            assertion_kid: Some("assertion-1".to_owned()),
        }
    }

    fn server_config(&self) -> ServerConfig {
        // This fails if another test was first, and then that provider is used.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(self.certificate_pem.as_bytes()).unwrap();
        roots.add(authority).unwrap();
        let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).allow_unauthenticated();
        let (certificate, key) = self.issue();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        ServerConfig::builder()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap()
    }
}

/// Answers the one request of a connection.
async fn serve(
    stream: TcpStream,
    acceptor: &TlsAcceptor,
    requests: &Mutex<Vec<Request>>,
    answers: &Answers,
) -> io::Result<()> {
    let mut stream = BufReader::new(acceptor.accept(stream).await?);
    let has_certificate = stream.get_ref().get_ref().1.peer_certificates().is_some();
    let request = read_request(&mut stream, has_certificate).await?;
    let earlier = {
        let mut requests = requests.lock().unwrap();
        requests.push(request.clone());
        requests.iter().filter(|it| it.line == request.line).count() - 1
    };
    let reply = answers(&request, earlier);
    let mut head = vec![
        format!("HTTP/1.1 {} ", reply.status),
        format!("Content-Length: {}", reply.body.len()),
        "Connection: close".to_owned(),
    ];
    head.extend((!reply.header.is_empty()).then(|| reply.header.to_owned()));
    let text = format!("{}\r\n\r\n{}", head.join("\r\n"), reply.body);
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

async fn read_request(
    stream: &mut (impl AsyncBufReadExt + Unpin),
    has_certificate: bool,
) -> io::Result<Request> {
    let mut lines = stream.lines();
    let line = lines.next_line().await?.unwrap_or_default();
    let mut headers = HashMap::new();
    while let Some((name, value)) = lines
        .next_line()
        .await?
        .unwrap_or_default()
        .split_once(": ")
    {
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or("0", String::as_str);
    let mut body = vec![0; length.parse().unwrap()];
    lines.into_inner().read_exact(&mut body).await?;
    Ok(Request {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        body: String::from_utf8(body).unwrap(),
        has_certificate,
        headers,
    })
}
