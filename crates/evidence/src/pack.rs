//! The evidence pack: made from its parts, cut down to some properties, written and read.

use log::tlog_proof::TlogProof;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signing::canonical::{self, CanonicalError};
use thiserror::Error;

use crate::entry::{Bytes32, FORM, KeyStatement, StateStatement, canonical_bytes};

/// The longest pack that is read, in bytes.
pub const MAX_PACK_BYTES: usize = 4 * 1024 * 1024;

/// An evidence pack.
///
/// | Member | Content |
/// |---|---|
/// | `answer` | the signed parts of an answer of document 1; absent when properties are withheld |
/// | `form` | 1 |
/// | `keys` | statements about the key that signed the answer, each with its proof; empty without answer |
/// | `states` | each state of which the answer is made, with its proof |
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pack {
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// [`FORM`].
    pub form: u32,
    /// Statements about the answer's key.
    pub keys: Vec<LoggedKey>,
    /// The states.
    pub states: Vec<LoggedState>,
}

/// The signed parts of an answer of document 1: `data`, and `provenance` without `signedAt`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The signed object.
    pub data: Value,
    /// The signature.
    pub provenance: Signature,
}

/// The provenance block without the time, which nothing signs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// `RS256`.
    pub alg: String,
    /// The id of the key.
    pub kid: String,
    /// The digest of the canonical bytes of `data`.
    #[serde(rename = "payloadHash")]
    pub payload_hash: PayloadHash,
    /// The signature in base64url.
    pub signature: String,
}

/// The digest in a provenance block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PayloadHash {
    /// `SHA-256`.
    pub alg: String,
    /// The digest in base64url.
    pub value: String,
}

/// A statement about a key and the proof that it was logged (a tlog-proof).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedKey {
    /// The text of the proof.
    pub proof: String,
    /// The statement.
    pub statement: KeyStatement,
}

/// A state, what opens it, and the proof that it was logged (a tlog-proof).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoggedState {
    /// Opens the entry.
    pub nonce: Bytes32,
    /// The properties that are shown, in the order of the statement.
    pub opened: Vec<Opened>,
    /// The text of the proof.
    pub proof: String,
    /// The statement.
    pub statement: StateStatement,
}

/// A property that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// The place of its digest in the statement, from 0.
    pub index: usize,
    /// The property. Absent in a pack with an answer, which shows the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<Value>,
    /// Opens the digest.
    pub salt: Bytes32,
}

/// Why a pack cannot be made or read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    /// The pack is longer than 4 MiB.
    #[error("the pack is longer than {MAX_PACK_BYTES} bytes")]
    TooLong,
    /// The text is not JSON, or a part has no canonical form.
    #[error("the pack is {0}")]
    Json(#[from] CanonicalError),
    /// A member is missing, unknown or mistyped.
    #[error("a member of the pack is missing, unknown or malformed: {0}")]
    Shape(String),
    /// The pack has another form.
    #[error("the pack has form {0}: this program verifies form {FORM}; use a later program")]
    Form(u32),
    /// The values are written in another way than the service writes them.
    #[error("the pack is not spelt as it was handed out (RFC 8785): verify the file unaltered")]
    Spelling,
    /// The answer does not have `data` and `provenance` of document 1.
    #[error("the answer is not one of this service: give its bytes unaltered")]
    Answer,
    /// The pack does not show a property with one of the UPRNs.
    #[error("the pack shows no property with this UPRN: choose one that the pack shows")]
    NotShown,
}

impl Answer {
    /// Takes the signed parts of an answer as it was received. Nothing is verified yet.
    ///
    /// # Errors
    /// [`PackError::Answer`] for another shape.
    pub fn from_body(body: &[u8]) -> Result<Self, PackError> {
        Self::with_time_from_body(body).map(|(answer, _signed_at)| answer)
    }

    /// As [`Self::from_body`], with `signedAt`, which nothing proves (S-59).
    ///
    /// # Errors
    /// [`PackError::Answer`] for another shape.
    pub fn with_time_from_body(body: &[u8]) -> Result<(Self, Option<String>), PackError> {
        let mut body = canonical::parse(body).map_err(|_| PackError::Answer)?;
        let mut signed = serde_json::Map::new();
        for name in ["data", "provenance"] {
            let part = body.get_mut(name).map(Value::take);
            signed.insert(name.to_owned(), part.ok_or(PackError::Answer)?);
        }
        let mut signed_at = None;
        if let Some(Value::Object(provenance)) = signed.get_mut("provenance") {
            let time = provenance.remove("signedAt");
            signed_at = time.and_then(|time| time.as_str().map(ToOwned::to_owned));
        }
        let answer = serde_json::from_value(Value::Object(signed));
        Ok((answer.map_err(|_| PackError::Answer)?, signed_at))
    }

    /// The chains in the answer; `None` when it does not have the shape of document 1.
    pub fn chains(&self) -> Option<&[Value]> {
        self.data.get("data")?.as_array().map(Vec::as_slice)
    }
}

impl LoggedKey {
    /// A statement with the proof that it was logged.
    pub fn new(statement: KeyStatement, proof: &TlogProof) -> Self {
        let proof = proof.to_string();
        Self { proof, statement }
    }
}

impl Pack {
    /// Puts a pack together. `keys` are all statements about the key that signed the answer.
    pub fn new(answer: Answer, keys: Vec<LoggedKey>, states: Vec<LoggedState>) -> Self {
        Self {
            answer: Some(answer),
            form: FORM,
            keys,
            states,
        }
    }

    /// The bytes of the pack.
    ///
    /// # Errors
    /// [`CanonicalError`] when a value has no canonical form.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CanonicalError> {
        canonical_bytes(self)
    }

    /// Reads a pack. Nothing is verified yet, but [`Self::to_bytes`] gives the same bytes again.
    ///
    /// # Errors
    /// [`PackError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, PackError> {
        if bytes.len() > MAX_PACK_BYTES {
            return Err(PackError::TooLong);
        }
        let value = canonical::parse(bytes)?;
        let form = value.get("form").and_then(Value::as_u64);
        if let Some(form) = form.filter(|form| *form != u64::from(FORM)) {
            return Err(PackError::Form(u32::try_from(form).unwrap_or(u32::MAX)));
        }
        let pack: Self =
            serde_json::from_value(value).map_err(|error| PackError::Shape(error.to_string()))?;
        // A null for an absent member, a space or an escaped letter would be a second spelling.
        if pack.to_bytes()? != bytes {
            return Err(PackError::Spelling);
        }
        Ok(pack)
    }

    /// The pack with the properties of these UPRNs alone. It has no answer, because a signature over all
    /// properties says nothing about one of them. A property still names its neighbours' UPRNs.
    ///
    /// # Errors
    /// [`PackError::NotShown`] when the pack shows none of them.
    pub fn only(&self, uprns: &[u64]) -> Result<Self, PackError> {
        let states = self.states.iter().filter_map(|state| {
            let shown = shown(state, self.answer.as_ref())?;
            let opened = state.opened.iter().zip(shown);
            let is_wanted = |property: &Value| {
                let uprn = property.get("uprn").and_then(Value::as_u64);
                uprn.is_some_and(|uprn| uprns.contains(&uprn))
            };
            let opened: Vec<_> = opened
                .filter(|(_, property)| is_wanted(property))
                .map(|(opened, property)| Opened {
                    property: Some(property.clone()),
                    ..*opened
                })
                .collect();
            (!opened.is_empty()).then(|| LoggedState {
                opened,
                ..state.clone()
            })
        });
        let states: Vec<_> = states.collect();
        if states.is_empty() {
            return Err(PackError::NotShown);
        }
        Ok(Self {
            answer: None,
            form: self.form,
            keys: Vec::new(),
            states,
        })
    }
}

/// The properties that a state's `opened` shows, in the same order: in the answer's chain with the
/// state's id, or beside the salts in a pack without answer. `None` when their number differs.
pub(crate) fn shown<'a>(
    state: &'a LoggedState,
    answer: Option<&'a Answer>,
) -> Option<Vec<&'a Value>> {
    let Some(answer) = answer else {
        let properties = state.opened.iter().map(|opened| opened.property.as_ref());
        return properties.collect();
    };
    let is_same = |chain: &&Value| chain["chainId"] == state.statement.chain.as_str();
    let chain = answer.chains()?.iter().find(is_same)?;
    let properties = chain.get("properties")?.as_array()?;
    let is_beside = state.opened.iter().any(|opened| opened.property.is_some());
    let has_all = properties.len() == state.opened.len() && !is_beside;
    has_all.then(|| properties.iter().collect())
}
