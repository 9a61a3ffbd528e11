//! Stored private keys: encrypted under a key-encryption key and bound to their row.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::{hmac, rand};
use thiserror::Error;

use crate::authenticator::Authenticator;
use crate::base64url;

/// The longest plaintext that can be sealed. An RSA-4096 key in PEM is much shorter.
const MAX_PLAINTEXT_BYTES: usize = 64 * 1024;

const KEY_BYTES: usize = 32;
/// The most key-encryption keys at once. Two are enough to replace one.
const MAX_KEYS: usize = 8;
const TAG_BYTES: usize = 16;
/// The text of which the authentication code names a key.
const FINGERPRINTED: &[u8] = b"onward key-encryption key";
const FINGERPRINT_BYTES: usize = 8;

/// The prefix of every sealed text, which tells this form from later ones.
const FORM: &str = "v1.";

/// Why a text cannot be sealed or opened. No variant holds key material or plaintext.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SealError {
    /// The key-encryption key is not 32 bytes in base64url without padding.
    #[error("the key-encryption key must be 32 bytes in base64url without padding (43 characters)")]
    Key,
    /// The plaintext is longer than 64 KiB.
    #[error("at most {MAX_PLAINTEXT_BYTES} bytes can be sealed")]
    TooLong,
    /// The sealed text does not have the form that `seal` writes.
    #[error("this is not a sealed text of this program: it must begin with {FORM}")]
    Malformed,
    /// The tag does not match: the key, the context or the text differs.
    #[error("the sealed text does not open: the key-encryption key, context or text differs")]
    Refused,
    /// The system's random generator or the cipher failed.
    #[error("sealing failed inside the cryptographic library; try again")]
    Library,
}

/// An AES-256-GCM key that seals other keys (NIST SP 800-38D).
///
/// Nonces are 96 random bits, for which NIST allows 2^32 seals under one key. A service holds far
/// fewer keys. `Debug` does not show the key.
pub struct KeyEncryptionKey {
    cipher: RandomizedNonceKey,
    bytes: [u8; KEY_BYTES],
}

impl KeyEncryptionKey {
    /// Makes a new random key.
    ///
    /// # Errors
    /// [`SealError::Library`] when the system's random generator fails.
    pub fn generate() -> Result<Self, SealError> {
        let mut bytes = [0_u8; KEY_BYTES];
        rand::fill(&mut bytes).map_err(|_| SealError::Library)?;
        Self::from_bytes(bytes)
    }

    /// Reads a key that [`Self::to_base64url`] wrote.
    ///
    /// # Errors
    /// [`SealError::Key`] when `text` is not 32 bytes in strict base64url.
    pub fn from_base64url(text: &str) -> Result<Self, SealError> {
        let decoded = base64url::decode_strict(text).map_err(|_| SealError::Key)?;
        let bytes = decoded.try_into().map_err(|_| SealError::Key)?;
        Self::from_bytes(bytes)
    }

    /// The key as 43 characters of base64url. The text is secret.
    pub fn to_base64url(&self) -> String {
        base64url::encode(&self.bytes)
    }

    /// Encrypts `plaintext` and binds it to `context`, for example the id and purpose of a key. A
    /// sealed text does not open in another row. Each call gives another text.
    ///
    /// # Errors
    /// [`SealError::TooLong`], and [`SealError::Library`] when the cipher or its generator fails.
    pub fn seal(&self, plaintext: &[u8], context: &str) -> Result<String, SealError> {
        if plaintext.len() > MAX_PLAINTEXT_BYTES {
            return Err(SealError::TooLong);
        }
        let mut ciphertext = plaintext.to_vec();
        let nonce = self
            .cipher
            .seal_in_place_append_tag(Aad::from(context.as_bytes()), &mut ciphertext)
            .map_err(|_| SealError::Library)?;
        let mut sealed = nonce.as_ref().to_vec();
        sealed.append(&mut ciphertext);
        Ok(format!("{FORM}{}", base64url::encode(&sealed)))
    }

    /// Decrypts what [`Self::seal`] wrote under the same key and `context`.
    ///
    /// # Errors
    /// [`SealError::TooLong`], [`SealError::Malformed`] for another form, and
    /// [`SealError::Refused`] when the key, the context or the text differs.
    pub fn open(&self, sealed: &str, context: &str) -> Result<Vec<u8>, SealError> {
        let encoded = sealed.strip_prefix(FORM).ok_or(SealError::Malformed)?;
        // Four characters hold three bytes. A huge text is refused before it takes memory.
        if encoded.len() / 4 * 3 > MAX_PLAINTEXT_BYTES + NONCE_LEN + TAG_BYTES {
            return Err(SealError::TooLong);
        }
        let bytes = base64url::decode_strict(encoded).map_err(|_| SealError::Malformed)?;
        let (nonce, ciphertext) = bytes
            .split_first_chunk::<NONCE_LEN>()
            .ok_or(SealError::Malformed)?;
        let mut in_out = ciphertext.to_vec();
        let plaintext = self
            .cipher
            .open_in_place(
                Nonce::assume_unique_for_key(*nonce),
                Aad::from(context.as_bytes()),
                &mut in_out,
            )
            .map_err(|_| SealError::Refused)?;
        Ok(plaintext.to_vec())
    }

    /// A name of the key, 11 characters of base64url. It tells nothing else about the key.
    pub fn fingerprint(&self) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.bytes);
        let tag = hmac::sign(&key, FINGERPRINTED);
        base64url::encode(tag.as_ref().get(..FINGERPRINT_BYTES).unwrap_or_default())
    }

    fn from_bytes(bytes: [u8; KEY_BYTES]) -> Result<Self, SealError> {
        let cipher =
            RandomizedNonceKey::new(&AES_256_GCM, &bytes).map_err(|_| SealError::Library)?;
        Ok(Self { cipher, bytes })
    }
}

/// The key-encryption key, and the earlier ones that it replaces. The first key seals; each of them
/// opens.
#[derive(Debug)]
pub struct KeyEncryptionKeys {
    first: KeyEncryptionKey,
    earlier: Vec<KeyEncryptionKey>,
}

impl KeyEncryptionKeys {
    /// Reads one key a line, the first one first. Blank lines are skipped.
    ///
    /// # Errors
    /// [`SealError::Key`] without a key, with more than 8, or when one of them is malformed.
    pub fn parse(text: &str) -> Result<Self, SealError> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let keys = lines
            .take(MAX_KEYS + 1)
            .map(KeyEncryptionKey::from_base64url);
        let mut keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        if keys.is_empty() || keys.len() > MAX_KEYS {
            return Err(SealError::Key);
        }
        let earlier = keys.split_off(1);
        let first = keys.pop().ok_or(SealError::Key)?;
        Ok(Self { first, earlier })
    }

    /// The fingerprints of all keys, the first key's first.
    pub fn fingerprints(&self) -> Vec<String> {
        let keys = std::iter::once(&self.first).chain(&self.earlier);
        keys.map(KeyEncryptionKey::fingerprint).collect()
    }

    /// As [`KeyEncryptionKey::seal`], with the first key.
    ///
    /// # Errors
    /// The errors of [`KeyEncryptionKey::seal`].
    pub fn seal(&self, plaintext: &[u8], context: &str) -> Result<String, SealError> {
        self.first.seal(plaintext, context)
    }

    /// Derives keys that authenticate texts of one purpose. All nodes with these keys derive the same.
    ///
    /// # Errors
    /// [`SealError::Library`] when the cryptographic library fails.
    pub fn derive_authenticator(&self, purpose: &str) -> Result<Authenticator, SealError> {
        let earlier = self.earlier.iter().map(|key| key.bytes.as_slice());
        let derived = Authenticator::derive(&self.first.bytes, earlier, purpose);
        derived.map_err(|_| SealError::Library)
    }

    /// As [`KeyEncryptionKey::open`], with the key that opens it.
    ///
    /// # Errors
    /// The errors of [`KeyEncryptionKey::open`]; [`SealError::Refused`] when no key opens the text.
    pub fn open(&self, sealed: &str, context: &str) -> Result<Vec<u8>, SealError> {
        let mut opened = self.first.open(sealed, context);
        for key in &self.earlier {
            if opened != Err(SealError::Refused) {
                break;
            }
            opened = key.open(sealed, context);
        }
        opened
    }
}

impl fmt::Debug for KeyEncryptionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KeyEncryptionKey")
            .finish_non_exhaustive()
    }
}
