//! What a program that was killed left to the next one.

use std::path::Path;

use super::held::Held;
use super::{connect, control};
use crate::{Result, lanes, migrations};

/// Gives back all lanes if nobody else has the store open: who leased them was killed, and their
/// subscribers need not wait for the leases to end. A store that is not as it should be is left
/// alone; opening it says what is wrong.
pub(super) fn free_lanes(path: &Path) {
    let Ok(Some(_alone)) = Held::alone_now(path) else {
        return;
    };
    let free = || -> Result<()> {
        let connection = connect(path, false, false)?;
        let version = connection.query_row(migrations::READ_VERSION, [], |row| row.get(0));
        if version == Ok(migrations::SCHEMA_VERSION) {
            control(&connection, lanes::FREE_ALL)?;
        }
        Ok(())
    };
    if let Err(error) = free() {
        tracing::debug!(%error, "lanes were not given back");
    }
}
