//! JWK sets: the public keys of a participant.

use serde_json::Value;

use super::{JwkError, PublicKey};
use crate::canonical;

/// The longest JWK set that is read.
pub(super) const MAX_SET_BYTES: usize = 256 * 1024;
/// The largest number of keys in a JWK set.
pub(super) const MAX_SET_KEYS: usize = 100;

/// A checked JWK set (RFC 7517 section 5).
#[derive(Clone, Debug, Default)]
pub struct JwkSet {
    keys: Vec<PublicKey>,
}

impl JwkSet {
    /// Reads a JWK set that a participant registers: 1 to 100 keys, all accepted by
    /// [`PublicKey::from_jwk`], without a duplicate `kid`.
    ///
    /// A key with a `use` other than `sig` is left out, because a participant often has one set for
    /// signatures and encryption.
    pub fn parse(json: &[u8]) -> Result<Self, JwkError> {
        let set = Self::read(json, |reason| *reason == JwkError::NotForSignatures)?;
        if set.keys.is_empty() {
            return Err(JwkError::KeyCount);
        }
        Ok(set)
    }

    /// Reads a JWK set that a participant publishes for all its readers. Keys with an unknown type
    /// or purpose are left out (RFC 7517 section 5). Weak, private and malformed keys are refused.
    /// The result may be empty, which withdraws the participant's last key.
    pub fn parse_published(json: &[u8]) -> Result<Self, JwkError> {
        Self::read(json, |reason| {
            let other_purposes = [
                JwkError::NotForSignatures,
                JwkError::KeyOperations,
                JwkError::UnsupportedAlgorithm,
                JwkError::UnsupportedKeyType,
            ];
            other_purposes.contains(reason)
        })
    }

    fn read(json: &[u8], is_left_out: impl Fn(&JwkError) -> bool) -> Result<Self, JwkError> {
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
                Err(reason) if is_left_out(&reason) => continue,
                Err(reason) => {
                    let (position, reason) = (index + 1, Box::new(reason));
                    return Err(JwkError::InSet { position, reason });
                }
            };
            let mut others = keys.iter().filter_map(PublicKey::kid);
            if let Some(kid) = others.find(|kid| key.kid() == Some(*kid)) {
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
