//! Reads the PEM files that TLS needs.

use std::fmt;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};

use super::{ExtendedKeyUsage, TlsError, TlsPaths};

/// The content of all files in one reading. Two readings are equal when no file has changed.
#[derive(Debug, PartialEq, Eq)]
pub struct TlsFiles {
    pub(super) certificate: PemFile,
    pub(super) key: PemFile,
    pub(super) authorities: Option<PemFile>,
    pub(super) revocations: Option<PemFile>,
    pub(super) client_usage: ExtendedKeyUsage,
}

/// The content of one file.
#[derive(PartialEq, Eq)]
pub(super) struct PemFile {
    pub(super) path: String,
    pub(super) what: &'static str,
    bytes: Vec<u8>,
}

impl TlsFiles {
    /// Reads the files that the settings name.
    pub fn read(paths: &TlsPaths) -> Result<Self, TlsError> {
        let authorities = paths.client_ca.as_ref();
        let revocations = (!paths.client_crl.is_empty()).then_some(&paths.client_crl);
        Ok(Self {
            certificate: PemFile::read(&paths.certificate, "the server's certificate")?,
            key: PemFile::read(&paths.private_key, "the server's private key")?,
            authorities: authorities
                .map(|path| PemFile::read(path, "the authorities of client certificates"))
                .transpose()?,
            revocations: revocations
                .map(|path| PemFile::read(path, "the revoked client certificates"))
                .transpose()?,
            client_usage: paths.client_usage,
        })
    }

    /// The authorities of client certificates.
    pub(super) fn authorities(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        let file = self.authorities.as_ref();
        file.map_or_else(|| Ok(Vec::new()), PemFile::certificates)
    }
}

impl PemFile {
    pub(super) fn read(path: &str, what: &'static str) -> Result<Self, TlsError> {
        let mut file = Self {
            path: path.to_owned(),
            what,
            bytes: Vec::new(),
        };
        file.bytes = std::fs::read(path).map_err(|error| file.refused(error))?;
        Ok(file)
    }

    pub(super) fn refused(&self, reason: impl fmt::Display) -> TlsError {
        TlsError::File {
            path: self.path.clone(),
            what: self.what,
            reason: reason.to_string(),
        }
    }

    /// The certificates in it, at least one.
    pub(super) fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, TlsError> {
        self.all("it holds no PEM certificate")
    }

    /// The revocation lists in it, at least one.
    pub(super) fn revocation_lists(
        &self,
    ) -> Result<Vec<CertificateRevocationListDer<'static>>, TlsError> {
        self.all("it holds no PEM revocation list (X509 CRL)")
    }

    /// The private key in it.
    pub(super) fn private_key(&self) -> Result<PrivateKeyDer<'static>, TlsError> {
        PrivateKeyDer::from_pem_slice(&self.bytes)
            .map_err(|_error| self.refused("it holds no PEM private key"))
    }

    fn all<T: PemObject>(&self, when_empty: &str) -> Result<Vec<T>, TlsError> {
        let found = T::pem_slice_iter(&self.bytes).collect::<Result<Vec<_>, _>>();
        let found = found.map_err(|error| self.refused(error))?;
        if found.is_empty() {
            return Err(self.refused(when_empty));
        }
        Ok(found)
    }
}

impl fmt::Debug for PemFile {
    /// Leaves out the content, which may be a private key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PemFile")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
