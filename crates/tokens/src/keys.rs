//! Signing keys: makes, rotates, seals and opens them.

use std::sync::Arc;

use observe::clock;
use signing::algorithm::Algorithm;
use signing::key::{RsaSize, SigningKey};
use signing::keyring::{KeyState, Keyring, Purpose, RingKey};
use storage::Storage;
use storage::keys::StoredKey;

use crate::key_error::KeyError;
use crate::key_source::KeySafe;
use crate::limits;
use crate::pkcs11::TokenError;

/// The beginning of a stored key that a token keeps. Its identifier follows.
const IN_TOKEN: &str = "pkcs11.";

/// The options of a rotation.
#[derive(Debug, Clone, Copy)]
pub struct Rotation {
    /// The size of new RSA keys; `None`: the size of the key that was next before.
    pub size: Option<RsaSize>,
    /// Whether to use the next key even if it was published too recently.
    pub is_forced: bool,
    /// The current time, in Unix seconds.
    pub now: i64,
}

/// The ids of the keys after a rotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    /// The key that signs from now on.
    pub current: String,
    /// The key that signed until now.
    pub retired: String,
    /// The key that will sign after the next rotation.
    pub next: String,
}

/// As [`rotate_shown`], in a service whose readers find its keys at its own address.
pub fn rotate(
    storage: &Storage,
    safe: &KeySafe,
    purposes: &[Purpose],
    rotation: &Rotation,
) -> Result<Vec<Rotated>, KeyError> {
    rotate_shown(storage, safe, purposes, rotation, "")
}

/// Rotates the keys of these purposes in one transaction: the next key signs, the current key
/// retires, and a new next key is made. Returns the ids in the order of `purposes`. `address` is the one that
/// must have shown the next keys of answers and events (S-76); if it is empty, none must. Blocks.
///
/// # Errors
/// [`KeyError::TooEarly`] if a verifier may hold a cached key set without a next key, and
/// [`KeyError::NotShown`] if the address has not shown one.
pub fn rotate_shown(
    storage: &Storage,
    safe: &KeySafe,
    purposes: &[Purpose],
    rotation: &Rotation,
    address: &str,
) -> Result<Vec<Rotated>, KeyError> {
    let Rotation { is_forced, now, .. } = *rotation;
    let known = storage.read_blocking(storage::keys::list_keys)?;
    let fresh = purposes
        .iter()
        .map(|purpose| {
            let size = match rotation.size {
                Some(size) => size,
                None => size_of_next(&known, *purpose, safe)?,
            };
            make(safe, *purpose, KeyState::Next, size, now)
        })
        .collect::<Result<Vec<_>, KeyError>>()?;
    let (purposes, address) = (purposes.to_vec(), address.to_owned());
    storage.write_blocking(move |write| {
        let known = storage::keys::list_keys(write)?;
        let shown = storage::keys::list_shown(write, &address)?;
        let mut all = Vec::with_capacity(purposes.len());
        for (purpose, fresh) in purposes.iter().zip(&fresh) {
            let find = |state: KeyState| find_in_state(&known, *purpose, state);
            let (current, next) = (find(KeyState::Current)?, find(KeyState::Next)?);
            let is_published = *purpose != Purpose::Token;
            let mut published_at = next.created_at;
            if is_published && !address.is_empty() {
                let seen = shown.iter().find(|(kid, _since)| *kid == next.kid);
                let (_kid, since) = seen.ok_or_else(|| KeyError::NotShown(next.kid.clone()))?;
                published_at = published_at.max(*since);
            }
            let known_from = published_at + limits::KEY_PUBLISHED_SECONDS_MIN;
            if is_published && !is_forced && now < known_from {
                return Err(KeyError::TooEarly(clock::to_rfc3339(known_from)));
            }
            storage::keys::update_state(write, &current.kid, KeyState::Retired.as_str(), now)?;
            storage::keys::update_state(write, &next.kid, KeyState::Current.as_str(), now)?;
            storage::keys::insert_key(write, fresh)?;
            all.push(Rotated {
                current: next.kid.clone(),
                retired: current.kid.clone(),
                next: fresh.kid.clone(),
            });
        }
        Ok(all)
    })
}

/// Withdraws a key immediately; if it signed, the next key signs instead. Returns the id of the key
/// that signs from now on. Blocks.
pub fn revoke(storage: &Storage, safe: &KeySafe, kid: &str, now: i64) -> Result<String, KeyError> {
    let known = storage.read_blocking(storage::keys::list_keys)?;
    let unknown = || KeyError::Unknown(kid.to_owned());
    let revoked = known
        .iter()
        .find(|key| key.kid == kid)
        .ok_or_else(unknown)?;
    let purpose = Purpose::parse(&revoked.purpose).ok_or_else(unknown)?;
    let size = size_of_next(&known, purpose, safe)?;
    let fresh = make(safe, purpose, KeyState::Next, size, now)?;
    let kid = kid.to_owned();
    storage.write_blocking(move |write| {
        let known = storage::keys::list_keys(write)?;
        let find = |state: KeyState| find_in_state(&known, purpose, state);
        let (current, next) = (find(KeyState::Current)?, find(KeyState::Next)?);
        storage::keys::update_state(write, &kid, KeyState::Revoked.as_str(), now)?;
        let mut signs = &current.kid;
        if current.kid == kid {
            signs = &next.kid;
            storage::keys::update_state(write, signs, KeyState::Current.as_str(), now)?;
        }
        if current.kid == kid || next.kid == kid {
            storage::keys::insert_key(write, &fresh)?;
        }
        Ok(signs.clone())
    })
}

pub(crate) fn find_in_state(
    known: &[StoredKey],
    purpose: Purpose,
    state: KeyState,
) -> Result<&StoredKey, KeyError> {
    let is_it = |key: &&StoredKey| key.purpose == purpose.as_str() && key.state == state.as_str();
    known.iter().find(is_it).ok_or_else(|| {
        let (purpose, state) = (purpose.as_str(), state.as_str());
        KeyError::Ring(format!("there is no {state} key for {purpose}"))
    })
}

/// The size of the next key of a purpose, which the operator chose last. Keys other than RSA give
/// the default.
fn size_of_next(
    known: &[StoredKey],
    purpose: Purpose,
    safe: &KeySafe,
) -> Result<RsaSize, KeyError> {
    let next = find_in_state(known, purpose, KeyState::Next)?;
    let key = open_key(next, safe)?;
    Ok(RsaSize::of(key.public_key()).unwrap_or(RsaSize::Bits2048))
}

/// The two keys that each purpose needs.
fn roles() -> impl Iterator<Item = (Purpose, KeyState)> {
    let states = [KeyState::Current, KeyState::Next];
    let roles = Purpose::ALL.map(|purpose| states.map(|state| (purpose, state)));
    roles.into_iter().flatten()
}

/// Makes the first two keys of each purpose: the current and the next one. Blocks.
pub fn ensure_keys(storage: &Storage, safe: &KeySafe, now: i64) -> Result<(), KeyError> {
    let stored = storage.read_blocking(storage::keys::list_keys)?;
    for (purpose, state) in roles() {
        if find_in_state(&stored, purpose, state).is_ok() {
            continue;
        }
        let row = make(safe, purpose, state, RsaSize::Bits2048, now)?;
        storage.write_blocking(move |write| {
            // Another node may have made it meanwhile.
            let known = storage::keys::list_keys(write)?;
            if find_in_state(&known, purpose, state).is_ok() {
                return Ok(());
            }
            storage::keys::insert_key(write, &row)
        })?;
    }
    Ok(())
}

/// Seals every stored key with the first key-encryption key. Returns their number. Blocks. `now` is the
/// current Unix time; without it, nobody asks which keys running nodes have.
///
/// # Errors
/// [`KeyError::Sealed`] if a key cannot be opened, unless it is revoked. [`KeyError::NodesLackKey`] while a
/// running node lacks the first key.
pub fn rewrap(storage: &Storage, safe: KeySafe, now: Option<i64>) -> Result<usize, KeyError> {
    storage.write_blocking(move |write| {
        if let (Some(now), Some(first)) = (now, safe.sealing.fingerprints().first()) {
            let since = now - limits::ANNOUNCED_SECONDS;
            let lacking = storage::nodes::count_lacking(write, first, since)?;
            if lacking > 0 {
                return Err(KeyError::NodesLackKey(lacking));
            }
        }
        let mut count = 0;
        for row in storage::keys::list_keys(write)? {
            let context = context(&row.purpose, &row.kid);
            let Ok(opened) = safe.sealing.open(&row.sealed_private_key, &context) else {
                let is_sealed = !row.sealed_private_key.starts_with(IN_TOKEN);
                if is_sealed && row.state != KeyState::Revoked.as_str() {
                    return Err(KeyError::Sealed(row.kid));
                }
                continue;
            };
            let sealed = safe.sealing.seal(&opened, &context);
            let sealed = sealed.map_err(|error| KeyError::Generate(error.to_string()))?;
            storage::keys::update_seal(write, &row.kid, &sealed)?;
            count += 1;
        }
        for (number, origin, sealed) in storage::state_log::list_sealed_keys(write)? {
            let context = context_of_log(&origin);
            // A log of which the key is lost is closed.
            if let Ok(opened) = safe.sealing.open(&sealed, &context) {
                let sealed = safe.sealing.seal(&opened, &context);
                let sealed = sealed.map_err(|error| KeyError::Generate(error.to_string()))?;
                storage::state_log::update_sealed_key(write, number, &sealed)?;
                count += 1;
            }
        }
        Ok(count)
    })
}

/// Replaces signing keys that cannot be opened, because the key-encryption key or the token is lost:
/// revokes them, and makes new ones. Their signatures no longer verify. Blocks.
///
/// # Errors
/// [`KeyError::NotLost`] if all keys can be opened, and the error of a token that may come back.
pub fn replace_lost(storage: &Storage, safe: &KeySafe, now: i64) -> Result<(), KeyError> {
    let (lost, kept) = part_lost(storage, safe)?;
    if lost.is_empty() && !kept.is_empty() {
        return Err(KeyError::NotLost);
    }
    let mut fresh = Vec::new();
    for (purpose, state) in roles() {
        if find_in_state(&kept, purpose, state).is_err() {
            fresh.push(make(safe, purpose, state, RsaSize::Bits2048, now)?);
        }
    }
    storage.write_blocking(move |write| {
        for row in &lost {
            storage::keys::update_state(write, &row.kid, KeyState::Revoked.as_str(), now)?;
        }
        for row in &fresh {
            storage::keys::insert_key(write, row)?;
        }
        Ok(())
    })
}

/// Opens all stored keys but the revoked ones that do not open.
pub fn unseal(stored: &[StoredKey], safe: &KeySafe) -> Result<Keyring, KeyError> {
    let mut keys = Vec::with_capacity(stored.len());
    for row in stored {
        let unusable = || KeyError::Sealed(row.kid.clone());
        let key = match open_key(row, safe) {
            Ok(key) => key,
            // It signs and verifies nothing any more.
            Err(_lost) if row.state == KeyState::Revoked.as_str() => continue,
            Err(error) => return Err(error),
        };
        keys.push(RingKey {
            purpose: Purpose::parse(&row.purpose).ok_or_else(unusable)?,
            state: KeyState::parse(&row.state).ok_or_else(unusable)?,
            key: Arc::new(key),
        });
    }
    Keyring::new(keys).map_err(|error| KeyError::Ring(error.to_string()))
}

/// Opens a stored key.
pub fn open_key(row: &StoredKey, safe: &KeySafe) -> Result<SigningKey, KeyError> {
    let unusable = || KeyError::Sealed(row.kid.clone());
    if let Some(id) = row.sealed_private_key.strip_prefix(IN_TOKEN) {
        let token = safe.token.as_ref();
        let token = token.ok_or_else(|| KeyError::NoToken(row.kid.clone()))?;
        return Ok(token.find(id.parse().map_err(|_error| unusable())?)?);
    }
    let algorithm = Algorithm::parse(&row.algorithm).ok_or_else(unusable)?;
    let pem = safe
        .sealing
        .open(&row.sealed_private_key, &context(&row.purpose, &row.kid))
        .map_err(|_error| unusable())?;
    let pem = std::str::from_utf8(&pem).map_err(|_error| unusable())?;
    let key = SigningKey::from_pkcs8_pem(pem, algorithm).map_err(|_error| unusable())?;
    // The seal binds the id to the key.
    Ok(key.with_kid(&row.kid))
}

/// The keys that are not revoked: those that do not open any more, and those that do.
fn part_lost(
    storage: &Storage,
    safe: &KeySafe,
) -> Result<(Vec<StoredKey>, Vec<StoredKey>), KeyError> {
    let (mut lost, mut kept) = (Vec::new(), Vec::new());
    for row in storage.read_blocking(storage::keys::list_keys)? {
        if row.state == KeyState::Revoked.as_str() {
            continue;
        }
        match open_key(&row, safe) {
            Ok(_key) => kept.push(row),
            Err(
                KeyError::Sealed(_) | KeyError::NoToken(_) | KeyError::Token(TokenError::NoKey(_)),
            ) => lost.push(row),
            Err(error) => return Err(error),
        }
    }
    Ok((lost, kept))
}

/// Document 1 demands RS256 signatures (S-28). Access tokens use ES256, which costs a twentieth of
/// an RSA signature.
fn generate(purpose: Purpose, size: RsaSize) -> Result<SigningKey, KeyError> {
    let key = match purpose {
        Purpose::Provenance | Purpose::Event => SigningKey::generate_rsa(Algorithm::Rs256, size),
        Purpose::Token => SigningKey::generate(Algorithm::Es256),
    };
    key.map_err(|error| KeyError::Generate(error.to_string()))
}

/// Makes a key, as a row of the store. A token keeps the keys of answers and events. The store keeps the
/// keys of access tokens, which only Onward verifies.
fn make(
    safe: &KeySafe,
    purpose: Purpose,
    state: KeyState,
    size: RsaSize,
    now: i64,
) -> Result<StoredKey, KeyError> {
    let (key, kept) = match &safe.token {
        Some(token) if purpose != Purpose::Token => {
            let (key, id) = token.generate(size)?;
            (key, format!("{IN_TOKEN}{id}"))
        }
        Some(_) | None => {
            let key = generate(purpose, size)?;
            let sealed = seal_key(safe, purpose, &key)?;
            (key, sealed)
        }
    };
    Ok(describe(&key, purpose, state, now, kept))
}

/// The private key, sealed for its purpose and id.
pub(crate) fn seal_key(
    safe: &KeySafe,
    purpose: Purpose,
    key: &SigningKey,
) -> Result<String, KeyError> {
    let pem = key.to_pkcs8_pem();
    let pem = pem.map_err(|error| KeyError::Generate(error.to_string()))?;
    let context = context(purpose.as_str(), key.kid());
    let sealed = safe.sealing.seal(pem.as_bytes(), &context);
    sealed.map_err(|error| KeyError::Generate(error.to_string()))
}

/// A key that begins now, as a row of the store. `kept` is its private part, or where that is.
pub(crate) fn describe(
    key: &SigningKey,
    purpose: Purpose,
    state: KeyState,
    now: i64,
    kept: String,
) -> StoredKey {
    StoredKey {
        kid: key.kid().to_owned(),
        purpose: purpose.as_str().to_owned(),
        algorithm: key.algorithm().as_str().to_owned(),
        state: state.as_str().to_owned(),
        sealed_private_key: kept,
        created_at: now,
        changed_at: now,
    }
}

/// The context of the seal: a key opens only under the purpose and id that it was sealed with.
fn context(purpose: &str, kid: &str) -> String {
    format!("onward signing key {purpose} {kid}")
}

/// The context of the seal of a log's key (S-61).
pub fn context_of_log(origin: &str) -> String {
    format!("onward log key {origin}")
}
