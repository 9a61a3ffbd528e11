//! Compares the keys of answers and events with those that another address shows (S-76).

use std::fmt;

use signing::jwk::{JwkError, Showing, ShownKeys};
use signing::keyring::{KeyState, Keyring, Purpose};
use storage::{Storage, StorageError};

/// What is wrong with a key at the other address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownFault {
    /// The key that signs is not there.
    CurrentMissing,
    /// The key that signs next is not there.
    NextMissing,
    /// The id of a key is there with another public key, or in a form that readers refuse.
    Differs,
    /// A revoked key is there, so readers accept what it signs.
    RevokedShown,
}

/// A fault of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFault {
    /// The id of the key.
    pub kid: String,
    /// Its purpose.
    pub purpose: Purpose,
    /// Its fault.
    pub fault: ShownFault,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The ids of the keys that the address shows with their public keys.
    pub shown: Vec<String>,
    /// The keys that are wrong there.
    pub faults: Vec<KeyFault>,
}

impl ShownFault {
    /// All faults.
    pub const ALL: [Self; 4] = [
        Self::CurrentMissing,
        Self::NextMissing,
        Self::Differs,
        Self::RevokedShown,
    ];

    /// The name in metrics and log lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CurrentMissing => "current_missing",
            Self::NextMissing => "next_missing",
            Self::Differs => "differs",
            Self::RevokedShown => "revoked_shown",
        }
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = match self.fault {
            ShownFault::CurrentMissing => "signs and is missing",
            ShownFault::NextMissing => "signs next and is missing",
            ShownFault::Differs => "is not the same key",
            ShownFault::RevokedShown => "is revoked and still there",
        };
        let (purpose, kid) = (self.purpose.as_str(), &self.kid);
        write!(formatter, "the {purpose} key {kid} {said}")
    }
}

/// Compares the keys of answers and events with a key set. Keys that are retired may be missing there.
///
/// # Errors
/// The text is no key set.
pub fn compare(keyring: &Keyring, document: &[u8]) -> Result<Comparison, JwkError> {
    let set = ShownKeys::parse(document)?;
    let mut comparison = Comparison::default();
    for (purpose, state, key) in keyring.public_keys() {
        if purpose == Purpose::Token {
            continue;
        }
        let kid = key.kid().unwrap_or_default().to_owned();
        let fault = match (set.find(key), state) {
            (Showing::Same | Showing::Differs, KeyState::Revoked) => ShownFault::RevokedShown,
            (Showing::Differs, KeyState::Current | KeyState::Next | KeyState::Retired) => {
                ShownFault::Differs
            }
            (Showing::Missing, KeyState::Current) => ShownFault::CurrentMissing,
            (Showing::Missing, KeyState::Next) => ShownFault::NextMissing,
            (Showing::Missing, KeyState::Retired | KeyState::Revoked) => continue,
            (Showing::Same, KeyState::Current | KeyState::Next | KeyState::Retired) => {
                comparison.shown.push(kid);
                continue;
            }
        };
        comparison.faults.push(KeyFault {
            kid,
            purpose,
            fault,
        });
    }
    Ok(comparison)
}

/// Keeps in the store which keys an address showed, for all nodes and for restarts. It writes nothing if
/// the store knows them all. `now` is in Unix seconds.
pub async fn note_shown(
    storage: &Storage,
    address: &str,
    kids: Vec<String>,
    now: i64,
) -> Result<(), StorageError> {
    let reading = address.to_owned();
    let known = storage.read(move |read| storage::keys::list_shown(read, &reading));
    let known: Vec<(String, i64)> = known.await?;
    let is_new = |kid: &String| !known.iter().any(|(one, _since)| one == kid);
    let new: Vec<_> = kids.into_iter().filter(is_new).collect();
    if new.is_empty() {
        return Ok(());
    }
    let address = address.to_owned();
    let noting = storage.write(move |write| {
        for kid in &new {
            storage::keys::note_shown(write, kid, &address, now)?;
        }
        Ok::<_, StorageError>(())
    });
    noting.await
}
