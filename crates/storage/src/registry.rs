//! The revisions that nodes cache the registry by.

use crate::{Read, Result, Write};

/// The registry's revision: what was cached under it is still true while it stands.
pub fn find_revision(read: &mut Read<'_>) -> Result<i64> {
    // Without a parameter: this is the one statement that every call makes.
    read.query_exactly_one(
        "select value from revision where name = 'registry'",
        &[],
        |row| row.integer(0),
    )
}

/// The part of it that counts clients and keys alone, and no revoked tokens.
pub fn find_registered_revision(read: &mut Read<'_>) -> Result<i64> {
    find(read, "registered")
}

/// The directory's revision.
pub fn find_directory_revision(read: &mut Read<'_>) -> Result<i64> {
    find(read, "directory")
}

/// Raises the revision. Every change of a client, its branches, or a key calls this.
pub(crate) fn raise_revision(write: &mut Write<'_>) -> Result<()> {
    raise(write, "registry")?;
    raise(write, "registered")
}

/// Raises the revision for a token that was revoked; the new one.
pub(crate) fn raise_revision_for_token(write: &mut Write<'_>) -> Result<i64> {
    raise(write, "registry")?;
    find_revision(write)
}

/// Raises the directory's revision. Every change of a participant calls this.
pub(crate) fn raise_directory_revision(write: &mut Write<'_>) -> Result<()> {
    raise(write, "directory")
}

fn find(read: &mut Read<'_>, name: &str) -> Result<i64> {
    read.query_exactly_one(
        "select value from revision where name = $1",
        &[name.into()],
        |row| row.integer(0),
    )
}

fn raise(write: &mut Write<'_>, name: &str) -> Result<()> {
    write.execute(
        "update revision set value = value + 1 where name = $1",
        &[name.into()],
    )?;
    Ok(())
}
