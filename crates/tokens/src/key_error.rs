//! Why signing keys cannot be used.

use storage::StorageError;

use crate::pkcs11::TokenError;

/// Why the keys cannot be used, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file of the key-encryption key is missing or wrong.
    #[error("cannot use {path} as the key-encryption key: {reason}")]
    KeyFile {
        /// The path of the file.
        path: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// The command of the key-encryption key failed. Its vault may come back. The command may hold a
    /// secret, so this does not show it.
    #[error("the command in `key_encryption_key_command` gave no key-encryption key: {reason}")]
    KeyCommand {
        /// Why its output cannot be used.
        reason: String,
    },
    /// The file with the PIN of the token cannot be read.
    #[error("cannot read the PIN of the PKCS#11 token from {path}: {reason}")]
    PinFile {
        /// The path of the file.
        path: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The token cannot be used. It may come back.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A token keeps the key, and the settings name none.
    #[error(
        "a PKCS#11 token keeps the signing key {0}: set pkcs11_module, pkcs11_token and pkcs11_pin_file"
    )]
    NoToken(String),
    /// A stored key cannot be opened.
    #[error(
        "the signing key {0} in the store cannot be opened: is the key-encryption key the one that the \
         store was made with?"
    )]
    Sealed(String),
    /// The store lacks a signing key.
    #[error("the store's signing keys cannot be used: {0}; `onward init` creates them")]
    Ring(String),
    /// Verifiers may not know the next key yet.
    #[error(
        "the next key is published for too short a time: until {0} verifiers may hold a key set \
         without it; wait until then, or say --now"
    )]
    TooEarly(String),
    /// The address where readers find the keys has not shown the next one (S-76).
    #[error(
        "the address in published_jwks_url has not shown the next key {0} with its public key: publish it \
         there first; --now does not change that"
    )]
    NotShown(String),
    /// No key has this id.
    #[error("there is no signing key {0}")]
    Unknown(String),
    /// These nodes run and could not open the keys afterwards.
    #[error(
        "{0} running nodes have not announced the first key-encryption key: put it into their files and \
         restart them; a node that was killed counts for a minute; --now seals the keys all the same"
    )]
    NodesLackKey(i64),
    /// Keys are not lost if they can be opened.
    #[error("all signing keys can be opened: nothing is lost")]
    NotLost,
    /// A key from elsewhere cannot be used.
    #[error("this key cannot be imported: {0}")]
    Import(String),
    /// An id is never used again.
    #[error(
        "the kid {kid} was used before, by a key that is {state} now: a kid is never used again"
    )]
    KidUsed {
        /// The id.
        kid: String,
        /// The state of its key.
        state: String,
    },
    /// The service has, or had, this key under another id.
    #[error("the service has this key already, with the kid {0}: import another key")]
    KeyUsed(String),
    /// A token keeps the keys, and a key from a file would be kept elsewhere.
    #[error(
        "a PKCS#11 token keeps the keys of answers and events, and takes no key from a file: make the key \
         in the token with `onward keys rotate`"
    )]
    InToken,
    /// A new key could not be made.
    #[error("a signing key cannot be made: {0}")]
    Generate(String),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
