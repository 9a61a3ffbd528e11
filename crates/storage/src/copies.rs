//! Backing up and restoring a store.

use std::path::Path;

use crate::copy_error::CopyError;
use crate::operator_changes::OperatorCommand;
use crate::{StoreUrl, engine};

/// Writes the current contents of the store into a new file, while others use the store. The copy
/// has every change that was acknowledged before the call. Blocks.
pub fn back_up(url: &StoreUrl, target: &Path) -> Result<(), CopyError> {
    match url {
        StoreUrl::Sqlite(path) => engine::back_up(path, target),
        StoreUrl::Postgres(_) => Err(CopyError::Postgres(url.to_string())),
    }
}

/// Replaces the store with a copy. Nobody may have the store open. An existing store is an error,
/// unless `replace` sets it aside. Numbers that the lost part of the store gave out are not given out
/// again, and `note` is kept. Blocks.
pub fn restore(
    copy: &Path,
    url: &StoreUrl,
    replace: bool,
    note: OperatorCommand,
) -> Result<(), CopyError> {
    match url {
        StoreUrl::Sqlite(path) => engine::restore(copy, path, replace, note),
        StoreUrl::Postgres(_) => Err(CopyError::Postgres(url.to_string())),
    }
}
