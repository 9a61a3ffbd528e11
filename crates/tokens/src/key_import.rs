//! Imports keys of answers and events that were made elsewhere, with the ids that they have there (S-76).

use signing::algorithm::Algorithm;
use signing::key::{GivenKid, PrivateJwk, RsaSize, SigningKey};
use signing::keyring::{KeyState, Purpose};
use storage::{Storage, Write};

use crate::key_error::KeyError;
use crate::key_source::KeySafe;
use crate::keys;

/// A key to import.
#[derive(Debug)]
pub struct Import<'a> {
    /// The purpose, which is not [`Purpose::Token`].
    pub purpose: Purpose,
    /// The id that the key gets.
    pub kid: &'a GivenKid,
    /// The private key: PKCS#8 in PEM, or a JWK.
    pub text: &'a str,
    /// The current time, in Unix seconds.
    pub now: i64,
}

/// Makes a key the next one of its purpose, in the place of the next one until now, which retires. Returns
/// the id of that one. Blocks.
///
/// # Errors
/// [`KeyError::Import`] for a key that cannot be used, [`KeyError::KidUsed`] and [`KeyError::KeyUsed`] for an
/// id or a public key that the service ever had, [`KeyError::InToken`] if a token keeps the keys.
pub fn import(storage: &Storage, safe: &KeySafe, import: &Import<'_>) -> Result<String, KeyError> {
    if safe.token.is_some() {
        return Err(KeyError::InToken);
    }
    let (key, thumbprint) = read(import)?;
    let (purpose, now) = (import.purpose, import.now);
    let sealed = keys::seal_key(safe, purpose, &key)?;
    let row = keys::describe(&key, purpose, KeyState::Next, now, sealed);
    storage.write_blocking(move |write| {
        refuse_used(write, &row.kid, &thumbprint)?;
        let known = storage::keys::list_keys(write)?;
        let replaced = keys::find_in_state(&known, purpose, KeyState::Next)?;
        storage::keys::update_state(write, &replaced.kid, KeyState::Retired.as_str(), now)?;
        storage::keys::insert_key(write, &row)?;
        if row.kid != thumbprint {
            storage::keys::note_thumbprint(write, &row.kid, &thumbprint)?;
        }
        Ok(replaced.kid.clone())
    })
}

/// The key under its new id, and the thumbprint of its public key.
fn read(import: &Import<'_>) -> Result<(SigningKey, String), KeyError> {
    let refused = |error: signing::key::KeyError| KeyError::Import(error.to_string());
    let (algorithm, text) = (Algorithm::Rs256, import.text.trim());
    let key = if text.starts_with('{') {
        let jwk = PrivateJwk::parse(text, algorithm).map_err(refused)?;
        if let Some(own) = jwk.kid.filter(|own| own != import.kid.as_str()) {
            let text = format!("its JWK has the kid {own:?}, and --kid names another one");
            return Err(KeyError::Import(text));
        }
        jwk.key
    } else {
        SigningKey::from_pkcs8_pem(text, algorithm).map_err(refused)?
    };
    let longest = RsaSize::Bits4096.bits();
    let bits = key.public_key().rsa_bits().unwrap_or_default();
    if u64::try_from(bits).is_ok_and(|bits| bits > longest) {
        let text = format!("it has {bits} bits, and at most {longest} are allowed");
        return Err(KeyError::Import(text));
    }
    let thumbprint = key.public_key().thumbprint();
    Ok((key.with_kid(import.kid.as_str()), thumbprint))
}

/// Readers keep keys by their ids, so an id is never used again, and a public key has one id.
fn refuse_used(write: &mut Write<'_>, kid: &str, thumbprint: &str) -> Result<(), KeyError> {
    if let Some(state) = storage::keys::find_state(write, kid)? {
        let kid = kid.to_owned();
        return Err(KeyError::KidUsed { kid, state });
    }
    match storage::keys::find_by_thumbprint(write, thumbprint)? {
        Some(kid) => Err(KeyError::KeyUsed(kid)),
        None => Ok(()),
    }
}
