//! TLS settings (S-20): versions, suites, client certificates, no resumption.

mod endings;
mod faults;
mod files;
pub mod live;
mod usage;

use std::path::Path;
use std::sync::Arc;

use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoServerSessionStorage, VerifierBuilderError, WebPkiClientVerifier};
use rustls::{ConfigBuilder, RootCertStore, ServerConfig, WantsVerifier};

pub use self::endings::{Ending, ExpiringFile};
use self::files::PemFile;
pub use self::files::TlsFiles;
pub use self::usage::ExtendedKeyUsage;
use self::usage::UsageVerifier;

/// Why a certificate or key file cannot be used, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or has other content.
    #[error("cannot use {path} as {what}: {reason}")]
    File {
        /// The path of the file.
        path: String,
        /// The content that it should have.
        what: &'static str,
        /// Why it cannot be used.
        reason: String,
    },
    /// Every client would be refused with the files.
    #[error("{0}")]
    Faulty(String),
    /// Certificate and key do not match, or the library refused them.
    #[error("cannot serve with {certificate} and {key}: {reason}")]
    Unusable {
        /// The path of the certificate file.
        certificate: String,
        /// The path of the key file.
        key: String,
        /// Why it cannot be used.
        reason: String,
    },
}

/// The paths of the TLS files, and the rule for client certificates.
#[derive(Debug, Clone)]
pub struct TlsPaths {
    /// PEM file of the server's certificate chain.
    pub certificate: String,
    /// PEM file of the server's private key.
    pub private_key: String,
    /// PEM file of the authorities that may issue client certificates; `None`: no listener requests one.
    pub client_ca: Option<String>,
    /// PEM file of the revocation lists of those authorities; empty: no list is checked.
    pub client_crl: String,
    /// Whether a client certificate must name its uses.
    pub client_usage: ExtendedKeyUsage,
}

/// Whether a listener requests a client certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientCertificate {
    /// The listener requests a certificate and verifies it when sent. Each route decides whether it
    /// needs one.
    Requested,
    /// The listener does not request it.
    NotRequested,
}

/// The settings of all listeners, made from one reading of the files.
#[derive(Debug)]
pub struct TlsSettings {
    /// Settings of listeners that request a client certificate.
    pub requesting: Arc<ServerConfig>,
    /// Settings of the other listeners.
    pub not_requesting: Arc<ServerConfig>,
    /// Verifies client certificates: issued by a configured authority and not revoked.
    pub verifier: Arc<dyn ClientCertVerifier>,
    /// When the content of each file expires.
    pub endings: Vec<Ending>,
}

impl TlsSettings {
    /// Makes the settings from the files.
    pub fn of(files: &TlsFiles) -> Result<Self, TlsError> {
        let verifier = client_verifier(files)?;
        let requesting = server_config(files, Some(Arc::clone(&verifier)))?;
        let not_requesting = server_config(files, None)?;
        Ok(Self {
            requesting,
            not_requesting,
            verifier,
            endings: files.endings()?,
        })
    }

    /// Reads the files that the settings name.
    pub fn load(paths: &TlsPaths) -> Result<Self, TlsError> {
        Self::of(&TlsFiles::read(paths)?)
    }

    /// The settings of a listener.
    pub fn server(&self, client_certificate: ClientCertificate) -> Arc<ServerConfig> {
        Arc::clone(match client_certificate {
            ClientCertificate::Requested => &self.requesting,
            ClientCertificate::NotRequested => &self.not_requesting,
        })
    }
}

fn server_config(
    files: &TlsFiles,
    verifier: Option<Arc<dyn ClientCertVerifier>>,
) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = files.certificate.certificates()?;
    let key = files.key.private_key()?;
    let unusable = |error: rustls::Error| TlsError::Unusable {
        certificate: files.certificate.path.clone(),
        key: files.key.path.clone(),
        reason: error.to_string(),
    };
    let builder = begin().map_err(unusable)?;
    let builder = match verifier {
        Some(verifier) => builder.with_client_cert_verifier(verifier),
        None => builder.with_no_client_auth(),
    };
    let mut server = builder.with_single_cert(chain, key).map_err(unusable)?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // A resumed session would present the certificate of the first handshake, even if it was
    // revoked since (S-20; RFC 8446 section 4.6.1).
    server.session_storage = Arc::new(NoServerSessionStorage {});
    server.send_tls13_tickets = 0;
    // The server chooses the strongest common suite, not the client's first.
    server.ignore_client_order = true;
    Ok(Arc::new(server))
}

/// The TLS settings of a local receiver of events.
pub fn receiver_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let (certificate, key) = (certificate.to_string_lossy(), key.to_string_lossy());
    let chain = PemFile::read(&certificate, "the receiver's certificate")?.certificates()?;
    let private_key = PemFile::read(&key, "the receiver's private key")?.private_key()?;
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

/// Makes the verifier of client certificates from the authorities and, if there are some, their
/// revocation lists.
fn client_verifier(files: &TlsFiles) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let Some(authorities) = &files.authorities else {
        return Ok(WebPkiClientVerifier::no_client_auth());
    };
    let mut roots = RootCertStore::empty();
    for certificate in authorities.certificates()? {
        roots
            .add(certificate)
            .map_err(|error| authorities.refused(error))?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
        .allow_unauthenticated();
    if let Some(revocations) = &files.revocations {
        // A certificate without a current revocation list is refused, because it may be revoked
        // (RFC 5280 section 6.3).
        builder = builder
            .with_crls(revocations.revocation_lists()?)
            .enforce_revocation_expiration();
    }
    let verifier = builder.build().map_err(|error| {
        let of_lists = matches!(error, VerifierBuilderError::InvalidCrl(_));
        let file = files.revocations.as_ref().filter(|_file| of_lists);
        file.unwrap_or(authorities).refused(error)
    })?;
    Ok(Arc::new(UsageVerifier::new(verifier, files.client_usage)))
}

fn begin() -> Result<ConfigBuilder<ServerConfig, WantsVerifier>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
}
