//! Logs TLS handshakes that failed, summed up by reason.

use std::io;
use std::net::SocketAddr;

use observe::sums::{Rules, Sum, Sums};
use rustls::CertificateError;

use crate::limits;
use crate::metrics::Metrics;

/// Writes one line for the handshakes that failed for the same reason. Otherwise nobody would see why
/// no client can connect, for instance when a revocation list has expired.
#[derive(Debug)]
pub struct FailedHandshakes {
    sums: Sums<String, SocketAddr>,
}

impl Default for FailedHandshakes {
    fn default() -> Self {
        let rules = Rules {
            within: limits::HANDSHAKES_SUMMED,
            kinds_max: limits::HANDSHAKE_REASONS_MAX,
            write: |sum: Sum<String, SocketAddr>| {
                tracing::warn!(
                    event = "handshakes_failed",
                    count = sum.count,
                    address = %sum.first,
                    reason = sum.key,
                    "TLS handshakes failed"
                );
            },
            write_others: |count| {
                let event = "handshakes_failed";
                tracing::warn!(event, count, "TLS handshakes failed for other reasons");
            },
        };
        Self {
            sums: Sums::new(rules),
        }
    }
}

/// The reason without times, which would make each handshake another kind.
fn describe(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let Some(rustls::Error::InvalidCertificate(certificate)) = inner else {
        return error.to_string();
    };
    let text = if let CertificateError::ExpiredContext { .. } = certificate {
        "it has expired"
    } else if let CertificateError::NotValidYetContext { .. } = certificate {
        "it is not valid yet"
    } else if let CertificateError::ExpiredRevocationListContext { .. } = certificate {
        "the revocation list of its authority has expired"
    } else {
        return error.to_string();
    };
    format!("invalid peer certificate: {text}")
}

impl FailedHandshakes {
    /// Counts a handshake. A peer that closes the connection is only counted in the metrics: balancers
    /// do so to see whether the port is open.
    pub(crate) fn note(&self, metrics: &Metrics, address: SocketAddr, error: &io::Error) {
        metrics.handshakes_failed.inc();
        tracing::debug!(%address, %error, "a TLS handshake failed");
        let is_closed = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset];
        if !is_closed.contains(&error.kind()) {
            // A terminal must not obey control characters of a peer's message.
            let reason = describe(error).escape_debug().to_string();
            self.sums.count(reason, || address);
        }
    }
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::UnixTime;

    use super::*;

    /// Otherwise an expired list would be a kind of its own each second.
    #[test]
    fn the_reason_of_an_expired_list_has_no_time() {
        let at = |seconds| UnixTime::since_unix_epoch(std::time::Duration::from_secs(seconds));
        let reason = |seconds| {
            let error = CertificateError::ExpiredRevocationListContext {
                time: at(seconds),
                next_update: at(1),
            };
            describe(&io::Error::other(rustls::Error::from(error)))
        };
        assert_eq!(reason(1_000), reason(2_000));
        assert!(reason(1_000).ends_with("the revocation list of its authority has expired"));
    }
}
