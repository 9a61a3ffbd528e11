//! Secrets that a person or program holds. The store has only their digests.

use signing::authenticator::Authenticator;
use signing::{base64url, canonical, random};

/// Bytes of a secret.
const SECRET_BYTES: usize = 32;

/// A new secret, and its digest for the store.
#[derive(Debug)]
pub struct NewSecret {
    /// 256 bits in base64url. They are shown once and not stored.
    pub secret: String,
    /// The digest of the secret.
    pub digest: String,
}

impl NewSecret {
    /// Draws 256 random bits.
    pub fn draw() -> Result<Self, random::RandomError> {
        let secret = random::token(SECRET_BYTES)?;
        Ok(Self::new(secret))
    }

    /// The secret that these texts name: the same texts give the same secret, and only this service can make it.
    pub fn derive(authenticator: &Authenticator, named_by: &str) -> Self {
        Self::new(authenticator.tag(named_by))
    }

    fn new(secret: String) -> Self {
        let digest = digest(&secret);
        Self { secret, digest }
    }
}

/// SHA-256 of a secret, in base64url.
pub fn digest(secret: &str) -> String {
    base64url::encode(&canonical::digest(secret.as_bytes()))
}
