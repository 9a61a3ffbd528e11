//! TLS to a database. A given authority must have issued its certificate.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::{Result, StorageError};

/// Settings that accept only certificates of the given authority.
pub(crate) fn tls_config(ca_pem: &[u8], target: &str) -> Result<rustls::ClientConfig> {
    let refuse = |reason: String| StorageError::Forbidden {
        target: target.to_owned(),
        reason: format!("its certificate authority cannot be used: {reason}"),
    };
    let mut roots = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(ca_pem) {
        let certificate = certificate.map_err(|error| refuse(error.to_string()))?;
        let added = roots.add(certificate);
        added.map_err(|error| refuse(error.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refuse(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
