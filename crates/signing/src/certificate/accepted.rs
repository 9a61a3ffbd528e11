//! The certificates with which a client may call.

use super::name::find_type;
use super::{DistinguishedName, PeerCertificate, Thumbprint};

const SUBJECT: &str = "subject ";
const ISSUER: &str = "issuer ";
const THUMBPRINT: &str = "x5t#S256 ";

/// The certificates with which a client may call. The configured authorities issue all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcceptedCertificate {
    /// Each certificate.
    Any,
    /// These certificates alone.
    Exactly(Vec<Thumbprint>),
    /// Each certificate with this whole subject.
    Named {
        /// The name of its owner.
        subject: DistinguishedName,
        /// The name of its authority; `None`: each of the configured ones.
        issuer: Option<DistinguishedName>,
    },
    /// Each certificate that has these attributes in its subject, among others. Only clients have
    /// this form that were registered when there was no other.
    WithAttributes(Vec<(String, String)>),
}

/// The lines are not in the form of [`AcceptedCertificate::to_lines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the accepted certificates cannot be read")]
pub struct AcceptedError;

impl AcceptedCertificate {
    /// Reads the lines of a client's registration.
    pub fn parse(lines: &[String]) -> Result<Self, AcceptedError> {
        let read = |text: &str| text.parse().map_err(|_| AcceptedError);
        let Some(first) = lines.first() else {
            return Ok(Self::Any);
        };
        if first.starts_with(THUMBPRINT) {
            let thumbprints = lines.iter().map(|line| {
                let text = line.strip_prefix(THUMBPRINT)?;
                Thumbprint::from_base64url(text)
            });
            let all = thumbprints.collect::<Option<_>>();
            return all.map(Self::Exactly).ok_or(AcceptedError);
        }
        if let Some(subject) = first.strip_prefix(SUBJECT) {
            let issuer = match lines.get(1) {
                Some(line) => Some(read(line.strip_prefix(ISSUER).ok_or(AcceptedError)?)?),
                None => None,
            };
            let subject = read(subject)?;
            return Ok(Self::Named { subject, issuer });
        }
        let attributes = lines.iter().map(|line| {
            let (name, value) = line.split_once('=')?;
            Some((find_type(name)?, value.to_owned()))
        });
        let all = attributes.collect::<Option<_>>();
        all.map(Self::WithAttributes).ok_or(AcceptedError)
    }

    /// The lines that [`Self::parse`] reads; none for any certificate.
    pub fn to_lines(&self) -> Vec<String> {
        match self {
            Self::Any => Vec::new(),
            Self::Exactly(thumbprints) => thumbprints
                .iter()
                .map(|thumbprint| format!("{THUMBPRINT}{}", thumbprint.to_base64url()))
                .collect(),
            Self::Named { subject, issuer } => {
                let issuer = issuer.iter().map(|issuer| format!("{ISSUER}{issuer}"));
                let lines = [format!("{SUBJECT}{subject}")].into_iter().chain(issuer);
                lines.collect()
            }
            Self::WithAttributes(attributes) => attributes
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
        }
    }

    /// Whether a client may call with this certificate.
    pub fn accepts(&self, certificate: &PeerCertificate) -> bool {
        let names = certificate.names.as_deref();
        match self {
            Self::Any => true,
            Self::Exactly(thumbprints) => thumbprints.contains(&certificate.thumbprint),
            Self::Named { subject, issuer } => names.is_some_and(|names| {
                let is_issued = |issuer: &DistinguishedName| *issuer == names.issuer;
                names.subject == *subject && issuer.as_ref().is_none_or(is_issued)
            }),
            Self::WithAttributes(attributes) => names.is_some_and(|names| {
                let mut required = attributes.iter();
                required.all(|attribute| names.subject.has(attribute))
            }),
        }
    }
}
