//! Refuses client certificates that do not name their uses.

use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};
use serde::{Deserialize, Serialize};
use signing::certificate::has_extended_key_usage;

/// Whether a client certificate must have an extended key usage (RFC 5280 section 4.2.1.12), which
/// must then allow `clientAuth`. Without the extension every use is allowed: the certificate may be
/// meant for a server or a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExtendedKeyUsage {
    /// A certificate without the extension is refused.
    Required,
    /// A certificate without the extension is accepted.
    Optional,
}

impl ExtendedKeyUsage {
    /// Whether this rule allows a certificate in DER.
    pub fn allows(self, der: &[u8]) -> bool {
        match self {
            Self::Required => has_extended_key_usage(der),
            Self::Optional => true,
        }
    }
}

/// Verifies as another verifier does, and then the extended key usage, which rustls checks only
/// where it is present.
#[derive(Debug)]
pub(super) struct UsageVerifier {
    inner: Arc<dyn ClientCertVerifier>,
    rule: ExtendedKeyUsage,
}

impl UsageVerifier {
    pub(super) fn new(inner: Arc<dyn ClientCertVerifier>, rule: ExtendedKeyUsage) -> Self {
        Self { inner, rule }
    }
}

impl ClientCertVerifier for UsageVerifier {
    fn offer_client_auth(&self) -> bool {
        self.inner.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.inner.client_auth_mandatory()
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.inner.root_hint_subjects()
    }

    fn verify_client_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let verified = self.inner.verify_client_cert(leaf, intermediates, now)?;
        if self.rule.allows(leaf) {
            return Ok(verified);
        }
        Err(CertificateError::InvalidPurpose.into())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}
