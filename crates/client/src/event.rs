//! An event of the service, and the proof that it is genuine (document 1, "Events").

mod claims;

use std::time::{SystemTime, UNIX_EPOCH};

pub use chain::event::EventType;
use serde_json::{Map, Value};
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::jws::{JwsError, Unverified};

use crate::printable;

/// An event of one property.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event {
    /// The id for deduplication, the same in every delivery of this event. The id of a simulated
    /// event begins with `sim_`.
    pub event_id: String,
    /// The time of the event: ISO 8601, UTC.
    pub event_timestamp: String,
    /// The property's id in digits, or `"0"` if the property of a simulated event is unknown. Empty: an
    /// event of another type names none.
    pub property_id: String,
    /// The property's UPRN in digits. It is a number in the chain query, but text in events. Empty: an
    /// event of another type names none.
    pub uprn: String,
    /// The data of the event.
    pub content: EventContent,
    /// Whether somebody simulated the event: it says nothing about a sale (S-33).
    pub is_simulated: bool,
}

/// The data of an event, by its type.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EventContent {
    /// The data of `milestone.updated`.
    MilestoneUpdated {
        /// The milestone's label in document 1's catalogue.
        label: String,
        /// `YYYY-MM-DD`, in Europe/London.
        date: String,
    },
    /// The data of `fallthrough`.
    FallThrough {
        /// `YYYY-MM-DD`, in Europe/London.
        date: String,
    },
    /// The data of `chain.changed` (S-39).
    ChainChanged {
        /// The id of the chain after the change.
        chain_id: String,
        /// `linked`, `unlinked`, `checked`, `unchecked`, `current`, or the word of a later version.
        change: String,
        /// The UPRNs of the chain's properties in digits.
        uprns: Vec<String>,
    },
    /// An event of a type that a later service has added. The claims have its data.
    Other {
        /// The type.
        event_type: String,
    },
}

impl Event {
    /// The type of the event.
    pub fn event_type(&self) -> &str {
        match &self.content {
            EventContent::MilestoneUpdated { .. } => EventType::MilestoneUpdated.as_str(),
            EventContent::FallThrough { .. } => EventType::FallThrough.as_str(),
            EventContent::ChainChanged { .. } => EventType::ChainChanged.as_str(),
            EventContent::Other { event_type } => event_type,
        }
    }
}

/// The reason for refusing an event. Its texts are safe for a terminal.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EventRefusal {
    /// The body is not a token, or the signature is wrong.
    #[error("{}", printable(&.0.to_string()))]
    Jws(#[from] JwsError),
    /// The body is not text.
    #[error("the body is not a token")]
    NotText,
    /// The token is of another kind, such as an access token (RFC 8725, section 3.11).
    #[error("the header's `typ` must be JWT")]
    WrongType,
    /// The token is not signed with RS256, the only algorithm for events.
    #[error("the header's `alg` must be RS256")]
    WrongAlgorithm,
    /// The token names no key.
    #[error("the header has no `kid`")]
    NoKid,
    /// The key set does not hold the named key.
    #[error("the key set holds no key {:?}", printable(.0))]
    UnknownKey(String),
    /// A claim is missing, or is not as document 1 describes it.
    #[error("the claim `{name}` {reason}")]
    Claim {
        /// The claim.
        name: &'static str,
        /// The rule that the claim breaks.
        reason: &'static str,
    },
    /// The event comes from another service that uses the same key.
    #[error("the claim `iss` is {:?}, not this service", printable(.0))]
    WrongIssuer(String),
    /// The event expired this many seconds ago.
    #[error("the event expired {0} s ago: verify promptly, and check this computer's clock")]
    Expired(u64),
    /// The event is simulated, and the receiver accepts only real ones (S-33).
    #[error("the event is simulated, so it says nothing about a sale")]
    Simulated,
    /// The event's `iat` is this many seconds in the future.
    #[error("the event was issued {0} s in the future: check this computer's clock")]
    NotYetIssued(u64),
}

impl EventRefusal {
    /// The error code for the answer to the delivery (RFC 8935, section 2.4).
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownKey(_) | Self::NoKid => "invalid_key",
            Self::WrongIssuer(_) => "invalid_issuer",
            Self::Jws(JwsError::Signature(_)) => "authentication_failed",
            Self::Jws(_)
            | Self::NotText
            | Self::WrongType
            | Self::WrongAlgorithm
            | Self::Claim { .. }
            | Self::Expired(_)
            | Self::Simulated
            | Self::NotYetIssued(_) => "invalid_request",
        }
    }
}

/// A genuine event: a key of the service's key set signed it, for the expected issuer.
///
/// Only [`Receiver::verify`](crate::Receiver::verify) makes one.
#[derive(Clone, Debug)]
pub struct VerifiedEvent {
    event: Event,
    kid: String,
    claims: Map<String, Value>,
}

impl VerifiedEvent {
    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The id of the key that signed the event.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// All signed claims, including those that this version does not know.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.claims
    }
}

/// A token with the header of an event and an unchecked signature.
pub(crate) struct UnverifiedEvent {
    token: Unverified,
    kid: String,
}

impl UnverifiedEvent {
    /// Reads the header. Type and algorithm are fixed, so that the sender cannot choose how its
    /// token is verified (RFC 8725, sections 3.1 and 3.11).
    pub(crate) fn read(body: &[u8]) -> Result<Self, EventRefusal> {
        let text = std::str::from_utf8(body).map_err(|_| EventRefusal::NotText)?;
        let token = Unverified::parse(text)?;
        if token.typ() != Some("JWT") {
            return Err(EventRefusal::WrongType);
        }
        if token.algorithm() != Algorithm::Rs256 {
            return Err(EventRefusal::WrongAlgorithm);
        }
        let kid = token.kid().ok_or(EventRefusal::NoKid)?.to_owned();
        Ok(Self { token, kid })
    }

    /// The id of the key that the token names.
    pub(crate) fn kid(&self) -> &str {
        &self.kid
    }

    /// Verifies the signature first (RFC 7519, section 7.2), then issuer, time and claims.
    /// `issuer` is `{base_url}`, character for character.
    pub(crate) fn verify(
        &self,
        keys: &JwkSet,
        issuer: &str,
        now: SystemTime,
    ) -> Result<VerifiedEvent, EventRefusal> {
        let unknown = || EventRefusal::UnknownKey(self.kid.clone());
        let key = keys.find(&self.kid).ok_or_else(unknown)?;
        let verified = self.token.verify(key)?;
        let claims = verified.claims();
        claims::check_issuer(claims, issuer)?;
        let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        claims::check_time(claims, since_1970.as_secs())?;
        Ok(VerifiedEvent {
            event: claims::read_event(claims)?,
            kid: self.kid.clone(),
            claims: claims.clone(),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
