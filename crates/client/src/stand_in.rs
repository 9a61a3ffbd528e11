//! A small service with mutual TLS in the same process, for tests of whole calls.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::token::parse_assertion_key;
use crate::{Client, Clock, Credentials, Endpoints, Trust};

/// A request as the service saw it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Method and path with its query.
    pub(crate) line: String,
    /// The `Authorization` field, empty without one.
    pub(crate) authorization: String,
    /// The `X-Api-Key` field, empty without one.
    pub(crate) api_key: String,
    pub(crate) body: String,
    pub(crate) has_certificate: bool,
}

/// What the service answers: a status line, header lines, and a body.
pub(crate) struct Reply {
    pub(crate) status: &'static str,
    pub(crate) headers: &'static str,
    pub(crate) body: Vec<u8>,
}

type Answers = dyn Fn(&Request, usize) -> Reply + Send + Sync;

/// A running service and a client of it.
pub(crate) struct Service {
    pub(crate) client: Client,
    authority: Authority,
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    now_seconds: Arc<AtomicU64>,
}

impl Service {
    /// Starts a service that answers with `answers(request, how many had the same path before)`.
    pub(crate) async fn start(
        answers: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let authority = Authority::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!(
            "https://localhost:{}",
            listener.local_addr().unwrap().port()
        );
        let requests = Arc::new(Mutex::new(Vec::new()));
        let acceptor = TlsAcceptor::from(Arc::new(authority.server_config()));
        tokio::spawn(serve(
            listener,
            acceptor,
            Arc::clone(&requests),
            Arc::new(answers),
        ));

        let now_seconds = Arc::new(AtomicU64::new(1_800_000_000));
        let client = authority.client_of(&address, &authority.certificate_pem, &now_seconds);
        Self {
            client,
            authority,
            address,
            requests,
            now_seconds,
        }
    }

    /// A client that this service accepts, and that trusts only the authority of `other`.
    pub(crate) fn client_that_trusts(&self, other: &Self) -> Client {
        let trusted = &other.authority.certificate_pem;
        self.authority
            .client_of(&self.address, trusted, &self.now_seconds)
    }

    /// Its address, `https` without a path.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The authority of its certificate.
    pub(crate) fn trust(&self) -> Trust {
        Trust::Only(self.authority.certificate_pem.as_bytes().to_vec())
    }

    /// The clock that [`Self::advance`] moves.
    pub(crate) fn clock(&self) -> Clock {
        let shown = Arc::clone(&self.now_seconds);
        Arc::new(move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::SeqCst)))
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.now_seconds.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The request lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.line)
            .collect()
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

    fn issue(&self) -> (rcgen::Certificate, rcgen::KeyPair) {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    fn client_of(&self, address: &str, trusted: &str, now_seconds: &Arc<AtomicU64>) -> Client {
        let shown = Arc::clone(now_seconds);
        let clock = move || UNIX_EPOCH + Duration::from_secs(shown.load(Ordering::SeqCst));
        let endpoints = Endpoints {
            base_url: address.to_owned(),
            auth_url: format!("{address}/"),
            jwks_url: format!("{address}/jwks"),
        };
        let trust = Trust::Only(trusted.as_bytes().to_vec());
        Client::new(endpoints, self.credentials(), &trust, Arc::new(clock)).unwrap()
    }

    fn credentials(&self) -> Credentials {
        let (certificate, key) = self.issue();
        let assertion_key = rcgen::KeyPair::generate().unwrap().serialize_pem();
        Credentials {
            client_id: "https://directory.example/client/1".to_owned(),
            certificate_pem: certificate.pem().into_bytes(),
            key_pem: key.serialize_pem().into_bytes(),
            assertion_key: parse_assertion_key(assertion_key.as_bytes(), "ES256").unwrap(),
            assertion_kid: Some("assertion-1".to_owned()),
        }
    }

    fn server_config(&self) -> ServerConfig {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let mut roots = RootCertStore::empty();
        let authority =
            rustls::pki_types::CertificateDer::from_pem_slice(self.certificate_pem.as_bytes());
        roots.add(authority.unwrap()).unwrap();
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()
                .unwrap();
        let (certificate, key) = self.issue();
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap()
    }
}

async fn serve(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    requests: Arc<Mutex<Vec<Request>>>,
    answers: Arc<Answers>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        let Ok(mut stream) = acceptor.accept(stream).await else {
            continue;
        };
        let has_certificate = stream.get_ref().1.peer_certificates().is_some();
        let Ok(mut request) = read_request(&mut stream).await else {
            continue;
        };
        request.has_certificate = has_certificate;
        let earlier = {
            let mut requests = requests.lock().unwrap();
            let same = |other: &&Request| other.line == request.line;
            let earlier = requests.iter().filter(same).count();
            requests.push(request.clone());
            earlier
        };
        let reply = answers(&request, earlier);
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n",
            reply.status,
            reply.body.len(),
            reply.headers
        );
        // A client that hung up early is what some tests are about.
        let _ = stream.write_all(head.as_bytes()).await;
        let _ = stream.write_all(&reply.body).await;
        let _ = stream.shutdown().await;
    }
}

async fn read_request(stream: &mut (impl AsyncReadExt + Unpin)) -> io::Result<Request> {
    let mut text = Vec::new();
    let head_end = loop {
        if let Some(end) = text.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut text).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&text[..head_end]).into_owned();
    let field = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    };
    let length: usize = field("content-length").map_or(0, |value| value.parse().unwrap());
    while text.len() < head_end + 4 + length {
        if stream.read_buf(&mut text).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let line = head.lines().next().unwrap_or_default();
    Ok(Request {
        line: line.trim_end_matches(" HTTP/1.1").to_owned(),
        authorization: field("authorization").unwrap_or_default(),
        api_key: field("x-api-key").unwrap_or_default(),
        body: String::from_utf8_lossy(&text[head_end + 4..]).into_owned(),
        has_certificate: false,
    })
}
