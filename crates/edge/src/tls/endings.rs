//! When the certificates and revocation lists of the TLS files expire.

use observe::clock;
use signing::certificate;

use super::files::PemFile;
use super::{TlsError, TlsFiles};

/// How long before a certificate expires the log warns, in seconds. Revocation lists are replaced
/// each day or week, so the log warns only of expired ones.
const WARNED_BEFORE_SECONDS: i64 = 14 * 86_400;

/// When the first certificate or list of one file expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The setting that names the file.
    pub setting: &'static str,
    path: String,
    what: &'static str,
    /// The time of expiry, in Unix seconds.
    pub at: i64,
    is_list: bool,
}

impl Ending {
    /// The warning for the log at this Unix time, if there is one.
    pub fn warning(&self, now: i64) -> Option<String> {
        let Self { path, what, .. } = self;
        let at = clock::to_rfc3339(self.at);
        let warned_before = if self.is_list {
            0
        } else {
            WARNED_BEFORE_SECONDS
        };
        if self.at <= now {
            Some(format!("{path} ({what}) ended at {at}: replace it"))
        } else if self.at <= now + warned_before {
            Some(format!("{path} ({what}) ends at {at}: replace it in time"))
        } else {
            None
        }
    }
}

impl TlsFiles {
    /// The endings of all files.
    pub(super) fn endings(&self) -> Result<Vec<Ending>, TlsError> {
        // Only the leaf of the server's chain is watched: callers check the other certificates.
        let server = self.certificate.certificates()?;
        let server = server.first().and_then(|leaf| certificate::not_after(leaf));
        let authorities = self.authorities.certificates()?;
        let authorities = authorities
            .iter()
            .filter_map(|one| certificate::not_after(one));
        let lists = match &self.revocations {
            Some(file) => file.revocation_lists()?,
            None => Vec::new(),
        };
        let lists = lists
            .iter()
            .filter_map(|list| certificate::next_update(list));
        let ends = [
            ("certificate_file", Some(&self.certificate), server),
            ("client_ca_file", Some(&self.authorities), authorities.min()),
            ("client_crl_file", self.revocations.as_ref(), lists.min()),
        ];
        let known = ends.into_iter().filter_map(|(setting, file, at)| {
            let PemFile { path, what, .. } = file?;
            Some(Ending {
                setting,
                path: path.clone(),
                what,
                at: at?,
                is_list: setting == "client_crl_file",
            })
        });
        Ok(known.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_795_000_000;
    const DAY: i64 = 86_400;

    /// How the warning of a file that ends so many seconds from now begins, without its name.
    fn check(is_list: bool, seconds: i64, expected: &str) {
        let ending = Ending {
            setting: "certificate_file",
            path: "server.pem".to_owned(),
            what: "the server's certificate",
            at: NOW + seconds,
            is_list,
        };
        let said = ending.warning(NOW).unwrap_or_default();
        let said = said.strip_prefix("server.pem (the server's certificate) ");
        let verb = said
            .and_then(|said| said.split_once(" at "))
            .map(|parts| parts.0);
        assert_eq!(verb.unwrap_or_default(), expected, "{seconds}");
    }

    #[test]
    fn what_ends_soon_is_warned_of() {
        for (seconds, expected) in [
            (-DAY, "ended"),
            (0, "ended"),
            (1, "ends"),
            (14 * DAY, "ends"),
            (14 * DAY + 1, ""),
        ] {
            check(false, seconds, expected);
        }
        for (seconds, expected) in [(0, "ended"), (1, ""), (DAY, "")] {
            check(true, seconds, expected);
        }
    }
}
