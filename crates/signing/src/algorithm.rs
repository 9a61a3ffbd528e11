//! The four signature algorithms that the program accepts.

use std::fmt;

/// A JWS algorithm (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// The type cannot hold `none`, an HMAC algorithm or any other name, so no later check can accept
/// one (S-21, RFC 8725 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
    Ps256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// `EdDSA` with Ed25519.
    EdDsa,
}

impl Algorithm {
    /// Every algorithm, in the order of declaration.
    pub const ALL: [Self; 4] = [Self::Rs256, Self::Ps256, Self::Es256, Self::EdDsa];

    /// The registered name, which `alg` holds.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    /// The algorithm with this registered name, which is case-sensitive (RFC 7515 section 4.1.1).
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.as_str() == name)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
