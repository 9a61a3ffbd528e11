//! The revision that nodes cache the registry by.

use crate::{Read, Result, Write};

/// The registry's revision: what was cached under it is still true while it stands.
pub fn find_revision(read: &mut Read<'_>) -> Result<i64> {
    read.query_exactly_one(
        "select value from revision where name = 'registry'",
        &[],
        |row| row.integer(0),
    )
}

/// Raises the revision. Every change of a client, its branches, or a key calls this.
pub(crate) fn raise_revision(write: &mut Write<'_>) -> Result<()> {
    write.execute(
        "update revision set value = value + 1 where name = 'registry'",
        &[],
    )?;
    Ok(())
}
