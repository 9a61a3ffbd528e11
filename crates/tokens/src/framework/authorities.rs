//! The framework's authorities, and the organisations of the certificates that they issued (S-72).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use framework::organisation;
use quick_cache::sync::Cache;
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use signing::certificate::{PeerCertificate, Thumbprint};

use crate::limits;

/// Verifies certificates of the framework. The connection has verified them already, against more authorities.
pub struct Authorities {
    verifier: Arc<dyn ClientCertVerifier>,
    /// The organisation of each verified certificate, and when it was verified.
    verified: Cache<[u8; 32], (Arc<str>, i64)>,
}

/// The file holds no usable authorities.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it holds no certificates of authorities in PEM: {0}")]
pub struct AuthoritiesError(String);

impl Authorities {
    /// The authorities in a PEM file: the roots, or those that issue participants' certificates.
    pub fn parse(pem: &[u8]) -> Result<Self, AuthoritiesError> {
        let fault = |error: &dyn fmt::Display| AuthoritiesError(error.to_string());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| fault(&error))?;
            roots.add(certificate).map_err(|error| fault(&error))?;
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        Ok(Self {
            verifier: verifier.build().map_err(|error| fault(&error))?,
            verified: Cache::new(limits::FRAMEWORK_CERTIFICATES_MAX),
        })
    }

    /// The organisation that a certificate names, if the framework's authorities issued it and it is valid at this
    /// Unix time. Each certificate is verified once a minute.
    pub fn find_organisation(&self, certificate: &PeerCertificate, now: i64) -> Option<String> {
        let key = certificate.thumbprint.to_bytes();
        if let Some((organisation, at)) = self.verified.get(&key)
            && (0..limits::FRAMEWORK_CERTIFICATE_SECONDS).contains(&(now - at))
        {
            return Some(organisation.to_string());
        }
        let organisation = organisation::read_organisation(certificate.names.as_deref()?)?;
        let (leaf, intermediates) = certificate.chain.split_first()?;
        debug_assert!(Thumbprint::of_der(leaf) == certificate.thumbprint);
        let leaf = CertificateDer::from(leaf.as_slice());
        let intermediates: Vec<_> = intermediates
            .iter()
            .map(|der| CertificateDer::from(der.as_slice()))
            .collect();
        let since_epoch = Duration::from_secs(u64::try_from(now).unwrap_or_default());
        let time = UnixTime::since_unix_epoch(since_epoch);
        let verified = self
            .verifier
            .verify_client_cert(&leaf, &intermediates, time);
        verified.ok()?;
        self.verified
            .insert(key, (organisation.as_str().into(), now));
        Some(organisation)
    }
}

impl fmt::Debug for Authorities {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Authorities")
            .finish_non_exhaustive()
    }
}
