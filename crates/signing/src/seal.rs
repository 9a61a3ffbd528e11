//! Private keys at rest: sealed under a key encryption key, bound to their place.

use std::fmt;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::rand;
use thiserror::Error;

use crate::base64url;

/// The longest plaintext that is sealed: many times an RSA-4096 key in PEM.
pub const MAX_PLAINTEXT_BYTES: usize = 64 * 1024;

const KEY_BYTES: usize = 32;
const TAG_BYTES: usize = 16;

/// Leads every sealed text, so that a later form can be told from this one.
const FORM: &str = "v1.";

/// Why something could not be sealed or opened. Nothing here holds key
/// material or plaintext.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SealError {
    /// The key encryption key is not 32 bytes in base64url without padding.
    #[error("the key encryption key must be 32 bytes in base64url without padding (43 characters)")]
    Key,
    /// The plaintext is above [`MAX_PLAINTEXT_BYTES`].
    #[error("at most {MAX_PLAINTEXT_BYTES} bytes can be sealed")]
    TooLong,
    /// The sealed text has not the form that `seal` writes.
    #[error("this is not a sealed text of this program: it must begin with {FORM}")]
    Malformed,
    /// The tag does not match: another key, another context or altered text.
    #[error(
        "the sealed text does not open: give the key encryption key and the context \
         it was sealed with, and the text unaltered"
    )]
    Refused,
    /// The system's random generator or the cipher failed.
    #[error("sealing failed inside the cryptographic library; try again")]
    Library,
}

/// An AES-256-GCM key that seals other keys (NIST SP 800-38D).
///
/// Nonces are 96 random bits; NIST allows 2^32 seals under one key that way,
/// far above the number of keys a service ever holds. `Debug` shows nothing of
/// the key.
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

    /// The key itself, 43 characters of base64url: a secret, for the
    /// operator's secret store only.
    pub fn to_base64url(&self) -> String {
        base64url::encode(&self.bytes)
    }

    /// Encrypts `plaintext` and binds it to `context` (for example the key's
    /// id and purpose), so that a sealed text moved to another row does not
    /// open there. The same plaintext gives another text each time.
    ///
    /// # Errors
    /// [`SealError::TooLong`] above [`MAX_PLAINTEXT_BYTES`], and
    /// [`SealError::Library`] when the cipher or its generator fails.
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
    /// [`SealError::Malformed`] when `sealed` has not that form, and
    /// [`SealError::Refused`] for another key, another context or any
    /// alteration: which of them, the cipher cannot tell.
    pub fn open(&self, sealed: &str, context: &str) -> Result<Vec<u8>, SealError> {
        let encoded = sealed.strip_prefix(FORM).ok_or(SealError::Malformed)?;
        // Base64 writes four characters for three bytes; the length is looked
        // at first so that a huge text costs no memory.
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

    fn from_bytes(bytes: [u8; KEY_BYTES]) -> Result<Self, SealError> {
        let cipher =
            RandomizedNonceKey::new(&AES_256_GCM, &bytes).map_err(|_| SealError::Library)?;
        Ok(Self { cipher, bytes })
    }
}

impl fmt::Debug for KeyEncryptionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("KeyEncryptionKey")
            .finish_non_exhaustive()
    }
}
