//! When the certificates and revocation lists of the TLS files expire.

use std::ops::Range;

use observe::clock;
use signing::certificate;

use super::files::PemFile;
use super::{TlsError, TlsFiles};

/// How long before a certificate expires the log warns at most, in seconds.
const WARNED_BEFORE_SECONDS_MAX: i64 = 14 * 86_400;
/// The log warns in the last of so many parts of a lifetime. Revocation lists are often replaced each
/// day.
const LAST_PART: i64 = 4;

/// A TLS file with certificates or lists that expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiringFile {
    /// The certificate of the server.
    Certificate,
    /// The authorities of client certificates.
    ClientCa,
    /// The revocation lists of these authorities.
    ClientCrl,
}

impl ExpiringFile {
    /// The setting that names the file.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Certificate => "certificate_file",
            Self::ClientCa => "client_ca_file",
            Self::ClientCrl => "client_crl_file",
        }
    }
}

/// When the certificates or lists of one file expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The file.
    pub file: ExpiringFile,
    path: String,
    what: &'static str,
    /// When the first of them expires, in Unix seconds.
    pub at: i64,
    /// When the last of them expires, in Unix seconds.
    last: i64,
    /// The lifetime of the one that expires first, in seconds.
    lifetime: i64,
}

impl Ending {
    /// The warning for the log at this Unix time, if there is one.
    pub fn warning(&self, now: i64) -> Option<String> {
        let Self { path, what, .. } = self;
        let at = clock::to_rfc3339(self.at);
        let warned_before = (self.lifetime / LAST_PART).min(WARNED_BEFORE_SECONDS_MAX);
        if self.at <= now {
            Some(format!("{path} ({what}) ended at {at}: replace it"))
        } else if self.at <= now + warned_before {
            Some(format!("{path} ({what}) ends at {at}: replace it in time"))
        } else {
            None
        }
    }

    /// Whether every client is refused at this Unix time, because all of the file has expired. The
    /// expiry of an authority refuses nobody: a trust anchor has no dates (RFC 5280 section 6.1.1).
    pub fn refuses_all(&self, now: i64) -> bool {
        self.last <= now && self.file != ExpiringFile::ClientCa
    }
}

impl TlsFiles {
    /// The endings of all files.
    pub(super) fn endings(&self) -> Result<Vec<Ending>, TlsError> {
        // Only the leaf of the server's chain is watched: callers check the other certificates.
        let server = self.certificate.certificates()?;
        let server = server.first().map(AsRef::as_ref);
        let authorities = self.authorities()?;
        let lists = match &self.revocations {
            Some(file) => file.revocation_lists()?,
            None => Vec::new(),
        };
        let authorities = authorities.iter().map(AsRef::as_ref);
        let lists = lists.iter().map(AsRef::as_ref);
        let endings = [
            self.certificate.ending(
                ExpiringFile::Certificate,
                server.into_iter().filter_map(certificate::validity),
            ),
            self.authorities.as_ref().and_then(|file| {
                file.ending(
                    ExpiringFile::ClientCa,
                    authorities.filter_map(certificate::validity),
                )
            }),
            self.revocations.as_ref().and_then(|file| {
                file.ending(
                    ExpiringFile::ClientCrl,
                    lists.filter_map(certificate::list_validity),
                )
            }),
        ];
        Ok(endings.into_iter().flatten().collect())
    }
}

impl PemFile {
    /// The ending of a file by the validities in it. `None` if there are none.
    fn ending(
        &self,
        expiring: ExpiringFile,
        validities: impl Iterator<Item = Range<i64>>,
    ) -> Option<Ending> {
        let mut validities: Vec<_> = validities.collect();
        validities.sort_by_key(|validity| validity.end);
        let (first, last) = (validities.first()?, validities.last()?);
        Some(Ending {
            file: expiring,
            path: self.path.clone(),
            what: self.what,
            at: first.end,
            last: last.end,
            lifetime: first.end - first.start,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_000_000;
    const DAY: i64 = 86_400;

    /// How the warning of a file with this lifetime, which ends so many seconds from now, begins
    /// without its name.
    fn check(lifetime: i64, seconds: i64, expected: &str) {
        let ending = Ending {
            file: ExpiringFile::Certificate,
            path: "server.pem".to_owned(),
            what: "the server's certificate",
            at: NOW + seconds,
            last: NOW + seconds,
            lifetime,
        };
        assert_eq!(ending.refuses_all(NOW), expected == "ended");
        let said = ending.warning(NOW).unwrap_or_default();
        let said = said.strip_prefix("server.pem (the server's certificate) ");
        let verb = said
            .and_then(|said| said.split_once(" at "))
            .map(|parts| parts.0);
        assert_eq!(verb.unwrap_or_default(), expected, "{seconds}");
    }

    #[test]
    fn the_log_warns_in_the_last_quarter_of_a_lifetime_and_for_14_days_at_most() {
        for (seconds, expected) in [
            (-DAY, "ended"),
            (0, "ended"),
            (1, "ends"),
            (14 * DAY, "ends"),
            (14 * DAY + 1, ""),
        ] {
            check(90 * DAY, seconds, expected);
        }
        for (seconds, expected) in [
            (0, "ended"),
            (1, "ends"),
            (DAY / 4, "ends"),
            (DAY / 4 + 1, ""),
        ] {
            check(DAY, seconds, expected);
        }
    }
}
