//! The thumbprint by which a token is bound to a client certificate.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;

use crate::{base64url, canonical};

/// The SHA-256 digest of a certificate's DER encoding, which stands in a token
/// as `cnf.x5t#S256` (RFC 8705 section 3.1).
#[derive(Clone, Copy, Eq)]
pub struct Thumbprint([u8; 32]);

impl Thumbprint {
    /// The thumbprint of the certificate whose DER encoding is `der`.
    ///
    /// The bytes are not parsed: the thumbprint covers whatever was presented.
    pub fn of_der(der: &[u8]) -> Self {
        Self(canonical::digest(der))
    }

    /// The 43 characters that stand in `x5t#S256`.
    pub fn to_base64url(self) -> String {
        base64url::encode(&self.0)
    }
}

impl PartialEq for Thumbprint {
    /// Compares in constant time, so that an answer's timing tells nothing
    /// about a thumbprint that was guessed in part.
    fn eq(&self, other: &Self) -> bool {
        verify_slices_are_equal(&self.0, &other.0).is_ok()
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Thumbprint({})", self.to_base64url())
    }
}
