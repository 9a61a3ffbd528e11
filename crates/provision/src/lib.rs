//! Files that an installation needs: a certificate authority, certificates and the key-encryption
//! key. This crate knows nothing about the store or the server.

pub mod authority;
pub mod files;
pub mod key_encryption_key;

/// Why a file could not be made, in one sentence.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProvisionError(String);

impl ProvisionError {
    fn new(reason: impl std::fmt::Display) -> Self {
        Self(reason.to_string())
    }
}
