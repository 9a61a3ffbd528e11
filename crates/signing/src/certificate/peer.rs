//! The certificate that a client presented on its connection.

use std::sync::Arc;

use super::{Names, Thumbprint};

/// A client certificate that the TLS handshake, or a trusted proxy, verified.
#[derive(Debug, Clone)]
pub struct PeerCertificate {
    /// The thumbprint to which access tokens are bound (RFC 8705 section 3.1).
    pub thumbprint: Thumbprint,
    /// Its names; `None` where they cannot be read.
    pub names: Option<Arc<Names>>,
}

impl PeerCertificate {
    /// The certificate with the DER encoding `der`.
    pub fn of_der(der: &[u8]) -> Self {
        Self {
            thumbprint: Thumbprint::of_der(der),
            names: Names::of_der(der).map(Arc::new),
        }
    }
}
