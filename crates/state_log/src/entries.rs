//! Makes the entries of the log: commitments to states, and statements about keys and the service.

use std::collections::HashMap;

use evidence::commit::{Document, Property, Secret, State, StateHead};
use evidence::entry::{Entry, FORM, KeyKind, KeyState, KeyStatement};
use observe::clock::to_rfc3339;
use signing::keyring;
use storage::state_log::{WaitingKey, WaitingState};
use tokens::key_error::KeyError;
use tokens::key_source::KeySafe;
use tokens::keys;

use crate::Open;
use crate::fault::Fault;
use crate::key::make_secret;

/// The secrets of listings: those that the store has, and new ones.
pub(crate) struct Secrets {
    known: HashMap<i64, Secret>,
    new: Vec<(i64, Secret)>,
}

impl Secrets {
    pub(crate) fn new(known: HashMap<i64, Secret>) -> Self {
        let new = Vec::new();
        Self { known, new }
    }

    /// Makes the secret of each listing that has none.
    pub(crate) fn ensure(&mut self, listings: &[i64]) -> Result<(), Fault> {
        for listing in listings {
            if !self.known.contains_key(listing) {
                let secret = make_secret()?;
                self.known.insert(*listing, secret);
                self.new.push((*listing, secret));
            }
        }
        Ok(())
    }

    /// All secrets.
    pub(crate) fn known(&self) -> &HashMap<i64, Secret> {
        &self.known
    }

    /// The secrets that the store does not have yet.
    pub(crate) fn into_new(self) -> Vec<(i64, Secret)> {
        self.new
    }
}

/// Commits to a sealed version with the secrets of its listings and of its log.
///
/// # Errors
/// A text for the log: the document is unreadable, or a listing has no secret.
pub(crate) fn commit(
    waiting: &WaitingState,
    open: Open,
    secrets: &HashMap<i64, Secret>,
    log_secret: &Secret,
) -> Result<State, String> {
    let WaitingState { chain, version, .. } = waiting;
    let (sealed, listings) = waiting.sealed.as_ref().ok_or("its row is damaged")?;
    let document = open(sealed)?;
    let document = Document::parse(&document).map_err(|error| error.to_string())?;
    if document.properties.len() != listings.len() || document.chain != *chain {
        return Err("its document has other properties than its row".to_owned());
    }
    let properties = listings.iter().zip(&document.properties);
    let properties = properties.map(|(listing, property)| {
        let secret = secrets.get(listing);
        let secret = secret.ok_or_else(|| format!("listing {listing} has no secret"))?;
        let canonical = property.get();
        Ok(Property::Kept { secret, canonical })
    });
    let properties = properties.collect::<Result<Vec<_>, String>>()?;
    let head = StateHead {
        chain: document.chain,
        dissolved_into: document.dissolved_into.map(|into| vec![into]),
        recorded_at: to_rfc3339(waiting.recorded_at),
        summary: document.summary,
        version: version.unsigned_abs(),
    };
    Ok(State::new(head, &properties, log_secret))
}

/// States a change of a signing key. `None`: nobody can tell the key any more, because the key that sealed it
/// is lost.
pub(crate) fn state_key(change: &WaitingKey, safe: &KeySafe) -> Result<Option<Entry>, Fault> {
    let key = match keys::open_key(&change.key, safe) {
        Ok(key) => key,
        Err(KeyError::Sealed(_)) if change.key.state == keyring::KeyState::Revoked.as_str() => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let state = match keyring::KeyState::parse(&change.state) {
        Some(keyring::KeyState::Next) => KeyState::Next,
        Some(keyring::KeyState::Current) => KeyState::Current,
        Some(keyring::KeyState::Retired) => KeyState::Retired,
        Some(keyring::KeyState::Revoked) => KeyState::Revoked,
        None => return Ok(None),
    };
    let at = to_rfc3339(change.changed_at);
    let is_revoked = state == KeyState::Revoked;
    Ok(Some(Entry::Key(KeyStatement {
        not_believed_from: is_revoked.then(|| at.clone()),
        at,
        form: FORM,
        jwk: key.public_key().to_jwk(),
        kid: change.key.kid.clone(),
        purpose: change.key.purpose.clone(),
        state,
        kind: KeyKind::Key,
    })))
}
