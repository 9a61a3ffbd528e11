//! Makes the entries of the log: commitments to states, and statements about keys and the service.

use std::collections::HashMap;
use std::collections::hash_map;

use evidence::commit::{Document, Property, Secret, State, StateHead};
use evidence::entry::{Bytes32, Entry, FORM, KeyKind, KeyState, KeyStatement};
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
    pub(crate) fn ensure(&mut self, listings: impl Iterator<Item = i64>) -> Result<(), Fault> {
        for listing in listings {
            if let hash_map::Entry::Vacant(vacant) = self.known.entry(listing) {
                let secret = *vacant.insert(make_secret()?);
                self.new.push((listing, secret));
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
    let WaitingState {
        chain,
        version,
        erased,
        ..
    } = waiting;
    let (sealed, listings) = waiting.sealed.as_ref().ok_or("its row is damaged")?;
    let document = open(sealed)?;
    let document = Document::parse(&document).map_err(|error| error.to_string())?;
    let differs = || "its document has other properties than its row".to_owned();
    if document.properties.len() + erased.len() != listings.len() || document.chain != *chain {
        return Err(differs());
    }
    let mut kept = document.properties.iter();
    let properties = listings.iter().enumerate().map(|(place, listing)| {
        if let Some(digest) = erased.get(&place) {
            return Ok(Property::Erased(Bytes32(*digest)));
        }
        let canonical = kept.next().ok_or_else(differs)?.get();
        let secret = secrets.get(listing);
        let secret = secret.ok_or_else(|| format!("listing {listing} has no secret"))?;
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
