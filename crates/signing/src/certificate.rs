//! Client certificates: thumbprints, names, accepted certificates and dates of expiry.

mod accepted;
mod name;
mod peer;

use std::fmt;
use std::ops::Range;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use x509_parser::certificate::X509Certificate;
use x509_parser::pem::parse_x509_pem;
use x509_parser::prelude::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;

pub use self::accepted::AcceptedCertificate;
pub use self::name::{DistinguishedName, Names};
pub use self::peer::PeerCertificate;
use crate::{base64url, canonical};

/// The SHA-256 digest of a certificate in DER, which a token holds as `cnf.x5t#S256` (RFC 8705
/// section 3.1).
#[derive(Clone, Copy, Eq)]
pub struct Thumbprint([u8; 32]);

impl Thumbprint {
    /// The thumbprint of a certificate in DER. The bytes are not parsed.
    pub fn of_der(der: &[u8]) -> Self {
        Self(canonical::digest(der))
    }

    /// Reads the 43 characters of `x5t#S256`; `None` for any other text.
    pub fn from_base64url(text: &str) -> Option<Self> {
        let bytes = base64url::decode_strict(text).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// The digest.
    pub fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The 43 characters of `x5t#S256`.
    pub fn to_base64url(self) -> String {
        base64url::encode(&self.0)
    }
}

impl PartialEq for Thumbprint {
    /// Compares in constant time, so that the time tells nothing about a thumbprint.
    fn eq(&self, other: &Self) -> bool {
        verify_slices_are_equal(&self.0, &other.0).is_ok()
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Thumbprint({})", self.to_base64url())
    }
}

/// The validity of a certificate in DER, in Unix seconds (RFC 5280 section 4.1.2.5); `None` when
/// `der` is not a certificate.
pub fn validity(der: &[u8]) -> Option<Range<i64>> {
    let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
    let validity = certificate.validity();
    Some(validity.not_before.timestamp()..validity.not_after.timestamp())
}

/// The time from `thisUpdate` to `nextUpdate` of a revocation list in DER, in Unix seconds (RFC 5280
/// section 5.1.2.4 f.); `None` when there is no `nextUpdate` or `der` is not a revocation list.
pub fn list_validity(der: &[u8]) -> Option<Range<i64>> {
    let (_rest, list) = CertificateRevocationList::from_der(der).ok()?;
    Some(list.last_update().timestamp()..list.next_update()?.timestamp())
}

/// Whether a certificate in DER may issue others (RFC 5280 section 4.2.1.9). `false` when `der` is not
/// a certificate.
pub fn is_authority(der: &[u8]) -> bool {
    X509Certificate::from_der(der).is_ok_and(|(_rest, certificate)| certificate.is_ca())
}

/// The subject of a certificate in DER, for messages. `None` when `der` is not a certificate.
pub fn subject(der: &[u8]) -> Option<String> {
    let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
    Some(certificate.subject().to_string())
}

/// Whether a revocation list in DER names the subject of this certificate in DER as its issuer (RFC
/// 5280 section 5.1.2.3). `false` when either is something else.
pub fn is_list_of(list: &[u8], authority: &[u8]) -> bool {
    let list = CertificateRevocationList::from_der(list);
    let authority = X509Certificate::from_der(authority);
    let (Ok((_, list)), Ok((_, authority))) = (list, authority) else {
        return false;
    };
    list.issuer().as_raw() == authority.subject().as_raw()
}

/// Whether a certificate in DER names the uses that its authority allows (RFC 5280 section
/// 4.2.1.12). `false` when `der` is not a certificate.
pub fn has_extended_key_usage(der: &[u8]) -> bool {
    X509Certificate::from_der(der).is_ok_and(|(_rest, certificate)| {
        matches!(certificate.extended_key_usage(), Ok(Some(_usage)))
    })
}

/// The DER of the first certificate in a PEM file, or of a file that is one certificate in DER.
/// `None` when the file holds neither.
pub fn read_file(content: &[u8]) -> Option<Vec<u8>> {
    let der = match parse_x509_pem(content) {
        Ok((_rest, pem)) => pem.contents,
        Err(_not_pem) => content.to_vec(),
    };
    X509Certificate::from_der(&der).is_ok().then_some(der)
}
