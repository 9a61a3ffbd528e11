//! Releases the lanes that a killed program had leased.

use std::path::Path;

use super::file_lock::FileLock;
use super::{Access, connect, control};
use crate::{Result, lanes, migrations};

/// Releases all lanes if nobody else has the store open: then a killed program leased them, and
/// subscribers need not wait until the leases expire. A store with another schema version is left
/// alone; opening it reports the reason.
pub(super) fn release(path: &Path) {
    let Ok(Some(lock)) = FileLock::try_exclusive(path) else {
        return;
    };
    if let Err(error) = lock.allow_moves() {
        tracing::warn!(%error, "the log of the store is not moved into its file");
    }
    let release_all = || -> Result<()> {
        let connection = connect(path, Access::Write)?;
        let version = connection.query_row(migrations::READ_VERSION, [], |row| row.get(0));
        if version == Ok(migrations::SCHEMA_VERSION) {
            control(&connection, lanes::RELEASE_ALL)?;
        }
        Ok(())
    };
    if let Err(error) = release_all() {
        tracing::debug!(%error, "abandoned lanes were not released");
    }
}
