//! The provenance block of a chain answer, and its verification.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::algorithm::Algorithm;
use crate::jwk::{JwkSet, PublicKey};
use crate::{base64url, canonical};

/// The longest answer that is verified.
pub const MAX_ENVELOPE_BYTES: usize = 16 * 1024 * 1024;

/// The only value of `payloadHash.alg` (document 1).
const HASH_ALGORITHM: &str = "SHA-256";

/// The provenance block of document 1. The fields are in canonical order (RFC 8785 section 3.2.3),
/// so serialising the block gives canonical JSON.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Always `RS256`.
    pub alg: String,
    /// The id of the signing key in the public key set.
    pub kid: String,
    /// The digest of the canonical bytes of `data`.
    pub payload_hash: PayloadHash,
    /// Base64url of the signature over the canonical bytes of `data`.
    pub signature: String,
    /// The time of the signature, ISO 8601 in UTC (S-13).
    pub signed_at: String,
}

/// The digest in a provenance block.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct PayloadHash {
    /// Always `SHA-256`.
    pub alg: String,
    /// Base64url of the SHA-256 digest of the canonical bytes.
    pub value: String,
}

/// Why an answer does not verify.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ProvenanceError {
    /// The body is not strict JSON within the bounds.
    #[error(
        "the body is not a JSON document that can be verified: send the answer's bytes \
         unaltered, at most {MAX_ENVELOPE_BYTES} of them, without duplicate members"
    )]
    NotJson,
    /// The body has no `data` object.
    #[error("the body has no data object: verify the whole answer, not its inner part")]
    NoData,
    /// The provenance block is missing or incomplete.
    #[error("the provenance block is missing or incomplete: {0}")]
    NoProvenance(String),
    /// `provenance.alg` is not RS256.
    #[error("provenance.alg must be RS256")]
    WrongAlgorithm,
    /// `provenance.payloadHash.alg` is not SHA-256.
    #[error("provenance.payloadHash.alg must be {HASH_ALGORITHM}")]
    WrongHashAlgorithm,
    /// `provenance.signedAt` is not an ISO 8601 UTC time.
    #[error("provenance.signedAt must be an ISO 8601 UTC time, such as 2026-01-31T09:30:00Z")]
    WrongSignedAt,
    /// The key set has no key with the block's id.
    #[error("the key set has no key {0:?}: fetch it again; if the key is gone, it was revoked")]
    UnknownKey(String),
    /// `data` has no canonical form.
    #[error("data holds a value without a canonical form, such as an integer beyond 2^53 - 1")]
    NotCanonical,
    /// The digest in the block is not the digest of `data`.
    #[error("data is not what was signed: its digest differs from provenance.payloadHash.value")]
    WrongHash,
    /// The signature does not verify.
    #[error("the signature over data does not verify with the key that provenance.kid names")]
    BadSignature,
}

/// A verified answer. Only [`verify_envelope`] makes a value.
#[derive(Clone, Debug)]
pub struct VerifiedEnvelope {
    kid: String,
    signed_at: String,
    data: Value,
}

impl VerifiedEnvelope {
    /// The id of the signing key.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The time of the signature according to the block, ISO 8601 in UTC. The signature does not
    /// cover it, so a caller may show it but must not rely on it (S-59).
    pub fn signed_at(&self) -> &str {
        &self.signed_at
    }

    /// The verified `data` object, the only signed part of the answer.
    pub fn data(&self) -> &Value {
        &self.data
    }
}

/// Verifies a chain answer against the public key set, by the four verification rules of
/// document 1.
///
/// # Errors
/// The [`ProvenanceError`] of the first check that fails. Only the form of `signedAt` is checked,
/// because the signature does not cover it.
pub fn verify_envelope(body: &[u8], keys: &JwkSet) -> Result<VerifiedEnvelope, ProvenanceError> {
    if body.len() > MAX_ENVELOPE_BYTES {
        return Err(ProvenanceError::NotJson);
    }
    // Duplicate members are refused, because another reader may take the other member (RFC 8785
    // section 3.1).
    let mut envelope = canonical::parse(body).map_err(|_| ProvenanceError::NotJson)?;
    let provenance = read_provenance(&envelope)?;
    let data = envelope.get_mut("data").filter(|data| data.is_object());
    let data = data.map(Value::take).ok_or(ProvenanceError::NoData)?;

    // Rule 1: the key with the id provenance.kid.
    let unknown = || ProvenanceError::UnknownKey(provenance.kid.chars().take(64).collect());
    let key = keys.find(&provenance.kid).ok_or_else(unknown)?;

    verify_data(
        &data,
        &provenance.payload_hash.value,
        &provenance.signature,
        key,
    )?;

    Ok(VerifiedEnvelope {
        kid: provenance.kid,
        signed_at: provenance.signed_at,
        data,
    })
}

/// Verifies the signed object `data` by rules 2 to 4 of document 1: the digest and the signature, both in
/// base64url, and the key that made the signature.
///
/// # Errors
/// [`ProvenanceError::NotCanonical`], [`ProvenanceError::WrongHash`], [`ProvenanceError::BadSignature`].
pub fn verify_data(
    data: &Value,
    payload_hash: &str,
    signature: &str,
    key: &PublicKey,
) -> Result<(), ProvenanceError> {
    // Rule 2: the canonical form of the data object.
    let bytes = canonical::canonicalize(data).map_err(|_| ProvenanceError::NotCanonical)?;

    // Rule 3: the digest of the canonical bytes.
    if base64url::encode(&canonical::digest(&bytes)) != payload_hash {
        return Err(ProvenanceError::WrongHash);
    }

    // Rule 4: the RS256 signature of the canonical bytes (RFC 7518 section 3.3).
    let signature =
        base64url::decode_strict(signature).map_err(|_| ProvenanceError::BadSignature)?;
    key.verify(Algorithm::Rs256, &bytes, &signature)
        .map_err(|_| ProvenanceError::BadSignature)
}

fn read_provenance(envelope: &Value) -> Result<Provenance, ProvenanceError> {
    let block = envelope
        .get("provenance")
        .ok_or_else(|| ProvenanceError::NoProvenance("no member provenance".to_owned()))?;
    let provenance = Provenance::deserialize(block)
        .map_err(|error| ProvenanceError::NoProvenance(error.to_string()))?;
    // The algorithms are fixed, so that the sender cannot choose them (RFC 8725 section 3.1).
    if provenance.alg != Algorithm::Rs256.as_str() {
        return Err(ProvenanceError::WrongAlgorithm);
    }
    if provenance.payload_hash.alg != HASH_ALGORITHM {
        return Err(ProvenanceError::WrongHashAlgorithm);
    }
    if !is_utc_time(&provenance.signed_at) {
        return Err(ProvenanceError::WrongSignedAt);
    }
    Ok(provenance)
}

/// Whether `text` has the form `2026-01-31T09:30:00Z`, with or without a fraction of a second.
fn is_utc_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let Some(local) = text.strip_suffix('Z') else {
        return false;
    };
    let Some((seconds, fraction)) = local.as_bytes().split_at_checked(FORM.len()) else {
        return false;
    };
    let has_form = FORM.iter().zip(seconds).all(|(form, byte)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => form == byte,
    });
    let has_fraction = match fraction {
        [] => true,
        [b'.', digits @ ..] => {
            (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    has_form && has_fraction
}
