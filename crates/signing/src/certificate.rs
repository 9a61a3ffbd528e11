//! Client certificates: thumbprints, subjects and dates of expiry.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;

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

/// The known attributes of a subject: their short names (RFC 4514 section 3, RFC 4519) and object
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

/// The known attributes of a certificate's subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject(Vec<(&'static str, String)>);

/// The attributes that the subject of a client's certificate must have, each with exactly this
/// value. Every certificate meets an empty requirement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RequiredSubject(Vec<(&'static str, String)>);

/// The text is not an attribute that can be required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be TYPE=value with a type of CN, OU, O, C, L, ST, UID, serialNumber or \
     organizationIdentifier, such as OU=1234"
)]
pub struct AttributeError;

/// The end of validity of a certificate in DER, in Unix seconds (RFC 5280 section 4.1.2.5);
/// `None` when `der` is not a certificate.
pub fn not_after(der: &[u8]) -> Option<i64> {
    let (_rest, certificate) = X509Certificate::from_der(der).ok()?;
    Some(certificate.validity().not_after.timestamp())
}

/// The `nextUpdate` of a revocation list in DER, in Unix seconds (RFC 5280 section 5.1.2.5);
/// `None` when it is absent or `der` is not a revocation list.
pub fn next_update(der: &[u8]) -> Option<i64> {
    let (_rest, list) = CertificateRevocationList::from_der(der).ok()?;
    Some(list.next_update()?.timestamp())
}

impl Subject {
    /// The subject of a certificate in DER, without unknown attributes and values that are not
    /// text; `None` when `der` is not a certificate.
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
    pub fn parse(attributes: &[String]) -> Result<Self, AttributeError> {
        let parsed = attributes.iter().map(|text| {
            let (name, value) = text.split_once('=').ok_or(AttributeError)?;
            let known = ATTRIBUTES
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
            let (name, _) = known.ok_or(AttributeError)?;
            let value = value.trim();
            let is_text = !value.is_empty() && !value.contains(char::is_control);
            is_text
                .then(|| (*name, value.to_owned()))
                .ok_or(AttributeError)
        });
        Ok(Self(parsed.collect::<Result<_, _>>()?))
    }

    /// Whether `subject` has all required attributes. `None` is a subject that cannot be read.
    pub fn is_met_by(&self, subject: Option<&Subject>) -> bool {
        let has = |required| subject.is_some_and(|subject| subject.0.contains(required));
        self.0.iter().all(has)
    }

    /// The attributes as `TYPE=value`, with the type in capital letters.
    pub fn to_texts(&self) -> Vec<String> {
        let texts = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        texts.collect()
    }
}
