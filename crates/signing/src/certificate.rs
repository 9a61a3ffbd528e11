//! Client certificates: the thumbprint by which a token is bound to one, and its subject.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;

use crate::{base64url, canonical};

/// The SHA-256 digest of a certificate's DER encoding, which stands in a token
/// as `cnf.x5t#S256` (RFC 8705 section 3.1).
#[derive(Clone, Copy, Eq)]
pub struct Thumbprint([u8; 32]);

impl Thumbprint {
    /// The thumbprint of the certificate whose DER encoding is `der`.
    ///
    /// The bytes are not parsed: the thumbprint covers whatever was presented.
    pub fn of_der(der: &[u8]) -> Self {
        Self(canonical::digest(der))
    }

    /// The 43 characters that stand in `x5t#S256`.
    pub fn to_base64url(self) -> String {
        base64url::encode(&self.0)
    }
}

impl PartialEq for Thumbprint {
    /// Compares in constant time, so that an answer's timing tells nothing
    /// about a thumbprint that was guessed in part.
    fn eq(&self, other: &Self) -> bool {
        verify_slices_are_equal(&self.0, &other.0).is_ok()
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Thumbprint({})", self.to_base64url())
    }
}

/// Attributes of a subject by their short names (RFC 4514 section 3, RFC 4519), with their object
/// identifiers.
const ATTRIBUTES: [(&str, &str); 9] = [
    ("CN", "2.5.4.3"),
    ("SERIALNUMBER", "2.5.4.5"),
    ("C", "2.5.4.6"),
    ("L", "2.5.4.7"),
    ("ST", "2.5.4.8"),
    ("O", "2.5.4.10"),
    ("OU", "2.5.4.11"),
    ("ORGANIZATIONIDENTIFIER", "2.5.4.97"),
    ("UID", "0.9.2342.19200300.100.1.1"),
];

/// What a certificate's subject says, attribute by attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(Vec<(&'static str, String)>);

/// What a client's certificate must say: each of these attributes, with just this value. An empty
/// one is met by every certificate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequiredSubject(Vec<(&'static str, String)>);

/// An attribute that cannot be required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be TYPE=value with a type of CN, OU, O, C, L, ST, UID, serialNumber or \
     organizationIdentifier, such as OU=1234"
)]
pub struct NoAttribute;

/// When the certificate whose DER encoding is `der` ends, in Unix seconds (RFC 5280 section
/// 4.1.2.5); none if this is no certificate.
pub fn not_after(der: &[u8]) -> Option<i64> {
    let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
    Some(certificate.validity().not_after.timestamp())
}

/// When the revocation list whose DER encoding is `der` runs out, in Unix seconds (RFC 5280
/// section 5.1.2.5); none if it does not say, or is none.
pub fn next_update(der: &[u8]) -> Option<i64> {
    let (_rest, list) = CertificateRevocationList::from_der(der).ok()?;
    Some(list.next_update()?.timestamp())
}

impl Subject {
    /// The subject of the certificate whose DER encoding is `der`, as far as its attributes are
    /// known here and are text; none if this is no certificate.
    pub fn of_der(der: &[u8]) -> Option<Self> {
        let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
        let attributes = certificate.subject().iter_attributes();
        let known = attributes.filter_map(|attribute| {
            let identifier = attribute.attr_type().to_id_string();
            let (name, _) = ATTRIBUTES.iter().find(|(_, known)| *known == identifier)?;
            Some((*name, attribute.as_str().ok()?.to_owned()))
        });
        Some(Self(known.collect()))
    }
}

impl RequiredSubject {
    /// Reads attributes, each written as `TYPE=value`.
    pub fn parse(attributes: &[String]) -> Result<Self, NoAttribute> {
        let parsed = attributes.iter().map(|text| {
            let (name, value) = text.split_once('=').ok_or(NoAttribute)?;
            let known = ATTRIBUTES
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
            let (name, _) = known.ok_or(NoAttribute)?;
            let value = value.trim();
            let is_text = !value.is_empty() && !value.contains(char::is_control);
            is_text
                .then(|| (*name, value.to_owned()))
                .ok_or(NoAttribute)
        });
        Ok(Self(parsed.collect::<Result<_, _>>()?))
    }

    /// Whether a certificate with this subject, if that could be read, is the client's.
    pub fn is_met_by(&self, subject: Option<&Subject>) -> bool {
        let says = |required| subject.is_some_and(|subject| subject.0.contains(required));
        self.0.iter().all(says)
    }

    /// The attributes as they are read, with their types in one spelling.
    pub fn to_texts(&self) -> Vec<String> {
        let texts = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        texts.collect()
    }
}
