//! The service's own keys: their purposes, their states, and the published key set.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::algorithm::Algorithm;
use crate::jwk::PublicKey;
use crate::key::SigningKey;

/// The members of a public JWK that are published (RFC 7518 sections 6.2.1 and 6.3.1, RFC 8037
/// section 2). No other member is published, so no private one can be.
const PUBLIC_MEMBERS: [&str; 6] = ["kty", "n", "e", "crv", "x", "y"];

/// The purpose of a key, which names the documents that it signs. Each key has one (S-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The provenance block of a chain answer (document 1).
    Provenance,
    /// The JWT of a webhook event (document 1).
    Event,
    /// Access tokens (RFC 9068).
    Token,
}

impl Purpose {
    /// Every purpose. Each needs a current key.
    pub const ALL: [Self; 3] = [Self::Provenance, Self::Event, Self::Token];

    /// The word that is stored and shown, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provenance => "provenance",
            Self::Event => "event",
            Self::Token => "token",
        }
    }

    /// Reads the word that [`Self::as_str`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|purpose| purpose.as_str() == text)
    }
}

/// The state of a key (S-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyState {
    /// The key is published before it signs, so that verifiers know it in time.
    Next,
    /// The key signs.
    Current,
    /// The key no longer signs. It stays published for its earlier signatures.
    Retired,
    /// The key is withdrawn: neither published nor accepted.
    Revoked,
}

impl KeyState {
    const ALL: [Self; 4] = [Self::Next, Self::Current, Self::Retired, Self::Revoked];

    /// The word that is stored and shown, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Current => "current",
            Self::Retired => "retired",
            Self::Revoked => "revoked",
        }
    }

    /// Reads the word that [`Self::as_str`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    fn is_trusted(self) -> bool {
        match self {
            Self::Next | Self::Current | Self::Retired => true,
            Self::Revoked => false,
        }
    }
}

/// One key of the ring.
#[derive(Clone, Debug)]
pub struct RingKey {
    /// The purpose of the key.
    pub purpose: Purpose,
    /// Whether it may sign, or only verify.
    pub state: KeyState,
    /// The key.
    pub key: Arc<SigningKey>,
}

/// Why keys do not form a keyring.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeyringError {
    /// A purpose has no current key.
    #[error("no current {} key: make one with a key rotation", .0.as_str())]
    NoCurrent(Purpose),
    /// A purpose has more than one current key.
    #[error("more than one current {} key: retire all but one", .0.as_str())]
    SeveralCurrent(Purpose),
    /// A key is given twice.
    #[error("key {0} is in the ring twice: give each purpose a key of its own")]
    DuplicateKid(String),
    /// A provenance or event key is not for RS256, which document 1 prescribes.
    #[error("key {kid} is not RS256, which a {} key must be", purpose.as_str())]
    WrongAlgorithm {
        /// The key's id.
        kid: String,
        /// The purpose of the key.
        purpose: Purpose,
    },
}

/// The current key must not sign, because the address where readers find it has not shown it (S-76).
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the key {0} does not sign before published_jwks_url shows it")]
pub struct NotShown(pub String);

/// The service's keys, with exactly one current key for each purpose.
#[derive(Clone, Debug)]
pub struct Keyring {
    keys: Vec<RingKey>,
    /// The ids of the keys that may sign for others. `None`: all.
    shown: Option<HashSet<String>>,
    provenance: Arc<SigningKey>,
    event: Arc<SigningKey>,
    token: Arc<SigningKey>,
}

impl Keyring {
    /// Makes a keyring of `keys` and keeps their order.
    ///
    /// # Errors
    /// A [`KeyringError`] unless each purpose has exactly one current key, no key is given twice,
    /// and each provenance and event key is for RS256.
    pub fn new(keys: Vec<RingKey>) -> Result<Self, KeyringError> {
        let mut kids = HashSet::new();
        for ring_key in &keys {
            let kid = ring_key.key.kid();
            if !kids.insert(kid) {
                return Err(KeyringError::DuplicateKid(kid.to_owned()));
            }
            if !fits_purpose(ring_key) {
                return Err(KeyringError::WrongAlgorithm {
                    kid: kid.to_owned(),
                    purpose: ring_key.purpose,
                });
            }
        }
        Ok(Self {
            provenance: sole_current(&keys, Purpose::Provenance)?,
            event: sole_current(&keys, Purpose::Event)?,
            token: sole_current(&keys, Purpose::Token)?,
            keys,
            shown: None,
        })
    }

    /// Lets a key of answers or events sign only if it has one of these ids (S-76). Nobody outside verifies
    /// access tokens, so their key signs always.
    #[must_use]
    pub fn only_shown(self, kids: impl IntoIterator<Item = String>) -> Self {
        Self {
            shown: Some(kids.into_iter().collect()),
            ..self
        }
    }

    /// The key that signs for `purpose`.
    ///
    /// # Errors
    /// [`NotShown`] if it must not sign yet.
    pub fn current(&self, purpose: Purpose) -> Result<&Arc<SigningKey>, NotShown> {
        let key = match purpose {
            Purpose::Provenance => &self.provenance,
            Purpose::Event => &self.event,
            Purpose::Token => return Ok(&self.token),
        };
        let may_sign = |shown: &HashSet<String>| shown.contains(key.kid());
        if self.shown.as_ref().is_none_or(may_sign) {
            Ok(key)
        } else {
            Err(NotShown(key.kid().to_owned()))
        }
    }

    /// The purpose, the state and the public part of each key.
    pub fn public_keys(&self) -> impl Iterator<Item = (Purpose, KeyState, &PublicKey)> {
        let keys = self.keys.iter();
        keys.map(|one| (one.purpose, one.state, one.key.public_key()))
    }

    /// The JWK set (RFC 7517 section 5) of the next, current and retired keys of `purposes`, as JSON
    /// text. The keys have their public members, `use`, `alg` and `kid`. Revoked keys are left out
    /// (S-28).
    pub fn published_jwks(&self, purposes: &[Purpose]) -> String {
        let keys: Vec<Value> = self
            .keys
            .iter()
            .filter(|ring_key| ring_key.state.is_trusted() && purposes.contains(&ring_key.purpose))
            .map(|ring_key| public_jwk(&ring_key.key))
            .collect();
        json!({ "keys": keys }).to_string()
    }

    /// The token key with the id `kid`, unless it is revoked. `None` for a key of another purpose.
    pub fn find_token_key(&self, kid: &str) -> Option<&Arc<SigningKey>> {
        self.keys
            .iter()
            .find(|ring_key| {
                ring_key.purpose == Purpose::Token
                    && ring_key.state.is_trusted()
                    && ring_key.key.kid() == kid
            })
            .map(|ring_key| &ring_key.key)
    }
}

fn fits_purpose(ring_key: &RingKey) -> bool {
    match ring_key.purpose {
        Purpose::Provenance | Purpose::Event => ring_key.key.algorithm() == Algorithm::Rs256,
        Purpose::Token => true,
    }
}

fn sole_current(keys: &[RingKey], purpose: Purpose) -> Result<Arc<SigningKey>, KeyringError> {
    let mut current = keys
        .iter()
        .filter(|ring_key| ring_key.purpose == purpose && ring_key.state == KeyState::Current);
    let found = current.next().ok_or(KeyringError::NoCurrent(purpose))?;
    if current.next().is_some() {
        return Err(KeyringError::SeveralCurrent(purpose));
    }
    Ok(Arc::clone(&found.key))
}

fn public_jwk(key: &SigningKey) -> Value {
    let jwk = key.public_key().to_jwk();
    let mut published: Map<String, Value> = PUBLIC_MEMBERS
        .into_iter()
        .filter_map(|member| Some((member.to_owned(), jwk.get(member)?.clone())))
        .collect();
    published.insert("use".to_owned(), Value::from("sig"));
    published.insert("alg".to_owned(), Value::from(key.algorithm().as_str()));
    published.insert("kid".to_owned(), Value::from(key.kid()));
    Value::Object(published)
}
