//! The entries of the log, and the statements in them.

use log::Hash;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use signing::canonical::CanonicalError;
use signing::{base64url, canonical};
use thiserror::Error;

/// The form of statements and packs that this program writes and verifies. A later form has further
/// members; earlier forms stay valid for ever.
pub const FORM: u32 = 1;

/// 32 bytes, in JSON as base64url.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bytes32(pub [u8; 32]);

/// A state of a chain. Nothing in it is personal: the properties are salted digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateStatement {
    /// The chain's id.
    pub chain: String,
    /// Where a dissolved chain went: ids of chains. Absent while the chain exists.
    #[serde(rename = "dissolvedInto", skip_serializing_if = "Option::is_none")]
    pub dissolved_into: Option<Vec<String>>,
    /// [`FORM`].
    pub form: u32,
    /// The digest of each property, in the order of the document.
    pub properties: Vec<Bytes32>,
    /// The time of the version's transaction (S-60): RFC 3339 in UTC, whole seconds.
    #[serde(rename = "recordedAt")]
    pub recorded_at: String,
    /// `chainSummary` of the document.
    pub summary: Value,
    /// `state`.
    #[serde(rename = "type")]
    pub kind: StateKind,
    /// The chain's version.
    pub version: u64,
}

/// A change of a signing key. It is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyStatement {
    /// The time of the change: RFC 3339 in UTC, whole seconds.
    pub at: String,
    /// [`FORM`].
    pub form: u32,
    /// The public key.
    pub jwk: Value,
    /// Its id, the thumbprint of the key (RFC 7638).
    pub kid: String,
    /// For a revoked key: from when it is not to be believed (S-63).
    #[serde(rename = "notBelievedFrom", skip_serializing_if = "Option::is_none")]
    pub not_believed_from: Option<String>,
    /// `provenance`, `event` or `token`.
    pub purpose: String,
    /// The key's new state (S-28).
    pub state: KeyState,
    /// `key`.
    #[serde(rename = "type")]
    pub kind: KeyKind,
}

/// A fact about the service itself. It is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceStatement {
    /// The time: RFC 3339 in UTC, whole seconds.
    pub at: String,
    /// The fact.
    pub event: ServiceEvent,
    /// [`FORM`].
    pub form: u32,
    /// `service`.
    #[serde(rename = "type")]
    pub kind: ServiceKind,
}

/// The facts that a service states about itself. The member `is` names the fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "lowercase", deny_unknown_fields)]
pub enum ServiceEvent {
    /// Another program began to run.
    Program {
        /// The digest of its file.
        build: Bytes32,
        /// Its version.
        version: String,
    },
    /// An audit ended.
    Audit {
        /// The number of faults that it found.
        faults: u64,
        /// The number of states that it compared.
        states: u64,
    },
    /// This log begins where another one was closed, because its store went back in time (S-61).
    Continues {
        /// The origin of the closed log.
        origin: String,
        /// Its last root that is known.
        root: Bytes32,
        /// The size with this root.
        size: u64,
    },
    /// The last entry of this log.
    Closed {},
}

/// The states of a signing key (S-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyState {
    /// It is published and signs later.
    Next,
    /// It signs.
    Current,
    /// It signs no longer, and is believed.
    Retired,
    /// It is not to be believed.
    Revoked,
}

/// The `type` of a [`StateStatement`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateKind {
    /// `state`.
    #[default]
    #[serde(rename = "state")]
    State,
}

/// The `type` of a [`KeyStatement`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyKind {
    /// `key`.
    #[default]
    #[serde(rename = "key")]
    Key,
}

/// The `type` of a [`ServiceStatement`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServiceKind {
    /// `service`.
    #[default]
    #[serde(rename = "service")]
    Service,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The commitment to a state: `SHA-256(nonce ‖ JCS(statement))`.
    State(Hash),
    /// A change of a signing key.
    Key(KeyStatement),
    /// A fact about the service.
    Service(ServiceStatement),
}

/// The bytes are not an entry of a known form.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("not an entry of this log's forms: {0}")]
pub struct UnknownEntry(String);

impl Entry {
    /// The bytes that enter the log.
    ///
    /// # Errors
    /// [`CanonicalError`] when a JWK or a number has no canonical form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CanonicalError> {
        let (kind, content) = match self {
            Self::State(commitment) => (1, commitment.to_vec()),
            Self::Key(statement) => (2, canonical_bytes(statement)?),
            Self::Service(statement) => (3, canonical_bytes(statement)?),
        };
        Ok([&[kind], content.as_slice()].concat())
    }

    /// Reads an entry. [`Self::to_bytes`] gives the same bytes again.
    ///
    /// # Errors
    /// [`UnknownEntry`] for another type or form, and for JSON in another spelling.
    pub fn parse(bytes: &[u8]) -> Result<Self, UnknownEntry> {
        let unknown = |reason: &str| UnknownEntry(reason.to_owned());
        let entry = match bytes {
            [1, commitment @ ..] => commitment.try_into().map(Self::State).ok(),
            [2, json @ ..] => Some(Self::Key(parse_json(json)?)),
            [3, json @ ..] => Some(Self::Service(parse_json(json)?)),
            _ => None,
        };
        let entry = entry.ok_or_else(|| unknown("its type or length is unknown"))?;
        let form = match &entry {
            Self::State(_) => FORM,
            Self::Key(statement) => statement.form,
            Self::Service(statement) => statement.form,
        };
        let is_same = entry.to_bytes().is_ok_and(|again| again == bytes);
        if form != FORM || !is_same {
            return Err(unknown(
                "a later form, or JSON that is not in RFC 8785 form",
            ));
        }
        Ok(entry)
    }
}

impl StateStatement {
    /// The entry that commits to this statement.
    ///
    /// # Errors
    /// [`CanonicalError`] when the summary or the version has no canonical form.
    pub fn commit(&self, nonce: &[u8; 32]) -> Result<Entry, CanonicalError> {
        let bytes = [nonce, canonical_bytes(self)?.as_slice()].concat();
        Ok(Entry::State(canonical::digest(&bytes)))
    }
}

/// The RFC 8785 form of a value.
pub(crate) fn canonical_bytes(value: &impl Serialize) -> Result<Vec<u8>, CanonicalError> {
    let value = serde_json::to_value(value)
        .map_err(|error| CanonicalError::Unserializable(error.to_string()))?;
    canonical::canonicalize(&value)
}

fn parse_json<T: de::DeserializeOwned>(json: &[u8]) -> Result<T, UnknownEntry> {
    let value = canonical::parse(json).map_err(|error| UnknownEntry(error.to_string()))?;
    serde_json::from_value(value).map_err(|error| UnknownEntry(error.to_string()))
}

impl Serialize for Bytes32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&base64url::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = base64url::decode_strict(&text).ok();
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        let bytes = bytes.ok_or_else(|| de::Error::custom("not 32 bytes in strict base64url"));
        bytes.map(Self)
    }
}
