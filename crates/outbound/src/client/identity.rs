//! The certificate that the client presents, where a peer asks for one.

use std::fmt;

use super::OutboundError;

/// A certificate with its intermediates, and its private key, PEM.
#[derive(Clone)]
pub struct IdentityPem(Vec<u8>);

impl IdentityPem {
    /// The content of these two files.
    pub fn new(certificate: &[u8], key: &[u8]) -> Self {
        Self([certificate, b"\n", key].concat())
    }

    pub(super) fn parse(&self) -> Result<reqwest::Identity, OutboundError> {
        reqwest::Identity::from_pem(&self.0).map_err(|_error| OutboundError::Identity)
    }
}

impl fmt::Debug for IdentityPem {
    /// Leaves out the private key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("IdentityPem").finish_non_exhaustive()
    }
}
