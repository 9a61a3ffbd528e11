//! Signing keys between the store, where they are sealed, and memory.

use std::path::Path;
use std::sync::Arc;

use signing::algorithm::Algorithm;
use signing::key::{RsaSize, SigningKey};
use signing::keyring::{KeyState, Keyring, Purpose, RingKey};
use signing::seal::KeyEncryptionKey;
use storage::keys::StoredKey;
use storage::{Storage, StorageError};

use crate::files;

/// Why the keys cannot be used, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file of the key encryption key is missing or wrong.
    #[error("cannot use {path} as the key that seals private keys: {reason}")]
    KeyEncryptionKey {
        /// Which file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A stored key cannot be opened.
    #[error(
        "the signing key {0} in the store cannot be opened: is `key_encryption_key_file` the one \
         that the store was made with?"
    )]
    Sealed(String),
    /// The store's set of keys is not complete.
    #[error("the store's signing keys cannot be used: {0}; `onward init` makes them")]
    Ring(String),
    /// A new key could not be made.
    #[error("a signing key cannot be made: {0}")]
    Generate(String),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Reads the key encryption key from its file.
pub fn read_key_encryption_key(path: &str) -> Result<KeyEncryptionKey, KeyError> {
    let refused = |reason: String| KeyError::KeyEncryptionKey {
        path: path.to_owned(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    KeyEncryptionKey::from_base64url(text.trim())
        .map_err(|_error| refused("it must hold 32 bytes in base64url".to_owned()))
}

/// Makes the file of the key encryption key, unless it is there.
pub fn ensure_key_encryption_key(path: &Path) -> Result<(), KeyError> {
    if path.exists() {
        return Ok(());
    }
    let key =
        KeyEncryptionKey::generate().map_err(|error| KeyError::Generate(error.to_string()))?;
    files::write_secret(path, &key.to_base64url()).map_err(|error| KeyError::KeyEncryptionKey {
        path: path.display().to_string(),
        reason: error.to_string(),
    })
}

/// Makes the first key of each purpose that has none. Blocks.
pub fn ensure_keys(
    storage: &Storage,
    key_encryption_key: &KeyEncryptionKey,
    now: i64,
) -> Result<(), KeyError> {
    let stored = storage.read_blocking(storage::keys::list_keys)?;
    for purpose in [Purpose::Provenance, Purpose::Event, Purpose::Token] {
        if stored.iter().any(|key| key.purpose == purpose.as_str()) {
            continue;
        }
        let key = generate(purpose)?;
        let row = seal(&key, purpose, key_encryption_key, now)?;
        storage.write_blocking(move |write| {
            // Another node may have been quicker.
            let known = storage::keys::list_keys(write)?;
            if known.iter().any(|key| key.purpose == row.purpose) {
                return Ok(());
            }
            storage::keys::insert_key(write, &row)
        })?;
    }
    Ok(())
}

/// Opens all stored keys.
pub fn unseal(
    stored: &[StoredKey],
    key_encryption_key: &KeyEncryptionKey,
) -> Result<Keyring, KeyError> {
    let keys = stored
        .iter()
        .map(|row| {
            let unusable = || KeyError::Sealed(row.kid.clone());
            let algorithm = Algorithm::parse(&row.algorithm).ok_or_else(unusable)?;
            let pem = key_encryption_key
                .open(&row.sealed_private_key, &context(&row.purpose, &row.kid))
                .map_err(|_error| unusable())?;
            let pem = std::str::from_utf8(&pem).map_err(|_error| unusable())?;
            let key = SigningKey::from_pkcs8_pem(pem, algorithm).map_err(|_error| unusable())?;
            Ok(RingKey {
                purpose: Purpose::parse(&row.purpose).ok_or_else(unusable)?,
                state: KeyState::parse(&row.state).ok_or_else(unusable)?,
                key: Arc::new(key),
            })
        })
        .collect::<Result<Vec<_>, KeyError>>()?;
    Keyring::new(keys).map_err(|error| KeyError::Ring(error.to_string()))
}

/// Documents 1's signatures are RS256 (S-28); access tokens are ours to choose,
/// and an ES256 signature costs a twentieth of an RSA one.
fn generate(purpose: Purpose) -> Result<SigningKey, KeyError> {
    let key = match purpose {
        Purpose::Provenance | Purpose::Event => {
            SigningKey::generate_rsa(Algorithm::Rs256, RsaSize::Bits2048)
        }
        Purpose::Token => SigningKey::generate(Algorithm::Es256),
    };
    key.map_err(|error| KeyError::Generate(error.to_string()))
}

fn seal(
    key: &SigningKey,
    purpose: Purpose,
    key_encryption_key: &KeyEncryptionKey,
    now: i64,
) -> Result<StoredKey, KeyError> {
    let pem = key
        .to_pkcs8_pem()
        .map_err(|error| KeyError::Generate(error.to_string()))?;
    let sealed = key_encryption_key
        .seal(pem.as_bytes(), &context(purpose.as_str(), key.kid()))
        .map_err(|error| KeyError::Generate(error.to_string()))?;
    Ok(StoredKey {
        kid: key.kid().to_owned(),
        purpose: purpose.as_str().to_owned(),
        algorithm: key.algorithm().as_str().to_owned(),
        state: KeyState::Current.as_str().to_owned(),
        sealed_private_key: sealed,
        created_at: now,
        changed_at: now,
    })
}

/// A sealed key opens only as the key it was sealed as.
fn context(purpose: &str, kid: &str) -> String {
    format!("onward signing key {purpose} {kid}")
}
