//! Verification of received events against the published key set.

pub(crate) mod recent;
mod shared_keys;

use std::fmt;

use crate::connection::check_https;
use crate::event::{EventRefusal, UnverifiedEvent, VerifiedEvent};
use crate::{ClientError, Clock, Trust};

use self::shared_keys::SharedKeys;

/// The reason for not accepting an event.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ReceiveError {
    /// The service did not sign this event. Answer 400.
    #[error("the event does NOT verify: {0}")]
    Refused(#[from] EventRefusal),
    /// The key set cannot be downloaded, so nobody knows whether the event is genuine. Answer 503:
    /// the service will try again.
    #[error("no key set to verify with: {0}")]
    NoKeySet(String),
}

/// Verifies the events of one service.
///
/// Any number of tasks can share one receiver. It caches the key set for its `max-age`. For an
/// unknown key it downloads the set again, at most every five seconds. So invented key ids cannot
/// flood the service.
pub struct Receiver {
    issuer: String,
    keys: SharedKeys,
    clock: Clock,
    accepts_simulated: bool,
}

impl Receiver {
    /// A receiver for the service at `issuer`, its `{base_url}`. Nothing is sent yet.
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
            accepts_simulated: false,
        })
    }

    /// The same receiver, which also accepts simulated events (S-33). Only for test systems: any
    /// subscriber can send a simulated event to any receiver.
    #[must_use]
    pub fn accept_simulated(self) -> Self {
        Self {
            accepts_simulated: true,
            ..self
        }
    }

    /// Verifies the body of a delivery by document 1's tables: header, signature, issuer, time and
    /// claims. It refuses simulated events, unless [`Self::accept_simulated`] was called.
    ///
    /// # Errors
    /// [`ReceiveError`]. Nothing in the body may then be used.
    pub async fn verify(&self, body: &[u8]) -> Result<VerifiedEvent, ReceiveError> {
        // Reading the header first refuses other tokens without a download.
        let unverified = UnverifiedEvent::read(body)?;
        let keys = self.keys.find(unverified.kid()).await;
        let keys = keys.map_err(ReceiveError::NoKeySet)?;
        let verified = unverified.verify(&keys, &self.issuer, (self.clock)())?;
        if verified.event().is_simulated && !self.accepts_simulated {
            return Err(EventRefusal::Simulated.into());
        }
        Ok(verified)
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
