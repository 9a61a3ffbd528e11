//! Commits to a state: salts, digests, nonce and statement.

use aws_lc_rs::hmac;
use log::tlog_proof::TlogProof;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use signing::canonical::{self, CanonicalError};

use crate::entry::{Bytes32, Entry, FORM, StateKind, StateStatement};
use crate::pack::{LoggedState, Opened};

/// 32 random bytes that nobody else knows: of a listing, or of the store.
pub type Secret = [u8; 32];

/// A chain's canonical document (S-60), in its parts.
#[derive(Clone, Debug, Deserialize)]
pub struct Document<'a> {
    /// The chain's id.
    #[serde(rename = "chainId")]
    pub chain: String,
    /// Length and type of the chain. Null for a chain without properties.
    #[serde(rename = "chainSummary", default)]
    pub summary: Value,
    /// The chain that has the properties of a dissolved one.
    #[serde(rename = "dissolvedInto", default)]
    pub dissolved_into: Option<String>,
    /// The bytes of each property.
    #[serde(borrow, default)]
    pub properties: Vec<&'a RawValue>,
}

impl<'a> Document<'a> {
    /// Reads a document that is in RFC 8785 form, without `queriedAddress`.
    ///
    /// # Errors
    /// [`CanonicalError::Syntax`] when a member is missing.
    pub fn parse(document: &'a [u8]) -> Result<Self, CanonicalError> {
        serde_json::from_slice(document).map_err(|error| CanonicalError::Syntax(error.to_string()))
    }
}

/// A property of a state.
#[derive(Clone, Copy, Debug)]
pub enum Property<'a> {
    /// A property with the secret of its listing.
    Kept {
        /// The listing's secret.
        secret: &'a Secret,
        /// The property in RFC 8785 form.
        canonical: &'a str,
    },
    /// A property of which only the digest is left, because its listing's secret was deleted.
    Erased(Bytes32),
}

/// The members of a state's statement, except its properties.
#[derive(Clone, Debug)]
pub struct StateHead {
    /// The chain's id.
    pub chain: String,
    /// Where a dissolved chain went.
    pub dissolved_into: Option<Vec<String>>,
    /// RFC 3339 in UTC, whole seconds.
    pub recorded_at: String,
    /// `chainSummary` of the document.
    pub summary: Value,
    /// The chain's version.
    pub version: u64,
}

/// A statement with all that opens it. The same input gives the same state, so a store keeps only the
/// document and the secrets.
#[derive(Clone, Debug)]
pub struct State {
    /// The statement.
    pub statement: StateStatement,
    /// Opens the entry.
    pub nonce: Bytes32,
    /// Opens the digest of each property; `None` for an erased one.
    pub salts: Vec<Option<Bytes32>>,
}

impl State {
    /// Commits to a state. The properties are in the order of the document.
    pub fn new(head: StateHead, properties: &[Property<'_>], store_secret: &Secret) -> Self {
        let nonce = format!("onward/state-nonce/v1\n{}\n{}", head.chain, head.version);
        let nonce = authenticate(store_secret, &nonce);
        let mut salts = Vec::with_capacity(properties.len());
        let mut digests = Vec::with_capacity(properties.len());
        for (index, property) in properties.iter().enumerate() {
            let (salt, digest) = match property {
                Property::Kept { secret, canonical } => {
                    let place = Place {
                        chain: &head.chain,
                        version: head.version,
                        index,
                    };
                    let (salt, digest) = commit_property(place, secret, canonical);
                    (Some(salt), digest)
                }
                Property::Erased(digest) => (None, *digest),
            };
            salts.push(salt);
            digests.push(digest);
        }
        let statement = StateStatement {
            chain: head.chain,
            dissolved_into: head.dissolved_into,
            form: FORM,
            properties: digests,
            recorded_at: head.recorded_at,
            summary: head.summary,
            kind: StateKind::State,
            version: head.version,
        };
        Self {
            statement,
            nonce,
            salts,
        }
    }

    /// The entry that commits to this state.
    ///
    /// # Errors
    /// [`CanonicalError`] when the summary or the version has no canonical form.
    pub fn entry(&self) -> Result<Entry, CanonicalError> {
        self.statement.commit(&self.nonce.0)
    }

    /// The state as a part of a pack with an answer, with `proof` that its entry was logged.
    pub fn with_proof(&self, proof: &TlogProof) -> LoggedState {
        let salts = (0..).zip(&self.salts);
        let opened = salts.filter_map(|(index, salt)| {
            Some(Opened {
                index,
                property: None,
                salt: (*salt)?,
            })
        });
        LoggedState {
            nonce: self.nonce,
            opened: opened.collect(),
            proof: proof.to_string(),
            statement: self.statement.clone(),
        }
    }
}

/// Where a property is: the chain, its version, and the place in the version's document.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The chain's id.
    pub chain: &'a str,
    /// The chain's version.
    pub version: u64,
    /// The place, from 0.
    pub index: usize,
}

/// The salt and the digest of a property, which is in RFC 8785 form, by its listing's secret.
pub fn commit_property(place: Place<'_>, secret: &Secret, canonical: &str) -> (Bytes32, Bytes32) {
    let Place {
        chain,
        version,
        index,
    } = place;
    let message = format!("onward/property-salt/v1\n{chain}\n{version}\n{index}");
    let salt = authenticate(secret, &message);
    (salt, digest_property(&salt, canonical.as_bytes()))
}

/// The digest of a property in RFC 8785 form.
pub(crate) fn digest_property(salt: &Bytes32, property: &[u8]) -> Bytes32 {
    let bytes = [salt.0.as_slice(), property].concat();
    Bytes32(canonical::digest(&bytes))
}

fn authenticate(secret: &Secret, message: &str) -> Bytes32 {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let tag = hmac::sign(&key, message.as_bytes());
    let mut bytes = [0; 32];
    bytes.copy_from_slice(tag.as_ref());
    Bytes32(bytes)
}
