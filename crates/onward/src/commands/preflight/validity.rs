//! The dates of certificates, and the names of their authorities.

use observe::clock::to_rfc3339;
use rustls::pki_types::CertificateDer;
use signing::certificate::{self, Names};

/// A certificate that ends sooner is worth a warning, in days.
const WARNED_BEFORE_DAYS: i64 = 30;
const DAY_SECONDS: i64 = 86_400;

/// The state of a certificate's dates at one time.
pub(super) enum Dates {
    /// It is not valid before this time, RFC 3339.
    Early(String),
    /// It ended at this time, RFC 3339.
    Expired(String),
    /// It ends within 30 days, at this time.
    Ending(i64, String),
    /// It is valid for this number of days, until this time.
    Valid(i64, String),
}

impl Dates {
    /// The dates of a certificate at the Unix time `now`; `None` if it is not a certificate.
    pub(super) fn of(certificate: &CertificateDer<'_>, now: i64) -> Option<Self> {
        let validity = certificate::validity(certificate)?;
        let days = (validity.end - now) / DAY_SECONDS;
        let (start, end) = (to_rfc3339(validity.start), to_rfc3339(validity.end));
        Some(if now < validity.start {
            Self::Early(start)
        } else if validity.end <= now {
            Self::Expired(end)
        } else if days < WARNED_BEFORE_DAYS {
            Self::Ending(days, end)
        } else {
            Self::Valid(days, end)
        })
    }
}

/// The name of the authority that issued a certificate, for messages.
pub(super) fn issuer(certificate: &CertificateDer<'_>) -> String {
    Names::of_der(certificate).map_or_else(String::new, |names| names.issuer.to_string())
}

/// Whether each certificate names the next one as its issuer.
pub(super) fn is_in_order(chain: &[CertificateDer<'_>]) -> bool {
    let names: Vec<_> = chain.iter().map(|one| Names::of_der(one)).collect();
    names.windows(2).all(|pair| match pair {
        [Some(one), Some(next)] => one.issuer == next.subject,
        _ => false,
    })
}
