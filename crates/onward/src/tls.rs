//! TLS as S-20: versions, suites, client certificates, no resumption.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier, danger::ClientCertVerifier};
use rustls::{ConfigBuilder, RootCertStore, ServerConfig, WantsVerifier};

use crate::config::Config;

/// What is wrong with a certificate or key file, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or holds something else.
    #[error("cannot use {path} as {what}: {reason}")]
    File {
        /// Which file.
        path: String,
        /// What it should be.
        what: &'static str,
        /// Why not.
        reason: String,
    },
    /// Certificate and key do not go together, or the library refused them.
    #[error("cannot serve with {certificate} and {key}: {reason}")]
    Unusable {
        /// Certificate file.
        certificate: String,
        /// Key file.
        key: String,
        /// Why not.
        reason: String,
    },
}

/// Whether an address asks its callers for a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientCertificate {
    /// Asked for, and verified when sent. Each call decides whether it needs one.
    Asked,
    /// Not asked for.
    NotAsked,
}

/// The TLS settings of one address.
pub fn server_config(
    config: &Config,
    client_certificate: ClientCertificate,
) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = read_certificates(&config.certificate_file, "the server's certificate")?;
    let key = read_private_key(&config.private_key_file, "the server's private key")?;
    let unusable = |error: rustls::Error| TlsError::Unusable {
        certificate: config.certificate_file.clone(),
        key: config.private_key_file.clone(),
        reason: error.to_string(),
    };
    let builder = begin().map_err(unusable)?;
    let builder = match client_certificate {
        ClientCertificate::Asked => builder.with_client_cert_verifier(client_verifier(config)?),
        ClientCertificate::NotAsked => builder.with_no_client_auth(),
    };
    let mut server = builder.with_single_cert(chain, key).map_err(unusable)?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // A resumed session would show the certificate of the first handshake,
    // whatever has happened to it since (S-20; RFC 8446 section 4.6.1).
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    Ok(Arc::new(server))
}

/// The TLS settings of a local receiver of events.
pub fn receiver_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let (certificate, key) = (certificate.to_string_lossy(), key.to_string_lossy());
    let chain = read_certificates(&certificate, "the receiver's certificate")?;
    let private_key = read_private_key(&key, "the receiver's private key")?;
    let unusable = |error: rustls::Error| TlsError::Unusable {
        certificate: certificate.clone().into_owned(),
        key: key.clone().into_owned(),
        reason: error.to_string(),
    };
    let builder = begin().map_err(unusable)?.with_no_client_auth();
    let mut server = builder
        .with_single_cert(chain, private_key)
        .map_err(unusable)?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(server))
}

/// Verifies client certificates against the configured authorities.
pub fn client_verifier(config: &Config) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let path = &config.client_ca_file;
    let refused = |reason: String| TlsError::File {
        path: path.clone(),
        what: "the authorities of client certificates",
        reason,
    };
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(path, "the authorities of client certificates")? {
        roots
            .add(certificate)
            .map_err(|error| refused(error.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .allow_unauthenticated()
        .build()
        .map_err(|error| refused(error.to_string()))
}

fn begin() -> Result<ConfigBuilder<ServerConfig, WantsVerifier>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
}

fn read_certificates(
    path: &str,
    what: &'static str,
) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let refused = |reason: String| TlsError::File {
        path: path.to_owned(),
        what,
        reason,
    };
    let pem = std::fs::read(Path::new(path)).map_err(|error| refused(error.to_string()))?;
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<_, _>>()
        .map_err(|error| refused(error.to_string()))?;
    if certificates.is_empty() {
        return Err(refused("it holds no PEM certificate".to_owned()));
    }
    Ok(certificates)
}

fn read_private_key(path: &str, what: &'static str) -> Result<PrivateKeyDer<'static>, TlsError> {
    let refused = |reason: String| TlsError::File {
        path: path.to_owned(),
        what,
        reason,
    };
    let pem = std::fs::read(Path::new(path)).map_err(|error| refused(error.to_string()))?;
    PrivateKeyDer::from_pem_slice(&pem)
        .map_err(|_error| refused("it holds no PEM private key".to_owned()))
}
