//! Verification of an answer's provenance block (document 1, "Provenance block").

use serde::Deserialize;
use signing::jwk::JwkSet;
use signing::provenance::{VerifiedEnvelope, verify_envelope};

use crate::ClientError;
use crate::wire::{ChainPage, KeptVersion, Unsigned, ValueExplanation};

/// A genuine answer: a key of the key set signed its data. Only verification makes one.
#[derive(Clone, Debug)]
pub struct VerifiedAnswer {
    page: ChainPage,
    kid: String,
    signed_at: String,
    explanation: Vec<ValueExplanation>,
    body: Vec<u8>,
}

impl VerifiedAnswer {
    /// The chains on this page, and the page's place in the result.
    pub fn page(&self) -> &ChainPage {
        &self.page
    }

    /// The id of the key that signed the answer.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The time of the signature, as the service states it: ISO 8601, UTC. The signature does not
    /// cover this time.
    pub fn signed_at(&self) -> &str {
        &self.signed_at
    }

    /// One entry for each value of the query, if the query asked for it. The signature does not cover
    /// them.
    pub fn explanation(&self) -> &[ValueExplanation] {
        &self.explanation
    }

    /// The answer exactly as received, for storage. It verifies again while its key is published.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// A genuine version of a chain: a key of the key set signed its data. Only verification makes one.
#[derive(Clone, Debug)]
pub struct VerifiedVersion {
    version: KeptVersion,
    kid: String,
    signed_at: String,
}

impl VerifiedVersion {
    /// The version and its chain.
    pub fn version(&self) -> &KeptVersion {
        &self.version
    }

    /// The id of the key that signed the answer.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The time of the signature, as the service states it. The signature does not cover this time.
    pub fn signed_at(&self) -> &str {
        &self.signed_at
    }
}

/// A genuine answer of one of the two kinds that the service signs so.
#[derive(Clone, Debug)]
pub enum VerifiedState {
    /// The answer to a chain query.
    Answer(VerifiedAnswer),
    /// One kept version of a chain (S-60).
    Version(VerifiedVersion),
}

/// As [`verify_answer`], for an answer of either kind.
///
/// # Errors
/// The errors of [`verify_answer`].
pub fn verify_state(body: Vec<u8>, keys: &JwkSet) -> Result<VerifiedState, ClientError> {
    let envelope = verify_envelope(&body, keys)?;
    // The signed data of a version has these members, and a page of chains has neither.
    let has = |member: &str| envelope.data().get(member).is_some();
    if !(has("chain") && has("version")) {
        return read_page(&envelope, body).map(VerifiedState::Answer);
    }
    let version = KeptVersion::deserialize(envelope.data()).map_err(ClientError::Shape)?;
    Ok(VerifiedState::Version(VerifiedVersion {
        version,
        kid: envelope.kid().to_owned(),
        signed_at: envelope.signed_at().to_owned(),
    }))
}

/// Verifies an answer against the key set `keys`, by the four rules of document 1.
///
/// # Errors
/// [`ClientError::NotGenuine`] when no holder of a key in the set signed the answer.
/// [`ClientError::Shape`] when the signed data is not a page of chains.
pub fn verify_answer(body: Vec<u8>, keys: &JwkSet) -> Result<VerifiedAnswer, ClientError> {
    read_page(&verify_envelope(&body, keys)?, body)
}

/// Reads the page of chains in a verified envelope.
pub(crate) fn read_page(
    envelope: &VerifiedEnvelope,
    body: Vec<u8>,
) -> Result<VerifiedAnswer, ClientError> {
    let page = ChainPage::deserialize(envelope.data()).map_err(ClientError::Shape)?;
    let unsigned: Unsigned = serde_json::from_slice(&body).unwrap_or_default();
    Ok(VerifiedAnswer {
        page,
        explanation: unsigned.explanation,
        kid: envelope.kid().to_owned(),
        signed_at: envelope.signed_at().to_owned(),
        body,
    })
}

#[cfg(test)]
pub(crate) mod tests;
