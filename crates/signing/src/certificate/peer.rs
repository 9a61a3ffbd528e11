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
    /// Its DER encoding, and those of the intermediates that came with it.
    pub chain: Arc<[Vec<u8>]>,
}

impl PeerCertificate {
    /// The certificate with the DER encoding `der`, without intermediates.
    pub fn of_der(der: &[u8]) -> Self {
        Self::of_chain(der, [])
    }

    /// The certificate with the DER encoding `der`, and its intermediates.
    pub fn of_chain<'a>(der: &'a [u8], intermediates: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let chain = [der].into_iter().chain(intermediates);
        Self {
            thumbprint: Thumbprint::of_der(der),
            names: Names::of_der(der).map(Arc::new),
            chain: chain.map(<[u8]>::to_vec).collect(),
        }
    }
}
