//! Looks at a server's TLS version and certificates, and sends it nothing.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, DigitallySignedStruct, Error, SignatureScheme, SupportedProtocolVersion,
};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::limits;

/// Notes the certificates of a server. It accepts all of them, because a refusal would be a failed
/// handshake in the log of the service. Nothing is sent over such a connection.
#[derive(Debug)]
struct Onlooker {
    provider: Arc<CryptoProvider>,
    seen: Mutex<Vec<CertificateDer<'static>>>,
}

/// Begins a handshake of this version with the server at `address`. Returns the certificates that it
/// shows, or `None` if it does not speak this version.
pub(super) async fn look_at(
    address: SocketAddr,
    host: &str,
    version: &'static SupportedProtocolVersion,
) -> Option<Vec<CertificateDer<'static>>> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let onlooker = Arc::new(Onlooker {
        provider: Arc::clone(&provider),
        seen: Mutex::default(),
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .ok()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::clone(&onlooker) as Arc<dyn ServerCertVerifier>)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).ok()?;
    let connector = TlsConnector::from(Arc::new(config));
    let handshake = async {
        let stream = TcpStream::connect(address).await?;
        connector.connect(name, stream).await
    };
    // However the handshake ends, the onlooker has the result. The connection is closed at once.
    drop(timeout(limits::PREFLIGHT_HANDSHAKE_TIMEOUT, handshake).await);
    let seen = onlooker.seen.lock().unwrap_or_else(PoisonError::into_inner);
    (!seen.is_empty()).then(|| seen.clone())
}

impl ServerCertVerifier for Onlooker {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _stapled: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let chain = std::iter::once(leaf).chain(intermediates);
        let chain = chain.map(|certificate| certificate.clone().into_owned());
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = chain.collect();
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
