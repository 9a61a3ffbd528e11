//! JWK sets: the keys one participant signs with.

use serde_json::Value;

use super::{JwkError, PublicKey};
use crate::canonical;

/// The longest JWK set that is read, in bytes.
pub const MAX_SET_BYTES: usize = 256 * 1024;
/// The most keys that a JWK set may hold.
pub const MAX_SET_KEYS: usize = 100;

/// A checked JWK set (RFC 7517 section 5).
#[derive(Clone, Debug)]
pub struct JwkSet {
    keys: Vec<PublicKey>,
}

impl JwkSet {
    /// Reads a JWK set that somebody hands over: at most [`MAX_SET_KEYS`] keys,
    /// no duplicate `kid`, and every key acceptable to [`PublicKey::from_jwk`],
    /// one at least.
    ///
    /// Only a key whose `use` is something else than `sig` is passed over, as
    /// a participant's one set often holds its encryption keys too.
    pub fn parse(json: &[u8]) -> Result<Self, JwkError> {
        let set = Self::read(json, |reason| *reason == JwkError::NotForSignatures)?;
        if set.keys.is_empty() {
            return Err(JwkError::KeyCount);
        }
        Ok(set)
    }

    /// Reads a JWK set from where it is published. Its owner has other readers
    /// too, so all keys are passed over whose kind or purpose is not known here
    /// (RFC 7517 section 5); weak, secret and malformed ones are refused.
    /// Perhaps none is left: so a participant withdraws its last key.
    pub fn parse_published(json: &[u8]) -> Result<Self, JwkError> {
        Self::read(json, |reason| {
            let of_no_use = [
                JwkError::NotForSignatures,
                JwkError::KeyOperations,
                JwkError::UnsupportedAlgorithm,
                JwkError::UnsupportedKeyType,
            ];
            of_no_use.contains(reason)
        })
    }

    fn read(json: &[u8], is_passed_over: impl Fn(&JwkError) -> bool) -> Result<Self, JwkError> {
        if json.len() > MAX_SET_BYTES {
            return Err(JwkError::TooLong);
        }
        let set = canonical::parse(json)?;
        let jwks = set
            .get("keys")
            .and_then(Value::as_array)
            .ok_or(JwkError::NotASet)?;
        if jwks.len() > MAX_SET_KEYS {
            return Err(JwkError::KeyCount);
        }
        let mut keys: Vec<PublicKey> = Vec::with_capacity(jwks.len());
        for (index, jwk) in jwks.iter().enumerate() {
            let key = match PublicKey::from_jwk(jwk) {
                Ok(key) => key,
                Err(reason) if is_passed_over(&reason) => continue,
                Err(reason) => {
                    return Err(JwkError::InSet {
                        position: index + 1,
                        reason: Box::new(reason),
                    });
                }
            };
            if let Some(kid) = key.kid()
                && keys.iter().any(|other| other.kid() == Some(kid))
            {
                return Err(JwkError::DuplicateKid(kid.to_owned()));
            }
            keys.push(key);
        }
        Ok(Self { keys })
    }

    /// The keys, in the order of the set.
    pub fn keys(&self) -> &[PublicKey] {
        &self.keys
    }

    /// The key with this `kid`.
    pub fn find(&self, kid: &str) -> Option<&PublicKey> {
        self.keys.iter().find(|key| key.kid() == Some(kid))
    }
}
