//! An event of the service, and the proof that it is genuine (document 1, "Events").

mod claims;

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use signing::algorithm::Algorithm;
use signing::jwk::JwkSet;
use signing::jws::{JwsError, Unverified};

use crate::printable;

/// Seconds by which this computer's clock and the service's may differ.
pub const SKEW_SECONDS: u64 = 60;
/// Seconds for which an event's token is valid, from `iat` to `exp` (document 1).
pub const LIFETIME_SECONDS: u64 = 300;

/// The types of event, as subscribers name them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventType {
    /// A milestone was recorded, Fall Through apart.
    MilestoneUpdated,
    /// The sale fell through.
    FallThrough,
}

impl EventType {
    /// Both, in document 1's order.
    pub const ALL: [Self; 2] = [Self::MilestoneUpdated, Self::FallThrough];

    /// Document 1's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MilestoneUpdated => "milestone.updated",
            Self::FallThrough => "fallthrough",
        }
    }

    /// Reads document 1's spelling exactly.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// What an event tells.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event {
    /// The same for every attempt to deliver this event: deduplicate by it. That of a simulated
    /// event begins with `sim_`.
    pub event_id: String,
    /// When it happened: ISO 8601, UTC.
    pub event_timestamp: String,
    /// The property's id, digits; `"0"` when a simulated event's property is unknown.
    pub property_id: String,
    /// The property's UPRN, digits: text here, a number in the chain query.
    pub uprn: String,
    /// What happened.
    pub content: EventContent,
}

/// What happened to a property, by the type of its event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EventContent {
    /// `milestone.updated`.
    MilestoneUpdated {
        /// The milestone, by its label in document 1's catalogue.
        label: String,
        /// `YYYY-MM-DD`, in Europe/London.
        date: String,
    },
    /// `fallthrough`.
    FallThrough {
        /// `YYYY-MM-DD`, in Europe/London.
        date: String,
    },
}

impl Event {
    /// Its type.
    pub fn event_type(&self) -> EventType {
        match self.content {
            EventContent::MilestoneUpdated { .. } => EventType::MilestoneUpdated,
            EventContent::FallThrough { .. } => EventType::FallThrough,
        }
    }
}

/// Why an event is not accepted. The texts are safe for a terminal.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum EventRefusal {
    /// No token, or its signature is not one of the key it names.
    #[error("{}", printable(&.0.to_string()))]
    Jws(#[from] JwsError),
    /// Bytes that are no text.
    #[error("the body is not a token")]
    NotText,
    /// Another kind of token, an access token for example (RFC 8725, section 3.11).
    #[error("the header's `typ` must be JWT")]
    WrongType,
    /// Events are signed with RS256 and nothing else.
    #[error("the header's `alg` must be RS256")]
    WrongAlgorithm,
    /// Without `kid` there is no key to verify with.
    #[error("the header has no `kid`")]
    NoKid,
    /// The key set holds no such key, even if it was fetched anew.
    #[error("the key set holds no key {:?}", printable(.0))]
    UnknownKey(String),
    /// A claim is missing, or is not what document 1 says.
    #[error("the claim `{name}` {reason}")]
    Claim {
        /// Which one.
        name: &'static str,
        /// What it must be.
        reason: &'static str,
    },
    /// Signed by this key, and for another service.
    #[error("the claim `iss` is {:?}, not this service", printable(.0))]
    WrongIssuer(String),
    /// Past its `exp`.
    #[error("it expired {0} s ago: verify promptly, and check this computer's clock")]
    Expired(u64),
    /// Its `iat` lies ahead.
    #[error("it was issued {0} s in the future: check this computer's clock")]
    NotYetIssued(u64),
}

impl EventRefusal {
    /// The error code that RFC 8935 (section 2.4) gives to a receiver for this.
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
            | Self::NotYetIssued(_) => "invalid_request",
        }
    }
}

/// An event whose token was verified. There is no other way to obtain one than [`verify_event`],
/// so what it holds was signed by a key of the given set for the given issuer.
#[derive(Clone, Debug)]
pub struct VerifiedEvent {
    event: Event,
    kid: String,
    claims: Map<String, Value>,
}

impl VerifiedEvent {
    /// What it tells.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Id of the key that signed.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// All claims as signed, those that this version does not know included.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.claims
    }
}

/// Checks the body of a delivery by document 1's tables: header, signature, issuer, time and
/// claims. `issuer` is `{base_url}`, character for character.
///
/// # Errors
/// [`EventRefusal`]; nothing of the body may then be used.
pub fn verify_event(
    body: &[u8],
    keys: &JwkSet,
    issuer: &str,
    now: SystemTime,
) -> Result<VerifiedEvent, EventRefusal> {
    UnverifiedEvent::read(body)?.verify(keys, issuer, now)
}

/// A token with the header of an event, whose signature nobody has checked yet.
pub(crate) struct UnverifiedEvent {
    token: Unverified,
    kid: String,
}

impl UnverifiedEvent {
    /// Reads the header. It is fixed, so that the sender cannot choose how its token is judged
    /// (RFC 8725, sections 3.1 and 3.11).
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

    /// The key that it names.
    pub(crate) fn kid(&self) -> &str {
        &self.kid
    }

    /// The signature first (RFC 7519, section 7.2), then what it covers.
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
