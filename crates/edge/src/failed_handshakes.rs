//! Logs TLS handshakes that failed, summed up by reason.

use std::io;
use std::net::SocketAddr;

use observe::sums::{Rules, Sum, Sums};

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

impl FailedHandshakes {
    /// Counts a handshake. A peer that closes the connection is only counted in the metrics: balancers
    /// do so to see whether the port is open.
    pub(crate) fn note(&self, metrics: &Metrics, address: SocketAddr, error: &io::Error) {
        metrics.handshakes_failed.inc();
        tracing::debug!(%address, %error, "a TLS handshake failed");
        let is_closed = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset];
        if !is_closed.contains(&error.kind()) {
            // A terminal must not obey control characters of a peer's message.
            self.sums
                .count(error.to_string().escape_debug().to_string(), || address);
        }
    }
}
