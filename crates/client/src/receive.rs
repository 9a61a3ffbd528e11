//! Receiving events: verified against the published key set, and told apart from repetitions.

pub mod recent;
mod shared_keys;

use std::fmt;

use crate::connection::check_https;
use crate::event::{EventRefusal, UnverifiedEvent, VerifiedEvent};
use crate::{ClientError, Clock, Trust};

use self::shared_keys::SharedKeys;

/// Why an event was not taken.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ReceiveError {
    /// It is not what the service signs: answer 400.
    #[error("the event does NOT verify: {0}")]
    Refused(#[from] EventRefusal),
    /// The key set was not to be had, so nobody knows: answer 503, and the service tries again.
    #[error("no key set to verify with: {0}")]
    NoKeySet(String),
}

/// Verifies events of one service.
///
/// One receiver serves any number of tasks at once. It keeps the key set for its advertised
/// `max-age`. For an unknown key it fetches the set again, at most every five seconds: whoever
/// sends made-up key ids must not make it flood the service.
pub struct Receiver {
    issuer: String,
    keys: SharedKeys,
    clock: Clock,
}

impl Receiver {
    /// A receiver of the events of the service whose `{base_url}` is `issuer`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError::Credential`] when the key set's address is not `https`, or `trust` holds no
    /// certificate.
    pub fn new(
        issuer: String,
        jwks_url: String,
        trust: &Trust,
        clock: Clock,
    ) -> Result<Self, ClientError> {
        check_https("the key set's address", &jwks_url)?;
        Ok(Self {
            issuer,
            keys: SharedKeys::new(jwks_url, trust, clock.clone())?,
            clock,
        })
    }

    /// Verifies the body of a delivery.
    ///
    /// # Errors
    /// [`ReceiveError`].
    pub async fn verify(&self, body: &[u8]) -> Result<VerifiedEvent, ReceiveError> {
        // What is no event by its header alone costs no fetch.
        let unverified = UnverifiedEvent::read(body)?;
        let keys = self.keys.find(unverified.kid()).await;
        let keys = keys.map_err(ReceiveError::NoKeySet)?;
        Ok(unverified.verify(&keys, &self.issuer, (self.clock)())?)
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Receiver")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
