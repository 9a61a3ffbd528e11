//! Why no answer came, classified from the libraries' errors.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

use crate::printable;

/// Why no answer came.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The client did not accept the server's certificate.
    Certificate(CertificateFault),
    /// The server ended the TLS handshake and named this reason (RFC 8446, section 6.2).
    Alert(AlertDescription),
    /// Name resolution, the connection, another part of TLS, or a time limit failed.
    Other,
}

/// Why the client did not accept the server's certificate.
#[derive(Clone, Debug, PartialEq)]
pub enum CertificateFault {
    /// None of the trusted authorities issued it, or an intermediate certificate is missing.
    UnknownIssuer,
    /// A trusted authority has the name of its issuer, but another key.
    OtherIssuerKey,
    /// It is for these names, and not for the host that was called. The names may be unknown.
    WrongName(Vec<String>),
    /// It has expired.
    Expired,
    /// It is not valid yet.
    NotYetValid,
    /// Another fault, such as a revoked or malformed certificate.
    Other,
}

impl Fault {
    pub(crate) fn classify(error: &(dyn Error + 'static)) -> Self {
        match find_cause::<rustls::Error>(error) {
            Some(rustls::Error::InvalidCertificate(error)) => {
                Self::Certificate(CertificateFault::classify(error))
            }
            Some(rustls::Error::AlertReceived(alert)) => Self::Alert(*alert),
            Some(_) | None => Self::Other,
        }
    }
}

impl CertificateFault {
    fn classify(error: &CertificateError) -> Self {
        if let CertificateError::NotValidForNameContext { presented, .. } = error {
            let names = presented.iter().map(|name| printable(&readable_name(name)));
            return Self::WrongName(names.collect());
        }
        let is_expired = matches!(
            error,
            CertificateError::Expired | CertificateError::ExpiredContext { .. }
        );
        let is_early = matches!(
            error,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }
        );
        if is_expired {
            Self::Expired
        } else if is_early {
            Self::NotYetValid
        } else if *error == CertificateError::UnknownIssuer {
            Self::UnknownIssuer
        } else if *error == CertificateError::BadSignature {
            Self::OtherIssuerKey
        } else if *error == CertificateError::NotValidForName {
            Self::WrongName(Vec::new())
        } else {
            Self::Other
        }
    }
}

/// `api.example` for `DnsName("api.example")`, the form of the TLS library.
fn readable_name(name: &str) -> String {
    let inner = name.split_once('(').map_or(name, |(_kind, rest)| rest);
    inner.trim_end_matches(')').trim_matches('"').to_owned()
}

/// The first cause of one type. The `source` of an I/O error skips the error that it wraps, so
/// `get_ref` reads it.
pub fn find_cause<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let wrapped = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests;
