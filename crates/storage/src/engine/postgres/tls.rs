//! Whose certificates a database may have.

use rustls::pki_types::pem::PemObject;

use crate::{Result, StorageError};

/// TLS to the database that accepts only certificates of the given authority.
pub(crate) fn trust(ca_pem: &[u8], target: &str) -> Result<rustls::ClientConfig> {
    let refused = |reason: String| StorageError::Open {
        target: target.to_owned(),
        reason: format!("its certificate authority cannot be used: {reason}"),
    };
    let mut roots = rustls::RootCertStore::empty();
    for certificate in rustls::pki_types::CertificateDer::pem_slice_iter(ca_pem) {
        let certificate = certificate.map_err(|error| refused(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| refused(error.to_string()))?;
    }
    let provider = std::sync::Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(error.to_string()))?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
