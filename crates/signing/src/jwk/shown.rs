//! Compares one's own keys with a key set that somebody else publishes.

use serde_json::Value;

use super::set::MAX_SET_BYTES;
use super::{JwkError, PublicKey};
use crate::canonical;

/// A key set in which others may have put keys of every kind. Only keys that are asked for are read.
#[derive(Debug)]
pub struct ShownKeys {
    jwks: Vec<Value>,
}

/// How a key set shows a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Showing {
    /// It has the id, each time with the same public key, for the same algorithm.
    Same,
    /// It has the id with another public key, or for another use, or in a form that readers refuse.
    Differs,
    /// It does not have the id.
    Missing,
}

impl ShownKeys {
    /// Reads a key set of at most 256 KiB (RFC 7517 section 5).
    ///
    /// # Errors
    /// [`JwkError::TooLong`], [`JwkError::Json`], [`JwkError::NotASet`].
    pub fn parse(json: &[u8]) -> Result<Self, JwkError> {
        if json.len() > MAX_SET_BYTES {
            return Err(JwkError::TooLong);
        }
        let mut set = canonical::parse(json)?;
        match set.get_mut("keys").map(Value::take) {
            Some(Value::Array(jwks)) => Ok(Self { jwks }),
            Some(_) | None => Err(JwkError::NotASet),
        }
    }

    /// How the set shows a key. Its `kid` and its pinned algorithm count. RSA keys are the same if `n` and `e`
    /// are (RFC 7638 section 3.2).
    pub fn find(&self, own: &PublicKey) -> Showing {
        let mut found = Showing::Missing;
        for jwk in &self.jwks {
            if jwk.get("kid").and_then(Value::as_str) != own.kid() {
                continue;
            }
            let is_same = PublicKey::from_jwk(jwk).is_ok_and(|shown| {
                let fits = own.pinned().is_none_or(|algorithm| shown.fits(algorithm));
                fits && shown.thumbprint() == own.thumbprint()
            });
            // A reader may take either of two keys with one id.
            if !is_same {
                return Showing::Differs;
            }
            found = Showing::Same;
        }
        found
    }
}
