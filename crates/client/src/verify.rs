//! The proof that an answer is genuine (document 1, "Provenance block").

use serde::Deserialize;
use signing::jwk::JwkSet;
use signing::provenance::{VerifiedEnvelope, verify_envelope};

use crate::ClientError;
use crate::wire::ChainPage;

/// An answer whose hash and signature were checked. There is no other way to obtain one than
/// [`verify_answer`], so what it holds was signed by a key of the given set.
#[derive(Clone, Debug)]
pub struct VerifiedAnswer {
    page: ChainPage,
    kid: String,
    signed_at: String,
    body: Vec<u8>,
}

impl VerifiedAnswer {
    /// The chains and where this page lies in the result.
    pub fn page(&self) -> &ChainPage {
        &self.page
    }

    /// Id of the key that signed.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// When the signature was made, as the service states it: ISO 8601, UTC. It is beside the
    /// signed data and not under the signature.
    pub fn signed_at(&self) -> &str {
        &self.signed_at
    }

    /// The whole answer as received, for storage; it verifies again for as long as its key is
    /// published.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Checks an answer by the four verification rules of document 1 against the key set `keys`.
///
/// # Errors
/// [`ClientError::Provenance`] when the answer is not what the holder of a published key signed;
/// [`ClientError::Shape`] when it is, but is not a page of chains.
pub fn verify_answer(body: Vec<u8>, keys: &JwkSet) -> Result<VerifiedAnswer, ClientError> {
    read_page(&verify_envelope(&body, keys)?, body)
}

/// The second half of [`verify_answer`]: reads the page of an envelope that was verified.
pub(crate) fn read_page(
    envelope: &VerifiedEnvelope,
    body: Vec<u8>,
) -> Result<VerifiedAnswer, ClientError> {
    let page = ChainPage::deserialize(envelope.data()).map_err(ClientError::Shape)?;
    Ok(VerifiedAnswer {
        page,
        kid: envelope.kid().to_owned(),
        signed_at: envelope.signed_at().to_owned(),
        body,
    })
}

#[cfg(test)]
pub(crate) mod tests;
