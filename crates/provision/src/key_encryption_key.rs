//! The file of the key-encryption key, which seals private keys in the store.

use std::path::Path;

use signing::seal::KeyEncryptionKey;

use crate::{ProvisionError, files};

/// Makes the file with a new random key, unless the file exists.
pub fn ensure(path: &Path) -> Result<(), ProvisionError> {
    if path.exists() {
        return Ok(());
    }
    let key = KeyEncryptionKey::generate().map_err(ProvisionError::new)?;
    files::write_secret(path, &key.to_base64url()).map_err(|error| {
        ProvisionError::new(format_args!(
            "cannot write the key-encryption key to {}: {error}",
            path.display()
        ))
    })
}
